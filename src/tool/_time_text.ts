/** RFC 3339 of milliseconds since 1970; a time that no calendar of JavaScript holds is its nearest one (ECMA-262 21.4.1.1). */
export function timeText(ms: number): string {
  const last = 8.64e15;
  return new Date(Math.max(-last, Math.min(last, ms))).toISOString();
}
