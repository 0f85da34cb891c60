/** Stands in for `Deno.test`, so that tests can run many times in one process. */

/** A test that can be run any number of times. */
export interface CollectedTest {
  readonly name: string;
  readonly run: () => Promise<void>;
}

interface Definition {
  readonly name: string;
  readonly ignore?: boolean;
  readonly fn: (context: unknown) => unknown;
}

/** Loads the modules and returns their tests in order; ignored ones are left out. */
export async function collectTests(modules: readonly string[]): Promise<CollectedTest[]> {
  const tests: CollectedTest[] = [];
  const add = (...parts: unknown[]): void => {
    const { name, ignore, fn } = definitionOf(parts);
    if (ignore !== true) tests.push({ name, run: async () => void await fn(contextOf(name)) });
  };
  Object.defineProperty(Deno, "test", {
    value: Object.assign(add, { ignore: () => {}, only: add }),
    configurable: true,
  });
  for (const module of modules) await import(module);
  return tests;
}

/** Every way to call `Deno.test` has at most one of each: a name, options, a function. */
function definitionOf(parts: readonly unknown[]): Definition {
  const name = parts.find((part) => typeof part === "string");
  const fn = parts.find((part) => typeof part === "function");
  const options = parts.find((part) => typeof part === "object");
  return {
    ...(options ?? {}) as Definition,
    ...(name === undefined ? {} : { name: name as string }),
    ...(fn === undefined ? {} : { fn: fn as Definition["fn"] }),
  };
}

function contextOf(name: string): unknown {
  return {
    name,
    step: async (...parts: unknown[]) => {
      const step = definitionOf(parts);
      if (step.ignore !== true) await step.fn(contextOf(step.name));
      return true;
    },
  };
}
