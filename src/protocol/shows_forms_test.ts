import { strictEqual } from "node:assert/strict";
import { showsForms } from "./shows_forms.ts";

Deno.test("showsForms() asks only a client that can show a form", () => {
  for (const elicitation of [{}, { form: {} }, { form: {}, url: {} }, { form: { applyDefaults: true } }]) {
    strictEqual(showsForms({ elicitation }), true, JSON.stringify(elicitation));
  }
  for (const elicitation of [undefined, null, true, "form", [], { url: {} }, { url: {}, form: true }]) {
    strictEqual(showsForms({ elicitation }), false, JSON.stringify(elicitation));
  }
  for (const capabilities of [undefined, null, 5, []]) strictEqual(showsForms(capabilities), false);
});
