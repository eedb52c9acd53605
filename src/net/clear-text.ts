import type { LookupFunction } from "node:net";
import { parseAddress } from "./address.ts";
import { AddressRefused } from "./checked-lookup.ts";
import { judgeAddress } from "./network-policy.ts";

/** What authenticates us must not be read by whoever is on the way: over `http:` it goes to this machine only. */

const CREDENTIALS = ["authorization", "proxy-authorization", "x-api-key", "api-key", "cookie"];

export function carriesCredentials(headers: Headers): boolean {
  return CREDENTIALS.some((name) => headers.has(name));
}

/** Whether a host, as far as can be told without asking a name server, may be this machine. */
export function mayBeThisMachine(host: string): boolean {
  return parseAddress(host) === undefined || isThisMachine(host);
}

/** Gives out the addresses of another lookup if all of them are this machine's. */
export function onlyThisMachine(lookup: LookupFunction, refusal: string): LookupFunction {
  return (host, options, callback) =>
    lookup(host, options, (error, found, family) => {
      const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
      if (error === null && !addresses.every(isThisMachine)) callback(new AddressRefused(refusal), found, family);
      else callback(error, found, family);
    });
}

function isThisMachine(text: string): boolean {
  const address = parseAddress(text);
  return address !== undefined && judgeAddress(address).kind === "loopback";
}
