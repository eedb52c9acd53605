import type { Codec } from "../codec.ts";
import { agentao } from "./agentao/dialect.ts";
import { autohand } from "./autohand/dialect.ts";
import { claudeCode } from "./claude-code/dialect.ts";
import type { Dialect } from "./dialect.ts";
import { dockerAgent } from "./docker-agent/dialect.ts";
import { hookbox } from "./hookbox/dialect.ts";
import { openclaw } from "./openclaw/dialect.ts";
import { patterns } from "./patterns/dialect.ts";

export const DIALECTS: Readonly<Record<string, Dialect>> = {
  hookbox,
  "claude-code": claudeCode,
  "docker-agent": dockerAgent,
  agentao,
  autohand,
  openclaw,
  patterns,
};

export const DIALECT_NAMES: readonly string[] = Object.keys(DIALECTS);

/** Codecs of the agents whose hooks are programs and servers, for hooks in hookbox's own format. */
export const SPEAKERS: Readonly<Record<string, Codec>> = Object.fromEntries(
  Object.values(DIALECTS)
    .filter(({ name }) => name !== "hookbox" && name !== "openclaw")
    .map(({ name, codec }) => [name, codec]),
);

export function dialectNamed(name: string): Dialect | undefined {
  return Object.hasOwn(DIALECTS, name) ? DIALECTS[name] : undefined;
}
