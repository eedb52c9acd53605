// Formats of tokens without a prefix: the characteristic part is in the middle, at the end or before the secret.

import type { Token } from "./secret.ts";

interface Shape {
  readonly kind: string;
  /** Sticky: matches the token from its beginning. */
  readonly pattern: RegExp;
}

const MIN_LENGTH = 20;

const SHAPES: readonly Shape[] = [
  { kind: "a Discord bot token", pattern: /[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}/y },
  { kind: "a Terraform token", pattern: /[A-Za-z\d]{14}\.atlasv1\.[\w-]{60,}/y },
  { kind: "an Azure client secret", pattern: /[\w.~-]{3}\dQ~[\w.~-]{31,}/y },
  { kind: "an Azure DevOps token", pattern: /[A-Za-z\d]{76}AZDO[A-Za-z\d]{4}/y },
  { kind: "an Azure key", pattern: /[A-Za-z\d]{52}JQQJ99[A-Za-z\d]{26}/y },
  { kind: "a Mailchimp key", pattern: /[\da-f]{32}-us\d{1,2}/y },
  { kind: "a Mailgun key", pattern: /[\da-h]{32}-[\da-h]{8}-[\da-h]{8}(?![\w-])/y },
  { kind: "a New Relic license key", pattern: /(?:[\da-f]{36}|eu01xx[\da-f]{30})NRAL/y },
  { kind: "a ngrok token", pattern: /[12][A-Za-z\d]{26}_[A-Za-z\d]{21,22}(?![\w-])/y },
];

/** Shapes after a colon or another sign. The text before is no secret. */
const AFTER_SIGN: readonly Shape[] = [
  { kind: "a Telegram bot token", pattern: /(?<=\b\d{8,10}:)AA[\w-]{32,}/y },
  { kind: "an Asana token", pattern: /(?<=\b\d{16}:)[\da-f]{32}/y },
  { kind: "a Ghost key", pattern: /(?<=\b[\da-f]{24}:)[\da-f]{64}/y },
  { kind: "an Ably key", pattern: /(?<=\b[\w-]{6}\.[\w-]{6}:)[\w-]{43}(?![\w-])/y },
  { kind: "a Rancher token", pattern: /(?<=\b(?:kubeconfig-u-|token-)[a-z\d]{5,10}:)[a-z\d]{54}/y },
  { kind: "a Bitwarden token", pattern: /(?<=\b0\.[\da-f-]{36}\.[A-Za-z\d]{30}:)[A-Za-z\d+/]{20,}/y },
  { kind: "a Facebook app token", pattern: /(?<=\b\d{15,16}\|)[\w-]{27}(?![\w-])/y },
  { kind: "a Google refresh token", pattern: /(?<=\b1\/\/)0[\w-]{40,}/y },
  { kind: "a Fly.io token", pattern: /(?<=\bFlyV1 )fm[12][ar]?_[\w+/]{40,}/y },
  { kind: "a Slack token", pattern: /(?<=\bxoxd-%)2[\w%-]{20,}/y },
  { kind: "a secret token", pattern: /(?<=\bsecret-token:)[\w.-]{20,}/y },
  { kind: "an Amazon login token", pattern: /(?<=\bAtz[ar]\|)[\w-]{40,}/y },
];

/** One pattern of all shapes, because most runs have none. */
const ANY_SHAPE = anyOf(SHAPES);
const ANY_AFTER_SIGN = anyOf(AFTER_SIGN);

function anyOf(shapes: readonly Shape[]): RegExp {
  return new RegExp(shapes.map(({ pattern }) => `(?:${pattern.source})`).join("|"), "y");
}

const SIGNS: ReadonlySet<number> = new Set([..."/:|% "].map((char) => char.charCodeAt(0)));

/** Returns the token without a prefix that begins at a place. `end` is the end of the run of characters. */
export function shapeAt(text: string, at: number, end: number): Token | undefined {
  if (end - at < MIN_LENGTH) return undefined;
  const found = matches(ANY_SHAPE, text, at) ? SHAPES : afterSign(text, at) ? AFTER_SIGN : [];
  const shape = found.find(({ pattern }) => matches(pattern, text, at));
  return shape === undefined ? undefined : { kind: shape.kind, at, end: shape.pattern.lastIndex };
}

function afterSign(text: string, at: number): boolean {
  return SIGNS.has(text.charCodeAt(at - 1)) && matches(ANY_AFTER_SIGN, text, at);
}

function matches(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}
