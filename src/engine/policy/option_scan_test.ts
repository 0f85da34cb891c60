import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { clusterHolds, type OptionRule, scanLeadingOptions, type ScannedOptions, scanOptions } from "./option_scan.ts";
import { literalWord } from "./shell_reading.ts";

const RULE: OptionRule = { short: "nf", long: ["--file", "-exec"] };

function shown({ options, operands }: ScannedOptions): string {
  const names = options.map(({ name, value }) => value === null ? name : `${name}=${value.value}`);
  return `${names.join(" ")}|${operands.map(({ value }) => value).join(" ")}`;
}

function words(line: string) {
  return line.split(" ").map(literalWord);
}

function leading(line: string): string {
  return shown(scanLeadingOptions(words(line), RULE));
}

function anywhere(line: string): string {
  return shown(scanOptions(words(line), RULE));
}

Deno.test("options are read up to the first operand, or anywhere before --", () => {
  strictEqual(leading("-a x -b y"), "-a|x -b y");
  strictEqual(anywhere("-a x -b y"), "-a -b|x y");
  strictEqual(leading("-a -- -b x"), "-a|-b x");
  strictEqual(anywhere("x -a -- -b y"), "-a|x -b y");
  strictEqual(leading("-"), "|-");
  strictEqual(anywhere("- -a"), "-a|-");
});

Deno.test("a short option takes the rest of its word, or the next word, as its value", () => {
  strictEqual(leading("-n 5 x"), "-n=5|x");
  strictEqual(leading("-n5 x"), "-n=5|x");
  strictEqual(leading("-an 5 x"), "-an=5|x");
  strictEqual(leading("-an5f x"), "-an=5f|x");
  strictEqual(leading("-n"), "-n|");
  strictEqual(leading("-n -- x"), "-n=--|x");
  strictEqual(leading("-abc x"), "-abc|x");
  strictEqual(shown(scanLeadingOptions(words("-n 5"), {})), "-n|5");
});

Deno.test("a long option takes what follows =, and the next word only where the rule says so", () => {
  strictEqual(leading("--file f x"), "--file=f|x");
  strictEqual(leading("--file=f x"), "--file=f|x");
  strictEqual(leading("--other f x"), "--other|f x");
  strictEqual(leading("--other=f=g x"), "--other=f=g|x");
  strictEqual(scanLeadingOptions(words("--other=f=g"), RULE).options[0]?.name, "--other");
  strictEqual(leading("--n 5"), "--n|5");
  strictEqual(leading("-exec c x"), "-exec=c|x");
  strictEqual(leading("-x=n y"), "-x=n=y|");
  strictEqual(shown(scanLeadingOptions(words("--file f"), {})), "--file|f");
});

Deno.test("a value keeps what is known of its word", () => {
  const word = { value: "-n$X/a", skeleton: "-n\u0001/a", dynamic: true, tilde: true };
  deepStrictEqual(scanLeadingOptions([word], RULE).options, [
    { name: "-n", value: { value: "$X/a", skeleton: "\u0001/a", dynamic: true, tilde: false } },
  ]);
  deepStrictEqual(scanLeadingOptions([literalWord("-na")], RULE).options, [
    { name: "-n", value: { value: "a", skeleton: "a", dynamic: false, tilde: false } },
  ]);
});

Deno.test("clusterHolds() looks for letters behind a single dash", () => {
  deepStrictEqual(
    ["-rf", "-r", "-vR", "--recursive", "r", "-", "", "x-r"].map((option) => clusterHolds(option, "rR")),
    [
      ...[true, true, true, false, false, false, false, false],
    ],
  );
  deepStrictEqual([clusterHolds("-a-", "-"), clusterHolds("-a", ""), clusterHolds("-ab", "xb")], [true, false, true]);
});
