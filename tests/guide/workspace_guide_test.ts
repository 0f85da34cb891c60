import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import { TempWorkspace } from "../support/temp_workspace.ts";
import { ViseProcess } from "../support/vise_process.ts";

async function guide(vise: ViseProcess, path: string) {
  return (await vise.request("tools/call", { name: "workspace_guide", arguments: { path } })).result;
}

Deno.test("the handshake carries the project's instructions, and the guide names what applies to a path", async () => {
  using workspace = new TempWorkspace();
  workspace.write("AGENTS.md", "Use tabs.\n");
  workspace.write("pkg/CLAUDE.md", "Use spaces. @style.md\n");
  workspace.write("pkg/style.md", "");
  workspace.write("skills/build/SKILL.md", "---\nname: build\ndescription: Builds the project\n---\n");
  await using vise = new ViseProcess(workspace.root);
  const hello = await vise.request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  });
  ok(hello.result.instructions.includes("Project instructions from AGENTS.md:\nUse tabs."));
  ok(hello.result.instructions.includes("- pkg/CLAUDE.md"));
  const { content, structuredContent } = await guide(vise, "pkg/new.ts");
  strictEqual(
    content[0].text,
    [
      "Rules for pkg/new.ts (does not exist yet) (later entries take precedence):",
      "- AGENTS.md (10 bytes)",
      "- pkg/CLAUDE.md (22 bytes), names pkg/style.md",
      "Skills:",
      "- build — Builds the project [skills/build/SKILL.md]",
      "Read the listed files in full with read_file before acting.",
    ].join("\n"),
  );
  deepStrictEqual(structuredContent.next_actions, [
    { tool: "read_file", arguments: { path: "AGENTS.md" } },
    { tool: "read_file", arguments: { path: "pkg/CLAUDE.md" } },
  ]);
  strictEqual(structuredContent.target_exists, false);
  strictEqual(structuredContent.skills[0].sha256, structuredContent.skills[0].revision);
});

Deno.test("the stateless era sees changed instructions at its next discovery", async () => {
  using workspace = new TempWorkspace();
  await using vise = new ViseProcess(workspace.root);
  const discover = async () => {
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    return (await vise.request("server/discover", { _meta })).result.instructions as string;
  };
  strictEqual((await discover()).includes("Project instructions"), false);
  workspace.write("CLAUDE.md", "Later rule.");
  ok((await discover()).includes("Project instructions from CLAUDE.md:\nLater rule."));
});

Deno.test("a guide that is too long for the text names how to narrow it and stays whole in the structured value", async () => {
  using workspace = new TempWorkspace();
  for (let at = 0; at < 120; at++) {
    workspace.write(`skills/s${at}/SKILL.md`, `---\nname: s${at}\ndescription: ${"d".repeat(160)}\n---\n`);
  }
  await using vise = new ViseProcess(workspace.root);
  const { content, structuredContent } = await guide(vise, ".");
  const text = content[0].text as string;
  ok(new TextEncoder().encode(text).length <= 16_384);
  ok(/… \d+ more lines are only in the structured value/.test(text), text.slice(-400));
  ok(structuredContent.skills.length > 70 && structuredContent.skills_truncated);
  ok(JSON.stringify(structuredContent).length < 65_536, String(JSON.stringify(structuredContent).length));
});

Deno.test("server_info lists the instruction files of the project", async () => {
  using workspace = new TempWorkspace();
  workspace.write("AGENTS.md", "x");
  workspace.write("sub/AGENTS.md", "x");
  await using vise = new ViseProcess(workspace.root);
  const info = (await vise.request("tools/call", { name: "server_info", arguments: {} })).result.structuredContent;
  deepStrictEqual(info.project_context, {
    root_instruction_files: ["AGENTS.md"],
    nested_instruction_files: ["sub/AGENTS.md"],
    warnings: [],
  });
});

Deno.test("guidance for other agents is named with the files it applies to", async () => {
  using workspace = new TempWorkspace();
  workspace.write(".cursor/rules/ts.mdc", "---\ndescription: Types\nglobs: src/**/*.ts\n---\nx");
  workspace.write("GEMINI.md", "x");
  await using vise = new ViseProcess(workspace.root);
  const { content, structuredContent } = await guide(vise, ".");
  deepStrictEqual(structuredContent.other_guidance, [
    { path: "GEMINI.md", bytes: 1 },
    { path: ".cursor/rules/ts.mdc", bytes: 47, description: "Types", applies_to: "src/**/*.ts" },
  ]);
  ok(content[0].text.includes("- GEMINI.md\n- .cursor/rules/ts.mdc (applies to src/**/*.ts)"), content[0].text);
});

Deno.test("a project whose instructions lead out of the workspace still lets a client connect", async () => {
  using workspace = new TempWorkspace();
  workspace.sh("printf secret > ../outside.md; ln -s ../outside.md AGENTS.md; ln -s nowhere CLAUDE.md");
  await using vise = new ViseProcess(workspace.root);
  const hello = await vise.request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: {} });
  ok(hello.result.instructions.length > 0);
  strictEqual(hello.result.instructions.includes("secret"), false);
});
