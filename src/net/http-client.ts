import type { ClientRequest } from "node:http";
import type { Network } from "../grants.ts";
import type { Failure } from "../outcome.ts";
import type { StopSignal } from "../stop-signal.ts";
import { networkAfter } from "./allowed-addresses.ts";
import { checkedLookup, type Resolver, systemResolver } from "./dns-lookup.ts";
import { type Answer, type ExchangeResult, exchange, REDIRECTS } from "./exchange.ts";
import { type Opener, openerFor } from "./kept-connections.ts";
import { checkTarget, type Target, type TargetCheck, type TargetLimits } from "./target.ts";

export interface PostRequest extends TargetLimits {
  readonly url: string;
  /** The body as JSON text. */
  readonly body: string;
  /** The rule's headers, with names in lower case. They are not sent after a redirect to another origin. */
  readonly headers: Readonly<Record<string, string>>;
}

export type PostResult =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly failure: Failure };

export const MAX_BODY_BYTES = 1_048_576;
const MAX_REDIRECTS = 3;

/** Status codes of redirects that repeat the POST. Other redirects would turn the POST into a GET without the event. */
const REPEATING = [307, 308];

const MAX_CHECKED_URLS = 256;

const OWN_HEADERS = {
  "content-type": "application/json",
  accept: "application/json",
  "accept-encoding": "identity",
};

/**
 * Sends JSON to the addresses that a rule may send to. Rules with different networks do not share connections, so that
 * no rule uses a connection that it could not open. Proxies in environment variables are ignored, because a proxy looks
 * names up itself and its addresses could not be checked.
 */
export class HttpClient {
  readonly #resolve: Resolver;
  readonly #agents = new Map<string, Promise<Opener>>();
  readonly #checked = new Map<string, TargetLimits & { readonly check: TargetCheck }>();
  readonly #running = new Set<ClientRequest>();
  #closed = false;

  constructor({ resolve = systemResolver }: { readonly resolve?: Resolver } = {}) {
    this.#resolve = resolve;
  }

  async post(request: PostRequest, stop: StopSignal): Promise<PostResult> {
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

  /** Checks a URL. Caches the result, because parsing the same URL again takes longer than all other steps. */
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
    stop: StopSignal,
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
    // The server closed an idle connection before it answered, so the request is sent once more on a new connection.
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
  const why = location === undefined ? "without a location" : "that drops the event; use 307 or 308";
  const message = `${target.url.host} answered with status ${status}, a redirect ${why}`;
  return { ok: false, failure: { kind: "unavailable", message, value: status } };
}

function tooManyRedirects(target: Target): PostResult {
  const message = `${target.url.host} redirects once more after ${MAX_REDIRECTS} redirects`;
  return { ok: false, failure: { kind: "unavailable", message, limit: MAX_REDIRECTS, value: MAX_REDIRECTS + 1 } };
}
