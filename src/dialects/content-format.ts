import { isJsonObject } from "../event.ts";
import { CANONICAL_EVENT } from "./docker-agent/spelling.ts";

/**
 * The format that alone has such a file, whatever the file is called. `undefined`: several formats have. A flat list of
 * hooks is Agentao's, and a mistake that is easily made in ours and in Claude Code's, whose exit codes Agentao does not obey.
 */
export function formatOfContent(value: unknown): string | undefined {
  if (!isJsonObject(value)) return undefined;
  if (value["hooks_config"] !== undefined) return "patterns";
  // Its own `hooks` are web hooks and internal ones; one of ours among them would break the file.
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
