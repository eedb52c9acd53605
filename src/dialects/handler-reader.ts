import { z } from "zod";
import type { Problem } from "../errors.ts";
import type { EventContract } from "../events/contract.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { kindOf } from "../schema-issue.ts";
import { suggest } from "../suggest.ts";
import { hookProblems } from "./config-problems.ts";
import type { HandlerFormat, SettingProblem } from "./handler-format.ts";
import { CANONICAL_TYPE } from "./handler-shapes.ts";
import { folderThatCounts, identityOf } from "./hook-identity.ts";
import type { LostAt, Path, RuleCollector } from "./rule-collector.ts";
import type { Group } from "./setting-problems.ts";
import { settingProblemsOf } from "./setting-problems.ts";

/** Reads one handler of a matcher group and adds a rule, or a broken rule with the problem. */
export class HandlerReader {
  readonly #collector: RuleCollector;
  readonly #format: HandlerFormat;
  /** Schemas by type, cached, because compiling a schema takes longer than reading a hook. */
  readonly #schemas = new Map<string, z.ZodType>();

  constructor(collector: RuleCollector, format: HandlerFormat) {
    this.#collector = collector;
    this.#format = format;
  }

  read(group: Group, handler: unknown, path: Path): void {
    const { event, contract, matcher } = group;
    if (!isJsonObject(handler)) {
      this.#collector.lose(group, "HOOK_CONFIG_TYPE", path, `a hook must be an object, not ${kindOf(handler)}`);
      return;
    }
    const name = typeof handler["name"] === "string" ? handler["name"] : undefined;
    const type = this.#typeOf(handler, { event, matcher, name }, contract, path);
    if (type === undefined) return;
    const at: LostAt = { event, matcher, name, declaredType: type };
    if (!this.#isUsable(handler, type, at, path)) return;
    if (!this.#canServe(type, group, at, path)) return;

    const { document, context } = this.#collector;
    const remarks = this.#format.remarksOn?.(handler, context, event) ?? [];
    const parts = this.#format.toRule(handler, context, contract, event);
    if (parts === undefined) {
      this.#report(remarks, path);
      this.#collector.count(path);
      return;
    }
    if ("refused" in parts) {
      const { code, key, message, hint } = parts.refused;
      this.#collector.lose(at, code, [...path, key], message, { hint });
      return;
    }
    const settingProblems = this.#report([...settingProblemsOf(parts, group), ...remarks], path);
    const fatal = settingProblems.find((problem) => problem.severity === "error");
    if (fatal !== undefined) {
      this.#collector.leaveBroken(at, fatal);
      return;
    }
    // Functions have no identity, because two different functions can look the same. An empty `args` or `may` differs
    // from a missing list, so the identity contains whether the list is present.
    const scope = this.#format.identityScope(document, context);
    const identity =
      parts.handler.type === "function"
        ? {}
        : {
            identity: identityOf(
              this.#format.dialect,
              scope,
              handler,
              ...["args", "may"].map((key) => handler[key] !== undefined),
              folderThatCounts(handler, context.baseDir),
            ),
          };
    this.#collector.add({ event, matcher, ...parts, ...identity }, path, group.speaker);
  }

  #report(settingProblems: readonly SettingProblem[], path: Path): readonly Problem[] {
    const problems = settingProblems.map(({ code, key, at = [], message, ...options }) =>
      this.#collector.problem(code, [...path, key, ...at], message, options),
    );
    this.#collector.report(...problems);
    return problems;
  }

  #typeOf(handler: JsonObject, at: LostAt, contract: EventContract, path: Path): string | undefined {
    const { type } = handler;
    const types = Object.keys(this.#format.handlers);
    if (typeof type === "string" && types.includes(type)) return type;
    const message = type === undefined ? 'a hook needs a "type"' : `unknown hook type ${JSON.stringify(type)}`;
    const serving = this.#serving(contract);
    const offered = `known types: ${serving.join(", ")}`;
    const { typeHints = {} } = this.#format;
    const typeHint = typeof type === "string" && Object.hasOwn(typeHints, type) ? typeHints[type] : undefined;
    const hint = typeHint ?? (typeof type === "string" ? suggest(type, serving) : undefined) ?? offered;
    const declared = typeof type === "string" ? { declaredType: type } : {};
    const where = type === undefined ? path : [...path, "type"];
    this.#collector.lose({ ...at, ...declared }, "HOOK_CONFIG_HANDLER", where, message, { hint });
    return undefined;
  }

  #serving({ handlers }: EventContract): readonly string[] {
    return Object.keys(this.#format.handlers).filter((name) => handlers.includes(CANONICAL_TYPE[name] ?? name));
  }

  /** Reports all problems with a handler's keys and values. Returns whether the handler can be used. */
  #isUsable(handler: JsonObject, type: string, at: LostAt, path: Path): boolean {
    const shape = this.#format.handlers[type] ?? {};
    const known = Object.keys(shape);
    const keyCheck = { known, what: `a ${type} hook`, severity: this.#format.unknownKeys };
    const problems = hookProblems(this.#collector.document, this.#schemaOf(type), handler, path, keyCheck);
    this.#collector.report(...problems);
    const fatal = problems.find((problem) => problem.severity === "error");
    if (fatal !== undefined) {
      this.#collector.leaveBroken(at, fatal);
      return false;
    }
    for (const key of this.#format.inertKeys ?? []) {
      if (handler[key] === undefined || handler[key] === false) continue;
      const message = `"${key}" has no effect here: the hook runs each time`;
      this.#collector.warn("HOOK_CONFIG_INERT", [...path, key], message, { part: "key" });
    }
    if (handler["timeout"] !== undefined && handler["timeoutMs"] !== undefined && known.includes("timeoutMs")) {
      const message = '"timeout" is ignored, because "timeoutMs" is set';
      this.#collector.warn("HOOK_CONFIG_INERT", [...path, "timeout"], message, { part: "key" });
    }
    return true;
  }

  #schemaOf(type: string): z.ZodType {
    const schema = this.#schemas.get(type) ?? z.looseObject(this.#format.handlers[type] ?? {});
    this.#schemas.set(type, schema);
    return schema;
  }

  #canServe(type: string, { event, contract }: Group, at: LostAt, path: Path): boolean {
    const serving = this.#serving(contract);
    if (serving.includes(type)) return true;
    const hint = `${event} takes: ${serving.join(", ")}`;
    const message = `a hook of type "${type}" cannot serve ${event}`;
    this.#collector.lose(at, "HOOK_CONFIG_HANDLER", [...path, "type"], message, { hint });
    return false;
  }
}
