import type { HttpAsk } from "../guest/capabilities/capability.ts";

/** What becomes of a request that is sent elsewhere. */

/** What says nothing of who asks. A key may be in any other header. */
const HARMLESS: readonly string[] = ["accept", "accept-language", "content-language", "content-type", "user-agent"];

/** As the Fetch standard has it: 303 asks for something else, and 301 and 302 have made a GET of a POST since ever. */
export function redirected(ask: HttpAsk, status: number, { sameOrigin }: { readonly sameOrigin: boolean }): HttpAsk {
  const becomesGet =
    (status === 303 && !["GET", "HEAD"].includes(ask.method)) || ([301, 302].includes(status) && ask.method === "POST");
  const kept = Object.entries(ask.headers).filter(
    ([name]) => (sameOrigin || HARMLESS.includes(name)) && !(becomesGet && name.startsWith("content-")),
  );
  return {
    ...ask,
    headers: Object.fromEntries(kept),
    ...(becomesGet ? { method: "GET", body: undefined } : {}),
  };
}
