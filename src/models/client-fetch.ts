import type { CheckedFetch } from "../net/checked-fetch.ts";
import { FetchFailed } from "../net/fetch-failed.ts";
import type { ProviderCall } from "./provider.ts";

/**
 * The headers that the protocols need. The libraries would also send details of the platform, and headers that their
 * environment variables name.
 */
const SENT_HEADERS = ["accept", "content-type", "anthropic-version", "anthropic-beta"];

/** The header in which each library sends a key. The library itself never has the key. */
const KEY_HEADERS: Readonly<Record<string, (key: string) => string>> = {
  authorization: (key) => `Bearer ${key}`,
  "x-api-key": (key) => key,
};

interface ClientFetch {
  readonly fetch: ProviderCall["fetch"];
  /** Returns the last error, because the libraries do not always pass it on. */
  failed(): FetchFailed | undefined;
}

/** Returns the `fetch` for a client library. Adds the key and rejects answers of other content types. */
export function clientFetch(
  fetch: CheckedFetch["fetch"],
  { key, streams }: { readonly key: string | undefined; readonly streams: boolean },
): ClientFetch {
  let failed: FetchFailed | undefined;
  const run = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const given = new Headers(init.headers);
    const headers = new Headers();
    for (const [name, value] of given) if (SENT_HEADERS.includes(name)) headers.set(name, value);
    for (const [name, spell] of Object.entries(KEY_HEADERS))
      if (key !== undefined && given.has(name)) headers.set(name, spell(key));
    const response = await fetch(input, { ...init, headers });
    if (response.ok) await demandType(response, streams);
    return response;
  };
  return {
    failed: () => failed,
    fetch: async (input, init) => {
      try {
        return await run(input, init);
      } catch (error) {
        if (error instanceof FetchFailed) failed = error;
        throw error;
      }
    },
  };
}

/** Rejects other content types, because a library would misread them. */
async function demandType(response: Response, streams: boolean): Promise<void> {
  const [type = ""] = (response.headers.get("content-type") ?? "").split(";");
  const expected = streams ? "text/event-stream" : "application/json";
  if (type.trim().toLowerCase() === expected) return;
  await response.body?.cancel();
  const message = `the answer is of type "${type.trim()}" where ${expected} was asked for`;
  throw new FetchFailed({ kind: "invalid-output", message });
}
