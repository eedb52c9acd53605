import type { ClientRequest } from "node:http";
import type { HostsGrant } from "../../grants.ts";
import { networkAfter } from "../../net/allowed-addresses.ts";
import { type Answer, type ExchangeResult, exchange, REDIRECTS } from "../../net/exchange.ts";
import type { Target } from "../../net/target.ts";
import type { Failure } from "../../outcome.ts";
import type { StopSignal } from "../../stop-signal.ts";
import type { HttpAsk, HttpReply } from "../guest/capabilities/capability.ts";
import { tooManyBytes, tooManyCalls } from "../guest/capabilities/given-http.ts";
import { failureOfAsk } from "../guest/capabilities/http-ask.ts";
import type { ServeAsk } from "../pool/guest-pool.ts";
import type { HttpGate } from "./http-gate.ts";
import { redirected } from "./http-redirect.ts";

const MAX_REDIRECTS = 3;

/** Methods that change nothing on the server, so their requests may be sent again on a new connection. */
const SAFE_METHODS: readonly string[] = ["GET", "HEAD", "OPTIONS"];

/** All running requests, so that closing the engine can end them. */
export interface RunningRequests {
  readonly requests: Set<ClientRequest>;
  isClosed: boolean;
}

interface HttpCallOptions {
  readonly grant: HostsGrant;
  readonly gate: HttpGate;
  readonly signal: StopSignal;
  readonly running: RunningRequests;
}

/** Sends the requests of one call of a guard, one after the other. */
export class HttpCall {
  readonly #options: HttpCallOptions;
  #calls = 0;
  #bytes = 0;
  #sent = 0;

  constructor(options: HttpCallOptions) {
    this.#options = options;
  }

  /**
   * Number of requests that were begun, including redirects. Includes requests of failed calls, because servers may
   * have seen them.
   */
  get sent(): number {
    return this.#sent;
  }

  readonly serve: ServeAsk = async (ask) => {
    try {
      const failure = failureOfAsk(ask);
      return failure === undefined ? await this.#follow(ask) : { kind: "refused", failure };
    } catch (error) {
      return { kind: "failed", message: (error as Error).message };
    }
  };

  async #follow(first: HttpAsk): Promise<HttpReply> {
    const { grant, gate } = this.#options;
    let { network } = grant;
    let from: URL | undefined;
    for (let ask = first, redirects = 0; ; redirects += 1) {
      const hop = { url: ask.url, network, headers: ask.headers, ...(from === undefined ? {} : { from }) };
      const checked = gate.check(hop);
      if (!checked.ok)
        return refused(from === undefined ? checked.message : `${from.host} redirects: ${checked.message}`);
      this.#calls += 1;
      if (this.#calls > grant.maxCalls) return tooManyCalls(this.#calls, grant);
      const { target } = checked;
      const result = await this.#send(target, ask, network);
      // If the server's certificate is not trusted, the call fails. For other errors, the guard continues without a
      // response.
      if (!result.ok) return result.impostor === true ? refused(result.failure.message) : this.#replyTo(result.failure);
      const { answer } = result;
      const { location } = answer.headers;
      // A redirect without a location is an ordinary response.
      if (!REDIRECTS.includes(answer.status) || location === undefined) return this.#answered(answer);
      if (redirects === MAX_REDIRECTS)
        return refused(`${target.url.host} redirects once more after ${MAX_REDIRECTS} redirects`, {
          limit: MAX_REDIRECTS,
          value: MAX_REDIRECTS + 1,
        });
      network = networkAfter(answer.remoteAddress, network);
      const sameOrigin =
        URL.canParse(location, target.url) && new URL(location, target.url).origin === target.url.origin;
      ask = { ...redirected(ask, answer.status, { sameOrigin }), url: location };
      from = target.url;
    }
  }

  async #send(target: Target, ask: HttpAsk, network: HostsGrant["network"]): Promise<ExchangeResult> {
    const { gate, signal, running, grant } = this.#options;
    const opener = await gate.opener(target, { network, headers: ask.headers });
    const { method, body } = ask;
    const isSafe = SAFE_METHODS.includes(method);
    const length = body === undefined && isSafe ? {} : { "content-length": String(body?.byteLength ?? 0) };
    const headers = { "user-agent": "hookbox", ...ask.headers, ...length, "accept-encoding": "identity" };
    const send = async (keep: boolean): Promise<ExchangeResult> => {
      if (signal.aborted || running.isClosed) return { ok: false, failure: STOPPED, stale: false };
      const request = opener.open(target, { method, headers, keep, signal });
      this.#sent += 1;
      running.requests.add(request);
      const maxBodyBytes = Math.max(0, grant.responseBytes - this.#bytes);
      try {
        return await exchange(request, body, { peer: target.url.host, maxBodyBytes }, signal);
      } finally {
        running.requests.delete(request);
      }
    };
    const result = await send(isSafe);
    return !result.ok && result.stale ? send(false) : result;
  }

  #answered({ status, headers, body }: Answer): HttpReply {
    this.#bytes += body.byteLength;
    const { "set-cookie": cookies, ...others } = headers;
    const fields = cookies === undefined ? others : { ...others, "set-cookie": cookies.join(", ") };
    // The bytes are copied, because their buffer is shared with other reads.
    return { kind: "answered", status, headers: fields as Record<string, string>, body: new Uint8Array(body) };
  }

  #replyTo({ kind, message, limit, value }: Failure): HttpReply {
    if (kind === "capability") return refused(message);
    if (kind !== "output-too-large") return { kind: "failed", message };
    const { grant } = this.#options;
    const isCap = limit === Math.max(0, grant.responseBytes - this.#bytes) && value !== undefined;
    if (isCap) return tooManyBytes(this.#bytes + value, grant);
    const bound = { ...(limit === undefined ? {} : { limit }), ...(value === undefined ? {} : { value }) };
    return { kind: "refused", failure: { kind, message: `http_request: ${message}`, ...bound } };
  }
}

const STOPPED: Failure = { kind: "cancelled", message: "the call has been stopped" };

function refused(message: string, bound: Pick<Failure, "limit" | "value"> = {}): HttpReply {
  return { kind: "refused", failure: { kind: "capability", message: `http_request: ${message}`, ...bound } };
}
