/** What a tool is: one definition from which listing, validation, documentation and rendering come. */

import type { NextAction } from "../base/tool_error.ts";
import type { Config } from "../config/config.ts";
import type { Engines } from "../engine/engines.ts";
import type { Schema } from "../schema/schema.ts";

/** Behaviour hints of MCP `ToolAnnotations`; the title is repeated by the catalog (contract 3.0). */
export interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** The hints of a tool that changes nothing and reaches nothing outside (MCP, "ToolAnnotations"). */
export const READ_ONLY: Annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** A picture for the model; base64 appears nowhere else in the result. */
export interface ImageBlock {
  readonly data: string;
  readonly mimeType: string;
}

/**
 * Text of a result. `head` and `foot` always survive; the bound of 16 KiB shortens only `body` (contract 1.2).
 *
 * Parts are joined by LF; an empty part is left out.
 */
export interface Rendering {
  readonly head?: string;
  readonly body?: string;
  readonly foot?: string;
  /**
   * Makes a body of at most `budgetBytes` UTF-8 bytes, its own `… ` notice line with the continuation included.
   * Without it whole lines from the start are kept and a general notice is added.
   */
  readonly shorten?: (budgetBytes: number) => Pick<Rendering, "head" | "body" | "foot">;
  readonly image?: ImageBlock;
}

/** Progress of a long call (O-14); dropped where the client asked for none. */
export type ReportProgress = (progress: number, message?: string, total?: number) => void;

/** Asks the person behind the client (O-16). */
export type Elicit = (
  message: string,
  requestedSchema: Record<string, unknown>,
) => Promise<{ action: "accept" | "decline" | "cancel"; content?: Record<string, unknown> }>;

/** What one call may use. */
export interface CallContext {
  readonly config: Config;
  readonly engines: Engines;
  /** Names of the tools of this run, in their order. */
  readonly toolNames: readonly string[];
  /** Aborted when the client cancels or its connection closes (O-13). */
  readonly signal: AbortSignal;
  /** Absent when the client gave no progress token. */
  readonly progress?: ReportProgress;
  /** Absent when the client cannot ask its user. */
  readonly elicit?: Elicit;
  /** Who asks over HTTP (a digest of the token), empty on stdio. Grants are bound to it. */
  readonly principal: string;
  /**
   * Calls `undo` if the request is cancelled before its answer is sent (O-13): an `exec_command` whose id nobody
   * knows is killed that way. Never called after the answer left.
   */
  readonly onUnanswered: (undo: () => void) => void;
}

/** The value of a success; `ok` is added by the catalog. */
export type ToolResult = Record<string, unknown> & {
  ok?: true;
  warnings?: string[] | undefined;
  next_action?: NextAction | string | undefined;
};

/** One tool. `run` calls engines and `render` computes: neither holds rules of its own. */
export interface ToolDefinition<Input = never, Output extends ToolResult = ToolResult> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: Annotations;
  /** Strict object schema of the arguments. */
  readonly input: Schema<Input>;
  /** Open object schema of the fields a success may carry; `ok` and `error` are added by the catalog. */
  readonly output: Schema;
  /** Wrong argument names seen from models → the right one, for the refusal's hint (O-7). */
  readonly slips?: Readonly<Record<string, string>>;
  /** Does the call. @throws ToolError for what the model can act on */
  run(input: Input, context: CallContext): Promise<Output>;
  /** Pure: value to text. `input` helps to name continuations in the caller's own spelling. */
  render(output: Output, input: Input): Rendering;
}

/** A definition with its types forgotten, as the catalog holds it. */
// deno-lint-ignore no-explicit-any
export type AnyTool = ToolDefinition<any, any>;

/** Returns `definition` as it is; it exists so that `run` and `render` are typed from `input`. */
export function defineTool<Input, Output extends ToolResult>(
  definition: ToolDefinition<Input, Output>,
): ToolDefinition<Input, Output> {
  return definition;
}
