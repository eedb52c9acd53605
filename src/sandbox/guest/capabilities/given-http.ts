import type { HostsGrant } from "../../../grants.ts";
import type { GivenAnswer } from "../protocol.ts";
import type { HttpAsk, HttpReply } from "./capability.ts";

/** Requests and response bytes of the current call. */
interface HttpSpent {
  calls: number;
  bytes: number;
}

/**
 * Returns the response of a fixture's network. The granted hosts are not checked, because a module's own fixtures must
 * give the same results under every rule. The granted numbers of requests and bytes are checked.
 */
export function givenReply(
  answers: readonly GivenAnswer[],
  ask: HttpAsk,
  grant: HostsGrant,
  spent: HttpSpent,
): HttpReply {
  spent.calls += 1;
  if (spent.calls > grant.maxCalls) return tooManyCalls(spent.calls, grant);
  const found = answers.find(
    ({ method = "GET", url }) => method.toUpperCase() === ask.method && plainUrl(url) === plainUrl(ask.url),
  );
  if (found === undefined) return { kind: "failed", message: `the fixture has no response for ${ask.url}` };
  const body = ask.method === "HEAD" ? new Uint8Array(0) : new TextEncoder().encode(found.body ?? "");
  spent.bytes += body.byteLength;
  if (spent.bytes > grant.responseBytes) return tooManyBytes(spent.bytes, grant);
  const headers = Object.entries(found.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
  return { kind: "answered", status: found.status, headers: Object.fromEntries(headers), body };
}

export function tooManyCalls(value: number, { maxCalls: limit }: HostsGrant): HttpReply {
  const message = `http_request: more than ${limit} requests in one call, redirects included`;
  return { kind: "refused", failure: { kind: "capability", message, limit, value } };
}

export function tooManyBytes(value: number, { responseBytes: limit }: HostsGrant): HttpReply {
  const message = `http_request: the answers of this call have ${value} bytes or more, over the limit of ${limit}`;
  return { kind: "refused", failure: { kind: "output-too-large", message, limit, value } };
}

function plainUrl(text: string): string {
  return URL.canParse(text) ? new URL(text).href : text;
}
