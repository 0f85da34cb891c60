/**
 * The door to libc (glibc and musl names) for the other files of this room.
 *
 * Each file opens just the symbols it needs, on first use: a start that runs no command opens none.
 */

/** Loads symbols of the C library. @throws whatever `Deno.dlopen` throws where FFI is not permitted or a symbol is missing. */
export function openLibc<S extends Deno.ForeignLibraryInterface>(symbols: S): Deno.DynamicLibrary<S>["symbols"] {
  let lastFault: unknown;
  for (const name of LIBC_NAMES) {
    try {
      return Deno.dlopen(name, symbols).symbols;
    } catch (fault) {
      // Without the permission no other spelling can work; with it, the next name is the other C library.
      if (fault instanceof Deno.errors.NotCapable) throw fault;
      lastFault = fault;
    }
  }
  throw lastFault;
}

/** glibc, then musl's loader which is its C library (musl FAQ). */
const LIBC_NAMES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"] as const;

/** NUL-terminated UTF-8, for `char *` arguments. The text must hold no NUL. */
export function cString(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text + "\0");
}

let errnoLocation: Deno.UnsafePointerView | undefined;

/** `errno` of the last synchronous call on this thread. Meaningless after a nonblocking one, which ran elsewhere. */
export function lastErrno(): number {
  if (errnoLocation === undefined) {
    const libc = openLibc({ __errno_location: { parameters: [], result: "pointer" } });
    const pointer = libc.__errno_location();
    if (pointer === null) return 0;
    errnoLocation = new Deno.UnsafePointerView(pointer);
  }
  return errnoLocation.getInt32();
}

/** Address of `buffer`'s first byte, for pointers nested in structures. Keep `buffer` referenced until the call returned. */
export function addressOf(buffer: Uint8Array<ArrayBuffer>): bigint {
  return BigInt(Deno.UnsafePointer.value(Deno.UnsafePointer.of(buffer)));
}
