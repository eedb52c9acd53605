import type { EventContract } from "../../events/contract.ts";
import { contractOf } from "../../events/lookup.ts";
import type { EventName } from "../../events/table.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { compileMatcher } from "../../matcher/tool-name.ts";
import { kindOf } from "../../schema-issue.ts";
import { nearest, suggest } from "../../suggest.ts";
import { hintOf, keyMeantAs } from "../config-problems.ts";
import { asList } from "../hook-sections.ts";
import type { Path, RuleCollector } from "../rule-collector.ts";
import { type HookPlace, HookReader } from "./hook-reader.ts";
import { type ShorthandHook, writtenOut } from "./shorthands.ts";
import { AGENT_EVENTS, canonicalEvent } from "./spelling.ts";

/**
 * Reads a `hooks:` section of docker-agent: event -> hooks or, for tool events, event -> groups with a matcher. A part
 * that cannot be read becomes a broken rule and does not affect other parts.
 */

/** Events whose hooks are in groups with a matcher. */
export const GROUPED: readonly string[] = [
  "pre_tool_use",
  "post_tool_use",
  "permission_request",
  "tool_input_transform",
  "tool_guard",
  "tool_response_transform",
];
const GROUP_KEYS = ["matcher", "preempt_yolo", "hooks"];
const DIALECT = "docker-agent";

export class HookLists {
  readonly #collector: RuleCollector;
  readonly #hooks: HookReader;

  constructor(collector: RuleCollector) {
    this.#collector = collector;
    this.#hooks = new HookReader(collector);
  }

  /** Reads one `hooks:` section. A missing or empty section has no hooks. */
  section(hooks: unknown, path: Path): void {
    if (hooks === undefined || hooks === null) return;
    if (!isJsonObject(hooks)) {
      this.#collector.lose(
        { event: "*" },
        "HOOK_CONFIG_TYPE",
        path,
        `"hooks" must be a mapping of events, not ${kindOf(hooks)}`,
      );
      return;
    }
    for (const [name, list] of Object.entries(hooks)) this.#event(name, list, [...path, name]);
  }

  #event(name: string, list: unknown, path: Path): void {
    const event = canonicalEvent(name);
    if (event === undefined) {
      this.#unknownEvent(name, list, path);
      return;
    }
    const contract = contractOf(event, DIALECT, undefined, this.#collector.context.compat) as EventContract;
    for (const [part, at] of asList(list, path)) {
      if (GROUPED.includes(name)) this.#group(event, name, contract, part, at);
      else this.#hooks.read({ event, contract }, part, at);
    }
  }

  /**
   * Reports an unknown event. The event may be newer than hookbox's table, so it is only a warning unless its name is
   * close to a gate's name.
   */
  #unknownEvent(name: string, list: unknown, path: Path): void {
    const near = canonicalEvent(nearest(name, AGENT_EVENTS) ?? "");
    const isGate = near !== undefined && contractOf(near, DIALECT)?.kind === "gate";
    const options = { ...hintOf(suggest(name, AGENT_EVENTS)), part: "key" as const };
    const message = `unknown event "${name}"`;
    if (isGate) {
      this.#collector.lose({ event: near }, "HOOK_CONFIG_UNKNOWN_EVENT", path, message, options);
      new HookLists(this.#collector.withoutRules()).#event(nearest(name, AGENT_EVENTS) as string, list, path);
    } else this.#collector.warn("HOOK_CONFIG_UNKNOWN_EVENT", path, message, options);
  }

  #group(event: EventName, name: string, contract: EventContract, group: unknown, path: Path): void {
    if (!isJsonObject(group)) {
      this.#collector.lose(
        { event },
        "HOOK_CONFIG_TYPE",
        path,
        `a matcher group must be a mapping, not ${kindOf(group)}`,
      );
      return;
    }
    // An unknown key may narrow the group, so the group may match more without the key.
    const unknown = Object.keys(group).find((key) => !GROUP_KEYS.includes(key));
    if (unknown !== undefined) {
      const hint = suggest(unknown, GROUP_KEYS) ?? `${name} has groups: ${GROUP_KEYS.join(", ")}`;
      const message = `unknown key "${unknown}" in a matcher group`;
      this.#collector.lose({ event }, "HOOK_CONFIG_UNKNOWN_KEY", [...path, unknown], message, { hint, part: "key" });
      this.#reportErrorsInside({ event, contract }, group, path);
      return;
    }
    const matcher = group["matcher"] ?? undefined;
    if (matcher !== undefined && typeof matcher !== "string") {
      const message = `matcher must be a text, not ${kindOf(matcher)}`;
      this.#collector.lose({ event }, "HOOK_CONFIG_TYPE", [...path, "matcher"], message);
      this.#reportErrorsInside({ event, contract }, group, path);
      return;
    }
    const compiled = compileMatcher(matcher, contract.matcherStyle);
    if (!compiled.ok) {
      this.#collector.count(path, matcher);
      this.#collector.lose({ event }, "HOOK_CONFIG_MATCHER", [...path, "matcher"], compiled.message);
      this.#reportErrorsInside({ event, contract }, group, path);
      return;
    }
    const preempts = group["preempt_yolo"] ?? false;
    if (typeof preempts !== "boolean") {
      const message = `preempt_yolo must be true or false, not ${kindOf(preempts)}`;
      this.#collector.lose({ event, matcher }, "HOOK_CONFIG_TYPE", [...path, "preempt_yolo"], message);
      return;
    }
    if (preempts && event !== "PreToolUse") {
      const message = `preempt_yolo is for pre_tool_use, not for ${name}`;
      this.#collector.lose({ event, matcher }, "HOOK_CONFIG_TYPE", [...path, "preempt_yolo"], message, { part: "key" });
      return;
    }
    const at: HookPlace = { event, contract, matcher, ...(preempts ? { lane: "preempt" } : {}) };
    for (const [hook, where] of asList(group["hooks"], [...path, "hooks"])) this.#hooks.read(at, hook, where);
  }

  /** Reports the errors of hooks in a group that cannot be used. */
  #reportErrorsInside(at: HookPlace, group: JsonObject, path: Path): void {
    const key = keyMeantAs("hooks", group, GROUP_KEYS);
    const inside = new HookReader(this.#collector.withoutRules());
    for (const [hook, where] of asList(group[key], [...path, key])) inside.read(at, hook, where);
  }

  /**
   * Reads a hook that a setting is a shorthand for, or that docker-agent adds automatically. Its place is the setting
   * or the agent.
   */
  expansion(shorthand: ShorthandHook, path: Path, from: "setting" | "agent" = "setting"): void {
    const event = canonicalEvent(shorthand.event) as EventName;
    const contract = contractOf(event, DIALECT, undefined, this.#collector.context.compat) as EventContract;
    const lane = shorthand.preempts === true ? ({ lane: "preempt" } as const) : {};
    this.#hooks.read({ event, contract, ...lane }, writtenOut(shorthand), path, from);
  }
}
