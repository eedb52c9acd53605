import { isJsonObject } from "../json.ts";
import { CANONICAL_EVENT } from "./docker-agent/spelling.ts";

/**
 * Returns the only format that has such a file, whatever the file's name is. Returns `undefined` if several formats
 * have. A flat list of hooks does not count as Agentao's, because it is also an easy mistake in hookbox's and Claude
 * Code's formats, whose exit codes Agentao does not obey.
 */
export function formatOfContent(value: unknown): string | undefined {
  if (!isJsonObject(value)) return undefined;
  if (value["hooks_config"] !== undefined) return "patterns";
  // OpenClaw's own `hooks` are web hooks and internal hooks. A hook of hookbox among them would break the file.
  if (isJsonObject(value["plugins"]) && isJsonObject(value["plugins"]["entries"])) return "openclaw";
  if (isJsonObject(value["agents"])) return "docker-agent";
  const { hooks } = value;
  if (!isJsonObject(hooks)) return undefined;
  if (Array.isArray(hooks["hooks"])) return "autohand";
  const events = Object.keys(hooks);
  return events.length > 0 && events.every((event) => Object.hasOwn(CANONICAL_EVENT, event))
    ? "docker-agent"
    : undefined;
}
