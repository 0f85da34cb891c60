/** Validates results against the output schemas that the server advertises (O-8). */

import type { z } from "zod";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ListedTool } from "../../src/catalog/listing.ts";
import { TOOLS } from "../../src/catalog/tool_loaders.ts";
import { LISTING } from "../../src/catalog/listing_data.ts";

/** The definitions say more than the listing does; both must hold. */
const definitions = new Map(await Promise.all(TOOLS.map(async (entry) => [entry.name, await entry.load()] as const)));

const ajv = new Ajv2020({ strict: false, allErrors: true });
const validators = new Map(
  (JSON.parse(LISTING) as ListedTool[]).map((tool) => [tool.name, ajv.compile(tool.outputSchema)]),
);

interface Failure {
  readonly error: { readonly code: string; readonly message: string; readonly details: Record<string, unknown> };
  readonly diagnostics?: readonly { readonly suggested_fix?: string }[];
}

/** Every failure names a next step, except a fault inside Vise, after which there is none. */
function checkSaysHowToGoOn(tool: string, { error, diagnostics = [] }: Failure): void {
  const { retry_hint, next_action } = error.details;
  if (retry_hint !== undefined || next_action !== undefined || error.code === "INTERNAL_ERROR") return;
  if (diagnostics.some(({ suggested_fix }) => suggested_fix !== undefined)) return;
  throw new Error(`${tool}: ${error.code} says no next step: ${error.message}`);
}

/** Validates one result as a client would. @throws Error when it breaks the envelope of contract 1.1 or its tool's own schema */
export function checkResult(tool: string, result: unknown): void {
  const { content, structuredContent, isError } = result as {
    content: { type: string; text?: string }[];
    structuredContent?: { ok?: unknown };
    isError?: unknown;
  };
  const text = content.filter((block) => block.type === "text");
  if (text.length !== 1) throw new Error(`${tool}: ${text.length} text blocks`);
  const bytes = new TextEncoder().encode(text[0]?.text ?? "").length;
  if (bytes > 16_384) throw new Error(`${tool}: the text has ${bytes} bytes`);
  if (structuredContent === undefined) return;
  if (isError !== (structuredContent.ok === false)) throw new Error(`${tool}: isError and ok disagree`);
  const validate = validators.get(tool);
  if (validate === undefined) throw new Error(`${tool} is not in the listing; run deno task docs`);
  if (!validate(structuredContent)) {
    throw new Error(
      `${tool}: the result breaks its output schema: ${ajv.errorsText(validate.errors)}\n${
        JSON.stringify(structuredContent).slice(0, 2000)
      }`,
    );
  }
  if (structuredContent.ok !== true) return checkSaysHowToGoOn(tool, structuredContent as Failure);
  const full = (definitions.get(tool)?.output as z.ZodType).safeParse(structuredContent);
  if (!full.success) throw new Error(`${tool}: the result breaks its definition: ${full.error.message}`);
}
