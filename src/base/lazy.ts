/** Things made when first asked for. */

/** Returns a function that runs `make` once and hands out that one promise; a failed attempt is forgotten so that the next call tries again. */
export function lazy<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((fault: unknown) => {
      made = undefined;
      throw fault;
    });
    return made;
  };
}
