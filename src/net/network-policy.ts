import type { Network } from "../rule.ts";
import { type Address, parseAddress } from "./address.ts";
import { type AddressKind, type AddressRange, rangeOf } from "./address-ranges.ts";
import { tunnelOf } from "./tunnels.ts";

/** Which addresses a rule may send to. */

const ALLOWED: Readonly<Record<Network, readonly AddressKind[]>> = {
  public: ["public"],
  loopback: ["public", "loopback"],
  private: ["public", "loopback", "private"],
};

/** What a refusal says that another network would lift. */
export const LIFTABLE = "this rule may only send";

const SAYS: Readonly<Record<Network, string>> = {
  public: `${LIFTABLE} to the public internet`,
  loopback: `${LIFTABLE} to the public internet and to this machine`,
  private: "no rule may send there",
};

/** What kind of place an address is, with the addresses that it carries inside taken into account. */
export function judgeAddress(address: Address): AddressRange {
  const own = rangeOf(address);
  if (own.kind === "loopback" || own.kind === "never") return own;
  const tunnel = tunnelOf(address);
  if (tunnel === undefined) return own;
  const inner = tunnel.inner.map(rangeOf);
  const worst = inner.find(({ kind }) => kind === "never") ?? inner.find(({ kind }) => kind !== "public");
  if (worst?.kind === "never") return { kind: "never", what: `${tunnel.what} that carries ${worst.what}` };
  if (tunnel.way === "same" && worst !== undefined) return worst;
  if (worst !== undefined) return { kind: "private", what: `${tunnel.what} that carries ${worst.what}` };
  // A carrier is judged as what it is itself, too: a tunnel may end anywhere.
  return tunnel.way === "carrier" ? own : { kind: "public", what: "a public address" };
}

/** Why a rule with this network may not send to the address; `undefined` when it may. */
export function refusalOf(text: string, network: Network): string | undefined {
  const address = parseAddress(text);
  if (address === undefined) return `${text} is not an address that can be judged`;
  const { kind, what } = judgeAddress(address);
  return ALLOWED[network].includes(kind)
    ? undefined
    : `${text} is ${what}, and ${kind === "never" ? SAYS.private : SAYS[network]}`;
}

/**
 * What a redirect from this address may still reach. An answer from the internet must not send an event into networks
 * that its sender cannot reach itself.
 */
export function networkAfter(text: string, network: Network): Network {
  const address = parseAddress(text);
  return address === undefined || judgeAddress(address).kind === "public" ? "public" : network;
}
