import { isIP } from "node:net";
import type { HostsGrant, Network } from "../../../grants.ts";
import type { JsonObject } from "../../../json.ts";
import type { Layer } from "../../../layer-trust.ts";
import { refusalOf } from "../../../net/allowed-addresses.ts";
import { type HostPattern, readHostPattern, spelledHost } from "../../../net/host-patterns.ts";
import { askedTooMuch } from "../../web-hook-network.ts";
import type { Cap, GrantProblems } from "./grant-problems.ts";

/** Reads `hosts`, the hosts to which a guard may send requests, as a list or as an object with limits. */

export const MAX_HOSTS = 64;
/** Limits on the requests in one call, redirects included. */
export const HOST_CALLS: Cap = { usual: 8, most: 64 };
/** Limits on the bytes of all responses in one call together. */
export const HOST_BYTES: Cap = { usual: 262_144, most: 1_048_576 };

const KEYS = ["allow", "allowPrivate", "maxCalls", "maxBytes"];

export function readHosts(value: unknown, layer: Layer, problems: GrantProblems): HostsGrant | undefined {
  const isList = Array.isArray(value);
  const expected = 'a list of hosts, such as ["api.example.com"], or an object with "allow"';
  const said: JsonObject | undefined = isList ? { allow: value } : problems.object(value, ["hosts"], KEYS, expected);
  if (said === undefined) return undefined;
  const network = networkOf(said["allowPrivate"], layer, problems);
  const allow = readEntries(said["allow"], isList ? ["hosts"] : ["hosts", "allow"], network, problems);
  return {
    allow,
    network,
    maxCalls: problems.wholeNumber(said["maxCalls"], ["hosts", "maxCalls"], HOST_CALLS),
    responseBytes: problems.wholeNumber(said["maxBytes"], ["hosts", "maxBytes"], HOST_BYTES),
  };
}

/**
 * Returns the network for a guard. Loopback addresses are excluded unless the rule sets `allowPrivate`, because code of
 * an untrusted author decides what is sent there.
 */
function networkOf(value: unknown, layer: Layer, problems: GrantProblems): Network {
  const at = ["hosts", "allowPrivate"];
  const allowPrivate = problems.boolean(value, at);
  const tooMuch = askedTooMuch(layer, { allowPrivate });
  if (tooMuch !== undefined) {
    const { code, message, hint } = tooMuch.refused;
    problems.add(code, at, message, { hint, part: "key" });
    return "public";
  }
  return allowPrivate ? "private" : "public";
}

function readEntries(
  value: unknown,
  at: readonly (string | number)[],
  network: Network,
  problems: GrantProblems,
): readonly string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_HOSTS) {
    const hint = 'such as ["api.example.com"]; without "hosts", the guard has no network at all';
    problems.mistype(at, `a list of 1 to ${MAX_HOSTS} hosts`, Array.isArray(value) ? value.length : value, hint);
    return [];
  }
  const entries = (value as readonly unknown[]).flatMap((text, index): string[] => {
    const here = [...at, index];
    if (typeof text !== "string") {
      problems.mistype(here, "a host", text);
      return [];
    }
    const read = readHostPattern(text);
    if ("refused" in read) {
      problems.refuse(here, read.refused);
      return [];
    }
    reportUnreachable(read.value, here, network, problems);
    return [spelledHost(read.value)];
  });
  return [...new Set(entries)];
}

/** Reports granted hosts that the guard can never reach. */
function reportUnreachable(
  { host }: HostPattern,
  at: readonly (string | number)[],
  network: Network,
  problems: GrantProblems,
): void {
  const address = host === "localhost" || host.endsWith(".localhost") ? "127.0.0.1" : host;
  if (isIP(address) === 0) return;
  const why = refusalOf(address, network);
  if (why === undefined) return;
  if (refusalOf(address, "private") !== undefined) {
    problems.refuse(at, { message: why });
    return;
  }
  const hint = '"hosts": { "allow": [...], "allowPrivate": true } opens private networks, in your own configuration';
  problems.add("HOOK_CONFIG_INERT", at, `has no effect: ${why}`, { hint, severity: "warning" });
}
