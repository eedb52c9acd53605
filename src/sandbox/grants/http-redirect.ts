import type { HttpAsk } from "../guest/capabilities/capability.ts";

/** Builds the request that follows a redirect. */

/** Headers without information about the sender. Any other header may contain a key. */
const HARMLESS: readonly string[] = ["accept", "accept-language", "content-language", "content-type", "user-agent"];

/**
 * Follows the Fetch standard: status 303 changes the method to GET, and 301 and 302 change POST to GET. Drops headers
 * that may contain a key if the origin changes.
 */
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
