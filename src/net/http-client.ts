import type { ClientRequest } from "node:http";
import type { Failure } from "../outcome.ts";
import type { Network } from "../rule.ts";
import { checkedLookup, type Resolver, systemResolver } from "./checked-lookup.ts";
import { type Answer, type ExchangeResult, exchange, REDIRECTS, type Stopping } from "./exchange.ts";
import { type Opener, openerFor } from "./kept-connections.ts";
import { networkAfter } from "./network-policy.ts";
import { checkTarget, type Target, type TargetCheck, type TargetTerms } from "./target.ts";

export interface PostRequest extends TargetTerms {
  readonly url: string;
  /** JSON text. */
  readonly body: string;
  /** The rule's own, with names in lower case. Left out from the first redirect to another origin on. */
  readonly headers: Readonly<Record<string, string>>;
}

export type PostResult =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly failure: Failure };

export const MAX_BODY_BYTES = 1_048_576;
const MAX_REDIRECTS = 3;

/** These repeat the request as it was; with the others it would become a GET, without the event. */
const REPEATING = [307, 308];

const MAX_CHECKED_URLS = 256;

const OWN_HEADERS = {
  "content-type": "application/json",
  accept: "application/json",
  "accept-encoding": "identity",
};

/**
 * Sends JSON to where a rule may send, and nowhere else. Connections are kept apart by what their rules may reach, so
 * that none is used by a rule which could not have opened it. Environment variables that name a proxy are not read: a
 * proxy would look names up itself, out of sight.
 */
export class HttpClient {
  readonly #resolve: Resolver;
  readonly #agents = new Map<string, Promise<Opener>>();
  readonly #checked = new Map<string, TargetTerms & { readonly check: TargetCheck }>();
  readonly #running = new Set<ClientRequest>();
  #closed = false;

  constructor({ resolve = systemResolver }: { readonly resolve?: Resolver } = {}) {
    this.#resolve = resolve;
  }

  async post(request: PostRequest, stop: Stopping): Promise<PostResult> {
    const { allowedUrls, body } = request;
    let { network, headers } = request;
    const first = this.#check(request);
    if (!first.ok) return refused(first.message);
    let { target } = first;
    for (let redirects = 0; ; redirects += 1) {
      const result = await this.#send(target, network, headers, body, stop);
      if (!result.ok) return result;
      const { status, headers: said, remoteAddress } = result.answer;
      if (!REDIRECTS.includes(status)) return result;
      const { location } = said;
      if (!REPEATING.includes(status) || location === undefined) return unusableRedirect(target, status, location);
      if (redirects === MAX_REDIRECTS) return tooManyRedirects(target);
      network = networkAfter(remoteAddress, network);
      const next = checkTarget(location, { network, allowedUrls }, target.url);
      if (!next.ok) return refused(`${target.url.host} redirects: ${next.message}`);
      if (target.url.protocol === "https:" && next.target.url.protocol !== "https:")
        return refused(`${target.url.host} redirects from https: to http:`);
      if (next.target.url.origin !== target.url.origin) headers = {};
      target = next.target;
    }
  }

  /** Ends every request and connection. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const request of this.#running) request.destroy();
    for (const opener of this.#agents.values()) (await opener).destroy();
  }

  /** A rule's own URL is the same each time, and to read it takes longer than everything else here. */
  #check({ url, network, allowedUrls }: PostRequest): TargetCheck {
    const known = this.#checked.get(url);
    if (known?.network === network && known.allowedUrls === allowedUrls) return known.check;
    const check = checkTarget(url, { network, allowedUrls });
    if (this.#checked.size >= MAX_CHECKED_URLS) this.#checked.clear();
    this.#checked.set(url, { network, allowedUrls, check });
    return check;
  }

  async #send(
    target: Target,
    network: Network,
    headers: Readonly<Record<string, string>>,
    body: string,
    stop: Stopping,
  ): Promise<ExchangeResult> {
    const opener = await this.#opener(target.url.protocol, network);
    if (this.#closed) return { ok: false, failure: { kind: "cancelled", message: "closed" }, stale: false };
    const send = async (keep: boolean): Promise<ExchangeResult> => {
      const length = { "content-length": String(Buffer.byteLength(body)) };
      const all = { "user-agent": "hookbox", ...headers, ...OWN_HEADERS, ...length };
      const request = opener.open(target, { method: "POST", headers: all, keep, signal: stop });
      this.#running.add(request);
      const result = await exchange(request, body, { peer: target.url.host, maxBodyBytes: MAX_BODY_BYTES }, stop);
      this.#running.delete(request);
      return result;
    };
    const result = await send(true);
    // The server closed an idle connection just then. It has not begun to answer; a new one is worth one try.
    return !result.ok && result.stale && !stop.aborted && !this.#closed ? send(false) : result;
  }

  #opener(protocol: string, network: Network): Promise<Opener> {
    const key = `${protocol} ${network}`;
    let opener = this.#agents.get(key);
    if (opener === undefined) {
      const lookup = checkedLookup(network, this.#resolve);
      opener = openerFor(protocol, () => lookup);
      this.#agents.set(key, opener);
    }
    return opener;
  }
}

function refused(message: string): PostResult {
  return { ok: false, failure: { kind: "capability", message } };
}

function unusableRedirect(target: Target, status: number, location: string | undefined): PostResult {
  const why = location === undefined ? "that leads nowhere" : "that would not carry the event on; 307 and 308 do";
  const message = `${target.url.host} answered with status ${status}, a redirect ${why}`;
  return { ok: false, failure: { kind: "unavailable", message, value: status } };
}

function tooManyRedirects(target: Target): PostResult {
  const message = `${target.url.host} redirects once more after ${MAX_REDIRECTS} redirects`;
  return { ok: false, failure: { kind: "unavailable", message, limit: MAX_REDIRECTS, value: MAX_REDIRECTS + 1 } };
}
