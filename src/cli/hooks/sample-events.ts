import type { Dialect } from "../../dialects/dialect.ts";
import { DIALECTS } from "../../dialects/registry.ts";
import { samplesFor } from "../../dialects/samples-registry.ts";
import { HookError } from "../../errors.ts";
import { contractOf } from "../../events/lookup.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { readRuleText } from "../../matcher/condition/rule-text.ts";
import { kindOfTool } from "../../matcher/condition/tool-kinds.ts";
import { PATH_FIELDS } from "../../matcher/filter.ts";
import type { Rule } from "../../rule.ts";
import { suggest } from "../../suggest.ts";

/** Sample events for trying a hook: the samples of each agent, and variants that match a rule. */

/**
 * Returns the dialect of the sample events for a hook. The format `hookbox` serves every agent. Its hooks get the
 * dialect that the hook speaks, otherwise Claude Code, otherwise any agent that has the event.
 */
export function agentFor(dialect: Dialect, event: string, speaks?: string): Dialect {
  if (dialect.name !== "hookbox") return dialect;
  const { "claude-code": claudeCode, hookbox: _, ...others } = DIALECTS;
  const spoken = speaks === undefined ? undefined : DIALECTS[speaks];
  const agents = [...(spoken === undefined ? [] : [spoken]), claudeCode as Dialect, ...Object.values(others)];
  return agents.find(({ eventNames }) => Object.values<string>(eventNames).includes(event)) ?? dialect;
}

/** Returns an agent's samples of a canonical event as canonical payloads, the most common one first. */
export function samplesOf(agent: Dialect, event: string, cwd: string): readonly JsonObject[] {
  const names = Object.entries(agent.eventNames).flatMap(([name, canonical]) => (canonical === event ? [name] : []));
  return names.flatMap((name) =>
    samplesFor(agent.name, name, cwd).map((sample) => {
      const decoded = agent.decodeEvent(sample, undefined);
      if (!decoded.ok) throw new TypeError(`the sample of ${name} is no event of ${agent.name}: ${decoded.message}`);
      return decoded.payload;
    }),
  );
}

/**
 * Returns one sample payload in the dialect's own form: the most common sample, or the sample for a tool. Accepts the
 * names of the agent and of hookbox for the event and the tool.
 */
export function wireSampleOf(dialect: Dialect, event: string, tool: string | undefined, cwd: string): JsonObject {
  const { eventNames, codec } = dialect;
  const canonical = Object.hasOwn(eventNames, event) ? (eventNames[event] as string) : event;
  const agent = agentFor(dialect, canonical);
  const samples = samplesOf(agent, canonical, cwd);
  if (samples.length === 0) {
    const hint = suggest(event, Object.keys(eventNames));
    throw new HookError(
      "HOOK_EVENT_UNKNOWN",
      `${dialect.name} has no event "${event}"`,
      hint === undefined ? {} : { hint },
    );
  }
  const names = tool === undefined ? [] : [tool, ...(codec.toolSpellings?.(tool) ?? [])];
  const isMeant = ({ tool_name: name }: JsonObject): boolean => tool === undefined || names.includes(name as string);
  // The input is empty for an unknown tool, because its fields are unknown too.
  const payload = samples.find(isMeant) ?? { ...samples[0], tool_name: tool as string, tool_input: {} };
  return JSON.parse(codec.encodePayload({ name: canonical, dialect: agent.name, payload })) as JsonObject;
}

/** Returns the samples, then variants with the values that the rule's matcher, condition and filter name. */
export function variantsFor(
  samples: readonly JsonObject[],
  { event, matcher, condition, filter }: Pick<Rule, "event" | "matcher" | "condition" | "filter">,
  agent: string,
): readonly JsonObject[] {
  const subject = contractOf(event, agent)?.subject ?? null;
  const field = typeof subject === "string" ? subject : subject?.[0];
  const [usual] = samples;
  const words = field === undefined || usual === undefined ? [] : [...wordsOf(matcher), ...(filter?.tools ?? [])];
  const named = words.map((word) => ({
    ...usual,
    [field as string]: word,
    // The input is empty for an unknown tool, because its fields are unknown too.
    ...(field === "tool_name" ? { tool_input: {} } : {}),
  }));
  const all = [...samples, ...named];
  const filed = (filter?.paths ?? []).flatMap((path) => pathsFor(path));
  const aimed = filed.flatMap((path) => all.flatMap((sample) => withText(sample, PATH_FIELDS, path)));
  const conditioned = [...all, ...aimed].flatMap((sample) => fittingCondition(sample, condition));
  return [...all, ...aimed, ...conditioned];
}

/** Returns the names in a matcher: the alternatives without special characters of patterns. */
function wordsOf(matcher: string | undefined): readonly string[] {
  return (matcher ?? "")
    .split(/[|,()]/)
    .map((word) =>
      word
        .trim()
        .replace(/^\^|\$$/g, "")
        .replace(/\.\*|\.\+|\*/g, "example")
        .replace(/\\(.)/g, "$1"),
    )
    .filter((word) => word !== "");
}

/** Returns variants of the sample with a text that should match the condition. */
function fittingCondition(sample: JsonObject, condition: string | undefined): readonly JsonObject[] {
  const rule = condition === undefined ? undefined : readRuleText(condition);
  const { tool_name: tool, tool_input: input } = sample;
  if (rule?.ok !== true || rule.specifier === undefined || typeof tool !== "string") return [];
  const { specifier } = rule;
  const { kind, fields } = kindOfTool(tool, rule.tool);
  const texts =
    kind === "shell"
      ? [specifier.replace(/(?::|\s+)\*$/, "").replaceAll("*", "")]
      : kind === "url"
        ? [
            `https://${specifier
              .replace(/^domain:/, "")
              .replace(/^https?:\/\//, "")
              .replaceAll("*", "example")}`,
          ]
        : kind === "file" || kind === "search"
          ? pathsFor(specifier)
          : [specifier.replaceAll("*", "example")];
  const [, name, value] = /^([A-Za-z_][\w.-]*):(.*)$/s.exec(specifier) ?? [];
  const byName = isJsonObject(input) && name !== undefined && value !== undefined;
  return [
    ...texts.flatMap((text) => withText(sample, fields, text)),
    ...(byName ? [{ ...sample, tool_input: { ...input, [name]: value.replaceAll("*", "example") } }] : []),
  ];
}

/** Returns the sample with `text` in its first field of `fields`; an empty list if the sample has none. */
function withText(sample: JsonObject, fields: readonly string[], text: string): readonly JsonObject[] {
  const { tool_input: input, cwd } = sample;
  const within = (object: JsonObject): JsonObject | undefined => {
    const field = fields.find((name) => typeof object[name] === "string");
    if (field === undefined) return undefined;
    const isAbsolute = String(object[field]).startsWith("/") && !/^[/~]/.test(text);
    return { ...object, [field]: isAbsolute && typeof cwd === "string" ? `${cwd === "/" ? "" : cwd}/${text}` : text };
  };
  if (!isJsonObject(input)) return [within(sample) ?? []].flat();
  const changed = within(input);
  return changed === undefined ? [] : [{ ...sample, tool_input: changed }];
}

/** Returns paths that should match a pattern. */
function pathsFor(pattern: string): readonly string[] {
  let text = pattern.replace(/^(?:\.\/)+/, "");
  for (let before = ""; before !== text; ) {
    before = text;
    text = text.replace(/\{([^{},]*)(?:,[^{}]*)?\}/, "$1");
  }
  const path = text
    .replace(/\[[!^][^\]]*\]/g, "x")
    .replace(/\[(.)[^\]]*\]/g, "$1")
    .replaceAll("**/", "")
    .replace(/\*+/g, "example")
    .replaceAll("?", "x")
    .replace(/\\(.)/g, "$1");
  // A slash at the start of a pattern may mean the root or the working directory.
  if (path.startsWith("//")) return [path.slice(1)];
  return path.startsWith("/") ? [path.slice(1), path] : [path];
}
