/**
 * The adversary: exchanges pairs of names as fast as it can until its standard input closes (renameat2(2), RENAME_EXCHANGE).
 *
 * Arguments: path, path, path, path, …: each two are a pair. Prints one line when it is at work.
 */

const RENAME_EXCHANGE = 2;
const AT_FDCWD = -100;

const libc = Deno.dlopen("libc.so.6", {
  renameat2: { parameters: ["i32", "buffer", "i32", "buffer", "u32"], result: "i32" },
}).symbols;
const paths = Deno.args.map((path) => new TextEncoder().encode(path + "\0"));

let isOver = false;
void Deno.stdin.read(new Uint8Array(1)).then(() => (isOver = true));
console.log("swapping");
let swaps = 0;
while (!isOver) {
  for (let round = 0; round < 200; round++) {
    for (let at = 0; at + 1 < paths.length; at += 2) {
      const [one, other] = [paths[at], paths[at + 1]] as [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>];
      if (libc.renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE) === 0) swaps++;
    }
  }
  await new Promise((resolve) => setTimeout(resolve, 0));
}
console.log(`${swaps} swaps`);
Deno.exit(0);
