import { strictEqual, throws } from "node:assert/strict";
import { OAuthClients, RegistrationError } from "./clients.ts";

Deno.test("registrations are bounded, and what the operator configured stays", () => {
  const clients = new OAuthClients();
  clients.preregister({ id: "configured", secret: null, redirectUris: ["https://a.example/cb"] });
  const request = { redirect_uris: ["https://a.example/cb"] };
  for (let i = 1; i < 1_024; i++) clients.register(request);
  throws(
    () => clients.register(request),
    (fault) =>
      fault instanceof RegistrationError && fault.code === "invalid_client_metadata" && /too many/.test(fault.message),
  );
  strictEqual(clients.find("configured")?.authMethod, "none");
});
