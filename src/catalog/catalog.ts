/** What is offered, and how a call becomes a result: validate → run → render → bound → envelope. */

import type { ErrorCode } from "../base/error_codes.ts";
import { ToolError } from "../base/tool_error.ts";
import type { Config } from "../config/config.ts";
import type { Engines } from "../engine/engines.ts";
import type { AnyTool, CallContext, Elicit, Rendering, ReportProgress, ToolResult } from "../tool/tool.ts";
import { FailureMemory } from "./failure_memory.ts";
import { type CallResult, envelope } from "./envelope.ts";
import { servedListing } from "./served_listing.ts";
import { TOOLS } from "./tool_loaders.ts";

/** What a transport knows about one call. */
export interface CallOptions {
  /** Aborted when the client cancels or is gone. */
  readonly signal: AbortSignal;
  /** Who asks over HTTP (a digest of the token), empty on stdio. */
  readonly principal: string;
  /** Sends a progress notification; absent when the client asked for none. */
  readonly progress?: ReportProgress;
  /** Asks the person; absent where the client cannot show a question. */
  readonly elicit?: Elicit;
  /** Runs `undo` if the request is cancelled before its answer left (O-13). */
  readonly onUnanswered: (undo: () => void) => void;
}

/** One finished call, for the trace (contract 10.2). */
export interface CallRecord {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly value: Readonly<Record<string, unknown>>;
  readonly durationMs: number;
}

/** What the catalog of one run is made from. */
export interface CatalogOptions {
  readonly config: Config;
  /** Resolves to the engines of this run; the first call makes them. */
  readonly engines: () => Promise<Engines>;
  /** Takes the stack of a fault inside Vise; never shown to the client. */
  readonly logFault: (line: string) => void;
  /** Called after every call when tracing is on. */
  readonly trace?: (record: CallRecord) => void;
}

type Args = Readonly<Record<string, unknown>>;

/** The tools of one run, each loaded at its first call. */
export class Catalog {
  readonly #options: CatalogOptions;
  readonly #names: readonly string[];
  readonly #failures = new FailureMemory();
  readonly #loaded = new Map<string, Promise<AnyTool>>();
  #notes: string[] = [];
  #listText: string | undefined;

  constructor(options: CatalogOptions) {
    this.#options = options;
    this.#names = TOOLS.map((tool) => tool.name).filter((name) => options.config.viewImage || name !== "view_image");
  }

  /** Names of the offered tools, in the order of the listing. */
  names(): readonly string[] {
    return this.#names;
  }

  /** JSON array of the definitions, made at build time. */
  listText(): string {
    return this.#listText ??= servedListing(this.#options.config);
  }

  /** A line that the next result carries among its warnings: what happened without any call, such as a recovered commit. */
  noteForNextResult(line: string): void {
    this.#notes.push(line);
  }

  /** Calls a tool of `names()`. Never rejects: a fault inside Vise is an `INTERNAL_ERROR` result. */
  async call(name: string, args: Args, options: CallOptions): Promise<CallResult> {
    const startedAt = performance.now();
    const { value, rendering } = await this.#run(name, args, options);
    this.#options.trace?.({ tool: name, args, value, durationMs: performance.now() - startedAt });
    return envelope({ value, rendering, structured: this.#options.config.structured });
  }

  async #run(name: string, args: Args, options: CallOptions): Promise<{ value: ToolResult; rendering: Rendering }> {
    const { config, engines } = this.#options;
    try {
      const tool = await this.#load(name);
      const { validateArguments } = await import("./validate_arguments.ts");
      const input = validateArguments(tool, args);
      const context: CallContext = { config, engines: await engines(), toolNames: this.#names, ...options };
      const output = await tool.run(input as never, context);
      await this.#succeeded(tool, { args, output });
      const value = this.#withNotes({ ok: true, ...output });
      return { value, rendering: withNoteLines(tool.render(value as never, input as never), value) };
    } catch (fault) {
      const { errorValue, renderError } = await import("./render_error.ts");
      const error = await this.#failed(name, { args, fault, signal: options.signal });
      const value = this.#withNotes(errorValue(name, error));
      return { value, rendering: withNoteLines(renderError(error), value) };
    }
  }

  #load(name: string): Promise<AnyTool> {
    let tool = this.#loaded.get(name);
    if (tool === undefined) {
      const entry = TOOLS.find((candidate) => candidate.name === name);
      if (entry === undefined) return Promise.reject(new Error(`no tool is called ${name}`));
      tool = entry.load();
      this.#loaded.set(name, tool);
    }
    return tool;
  }

  /** Whatever may have changed the workspace makes earlier failures worth another try (contract 1.6). */
  async #succeeded(tool: AnyTool, { args, output }: { args: Args; output: ToolResult }): Promise<void> {
    const mayHaveWritten = !tool.annotations.readOnlyHint && tool.name !== "request_permissions" &&
      output["dry_run"] !== true;
    const endedCommand = typeof output["operation_outcome"] === "string" && output["operation_outcome"] !== "running";
    if (mayHaveWritten || endedCommand) this.#failures.clear();
    else if (this.#failures.size > 0) this.#failures.forget(await callKey(tool.name, args));
  }

  async #failed(
    name: string,
    { args, fault, signal }: { args: Args; fault: unknown; signal: AbortSignal },
  ): Promise<ToolError> {
    const [{ systemFault }, { withNextStep }] = await Promise.all([
      import("./system_fault.ts"),
      import("./with_next_step.ts"),
    ]);
    const known = fault instanceof ToolError ? fault : systemFault(fault);
    if (known !== null) {
      const explained = withNextStep(name, await this.#inWorkspace(known));
      return this.#failures.remember(await callKey(name, args), explained);
    }
    // A cancelled call may fail in any way, and so may one whose question travels to the client (O-16): nobody gets its
    // answer and there is nothing to mend.
    if (!signal.aborted && !(fault instanceof Error && fault.name === "AbortError")) {
      this.#options.logFault(`${name}: ${fault instanceof Error ? fault.stack ?? fault.message : String(fault)}`);
    }
    return new ToolError("INTERNAL_ERROR", fault instanceof Error ? fault.message : String(fault), { cause: fault });
  }

  /** Where the whole workspace is gone, that is the failure, and not the path that could not be opened in it. */
  async #inWorkspace(error: ToolError): Promise<ToolError> {
    if (!MISSING_SOMETHING.has(error.code)) return error;
    const { workspace } = await this.#options.engines();
    return workspace.isGone ? workspace.goneError(error) : error;
  }

  #withNotes(value: ToolResult): ToolResult {
    if (this.#notes.length === 0) return value;
    const notes = this.#notes.splice(0);
    return { ...value, warnings: [...notes, ...(value.warnings ?? [])], [NOTES]: notes };
  }
}

const MISSING_SOMETHING: ReadonlySet<ErrorCode> = new Set(["NOT_FOUND", "IO_ERROR", "SANDBOX_UNAVAILABLE"]);

/** Marks which warnings were added here, so that the text names them too; symbols never reach JSON. */
const NOTES: unique symbol = Symbol("notes");

function withNoteLines(rendering: Rendering, value: ToolResult): Rendering {
  const notes = (value as { [NOTES]?: string[] })[NOTES];
  if (notes === undefined) return rendering;
  const lines = notes.map((note) => `Warning: ${note}`).join("\n");
  return { ...rendering, foot: [rendering.foot, lines].filter((part) => part !== undefined && part !== "").join("\n") };
}

/** Names a call for the failure memory; the idempotency key is not part of it. */
async function callKey(name: string, args: Args): Promise<string> {
  const { fingerprint } = await import("../base/fingerprint.ts");
  const { idempotency_key: _, ...rest } = args;
  return `${name} ${fingerprint(rest)}`;
}
