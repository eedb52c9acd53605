import type { EventContract } from "../../events/contract.ts";
import { contractOf } from "../../events/lookup.ts";
import type { EventName } from "../../events/table.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import type { Handler } from "../../rule.ts";
import { kindOf } from "../../schema-issue.ts";
import { nearest, suggest } from "../../suggest.ts";
import { hintOf } from "../config-problems.ts";
import { AGENT_RULE } from "../handler-format.ts";
import type { Path, RuleCollector } from "../rule-collector.ts";
import { nameOf } from "../rule-name.ts";
import { AGENTAO_EVENTS } from "./event-names.ts";
import { readGroupMatcher, readMatcher } from "./matcher.ts";
import { readTimeout } from "./timeout.ts";

/**
 * Reads Agentao's events object: event -> rules. A rule is one flat object, or a group in Claude Code's form, which
 * Agentao's documentation promises to accept. A part that cannot be read becomes a broken rule and does not affect
 * other parts.
 */

interface At {
  readonly event: EventName;
  readonly contract: EventContract;
}

const NAMES = Object.keys(AGENTAO_EVENTS);
const RULE_KEYS = ["type", "command", "prompt", "matcher", "timeout", "description", "statusMessage"];
const GROUP_KEYS = ["matcher", "hooks", "description"];
/** Claude Code's keys that set when a hook runs or what it runs. If they were ignored, another hook would run. */
const TELLING_KEYS = ["if", "args"];
const KNOWN_UNSUPPORTED = ["http", "agent"];
/** Types of hooks whose name differs in the contract table. */
const HANDLERS: Readonly<Record<string, string>> = { command: "command", prompt: "context" };

export class HookLists {
  readonly #collector: RuleCollector;

  constructor(collector: RuleCollector) {
    this.#collector = collector;
  }

  events(events: JsonObject, path: Path): void {
    for (const [name, list] of Object.entries(events)) this.#event(name, list, [...path, name]);
  }

  #event(name: string, list: unknown, path: Path): void {
    const event = Object.hasOwn(AGENTAO_EVENTS, name) ? AGENTAO_EVENTS[name] : undefined;
    if (event === undefined) {
      this.#unknownEvent(name, path);
      return;
    }
    const at: At = { event, contract: contractOf(event, "agentao") as EventContract };
    const entries = Array.isArray(list)
      ? list.map((entry, index) => [entry, [...path, index]] as const)
      : [[list, path] as const];
    for (const [entry, where] of entries) this.#entry(at, entry, where);
  }

  /**
   * Reports an unknown event. The event may be newer than hookbox's table, so it is only a warning unless its name is
   * close to a gate's name.
   */
  #unknownEvent(name: string, path: Path): void {
    const near = AGENTAO_EVENTS[nearest(name, NAMES) ?? ""];
    const options = { ...hintOf(suggest(name, NAMES)), part: "key" as const };
    const message = `unknown event "${name}"`;
    if (near !== undefined && isGate(contractOf(near, "agentao")))
      this.#collector.lose({ event: near }, "HOOK_CONFIG_UNKNOWN_EVENT", path, message, options);
    else this.#collector.warn("HOOK_CONFIG_UNKNOWN_EVENT", path, message, options);
  }

  #entry(at: At, entry: unknown, path: Path): void {
    if (!isJsonObject(entry)) {
      this.#collector.lose(at, "HOOK_CONFIG_TYPE", path, `a hook must be an object, not ${kindOf(entry)}`);
    } else if (entry["hooks"] !== undefined && entry["type"] === undefined) this.#group(at, entry, path);
    else this.#rule(at, entry, undefined, path);
  }

  #group(at: At, group: JsonObject, path: Path): void {
    // An unknown key may narrow the group, so the group may match more without the key.
    const unknown = Object.keys(group).find((key) => !GROUP_KEYS.includes(key));
    if (unknown !== undefined) {
      const hint = suggest(unknown, GROUP_KEYS) ?? `a matcher group has: ${GROUP_KEYS.join(", ")}`;
      const message = `unknown key "${unknown}" in a matcher group`;
      this.#collector.lose(at, "HOOK_CONFIG_UNKNOWN_KEY", [...path, unknown], message, { hint, part: "key" });
    }
    const matcher =
      unknown === undefined ? this.#matcher(at, readGroupMatcher, group["matcher"], path) : ({ ok: false } as const);
    if (!matcher.ok) {
      // Reports the errors of hooks in a group that cannot be used.
      new HookLists(this.#collector.withoutRules()).#group(at, { hooks: group["hooks"] ?? [] }, path);
      return;
    }
    const hooks: unknown = group["hooks"];
    if (!Array.isArray(hooks)) {
      const message = `"hooks" of a matcher group must be a list, not ${kindOf(hooks)}`;
      this.#collector.lose({ ...at, ...matcher }, "HOOK_CONFIG_TYPE", [...path, "hooks"], message);
      return;
    }
    for (const [index, hook] of hooks.entries()) {
      const where = [...path, "hooks", index];
      if (isJsonObject(hook)) this.#rule(at, hook, matcher, where);
      else {
        const message = `a hook must be an object, not ${kindOf(hook)}`;
        this.#collector.lose({ ...at, ...matcher }, "HOOK_CONFIG_TYPE", where, message);
      }
    }
  }

  #rule(at: At, rule: JsonObject, ofGroup: { readonly matcher: string | undefined } | undefined, path: Path): void {
    const { type } = rule;
    if (typeof type !== "string" || !Object.hasOwn(HANDLERS, type)) {
      this.#unknownType(at, type, path);
      return;
    }
    if (!at.contract.handlers.includes(HANDLERS[type] ?? "")) {
      const allowed = Object.keys(HANDLERS).filter((name) => at.contract.handlers.includes(HANDLERS[name] ?? ""));
      const message = `hook type "${type}" is not supported for event ${at.event}, so it is skipped`;
      // Skipping a prompt opens no gate, because a prompt guards nothing.
      this.#collector.warn("HOOK_CONFIG_UNSUPPORTED", [...path, "type"], message, {
        hint: `allowed for this event: ${allowed.join(", ")}`,
      });
      return;
    }
    const matcher = ofGroup ?? this.#matcher(at, readMatcher, rule["matcher"], path);
    if ("ok" in matcher && matcher.ok === false) return;
    const lost = { event: at.event, matcher: (matcher as { matcher: string | undefined }).matcher, declaredType: type };
    for (const key of Object.keys(rule)) {
      const isMeant = RULE_KEYS.includes(key) && !(ofGroup !== undefined && key === "matcher");
      if (isMeant) continue;
      const message = `unknown key "${key}" in a ${type} hook: Agentao has no such setting`;
      const options = { ...hintOf(suggest(key, RULE_KEYS)), part: "key" as const };
      if (TELLING_KEYS.includes(key) || key === "matcher") {
        this.#collector.lose(lost, "HOOK_CONFIG_UNKNOWN_KEY", [...path, key], message, options);
        return;
      }
      this.#collector.warn("HOOK_CONFIG_UNKNOWN_KEY", [...path, key], message, options);
    }
    const handler = this.#handler(type, rule, lost, path);
    if (handler === undefined) return;
    const timeout = readTimeout(rule["timeout"]);
    if (timeout.note !== undefined) this.#collector.warn("HOOK_CONFIG_TYPE", [...path, "timeout"], timeout.note);
    this.#collector.add(
      {
        ...AGENT_RULE,
        event: at.event,
        matcher: lost.matcher,
        name: handler.type === "context" ? "prompt_hook" : nameOf(handler),
        handler,
        timeoutMs: timeout.seconds * 1_000,
      },
      path,
    );
  }

  /** Reports a hook of unknown type. Agentao skips such a hook; at a gate hookbox reports an error. */
  #unknownType(at: At, type: unknown, path: Path): void {
    const isKnown = typeof type === "string" && KNOWN_UNSUPPORTED.includes(type);
    const message =
      type === undefined
        ? 'a hook needs a "type"'
        : isKnown
          ? `hook type "${type}" is not supported: Agentao knows it and does not run it`
          : `unknown hook type ${JSON.stringify(type)}`;
    const code = isKnown ? "HOOK_CONFIG_UNSUPPORTED" : "HOOK_CONFIG_HANDLER";
    const hint = (typeof type === "string" && suggest(type, Object.keys(HANDLERS))) || "known types: command, prompt";
    const where = type === undefined ? path : [...path, "type"];
    const declared = typeof type === "string" ? { declaredType: type } : {};
    if (isGate(at.contract)) this.#collector.lose({ event: at.event, ...declared }, code, where, message, { hint });
    else this.#collector.warn(code, where, message, { hint });
  }

  #matcher(
    at: At,
    reader: typeof readMatcher,
    written: unknown,
    path: Path,
  ): { readonly ok: true; readonly matcher: string | undefined } | { readonly ok: false } {
    const where = [...path, "matcher"];
    const read = reader(at.event, written, this.#collector.context.compat);
    if (!read.ok) {
      this.#collector.count(where, JSON.stringify(written));
      const { key, message, hint } = read;
      const code = key === undefined ? "HOOK_CONFIG_TYPE" : "HOOK_CONFIG_MATCHER";
      this.#collector.lose(at, code, key === undefined ? where : [...where, key], message, hintOf(hint));
      return { ok: false };
    }
    if (read.note !== undefined) this.#collector.warn("HOOK_CONFIG_INERT", where, read.note);
    return { ok: true, matcher: read.matcher };
  }

  #handler(
    type: string,
    rule: JsonObject,
    lost: { readonly event: string; readonly matcher: string | undefined; readonly declaredType: string },
    path: Path,
  ): Handler | undefined {
    const value = rule[type];
    if (typeof value === "string" && value.trim() !== "") {
      return type === "prompt"
        ? { type: "context", text: value, fillsUserMessage: true }
        : { type: "command", command: value };
    }
    const isMissing = value === undefined || value === null || typeof value === "string";
    const where = value === undefined ? path : [...path, type];
    const message = isMissing ? `a ${type} hook needs a "${type}"` : `${type} must be a text, not ${kindOf(value)}`;
    if (type === "prompt") this.#collector.warn("HOOK_CONFIG_INERT", where, message);
    else this.#collector.lose(lost, "HOOK_CONFIG_HANDLER", where, message);
    return undefined;
  }
}

function isGate(contract: EventContract | undefined): boolean {
  return contract?.kind === "gate" && !contract.blockMeansGoOn;
}
