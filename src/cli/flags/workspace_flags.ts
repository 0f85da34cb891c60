/** Flags about the workspace and about the form of results. */

import { isTruthy, oneOf } from "../../config/setting.ts";
import type { Flag } from "../flag.ts";

/** The one workspace, and what results carry. */
export const WORKSPACE_FLAGS: readonly Flag[] = [
  {
    name: "workspace",
    category: "Workspace",
    value: "DIR",
    env: "WORKSPACE",
    fallback: "current directory",
    about: "the one directory tree that tools and commands work on; not / and not the home directory",
    apply: (raw, value) => void (raw.workspace = value),
  },
  {
    name: "workspace-mutation",
    category: "Workspace",
    value: "MODE",
    env: "WORKSPACE_MUTATION",
    fallback: "unrestricted",
    choices: ["unrestricted", "structured-only"],
    about: "structured-only: commands may not write the workspace, only apply_patch and apply_changes may",
    apply: (raw, value) =>
      void (raw.workspaceMutation = oneOf(value, {
        name: "--workspace-mutation",
        choices: ["unrestricted", "structured-only"],
      })),
  },
  {
    name: "write-path",
    category: "Workspace",
    value: "PATH",
    env: "WRITE_PATHS",
    repeatable: true,
    fallback: "none",
    about: "directory that commands may write all the same under structured-only (repeatable)",
    apply: (raw, value) => void raw.writePaths.push(value),
  },
  {
    name: "structured",
    category: "Results",
    value: "on|off",
    env: "STRUCTURED",
    fallback: "on",
    choices: ["on", "off"],
    about: "off: results carry text only, for clients that show the model the structured value instead of the text",
    apply: (raw, value) =>
      void (raw.structured = oneOf(value, { name: "--structured", choices: ["on", "off"] }) === "on"),
  },
  {
    name: "enable-view-image",
    category: "Results",
    value: "on|off",
    valueOptional: true,
    env: "ENABLE_VIEW_IMAGE",
    fallback: "on",
    choices: ["on", "off"],
    about: "off: the tool view_image is not offered, for clients that cannot show images",
    apply: (raw, value) => void (raw.viewImage = value === "" || isTruthy(value)),
  },
  {
    name: "dangerously-fake-readonly-annotations",
    category: "Results",
    value: null,
    env: "DANGEROUSLY_FAKE_READONLY_ANNOTATIONS",
    fallback: "off",
    about: "advertise every tool as read-only to the client; needs dangerous mode, over HTTP also authentication",
    apply: (raw) => void (raw.fakeReadonlyAnnotations = true),
  },
];
