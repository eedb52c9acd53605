import type { HostsGrant, Network } from "../../grants.ts";
import { carriesCredentials, inTheClear, mayBeThisMachine, onlyThisMachine } from "../../net/clear-text.ts";
import { checkedLookup } from "../../net/dns-lookup.ts";
import { fitsHostPattern, type HostPattern, readHostPattern } from "../../net/host-patterns.ts";
import { type Opener, openerFor } from "../../net/kept-connections.ts";
import type { LookupQueue } from "../../net/lookup-queue.ts";
import { checkTarget, type Target, type TargetCheck } from "../../net/target.ts";
import { cleanLine } from "../../text.ts";

const MAX_WORDS = 300;
const MAX_CHECKED = 64;

interface Hop {
  readonly url: string;
  readonly network: Network;
  readonly headers: Readonly<Record<string, string>>;
  /** The URL that redirected to this URL. */
  readonly from?: URL;
}

/** Checks requests against one grant and keeps its connections, which requests of other grants never use. */
export class HttpGate {
  readonly #grant: HostsGrant;
  readonly #names: LookupQueue;
  readonly #patterns: readonly HostPattern[];
  readonly #checked = new Map<string, TargetCheck>();
  readonly #openers = new Map<string, Promise<Opener>>();

  constructor(grant: HostsGrant, names: LookupQueue) {
    this.#grant = grant;
    this.#names = names;
    // An invalid pattern matches no host.
    this.#patterns = grant.allow.map(readHostPattern).flatMap((read) => ("value" in read ? [read.value] : []));
  }

  /** Checks a request without a name lookup. Addresses are checked when the connection is made. */
  check({ url, network, headers, from }: Hop): TargetCheck {
    const checked = from === undefined ? this.#checkFirst(url, network) : this.#check(url, network, from);
    if (!checked.ok) return checked;
    const { target } = checked;
    if (from?.protocol === "https:" && target.url.protocol !== "https:")
      return { ok: false, message: "a redirect from https: to http:" };
    if (isSecretInTheClear(target, headers) && !mayBeThisMachine(target.host))
      return { ok: false, message: inTheClear(target.url.host) };
    return checked;
  }

  /** Checks a URL. The check is cached, because parsing the same URL again takes longer than the other checks. */
  #checkFirst(url: string, network: Network): TargetCheck {
    const key = `${network} ${url}`;
    let checked = this.#checked.get(key);
    if (checked === undefined) {
      checked = this.#check(url, network);
      if (this.#checked.size >= MAX_CHECKED) this.#checked.clear();
      this.#checked.set(key, checked);
    }
    return checked;
  }

  #check(url: string, network: Network, from?: URL): TargetCheck {
    const checked = checkTarget(url, { network }, from);
    if (!checked.ok || this.#patterns.some((pattern) => fitsHostPattern(checked.target, pattern))) return checked;
    const granted = this.#grant.allow.length === 0 ? "no host" : `only ${this.#grant.allow.join(", ")}`;
    return { ok: false, message: cleanLine(`the rule grants ${granted}, not ${checked.target.url.origin}`, MAX_WORDS) };
  }

  opener(target: Target, { network, headers }: Pick<Hop, "network" | "headers">): Promise<Opener> {
    const isSecret = isSecretInTheClear(target, headers);
    const key = `${target.url.protocol} ${network} ${isSecret}`;
    let opener = this.#openers.get(key);
    if (opener === undefined) {
      opener = openerFor(target.url.protocol, (signal) => {
        const lookup = checkedLookup(network, (host) => this.#names.ask(host, { holder: this.#grant, signal }));
        return isSecret ? onlyThisMachine(lookup, inTheClear("the host")) : lookup;
      });
      this.#openers.set(key, opener);
    }
    return opener;
  }

  async dropIdle(): Promise<void> {
    for (const opener of this.#openers.values()) (await opener).dropIdle();
  }

  async close(): Promise<void> {
    for (const opener of this.#openers.values()) (await opener).destroy();
  }
}

function isSecretInTheClear({ url }: Target, headers: Readonly<Record<string, string>>): boolean {
  if (url.protocol !== "http:" || Object.keys(headers).length === 0) return false;
  return carriesCredentials(new Headers(headers));
}
