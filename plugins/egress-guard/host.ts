// Reads the host of a URL as clients do, and says where the host leads.

import { type Address, parseAddress } from "../../src/net/address.ts";
import type { AddressKind } from "../../src/net/address-ranges.ts";
import { judgeAddress } from "../../src/net/allowed-addresses.ts";

/** The host of a request. */
export interface Host {
  /** In lower case, without brackets and without a dot at the end. */
  readonly name: string;
  /** Where the host leads, if the name shows that. */
  readonly kind: AddressKind;
  /** The end of the sentence "10.0.0.1 is …". */
  readonly what: string;
  /** Why the text hides its host from a reader. */
  readonly disguise?: string;
}

const METADATA: ReadonlySet<string> = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "metadata.azure.internal",
  "metadata.oraclecloud.com",
  "instance-data",
  "instance-data.ec2.internal",
]);

/** Names of this machine, which need no name server. */
const LOCAL = /^(?:localhost|.+\.localhost|localhost\.localdomain|ip6-(?:localhost|loopback)|host\.docker\.internal)$/;

/** Names that public name servers resolve to the address in the name. */
const EMBEDDED = /(?:^|[.-])((?:\d{1,3}[.-]){3}\d{1,3}|[\da-f]{8})\.(?:nip|sslip|xip)\.io$/;

const AUTHORITY = /^[a-z][a-z\d+.-]*:[\\/]{2}([^\\/?#]*)/i;

/** Returns the host of a URL, with or without a scheme. Returns `undefined` if no client could read a host. */
export function hostOf(text: string): Host | undefined {
  const plain = text.trim().replace(/[\t\n\r]/g, "");
  const url = /^[a-z][a-z\d+.-]*:[\\/]{2}/i.test(plain) ? plain : `http://${plain.replace(/^[\\/]{2}/, "")}`;
  const [, authority = ""] = AUTHORITY.exec(url) ?? [];
  const at = authority.lastIndexOf("@");
  const written = authority.slice(at + 1);
  // Clients fold letters of other widths and circled digits. The guest's URL reads ASCII only.
  const folded = /^[\0-\x7f]*$/.test(written) ? written : written.normalize("NFKC");
  const name = nameOf(folded);
  if (name === undefined) return undefined;
  const place = placeOf(name);
  const disguise = disguiseOf(authority.slice(0, Math.max(at, 0)), written, name, place);
  return { name, ...place, ...(disguise === undefined ? {} : { disguise }) };
}

function nameOf(written: string): string | undefined {
  try {
    // The scheme has to be one whose hosts are domains or addresses.
    const { hostname } = new URL(`http://${written}/`);
    const name = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname.replace(/\.+$/, "");
    return name === "" ? undefined : name;
  } catch {
    return undefined;
  }
}

interface Place {
  readonly kind: AddressKind;
  readonly what: string;
}

function placeOf(name: string): Place {
  if (METADATA.has(name)) return { kind: "never", what: "a name of cloud metadata" };
  if (LOCAL.test(name)) return { kind: "loopback", what: "a name of this machine" };
  const address = parseAddress(name) ?? embedded(name);
  if (address === undefined) return { kind: "public", what: "a name" };
  const { kind, what } = judgeAddress(address);
  // Servers in development are often called by the unspecified address, which leads to this machine.
  const isUnspecified = what.startsWith("the unspecified address");
  return isUnspecified ? { kind: "loopback", what } : { kind, what };
}

function embedded(name: string): Address | undefined {
  const [, text] = EMBEDDED.exec(name) ?? [];
  if (text === undefined) return undefined;
  if (!/^[\da-f]{8}$/.test(text)) return parseAddress(text.replaceAll("-", "."));
  const parts = [0, 2, 4, 6].map((at) => Number.parseInt(text.slice(at, at + 2), 16));
  return { version: 4, parts };
}

/** A user name that reads like a host, so that a reader takes it for the host. */
const HOST_AS_USER = /^[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|app|edu|gov|co|ai|de|uk)\b/i;

function disguiseOf(user: string, written: string, name: string, { kind }: Place): string | undefined {
  if (HOST_AS_USER.test(user)) return `the text before "@" looks like a host, and the host is ${name}`;
  if (kind === "public") return undefined;
  if (EMBEDDED.test(name)) return "the name holds an address";
  const host = written.replace(/:\d*$/, "").toLowerCase();
  if (host.startsWith("["))
    return /\./.test(host) || name.startsWith("::ffff:") ? "an IPv4 address in IPv6" : undefined;
  return host === name ? undefined : "an unusual spelling of an address or a name";
}
