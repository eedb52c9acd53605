import { lookup as systemLookup } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import type { Network } from "../rule.ts";
import { refusalOf } from "./network-policy.ts";

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a name. */
export type Resolver = (host: string) => Promise<readonly ResolvedAddress[]>;

/** The system's own, hosts file included: the one that everything else on this machine goes by. */
export const systemResolver: Resolver = (host) => systemLookup(host, { all: true, verbatim: true });

/** A name leads to an address that the rule may not send to. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
}

/** More are checked, and not tried: each costs a quarter of a second when it does not answer. */
const MAX_TRIED = 8;

/**
 * A lookup for `net.connect` that gives out addresses only after every one of them was checked. The socket connects to
 * what it is given, so a name that is asked again and then answers differently changes nothing.
 */
export function checkedLookup(network: Network, resolve: Resolver): LookupFunction {
  return (host, options, callback) => {
    checkedAddresses(host, network, resolve).then(
      (addresses) => {
        const [first] = addresses as [ResolvedAddress];
        if (options.all === true) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, options.all === true ? [] : ""),
    );
  };
}

async function checkedAddresses(
  host: string,
  network: Network,
  resolve: Resolver,
): Promise<readonly ResolvedAddress[]> {
  const addresses = await resolve(host);
  if (addresses.length === 0) throw Object.assign(new Error(`${host} has no address`), { code: "ENOTFOUND" });
  for (const { address } of addresses) {
    const refusal = refusalOf(address, network);
    if (refusal !== undefined) throw new AddressRefused(`${host} leads to ${address}: ${refusal}`);
  }
  return addresses.slice(0, MAX_TRIED);
}
