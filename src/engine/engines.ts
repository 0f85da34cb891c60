/** The engines a call may use. Each is made when first asked for, so that a run pays only for what it does. */

import type { EnvironmentEngine } from "./environment/environment_engine.ts";
import type { GitEngine } from "./git/git_engine.ts";
import type { GrantStore } from "./policy/grant_store.ts";
import type { PatchEngine } from "./patch/patch_engine.ts";
import type { PolicyEngine } from "./policy/policy_engine.ts";
import type { GuideEngine } from "./guide/guide_engine.ts";
import type { ImageEngine } from "./image/image_engine.ts";
import type { RunEngine } from "./run/run_engine.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import type { OuterRules } from "./search/ignore_rules.ts";
import type { SearchEngine } from "./search/search_engine.ts";
import type { CommandSummary, ProjectContextFiles } from "./server_facts.ts";
import type { Workspace } from "./workspace/workspace.ts";

/** What a tool's `run` gets as `context.engines`. Each method resolves to the one engine of the run. */
export interface Engines {
  /** The confined tree; always there. */
  readonly workspace: Workspace;
  /** Pictures for the model. */
  image(): Promise<ImageEngine>;
  /** Environment and private directories of commands and git helpers. */
  environment(): Promise<EnvironmentEngine>;
  /** Instruction files and skills of the project. */
  guide(): Promise<GuideEngine>;
  /** Permissions the user gave in this run. */
  grants(): Promise<GrantStore>;
  /** Gates that a command passes before it starts. */
  policy(): Promise<PolicyEngine>;
  /** Changes files: all of a call or nothing. */
  patch(): Promise<PatchEngine>;
  /** Searches and lists the files of the workspace. */
  search(): Promise<SearchEngine>;
  /** Ignore rules that hold in the workspace but lie outside of it; read anew by each call. */
  outerRules(): Promise<OuterRules>;
  /** Reads the repository of the workspace; it never changes it. */
  readonly git: () => Promise<GitEngine>;
  /** Confined starts of commands and helpers. */
  sandbox(): Promise<Sandbox>;
  /** Commands of this run; absent as long as none was started. */
  commandSummaries?(): readonly CommandSummary[];
  /** Instruction files of the workspace; absent where nothing looks for them. */
  projectContextFiles?(): Promise<ProjectContextFiles>;
  /** Runs the commands of clients. */
  run(): Promise<RunEngine>;
}
