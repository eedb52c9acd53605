import { z } from "zod";
import type { Codec } from "../codec.ts";
import type { ErrorCode, Problem } from "../errors.ts";
import { isJsonObject, type JsonObject } from "../event.ts";
import type { EventContract } from "../events/contract.ts";
import { contractOf, EVENT_NAMES, isEventOf } from "../events/lookup.ts";
import { compileCondition, takesConditions } from "../matcher/condition/condition.ts";
import { compileMatcher } from "../matcher/tool-name.ts";
import type { Rule } from "../rule.ts";
import { brokenRule } from "./broken-rule.ts";
import { hintOf, kindOf, type ProblemOptions, problemAt, schemaProblems } from "./config-problems.ts";
import type { ConfigDocument, ParseContext, ParsedConfig } from "./dialect.ts";
import { CANONICAL_TYPE } from "./handler-shapes.ts";
import { type IdentityScope, identityOf } from "./identity.ts";
import { nearest, suggest } from "./suggest.ts";

/**
 * The `hooks` object of Claude Code and of its supersets: event -> groups -> handlers. Each part is judged on its
 * own, so that one bad entry costs the others nothing; and each bad entry leaves a broken rule where it stood, so
 * that the gate it was meant for does not stand open meanwhile.
 */
export interface HandlerFormat {
  readonly dialect: string;
  readonly codec: Codec;
  /** Whether a key that nobody defines keeps a handler from loading. */
  readonly unknownKeys: "error" | "warning";
  readonly handlers: Readonly<Record<string, z.ZodRawShape>>;
  readonly identityScope: IdentityScope;
  /** Keys that are known and mean nothing in such a file. */
  readonly inertKeys?: readonly string[];
  /** A validated handler -> what runs and under which terms, or why it cannot run in this version. */
  toRule(handler: JsonObject, context: ParseContext, contract: EventContract, eventName: string): RuleParts | Unfit;
}

/** Why a well-formed handler makes no rule. */
export type Unfit =
  | { readonly unsupported: string }
  | {
      readonly refused: {
        readonly code: ErrorCode;
        /** The key that is at fault. */
        readonly key: string;
        readonly message: string;
        readonly hint: string;
      };
    };

/** What a handler says about its rule. `undefined` for a handler that is switched off. */
export type RuleParts =
  | (Pick<Rule, "name" | "handler" | "timeoutMs" | "onFailure" | "mode" | "may" | "priority" | "async"> &
      Pick<Rule, "rewakes" | "condition" | "once" | "lane" | "strict" | "filter">)
  | undefined;

type Path = readonly (string | number)[];

const GROUP_KEYS = ["matcher", "hooks", "description"];

export function parseMatcherGroups(
  document: ConfigDocument,
  path: Path,
  hooks: unknown,
  context: ParseContext,
  format: HandlerFormat,
): ParsedConfig {
  return new GroupParser(document, context, format).parse(hooks, path);
}

class GroupParser {
  readonly #document: ConfigDocument;
  readonly #context: ParseContext;
  readonly #format: HandlerFormat;
  readonly #rules: Rule[] = [];
  readonly #problems: Problem[] = [];

  constructor(document: ConfigDocument, context: ParseContext, format: HandlerFormat) {
    this.#document = document;
    this.#context = context;
    this.#format = format;
  }

  parse(hooks: unknown, path: Path): ParsedConfig {
    if (!isJsonObject(hooks))
      this.#lose(
        { event: "*" },
        this.#error("HOOK_CONFIG_TYPE", path, `"hooks" must be an object of events, not ${kindOf(hooks)}`),
      );
    else for (const [event, groups] of Object.entries(hooks)) this.#event(event, groups, [...path, event]);
    return { rules: this.#rules, problems: this.#problems };
  }

  #event(event: string, groups: unknown, path: Path): void {
    const contract = contractOf(event, this.#format.dialect);
    if (contract === undefined || !isEventOf(event, this.#format.dialect)) {
      this.#unknownEvent(event, path);
      return;
    }
    if (!Array.isArray(groups)) {
      this.#lose(
        { event },
        this.#error("HOOK_CONFIG_TYPE", path, `${event} must be a list of matcher groups, not ${kindOf(groups)}`),
      );
      return;
    }
    for (const [index, group] of groups.entries()) this.#group(event, contract, group, [...path, index]);
  }

  /**
   * In our own format an unknown event is a mistake, and which gate it was meant for is anybody's guess. In an
   * agent's format it may be newer than this table, unless it is nearly the name of a gate.
   */
  #unknownEvent(event: string, path: Path): void {
    const names = EVENT_NAMES.filter((name) => isEventOf(name, this.#format.dialect));
    const near = nearest(event, names);
    const options = { ...hintOf(suggest(event, names)), part: "key" as const };
    const own = this.#format.unknownKeys === "error";
    const severe = own || (near !== undefined && contractOf(near, this.#format.dialect)?.kind === "gate");
    const problem = this.#error("HOOK_CONFIG_UNKNOWN_EVENT", path, `unknown event "${event}"`, {
      ...options,
      severity: severe ? "error" : "warning",
    });
    if (severe) this.#lose({ event: near ?? "*" }, problem);
    else this.#problems.push(problem);
  }

  #group(event: string, contract: EventContract, group: unknown, path: Path): void {
    if (!isJsonObject(group)) {
      this.#lose(
        { event },
        this.#error("HOOK_CONFIG_TYPE", path, `a matcher group must be an object, not ${kindOf(group)}`),
      );
      return;
    }
    // An unknown key may be one that narrows the group; to ignore it could turn a narrow rule into a match-all.
    const unknown = Object.keys(group).find((key) => !GROUP_KEYS.includes(key));
    if (unknown !== undefined) {
      const hint = hintOf(
        group["type"] !== undefined && group["hooks"] === undefined
          ? 'this is a hook, and a hook stands in the list "hooks" of a matcher group: { "hooks": [ … ] }'
          : (suggest(unknown, GROUP_KEYS) ?? `a matcher group has: ${GROUP_KEYS.join(", ")}`),
      );
      this.#lose(
        { event },
        this.#error("HOOK_CONFIG_UNKNOWN_KEY", [...path, unknown], `unknown key "${unknown}" in a matcher group`, {
          ...hint,
          part: "key",
        }),
      );
      return;
    }
    const { matcher, hooks } = group;
    if (matcher !== undefined && typeof matcher !== "string") {
      this.#lose(
        { event },
        this.#error("HOOK_CONFIG_TYPE", [...path, "matcher"], `matcher must be a string, not ${kindOf(matcher)}`),
      );
      return;
    }
    const compiled = compileMatcher(matcher, contract.matcherStyle);
    if (!compiled.ok) {
      const hint = /\(\?<?[=!]|\\[1-9]|\\k</.test(matcher ?? "")
        ? {
            hint: "look-around and back-references cannot run in linear time; list the names, or use a simpler pattern",
          }
        : {};
      this.#lose({ event }, this.#error("HOOK_CONFIG_MATCHER", [...path, "matcher"], compiled.message, hint));
      return;
    }
    if (compiled.matcher.kind !== "all" && contract.subject === null) {
      this.#problems.push(
        this.#error(
          "HOOK_CONFIG_INERT",
          [...path, "matcher"],
          `${event} has nothing that a matcher could test; the group applies always`,
          { severity: "warning" },
        ),
      );
    }
    if (!Array.isArray(hooks)) {
      this.#lose(
        { event, matcher },
        this.#error(
          "HOOK_CONFIG_TYPE",
          [...path, "hooks"],
          `"hooks" of a matcher group must be a list, not ${kindOf(hooks)}`,
        ),
      );
      return;
    }
    for (const [index, handler] of hooks.entries())
      this.#handler({ event, contract, matcher }, handler, [...path, "hooks", index]);
  }

  #handler(
    at: { event: string; contract: EventContract; matcher: string | undefined },
    handler: unknown,
    path: Path,
  ): void {
    if (!isJsonObject(handler)) {
      this.#lose(at, this.#error("HOOK_CONFIG_TYPE", path, `a hook must be an object, not ${kindOf(handler)}`));
      return;
    }
    const types = Object.keys(this.#format.handlers);
    const { type } = handler;
    const named = { ...at, name: typeof handler["name"] === "string" ? handler["name"] : undefined };
    if (typeof type !== "string" || !types.includes(type)) {
      const message = type === undefined ? 'a hook needs a "type"' : `unknown hook type ${JSON.stringify(type)}`;
      const hint = hintOf(
        (typeof type === "string" ? suggest(type, types) : undefined) ?? `known types: ${types.join(", ")}`,
      );
      this.#lose(
        { ...named, ...(typeof type === "string" ? { declaredType: type } : {}) },
        this.#error("HOOK_CONFIG_HANDLER", type === undefined ? path : [...path, "type"], message, hint),
      );
      return;
    }
    const declared = { ...named, declaredType: type };
    const flaws = this.#validate(handler, type, path);
    const fatal = flaws.find((problem) => problem.severity === "error");
    if (fatal !== undefined) {
      this.#lose(declared, fatal, flaws);
      return;
    }
    this.#problems.push(...flaws, ...this.#inert(handler, path));

    const canonical = CANONICAL_TYPE[type] ?? type;
    if (!at.contract.handlers.includes(canonical)) {
      const fitting = types.filter((name) => at.contract.handlers.includes(CANONICAL_TYPE[name] ?? name));
      const hint = { hint: `${at.event} takes: ${fitting.join(", ")}` };
      this.#lose(
        declared,
        this.#error(
          "HOOK_CONFIG_HANDLER",
          [...path, "type"],
          `a hook of type "${type}" cannot serve ${at.event}`,
          hint,
        ),
      );
      return;
    }
    const parts = this.#format.toRule(handler, this.#context, at.contract, at.event);
    if (parts === undefined) return;
    if ("unsupported" in parts) {
      this.#lose(
        declared,
        this.#error(
          "HOOK_CONFIG_UNSUPPORTED",
          path,
          `${parts.unsupported} is not available in this version of hookbox`,
          { hint: "leave it to the agent, in a file that hookbox does not read, or put a command or http hook here" },
        ),
      );
      return;
    }
    if ("refused" in parts) {
      const { code, key, message, hint } = parts.refused;
      this.#lose(declared, this.#error(code, [...path, key], message, { hint }));
      return;
    }
    const unfit = this.#conditionProblem(at, parts, [...path, "if"]);
    if (unfit?.severity === "error") {
      this.#lose(declared, unfit);
      return;
    }
    if (unfit !== undefined) this.#problems.push(unfit);
    const place = this.#document.locate(path);
    this.#rules.push({
      id: `${place.file}#${place.pointer ?? ""}`,
      event: at.event,
      matcher: at.matcher,
      ...parts,
      // Two functions may look the same and not be.
      ...(type === "function"
        ? {}
        : {
            identity: identityOf(
              this.#format.dialect,
              this.#format.identityScope(this.#document, this.#context),
              handler,
              // Empty or not, they decide whether a shell reads the command.
              handler["args"] !== undefined,
            ),
          }),
      dialect: this.#format.dialect,
      codec: this.#format.codec,
      compat: "safer",
      layer: this.#context.layer,
      place,
      baseDir: this.#context.baseDir,
    });
  }

  /** A guard that could only have refused is not lost without an error, even where the agent would say nothing. */
  #conditionProblem(
    {
      event,
      contract,
      matcher,
    }: { readonly event: string; readonly contract: EventContract; readonly matcher: string | undefined },
    { condition, may }: NonNullable<RuleParts>,
    path: Path,
  ): Problem | undefined {
    if (condition === undefined) return undefined;
    const compiled = compileCondition(condition);
    if (!compiled.ok) return this.#error("HOOK_CONFIG_CONDITION", path, compiled.message, hintOf(compiled.hint));
    const onlyRefuses = may.length > 0 && may.every((answer) => answer === "deny" || answer === "ask");
    const severity = onlyRefuses ? "error" : "warning";
    if (!takesConditions(contract)) {
      return this.#error(
        "HOOK_CONFIG_INERT",
        path,
        `${event} is not about a tool, so a hook with "if" never runs there`,
        { hint: 'take the "if" away, or move the hook to an event such as PreToolUse', severity },
      );
    }
    const matched = compileMatcher(matcher, contract.matcherStyle);
    if (!matched.ok || matched.matcher.kind !== "names") return undefined;
    const { names } = matched.matcher;
    if (names.some((name) => compiled.condition.concerns(name))) return undefined;
    const message = `condition "${condition}" is for none of the tools of the matcher "${matcher}", so the hook never runs`;
    const hint = suggest(/^[^(]*/.exec(condition)?.[0].trim() ?? "", names) ?? "let both name the same tool";
    return this.#error("HOOK_CONFIG_INERT", path, message, { hint, severity });
  }

  #inert(handler: JsonObject, path: Path): Problem[] {
    return (this.#format.inertKeys ?? [])
      .filter((key) => handler[key] !== undefined && handler[key] !== false)
      .map((key) =>
        this.#error("HOOK_CONFIG_INERT", [...path, key], `"${key}" has no effect here: the hook runs each time`, {
          severity: "warning",
          part: "key",
        }),
      );
  }

  #validate(handler: JsonObject, type: string, path: Path): Problem[] {
    const shape = this.#format.handlers[type] ?? {};
    const known = Object.keys(shape);
    const unknown = Object.keys(handler)
      .filter((key) => !known.includes(key))
      .map((key) =>
        this.#error("HOOK_CONFIG_UNKNOWN_KEY", [...path, key], `unknown key "${key}" in a ${type} hook`, {
          ...hintOf(suggest(key, known)),
          severity: this.#format.unknownKeys,
          part: "key",
        }),
      );
    return [...unknown, ...schemaProblems(this.#document, z.looseObject(shape), handler, path)];
  }

  #error(code: ErrorCode, path: Path, message: string, options: ProblemOptions = {}): Problem {
    return problemAt(this.#document, code, path, message, options);
  }

  #lose(
    at: {
      readonly event: string;
      readonly matcher?: string | undefined;
      readonly declaredType?: string;
      readonly name?: string | undefined;
    },
    problem: Problem,
    all: readonly Problem[] = [problem],
  ): void {
    this.#problems.push(...all);
    const { name, declaredType, event, matcher } = at;
    const rest = { ...(name === undefined ? {} : { name }), ...(declaredType === undefined ? {} : { declaredType }) };
    this.#rules.push(brokenRule(this.#format, this.#context, { event, matcher, ...rest }, problem));
  }
}
