import { lookup as systemLookup } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import type { Network } from "../grants.ts";
import { refusalOf } from "./allowed-addresses.ts";

export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Resolves to all addresses of a host name. */
export type Resolver = (host: string) => Promise<readonly ResolvedAddress[]>;

/** The system's resolver, which also reads the hosts file, like every other program on this machine. */
export const systemResolver: Resolver = (host) => systemLookup(host, { all: true, verbatim: true });

/** Thrown if a host name resolves to an address that the rule may not send to. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
}

/** The maximum number of addresses to try, because an address that does not answer costs 250 ms. */
const MAX_TRIED = 8;

/**
 * Returns a lookup for `net.connect` that returns addresses only if every address is allowed. The socket connects to
 * exactly these addresses, so a DNS server with a different second answer (DNS rebinding) has no effect.
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
