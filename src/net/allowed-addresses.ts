import type { Network } from "../grants.ts";
import { type Address, parseAddress } from "./address.ts";
import { type AddressKind, type AddressRange, rangeOf } from "./address-ranges.ts";
import { tunnelOf } from "./tunnels.ts";

/** Decides which addresses a rule may send to. */

const ALLOWED: Readonly<Record<Network, readonly AddressKind[]>> = {
  public: ["public"],
  loopback: ["public", "loopback"],
  private: ["public", "loopback", "private"],
};

/** The start of a refusal that a wider `network` in the rule would lift. */
export const LIFTABLE = "this rule may only send";

const SAYS: Readonly<Record<Network, string>> = {
  public: `${LIFTABLE} to the public internet`,
  loopback: `${LIFTABLE} to the public internet and to this machine`,
  private: "no rule may send there",
};

/** Returns where an address leads. An IPv4 address inside of an IPv6 address counts too. */
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
  // A carrier address is also judged as an IPv6 address, because the tunnel may end anywhere.
  return tunnel.way === "carrier" ? own : { kind: "public", what: "a public address" };
}

/** Returns why a rule with this network may not send to the address. `undefined`: the rule may send. */
export function refusalOf(text: string, network: Network): string | undefined {
  const address = parseAddress(text);
  if (address === undefined) return `${text} is not an IP address`;
  const { kind, what } = judgeAddress(address);
  return ALLOWED[network].includes(kind)
    ? undefined
    : `${text} is ${what}, and ${kind === "never" ? SAYS.private : SAYS[network]}`;
}

/**
 * Returns the network that a redirect from this address may reach. A server on the internet must not redirect an event
 * into a private network, because the server could not reach that network itself.
 */
export function networkAfter(text: string, network: Network): Network {
  const address = parseAddress(text);
  return address === undefined || judgeAddress(address).kind === "public" ? "public" : network;
}
