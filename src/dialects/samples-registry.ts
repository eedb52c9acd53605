import type { JsonObject } from "../json.ts";
import { agentaoSamples } from "./agentao/samples.ts";
import { autohandSamples } from "./autohand/samples.ts";
import { claudeSamples } from "./claude-samples.ts";
import { dockerAgentSamples } from "./docker-agent/samples.ts";
import { openclawSamples } from "./openclaw/samples.ts";
import type { Samples } from "./samples.ts";

const SAMPLES: Readonly<Record<string, Samples>> = {
  "claude-code": claudeSamples,
  "docker-agent": dockerAgentSamples,
  agentao: agentaoSamples,
  autohand: autohandSamples,
  openclaw: openclawSamples,
  // The agent's documentation names events and no fields, so Claude Code's fields are used.
  patterns: claudeSamples,
};

/**
 * Returns an agent's samples of one of its events, the most common first. hookbox's own format belongs to no agent and
 * has none.
 */
export function samplesFor(dialect: string, event: string, cwd: string): readonly JsonObject[] {
  return Object.hasOwn(SAMPLES, dialect) ? (SAMPLES[dialect] as Samples)(event, cwd) : [];
}
