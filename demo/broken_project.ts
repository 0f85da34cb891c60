/** A small git repository with a real bug: the project that the demo repairs. */

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const FILES: Readonly<Record<string, string>> = {
  "package.json": `{
  "name": "invoice",
  "version": "1.2.0",
  "type": "module",
  "scripts": { "test": "node --test" }
}
`,
  "AGENTS.md": `# Working here

- Amounts are integers in cents; never use fractions of a cent.
- Run \`node --test\` before you say that something works.
`,
  "src/money.js": `/** Rounds half away from zero to whole cents. */
export function roundCents(amount) {
  return Math.sign(amount) * Math.round(Math.abs(amount));
}

/** 1234 → "12.34" */
export function formatCents(cents) {
  const sign = cents < 0 ? "-" : "";
  const whole = Math.floor(Math.abs(cents) / 100);
  const rest = String(Math.abs(cents) % 100).padStart(2, "0");
  return \`\${sign}\${whole}.\${rest}\`;
}
`,
  "src/invoice.js": `import { roundCents } from "./money.js";

/** Sum of all lines before discount and tax, in cents. */
export function subtotal(lines) {
  let sum = 0;
  for (const line of lines) {
    sum += line.quantity * line.cents;
  }
  return sum;
}

/** Discount in cents: each line may carry its own percentage. */
export function discount(lines) {
  let sum = 0;
  for (const line of lines) {
    sum += line.quantity * line.cents;
  }
  return sum;
}

/** What the customer pays: subtotal less discount, plus tax. */
export function total(lines, taxPercent) {
  const net = subtotal(lines) - discount(lines);
  return net + roundCents((net * taxPercent) / 100);
}
`,
  "test/invoice.test.js": `import assert from "node:assert/strict";
import test from "node:test";
import { discount, subtotal, total } from "../src/invoice.js";

const LINES = [
  { name: "cable", quantity: 3, cents: 499 },
  { name: "switch", quantity: 1, cents: 12900, discountPercent: 10 },
];

test("the subtotal adds quantity times price", () => {
  assert.equal(subtotal(LINES), 14397);
});

test("the discount counts only the percentage of each line", () => {
  assert.equal(discount(LINES), 1290);
});

test("the total is what remains, plus tax", () => {
  assert.equal(total(LINES, 20), 15728);
});
`,
  "test/money.test.js": `import assert from "node:assert/strict";
import test from "node:test";
import { formatCents, roundCents } from "../src/money.js";

test("cents are written with two digits", () => {
  assert.equal(formatCents(-1205), "-12.05");
});

test("half a cent rounds away from zero", () => {
  assert.equal(roundCents(-2.5), -3);
});
`,
};

/** Writes the files and commits them. The bug: \`discount\` is a copy of \`subtotal\`. */
export function makeBrokenProject(directory: string): void {
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(join(directory, name, ".."), { recursive: true });
    writeFileSync(join(directory, name), content);
  }
  const git = (...args: string[]) => {
    const identity = ["-c", "user.name=Demo", "-c", "user.email=demo@example.com", "-c", "commit.gpgsign=false"];
    execFileSync("git", [...identity, ...args], { cwd: directory, stdio: "ignore" });
  };
  git("init", "--quiet", "--initial-branch=main");
  git("add", ".");
  git("commit", "--quiet", "--message", "Add invoices with a discount per line");
}
