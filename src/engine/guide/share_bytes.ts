/** Divides a byte budget fairly between files that compete for it. */

/**
 * Bytes for each of `sizes`, never more than its size: small ones are served whole, the rest share what is left equally.
 *
 * The sum never exceeds `budgetBytes`.
 */
export function shareBytes(sizes: readonly number[], budgetBytes: number): number[] {
  const shares = sizes.map(() => 0);
  const bySize = sizes.map((_, index) => index).sort((a, b) => (sizes[a] as number) - (sizes[b] as number));
  let left = budgetBytes;
  bySize.forEach((index, position) => {
    const share = Math.min(sizes[index] as number, Math.floor(left / (bySize.length - position)));
    shares[index] = share;
    left -= share;
  });
  return shares;
}
