import type { Network } from "../../src/grants.ts";
import type { Resolver } from "../../src/net/dns-lookup.ts";
import { HttpClient, type PostRequest, type PostResult } from "../../src/net/http-client.ts";

interface Posting {
  readonly client?: HttpClient;
  readonly network?: Network;
  readonly headers?: PostRequest["headers"];
  readonly allowedUrls?: readonly string[];
  readonly body?: string;
  readonly resolve?: Resolver;
  readonly timeoutMs?: number;
}

/**
 * Sends one request through a new client, if none is given. Tests that are not about time have much more of it than
 * they need.
 */
export async function post(url: string, posting: Posting = {}): Promise<PostResult> {
  const {
    network = "loopback",
    headers = {},
    body = '{"event":1}',
    allowedUrls,
    resolve,
    timeoutMs = 10_000,
  } = posting;
  const client = posting.client ?? new HttpClient(resolve === undefined ? {} : { resolve });
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort({ kind: "timeout", message: "too late" }), timeoutMs);
  try {
    return await client.post({ url, network, headers, body, allowedUrls: allowedUrls && [allowedUrls] }, stop.signal);
  } finally {
    clearTimeout(timer);
    if (posting.client === undefined) await client.close();
  }
}

/** Returns the status or the failure, on one line. */
export function summary(result: PostResult): string {
  return result.ok ? String(result.answer.status) : `${result.failure.kind}: ${result.failure.message}`;
}

export const resolving =
  (...addresses: readonly string[]): Resolver =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
