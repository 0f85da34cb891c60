/** The two pages a person sees while logging a client in. Everything that came from outside is escaped. */

const HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "no-store",
  // Security: no script runs here, nobody may frame the password form, and the address with its state leaks to nobody.
  "Content-Security-Policy":
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self' https: http://localhost:* http://127.0.0.1:*; frame-ancestors 'none'",
  "X-Frame-Options": "DENY",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
} as const;

const STYLE =
  "body{font:16px system-ui;max-width:28rem;margin:4rem auto;padding:0 1rem}input,button{font:inherit;padding:.4rem;width:100%;box-sizing:border-box;margin:.3rem 0}.fault{color:#b00}";

/** A page that says why there is no login here. */
export function faultPage(status: number, fact: string): Response {
  return page(status, { title: "Cannot log in", body: `<p class="fault">${escapeHtml(fact)}</p>` });
}

/** What the page shows and sends back. */
export interface PasswordForm {
  readonly clientName: string;
  readonly redirectHost: string;
  /** Parameters of the request, sent back by the form. */
  readonly fields: Readonly<Record<string, string>>;
  /** Shown above the form after a wrong password. */
  readonly fault?: string;
}

/** The page on which a person allows a client. */
export function passwordPage(status: number, { clientName, redirectHost, fields, fault }: PasswordForm): Response {
  const hidden = Object.entries(fields).map(([name, value]) =>
    `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`
  ).join("");
  const complaint = fault === undefined ? "" : `<p class="fault">${escapeHtml(fault)}</p>`;
  return page(status, {
    title: "Log in to Vise",
    body: `<p><b>${escapeHtml(clientName)}</b> wants to use the tools of this server and will be answered at <b>${
      escapeHtml(redirectHost)
    }</b>.</p>${complaint}
<form method="post" action="/oauth/authorize" autocomplete="off">${hidden}<label>Password <input type="password" name="password" autofocus></label><button>Allow</button></form>`,
  });
}

function page(status: number, { title, body }: { title: string; body: string }): Response {
  const html =
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><style>${STYLE}</style><h1>${title}</h1>${body}</html>`;
  return new Response(html, { status, headers: HEADERS });
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
