import type { EventContract } from "../events/contract.ts";
import { contractOf, EVENT_NAMES, isEventOf } from "../events/lookup.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { compileMatcher } from "../matcher/tool-name.ts";
import { kindOf } from "../schema-issue.ts";
import { nearest, suggest } from "../suggest.ts";
import { conditionForms, hintForCondition } from "./condition-form.ts";
import { hintOf, keyMeantAs } from "./config-problems.ts";
import type { ConfigDocument, ParseContext, ParsedConfig } from "./dialect.ts";
import type { HandlerFormat, Speaker } from "./handler-format.ts";
import { HandlerReader } from "./handler-reader.ts";
import { type Path, RuleCollector } from "./rule-collector.ts";

/**
 * Reads the `hooks` object of Claude Code's format and its supersets: event -> groups -> handlers. Each part is checked
 * separately, so that one bad entry does not affect the others. A bad entry becomes a broken rule, so that its gate
 * stays shut.
 */
export function parseMatcherGroups(
  document: ConfigDocument,
  path: Path,
  hooks: unknown,
  context: ParseContext,
  format: HandlerFormat,
): ParsedConfig {
  const collector = new RuleCollector(document, context, format);
  new GroupReader(collector, format).read(hooks, path);
  return collector.all;
}

const GROUP_KEYS = ["matcher", "hooks", "description"];

class GroupReader {
  readonly #collector: RuleCollector;
  readonly #format: HandlerFormat;
  readonly #handlers: HandlerReader;

  constructor(collector: RuleCollector, format: HandlerFormat) {
    this.#collector = collector;
    this.#format = format;
    this.#handlers = new HandlerReader(collector, format);
  }

  read(hooks: unknown, path: Path): void {
    if (!isJsonObject(hooks)) {
      const message = `"hooks" must be an object of events, not ${kindOf(hooks)}`;
      this.#collector.lose({ event: "*" }, "HOOK_CONFIG_TYPE", path, message);
      return;
    }
    for (const [name, groups] of Object.entries(hooks))
      this.#event(this.#format.eventNamed?.(name) ?? name, groups, [...path, name]);
  }

  #event(event: string, groups: unknown, path: Path): void {
    const contract = contractOf(event, this.#format.dialect);
    if (contract === undefined || !isEventOf(event, this.#format.dialect)) {
      this.#unknownEvent(event, groups, path);
      return;
    }
    if (!Array.isArray(groups)) {
      const message = `${event} must be a list of matcher groups, not ${kindOf(groups)}`;
      this.#collector.lose({ event }, "HOOK_CONFIG_TYPE", path, message);
      return;
    }
    for (const [index, group] of groups.entries()) this.#group(event, contract, group, [...path, index]);
  }

  /**
   * Reports an unknown event. In hookbox's own format an unknown event is an error, because its gate may be unknown. In
   * an agent's format the event may be newer than hookbox's table, so it is only a warning unless its name is close to
   * a gate's name.
   */
  #unknownEvent(event: string, groups: unknown, path: Path): void {
    const names = EVENT_NAMES.filter((name) => isEventOf(name, this.#format.dialect));
    const near = nearest(event, names);
    const options = { ...hintOf(suggest(event, names)), part: "key" as const };
    const message = `unknown event "${event}"`;
    const isGate = near !== undefined && contractOf(near, this.#format.dialect)?.kind === "gate";
    if (isGate || this.#format.unknownKeys === "error")
      this.#collector.lose({ event: near ?? "*" }, "HOOK_CONFIG_UNKNOWN_EVENT", path, message, options);
    else this.#collector.warn("HOOK_CONFIG_UNKNOWN_EVENT", path, message, options);
    if (isGate) new GroupReader(this.#collector.withoutRules(), this.#format).#event(near, groups, path);
  }

  #group(event: string, contract: EventContract, group: unknown, path: Path): void {
    if (!isJsonObject(group)) {
      const message = `a matcher group must be an object, not ${kindOf(group)}`;
      this.#collector.lose({ event }, "HOOK_CONFIG_TYPE", path, message);
      return;
    }
    // An unknown key may narrow the group. Ignoring it could make a narrow rule match everything.
    const unknown = Object.keys(group).find((key) => !GROUP_KEYS.includes(key));
    if (unknown !== undefined) {
      const isHook = group["type"] !== undefined && group["hooks"] === undefined;
      const hint = isHook
        ? 'this is a hook, and hooks belong in the list "hooks" of a matcher group: { "hooks": [ … ] }; Agentao\'s files have no groups, and are named agentao:FILE'
        : (suggest(unknown, GROUP_KEYS) ?? `a matcher group has: ${GROUP_KEYS.join(", ")}`);
      const message = `unknown key "${unknown}" in a matcher group`;
      this.#collector.lose({ event }, "HOOK_CONFIG_UNKNOWN_KEY", [...path, unknown], message, { hint, part: "key" });
      if (!isHook) this.#reportErrorsInside(event, contract, group, path);
      return;
    }
    const { matcher, hooks } = group;
    if (matcher !== undefined && typeof matcher !== "string") {
      const message = `matcher must be a string, not ${kindOf(matcher)}`;
      this.#collector.lose({ event }, "HOOK_CONFIG_TYPE", [...path, "matcher"], message);
      this.#reportErrorsInside(event, contract, group, path);
      return;
    }
    if (!Array.isArray(hooks)) {
      if (!this.#isUsable(matcher, event, contract, [...path, "matcher"])) return;
      const message = `"hooks" of a matcher group must be a list, not ${kindOf(hooks)}`;
      this.#collector.lose({ event, matcher }, "HOOK_CONFIG_TYPE", [...path, "hooks"], message);
      return;
    }
    // A matcher uses the tool names of its hooks' agents. In a group with hooks of several dialects, the matcher must
    // be valid in each dialect.
    const own = { dialect: this.#format.dialect, codec: this.#format.codec };
    const speakers = hooks.map((handler) => this.#format.speakerOf?.(handler, this.#collector.context) ?? own);
    const spoken = new Map((speakers.length === 0 ? [own] : speakers).map((speaker) => [speaker.dialect, speaker]));
    const contractFor = ({ dialect }: Speaker): EventContract => contractOf(event, dialect) ?? contract;
    for (const speaker of spoken.values()) {
      if (this.#isUsable(matcher, event, contractFor(speaker), [...path, "matcher"])) continue;
      this.#reportErrorsInside(event, contract, group, path);
      return;
    }
    for (const [index, handler] of hooks.entries()) {
      const speaker = speakers[index] as Speaker;
      const group = { event, contract: contractFor(speaker), matcher, speaker };
      this.#handlers.read(group, handler, [...path, "hooks", index]);
    }
  }

  /** Reports the errors of hooks in a group that cannot be used. */
  #reportErrorsInside(event: string, contract: EventContract, group: JsonObject, path: Path): void {
    const key = keyMeantAs("hooks", group, GROUP_KEYS);
    const hooks: unknown = group[key];
    if (!Array.isArray(hooks)) return;
    const inside = this.#collector.withoutRules();
    const own = { dialect: this.#format.dialect, codec: this.#format.codec };
    const handlers = new HandlerReader(inside, this.#format);
    for (const [index, handler] of hooks.entries()) {
      const speaker = this.#format.speakerOf?.(handler, inside.context) ?? own;
      const spoken = contractOf(event, speaker.dialect) ?? contract;
      handlers.read({ event, contract: spoken, matcher: undefined, speaker }, handler, [...path, key, index]);
    }
  }

  #isUsable(matcher: string | undefined, event: string, contract: EventContract, path: Path): boolean {
    const compiled = compileMatcher(matcher, contract.matcherStyle);
    if (!compiled.ok) {
      this.#collector.count(path, matcher);
      const [condition] = conditionForms(matcher ?? "");
      const hint = /\(\?<?[=!]|\\[1-9]|\\k</.test(matcher ?? "")
        ? "look-around and back-references cannot run in linear time; list the names, or use a simpler pattern"
        : condition && hintForCondition(condition);
      this.#collector.lose({ event }, "HOOK_CONFIG_MATCHER", path, compiled.message, hintOf(hint));
      return false;
    }
    if (compiled.matcher.kind !== "all" && contract.subject === null) {
      const message = `${event} has nothing that a matcher could test; the group applies always`;
      this.#collector.warn("HOOK_CONFIG_INERT", path, message);
    }
    return true;
  }
}
