/** Why a file cannot be shown as a picture. */

/**
 * - `truncated`: the data ends before the end marker.
 * - `corrupt`: the data contradicts itself.
 * - `unsupported`: a kind of picture that is not decoded.
 * - `too_large`: more pixels than are decoded.
 */
export type ImageFaultKind = "truncated" | "corrupt" | "unsupported" | "too_large";

/** A picture that cannot be shown; `message` is a fact without the file's name ("the PNG data ends before …"). */
export class ImageFault extends Error {
  override readonly name = "ImageFault";
  readonly kind: ImageFaultKind;

  constructor(kind: ImageFaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
