import { isIP } from "node:net";
import type { Target } from "./target.ts";

/**
 * Hosts that a rule grants: `https://NAME`, `http://NAME:PORT`. A NAME that begins with `*.` stands for all names that
 * end so, but not for the rest alone. Without a scheme it is https, without a port the scheme's own. Only parsed hosts
 * are compared, so that every spelling of one is the same.
 */

export interface HostPattern {
  readonly protocol: "http:" | "https:";
  /** As `Target` has it. */
  readonly host: string;
  readonly port: number;
  /** Whether it stands for the names that end in `.HOST`. */
  readonly isSuffix: boolean;
}

const DEFAULT_PORT = { "http:": 80, "https:": 443 } as const;
const MAX_PATTERN_LENGTH = 300;

/** `undefined` for what is no such pattern: a path, a user name, a `*` elsewhere, an address with a `*`. */
export function parseHostPattern(text: string): HostPattern | undefined {
  if (text.length > MAX_PATTERN_LENGTH) return undefined;
  const parts = /^(?:(https?):\/\/)?(\*\.)?(\[[0-9a-f:.]+\]|[^\s*@:/\\?#%[\]]+)(:\d{1,5})?\/?$/i.exec(text);
  if (parts === null) return undefined;
  const [, scheme = "https", star, name = "", port = ""] = parts;
  const protocol = scheme.toLowerCase() === "http" ? "http:" : "https:";
  const spelled = `${protocol}//${name}${port}`;
  if (!URL.canParse(spelled)) return undefined;
  const url = new URL(spelled);
  const host = bareHost(url);
  if (!isHost(host) || url.port === "0") return undefined;
  // The names that end in ".0.0.1" are none: the standard reads every one as an address.
  if (star !== undefined && isIP(host) !== 0) return undefined;
  return {
    protocol,
    host,
    port: url.port === "" ? DEFAULT_PORT[protocol] : Number(url.port),
    isSuffix: star !== undefined,
  };
}

export function fitsHostPattern({ url, host, port }: Target, pattern: HostPattern): boolean {
  if (url.protocol !== pattern.protocol || port !== pattern.port) return false;
  return pattern.isSuffix ? isIP(host) === 0 && host.endsWith(`.${pattern.host}`) : host === pattern.host;
}

function bareHost({ hostname }: URL): string {
  return hostname.startsWith("[") ? hostname.slice(1, -1) : hostname.replace(/\.$/, "");
}

function isHost(host: string): boolean {
  return host !== "" && !host.startsWith(".") && !host.endsWith(".") && !host.includes("..");
}
