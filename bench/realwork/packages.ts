/** The packages that `deno task realwork` breaks and repairs. All versions are exact, so that every run has the same faults. */

/** One package and how its tests are run. */
export interface RealPackage {
  readonly name: string;
  /** Exact; its archive must hold the tests. */
  readonly version: string;
  /** How it is written and tested, for the table. */
  readonly style: string;
  /** Files of the package that a fault may be put into. */
  readonly sources: readonly string[];
  /** What the tests need, as `name@version`. */
  readonly runner: readonly string[];
  /** Command line of the package's own tests, without what their script adds (coverage, lint). */
  readonly test: string;
}

/** In the order of the table. */
export const PACKAGES: readonly RealPackage[] = [
  {
    name: "json-stringify-safe",
    version: "5.0.1",
    style: "one ES5 function; mocha, must",
    sources: ["stringify.js"],
    runner: ["mocha@10.8.2", "must@0.13.4", "sinon@17.0.1"],
    test: "node node_modules/mocha/bin/mocha.js --reporter dot --require must test/stringify_test.js",
  },
  {
    name: "@fastify/error",
    version: "4.3.0",
    style: "error classes; node --test",
    sources: ["index.js"],
    runner: [],
    test: "node --test",
  },
  {
    name: "minimist",
    version: "1.2.8",
    style: "ES5 argument parser; tape",
    sources: ["index.js"],
    runner: ["tape@5.9.0"],
    test: "node node_modules/tape/bin/tape test/*.js",
  },
  {
    name: "fast-uri",
    version: "4.2.4",
    style: "parser by code points; tape, ajv",
    sources: ["index.js", "lib/schemes.js", "lib/utils.js"],
    runner: ["tape@5.9.0", "ajv@8.17.1"],
    test: "node node_modules/tape/bin/tape test/*.js",
  },
  {
    name: "@fastify/busboy",
    version: "3.2.6",
    style: "streams and prototypes; node --test",
    sources: [
      "deps/dicer/lib/Dicer.js",
      "deps/dicer/lib/HeaderParser.js",
      "deps/streamsearch/sbmh.js",
      "lib/types/multipart.js",
      "lib/types/urlencoded.js",
      "lib/utils/Decoder.js",
      "lib/utils/parseParams.js",
    ],
    runner: [],
    test: "node --test",
  },
];
