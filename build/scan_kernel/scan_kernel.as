// The inner loops of the search, in AssemblyScript; `deno task scan-kernel` compiles them to WebAssembly.
//
// All addresses are bytes of the module's own memory, which the caller lays out. The SIMD loops may read up to
// 16 + 255 bytes past `end`: the caller keeps that much memory behind every buffer.
//
// Needles at NEEDLES, one record of 1,024 bytes each:
//   0 length (u32), 4 first tested offset (u32), 8 second tested offset (u32),
//   16 splat of mask and value at the first offset (2 x 16 bytes), 48 the same at the second offset,
//   256 values (256 bytes), 512 masks (256 bytes).
// A byte b of the text matches position i when (b & masks[i]) == values[i].

const NEEDLE_BYTES: u32 = 1024;
const VALUES: u32 = 256;
const MASKS: u32 = 512;

/** Address of the first `byte` in [at, end), or `end`. */
export function findByte(at: u32, end: u32, byte: u32): u32 {
  const wanted = i8x16.splat(<i8>byte);
  while (at < end) {
    const hits = i8x16.bitmask(i8x16.eq(v128.load(at), wanted));
    if (hits != 0) {
      const found = at + ctz(hits);
      return found < end ? found : end;
    }
    at += 16;
  }
  return end;
}

/** Address behind the last `byte` in [start, at), or `start`: the start of the line that holds `at`. */
export function startAfter(start: u32, at: u32, byte: u32): u32 {
  const wanted = i8x16.splat(<i8>byte);
  while (at >= start + 16) {
    const hits = i8x16.bitmask(i8x16.eq(v128.load(at - 16), wanted));
    if (hits != 0) return at - 16 + (32 - clz(hits));
    at -= 16;
  }
  while (at > start) {
    if (load<u8>(at - 1) == <u8>byte) return at;
    at--;
  }
  return start;
}

/** How often `byte` is in [at, end). */
export function countByte(at: u32, end: u32, byte: u32): u32 {
  const wanted = i8x16.splat(<i8>byte);
  let count: u32 = 0;
  while (at + 16 <= end) {
    count += popcnt(i8x16.bitmask(i8x16.eq(v128.load(at), wanted)));
    at += 16;
  }
  while (at < end) {
    if (load<u8>(at) == <u8>byte) count++;
    at++;
  }
  return count;
}

/** Characters in [at, end) as far as it is UTF-8: bytes that continue none. */
export function countCharacters(at: u32, end: u32): u32 {
  let count: u32 = 0;
  while (at < end) {
    if ((load<u8>(at) & 0xc0) != 0x80) count++;
    at++;
  }
  return count;
}

function isNeedleAt(needle: u32, at: u32, end: u32): bool {
  const length = load<u32>(needle);
  if (at + length > end) return false;
  for (let i: u32 = 0; i < length; i++) {
    if ((load<u8>(at + i) & load<u8>(needle + MASKS + i)) != load<u8>(needle + VALUES + i)) return false;
  }
  return true;
}

/** Address of the first place in [at, end) where the needle is whole, or `end`. */
function findOne(at: u32, end: u32, needle: u32): u32 {
  const first = load<u32>(needle + 4);
  const second = load<u32>(needle + 8);
  const firstMask = v128.load(needle + 16);
  const firstValue = v128.load(needle + 32);
  const secondMask = v128.load(needle + 48);
  const secondValue = v128.load(needle + 64);
  while (at < end) {
    let hits: u32 = i8x16.bitmask(
      v128.and(
        i8x16.eq(v128.and(v128.load(at + first), firstMask), firstValue),
        i8x16.eq(v128.and(v128.load(at + second), secondMask), secondValue),
      ),
    );
    while (hits != 0) {
      const candidate = at + ctz(hits);
      if (isNeedleAt(needle, candidate, end)) return candidate;
      hits &= hits - 1;
    }
    at += 16;
  }
  return end;
}

/** Address of the first place in [at, end) where one of `count` needles at `needles` is whole, or `end`. */
export function findNeedles(at: u32, end: u32, needles: u32, count: u32): u32 {
  if (count == 1) return findOne(at, end, needles);
  const last = needles + count * NEEDLE_BYTES;
  while (at < end) {
    let hits: u32 = 0;
    for (let needle = needles; needle < last; needle += NEEDLE_BYTES) {
      hits |= i8x16.bitmask(
        v128.and(
          i8x16.eq(v128.and(v128.load(at + load<u32>(needle + 4)), v128.load(needle + 16)), v128.load(needle + 32)),
          i8x16.eq(v128.and(v128.load(at + load<u32>(needle + 8)), v128.load(needle + 48)), v128.load(needle + 64)),
        ),
      );
    }
    while (hits != 0) {
      const candidate = at + ctz(hits);
      for (let needle = needles; needle < last; needle += NEEDLE_BYTES) {
        if (isNeedleAt(needle, candidate, end)) return candidate;
      }
      hits &= hits - 1;
    }
    at += 16;
  }
  return end;
}

/** State in which `runStates` stopped. */
export let stoppedState: u32 = 0;

/**
 * Runs the automaton over [at, end) from `state` and returns the address where it stopped.
 *
 * A state is the address of its row: one u32 per byte class, the next state, or 0 (not known yet) or 1 (a match ends
 * before this byte). `classes` is the address of 256 bytes: four times the class of each byte does not fit a byte, so it
 * is the class itself. It stops before the byte whose transition is 0 or 1, or at `end`.
 */
export function runStates(at: u32, end: u32, state: u32, classes: u32): u32 {
  while (at < end) {
    const next = load<u32>(state + (<u32>load<u8>(classes + <u32>load<u8>(at)) << 2));
    if (next <= 1) break;
    state = next;
    at++;
  }
  stoppedState = state;
  return at;
}
