import assert from "node:assert/strict";
import {
  FS_RIGHT,
  grantedRights,
  handledRights,
  rightsOnFile,
  rulesetAttributeBytes,
  scopeBits,
  tcpRights,
} from "./landlock_rights.ts";

Deno.test("handledRights() grows with the version exactly as the kernel's table says", () => {
  const expected = {
    1: 0x1fff,
    2: 0x3fff,
    3: 0x7fff,
    4: 0x7fff,
    5: 0xffff,
    6: 0xffff,
    7: 0xffff,
    8: 0xffff,
    9: 0x1ffff,
  };
  for (const [abi, bits] of Object.entries(expected)) assert.equal(handledRights(Number(abi)), bits, `ABI ${abi}`);
});

Deno.test("network and scopes are asked for only of versions that know them", () => {
  const facts = [1, 3, 4, 5, 6, 8].map((abi) => [tcpRights(abi), scopeBits(abi), rulesetAttributeBytes(abi)]);
  assert.deepEqual(facts, [[0, 0, 8], [0, 0, 8], [3, 0, 16], [3, 0, 16], [3, 3, 24], [3, 3, 24]]);
});

Deno.test("grantedRights() never names a right that the version does not know", () => {
  for (let abi = 1; abi <= 9; abi++) {
    for (const access of ["write", "execute", "read", "device"] as const) {
      assert.equal(grantedRights(access, abi) & ~handledRights(abi), 0, `${access} at ABI ${abi}`);
    }
  }
});

Deno.test("read access holds neither writing nor executing, and a file keeps no directory right", () => {
  assert.equal(grantedRights("read", 7), FS_RIGHT.READ_FILE | FS_RIGHT.READ_DIR);
  assert.equal(grantedRights("execute", 7) & (FS_RIGHT.WRITE_FILE | FS_RIGHT.TRUNCATE | FS_RIGHT.MAKE_REG), 0);
  assert.equal(rightsOnFile(grantedRights("execute", 7)), FS_RIGHT.EXECUTE | FS_RIGHT.READ_FILE);
  assert.equal(rightsOnFile(grantedRights("write", 7)), 0xc007);
});
