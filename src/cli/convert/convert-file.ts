import { dirname, relative } from "node:path";
import type { Dialect } from "../../dialects/dialect.ts";
import { unreadable } from "../../dialects/write-hook.ts";
import { writerOf } from "../../dialects/writer-registry.ts";
import { convertRules } from "./convert-rules.ts";
import { powersLost } from "./differences.ts";
import { absence, canRefuse } from "./guarding.ts";
import { usualName } from "./lay-out.ts";
import type { Loss } from "./loss.ts";
import type { FileRules } from "./read-rules.ts";

export interface FileConversion {
  readonly text: string;
  readonly losses: readonly Loss[];
  /** How many of the rules are in the result. */
  readonly carried: number;
}

export interface ConversionTask {
  readonly file: string;
  readonly from: Dialect;
  readonly to: Dialect;
  /** Absolute, like `file`. */
  readonly out: string | undefined;
}

export async function convertFile(source: FileRules, task: ConversionTask): Promise<FileConversion> {
  const { file, to, out } = task;
  const writer = await writerOf(to.name);
  if (writer === undefined) return asPlugin(source, task);
  const target = { dialect: to, writer, file: out ?? usualName(to.name), baseDir: dirname(out ?? file) };
  const { text, losses: others, carried } = await convertRules(source, target);
  const losses = task.from.name === to.name ? others : [...serverLosses(source, to.name), ...others];
  return {
    text,
    losses: [...otherAgents(source), ...losses],
    carried: carried.filter(({ as }) => as.length > 0).length,
  };
}

/** No other file has hooks for one of several agents: they would be asked of all. */
function otherAgents({ otherAgents }: FileRules): Loss[] {
  return otherAgents.map((rule) => ({
    ...{ rule: rule.name, event: rule.event, place: rule.place ?? null },
    what: "the whole hook",
    why: `it is for agent "${rule.agent?.name}", and the result is for one agent: convert a file with that agent alone`,
    consequence: absence(rule),
  }));
}

/** Agents have lists of their servers of tools elsewhere; we have them in the file, and read nobody else's. */
function serverLosses({ rules, settings }: FileRules, to: string): Loss[] {
  if (to !== "hookbox") return [];
  return rules.flatMap((rule): Loss[] => {
    const { handler } = rule;
    if (handler.type !== "mcp_tool" || Object.hasOwn(settings.mcpServers ?? {}, handler.server)) return [];
    const why =
      "hookbox does not read the agent's list of servers: until it stands under mcpServers, the hook cannot be loaded";
    const consequence = canRefuse(rule) ? "stricter" : "changed";
    return [
      {
        rule: rule.name,
        event: rule.event,
        place: rule.place ?? null,
        what: `server ${handler.server}`,
        why,
        consequence,
      },
    ];
  });
}

/** The hooks stay where they are. Only what the agent never asks about, or does not let a hook do, is lost. */
async function asPlugin({ rules }: FileRules, { file, from, out, to }: ConversionTask): Promise<FileConversion> {
  const { writePlugin } = await import("../../dialects/openclaw/write-config.ts");
  const config = out === undefined ? file : relative(dirname(out), file).replaceAll("\\", "/");
  const { text, asked } = writePlugin(rules, { config, isRelative: out !== undefined, format: from.name });
  const losses = rules.flatMap((rule): Loss[] => {
    const named = { rule: rule.name, event: rule.event, place: rule.place ?? null };
    if (!asked.includes(rule)) {
      const why = `${to.name} has no event ${rule.event}${unreadable(rule) === undefined ? "" : ", and the hook cannot be read"}`;
      return [{ ...named, what: "the whole hook", why, consequence: absence(rule) }];
    }
    return powersLost(rule, { ...rule, dialect: to.name }).map((remark) => ({ ...named, ...remark }));
  });
  return { text, losses, carried: asked.length };
}
