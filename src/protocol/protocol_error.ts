/** Errors that reach the wire as numbers (JSON-RPC 2.0 section 5.1, MCP 2026-07-28). */

/** No JSON. */
export const PARSE_ERROR = -32700;
/** JSON, but no JSON-RPC message. */
export const INVALID_REQUEST = -32600;
/** A method this server does not have. */
export const METHOD_NOT_FOUND = -32601;
/** Also an unknown tool (MCP, "Tools", error handling). */
export const INVALID_PARAMS = -32602;
/** A bug in this server. */
export const INTERNAL_ERROR = -32603;
/** A mirror header disagrees with the body (MCP 2026-07-28, Streamable HTTP). */
export const HEADER_MISMATCH = -32020;
/** The client lacks a capability that the call needs. */
export const MISSING_CAPABILITY = -32021;
/** `_meta` names a protocol version that is not served. */
export const UNSUPPORTED_VERSION = -32022;

/** A failure of the protocol itself; failures of tools are results (`ToolError`). */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  readonly code: number;
  readonly data: Readonly<Record<string, unknown>> | undefined;

  constructor(code: number, message: string, data?: Readonly<Record<string, unknown>>) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The error answer as one JSON text. `idText` is the JSON text of the id exactly as it was sent. */
export function errorReply(idText: string, error: ProtocolError): string {
  const body = { code: error.code, message: error.message, ...(error.data === undefined ? {} : { data: error.data }) };
  return `{"jsonrpc":"2.0","id":${idText},"error":${JSON.stringify(body)}}`;
}
