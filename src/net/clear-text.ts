import type { LookupFunction } from "node:net";
import { parseAddress } from "./address.ts";
import { judgeAddress } from "./allowed-addresses.ts";
import { AddressRefused } from "./dns-lookup.ts";

/** Credentials are sent over `http:` only to this machine, because others on the network could read them. */

const CREDENTIALS = ["authorization", "proxy-authorization", "x-api-key", "api-key", "cookie"];

export function carriesCredentials(headers: Headers): boolean {
  return CREDENTIALS.some((name) => headers.has(name));
}

/** Whether a host may be this machine. A name may be, because only a lookup can tell. */
export function mayBeThisMachine(host: string): boolean {
  return parseAddress(host) === undefined || isThisMachine(host);
}

/** Returns the reason for refusing to send credentials, with the remedy. */
export function inTheClear(peer: string): string {
  return `a key would leave this machine unencrypted: ${peer} must use https: or be this machine`;
}

/** Wraps `lookup` so that it fails unless all addresses are loopback addresses. */
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
