import { z } from "zod";
import type { EventContract } from "../../events/contract.ts";
import { contractOf } from "../../events/lookup.ts";
import type { EventName } from "../../events/table.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { compileMatcher } from "../../matcher/tool-name.ts";
import type { Handler } from "../../rule.ts";
import { kindOf } from "../../schema-issue.ts";
import { nearest, suggest } from "../../suggest.ts";
import { guardsFor } from "../agents-judges.ts";
import { hintOf, hookProblems } from "../config-problems.ts";
import { AGENT_RULE, type RuleParts } from "../handler-format.ts";
import { MAX_LISTED } from "../handler-shapes.ts";
import type { LostAt, Path, RuleCollector } from "../rule-collector.ts";
import { nameOf } from "../rule-name.ts";
import { settingProblemsOf } from "../setting-problems.ts";
import { networkFor } from "../web-hook-network.ts";
import { builtinOf, idleBuiltin, whyNotBuiltin } from "./builtin-line.ts";
import { AUTOHAND_EVENTS } from "./event-names.ts";
import { canonicalEvent } from "./spelling.ts";

/** Checks one hook of the list and converts it to a rule. */

const filterList = z.array(z.string()).max(MAX_LISTED).exactOptional();
const SHAPE = {
  event: z.string(),
  command: z.string().min(1),
  description: z.string().exactOptional(),
  enabled: z.boolean().exactOptional(),
  timeout: z.number().positive().max(86_400_000).exactOptional(),
  async: z.boolean().exactOptional(),
  matcher: z.string().exactOptional(),
  filter: z.looseObject({ tool: filterList, path: filterList }).exactOptional(),
} as const;
const SCHEMA = z.looseObject(SHAPE);
const KEYS = Object.keys(SHAPE);
const FILTER_KEYS = ["tool", "path"];
const NAMES = Object.keys(AUTOHAND_EVENTS);

const DEFAULT_TIMEOUT_MS = 5_000;

type Hook = z.infer<z.ZodObject<typeof SHAPE>>;

interface Place {
  readonly event: EventName;
  readonly contract: EventContract;
  readonly lost: LostAt;
}

export class HookReader {
  readonly #collector: RuleCollector;

  constructor(collector: RuleCollector) {
    this.#collector = collector;
  }

  /** Reads a hook. A part that cannot be read becomes a broken rule. A `null` counts as missing. */
  read(value: unknown, path: Path): void {
    if (!isJsonObject(value)) {
      this.#collector.lose({ event: "*" }, "HOOK_CONFIG_TYPE", path, `a hook must be an object, not ${kindOf(value)}`);
      return;
    }
    const hook = Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
    if (hook["enabled"] === false) return;
    const event = this.#eventOf(hook, path);
    if (event === undefined) return;
    const { description, matcher } = hook;
    const lost = {
      event,
      declaredType: "command",
      ...(typeof matcher === "string" && this.#compiles(matcher, event) ? { matcher } : {}),
      ...(typeof description === "string" && description !== "" ? { name: description } : {}),
    };
    const problems = this.#problemsOf(hook, path);
    this.#collector.report(...problems);
    const fatal = problems.find(({ severity }) => severity === "error");
    if (fatal !== undefined) {
      this.#collector.leaveBroken(lost, fatal);
      return;
    }
    const valid = hook as unknown as Hook;
    const contract = contractOf(event, "autohand") as EventContract;
    const compiled = compileMatcher(valid.matcher, contract.matcherStyle);
    if (!compiled.ok) {
      this.#collector.count(path, valid.matcher);
      // Autohand never runs a hook with such a matcher, so its gate would be unguarded.
      this.#collector.lose(lost, "HOOK_CONFIG_MATCHER", [...path, "matcher"], compiled.message);
      return;
    }
    const builtin = builtinOf(valid.command);
    const unknownBuiltin = builtin === undefined ? undefined : whyNotBuiltin(builtin);
    if (unknownBuiltin !== undefined) {
      const { code, message, hint } = unknownBuiltin;
      this.#collector.lose({ ...lost, declaredType: "builtin" }, code, [...path, "command"], message, hintOf(hint));
      return;
    }
    this.#warnOf(valid, contract, path);
    const idle = builtin === undefined ? undefined : idleBuiltin(builtin, event);
    if (idle !== undefined) this.#collector.warn("HOOK_CONFIG_INERT", [...path, "command"], idle);
    const guards = builtin === undefined ? undefined : guardsFor(builtin.name, this.#collector.context);
    if (guards !== undefined) {
      // A guard that judges other events than the agent's hook would deny calls that the agent lets through.
      if (idle !== undefined) return;
      for (const guard of guards)
        this.#add(valid, partsOf(valid, guard, builtin?.name), { event, contract, lost }, path);
      return;
    }
    const { layer } = this.#collector.context;
    const handler: Handler =
      builtin === undefined
        ? { type: "command", command: valid.command }
        : { type: "builtin", ...builtin, network: networkFor(layer, false) };
    this.#add(valid, partsOf(valid, handler), { event, contract, lost }, path);
  }

  #add(valid: Hook, parts: NonNullable<RuleParts>, { event, contract, lost }: Place, path: Path): void {
    const settingProblems = settingProblemsOf(parts, { event, contract, matcher: valid.matcher }).map(
      ({ code, key, message, ...options }) => this.#collector.problem(code, [...path, key], message, options),
    );
    this.#collector.report(...settingProblems);
    const firstError = settingProblems.find(({ severity }) => severity === "error");
    if (firstError !== undefined) this.#collector.leaveBroken(lost, firstError);
    else {
      const { handler } = parts;
      const of = handler.type === "wasm" ? handler.module : undefined;
      this.#collector.add({ event, matcher: valid.matcher, ...parts }, path, undefined, of);
    }
  }

  #eventOf(hook: JsonObject, path: Path): EventName | undefined {
    const { event } = hook;
    if (typeof event !== "string") {
      const message = event === undefined ? 'a hook needs an "event"' : `event must be a text, not ${kindOf(event)}`;
      const where = event === undefined ? path : [...path, "event"];
      this.#collector.lose({ event: "*" }, "HOOK_CONFIG_TYPE", where, message, { hint: `such as "pre-tool"` });
      return undefined;
    }
    const known = canonicalEvent(event);
    if (known !== undefined) return known;
    // An unknown event may be newer than hookbox's table, so it is only a warning unless its name is close to a gate's
    // name.
    const near = canonicalEvent(nearest(event, NAMES) ?? "");
    const isGate = near !== undefined && contractOf(near, "autohand")?.kind === "gate";
    const hint = hintOf(suggest(event, NAMES));
    const message = `unknown event "${event}"`;
    if (isGate) this.#collector.lose({ event: near }, "HOOK_CONFIG_UNKNOWN_EVENT", [...path, "event"], message, hint);
    else this.#collector.warn("HOOK_CONFIG_UNKNOWN_EVENT", [...path, "event"], message, hint);
    return undefined;
  }

  #problemsOf(hook: JsonObject, path: Path) {
    // An unknown key is only a warning. A misspelt key may narrow the hook, and running the hook more often is safe.
    const keyCheck = { known: KEYS, what: "a hook", severity: "warning" } as const;
    const problems = hookProblems(this.#collector.document, SCHEMA, hook, path, keyCheck).map((problem) =>
      problem.place?.pointer?.endsWith("/timeout") === true
        ? { ...problem, hint: "milliseconds, as a number: 5000" }
        : problem,
    );
    const { filter } = hook;
    const unknown = isJsonObject(filter) ? Object.keys(filter).filter((key) => !FILTER_KEYS.includes(key)) : [];
    // An unknown filter key is an error, because the events that it excludes are unknown.
    const inFilter = unknown.map((key) => {
      const options = {
        hint: suggest(key, FILTER_KEYS) ?? `a filter has: ${FILTER_KEYS.join(", ")}`,
        part: "key" as const,
      };
      const message = `unknown key "${key}" in a filter`;
      return this.#collector.problem("HOOK_CONFIG_UNKNOWN_KEY", [...path, "filter", key], message, options);
    });
    return [...problems, ...inFilter];
  }

  #compiles(matcher: string, event: EventName): boolean {
    return compileMatcher(matcher, (contractOf(event, "autohand") as EventContract).matcherStyle).ok;
  }

  #warnOf({ event, matcher, timeout, async }: Hook, { kind, subject }: EventContract, path: Path): void {
    if (async === true && kind === "gate") {
      // Autohand's documentation says that an async hook cannot refuse, although Autohand waits for the hook.
      const message = "an async hook cannot refuse";
      const hint = `remove "async" if ${event} should wait for the hook`;
      this.#collector.warn("HOOK_CONFIG_INERT", [...path, "async"], message, { hint, part: "key" });
    }
    if (matcher === "*") {
      const hint = 'to match everything, write ".*" or leave the matcher out';
      const message = '"*" is not a regular expression: the hook always runs in hookbox, and never in Autohand itself';
      this.#collector.warn("HOOK_CONFIG_MATCHER", [...path, "matcher"], message, { hint });
    }
    if (matcher !== undefined && matcher !== "" && subject === null) {
      const message = `${event} has nothing to match on: the hook runs each time`;
      this.#collector.warn("HOOK_CONFIG_INERT", [...path, "matcher"], message, { part: "key" });
    }
    if (timeout !== undefined && timeout < 100) {
      const hint = "milliseconds: 5000 is five seconds";
      this.#collector.warn("HOOK_CONFIG_TYPE", [...path, "timeout"], `a timeout of ${timeout} ms`, { hint });
    }
  }
}

function partsOf(hook: Hook, handler: Handler, name = nameOf(handler)): NonNullable<RuleParts> {
  const { tool = [], path = [] } = hook.filter ?? {};
  const filter = { ...(tool.length > 0 ? { tools: tool } : {}), ...(path.length > 0 ? { paths: path } : {}) };
  return {
    ...AGENT_RULE,
    name: hook.description === undefined || hook.description === "" ? name : hook.description,
    handler,
    timeoutMs: hook.timeout ?? DEFAULT_TIMEOUT_MS,
    async: hook.async === true,
    ...(Object.keys(filter).length > 0 ? { filter } : {}),
  };
}
