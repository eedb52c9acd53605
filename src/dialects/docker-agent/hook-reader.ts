import type { z } from "zod";
import type { ErrorCode } from "../../errors.ts";
import { missingArgs } from "../../events/builtins.ts";
import type { EventContract } from "../../events/contract.ts";
import { denialWord } from "../../events/lookup.ts";
import type { EventName } from "../../events/table.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { kindOf } from "../../schema-issue.ts";
import { suggest } from "../../suggest.ts";
import { GO_FIELDS } from "../../templates/go-fields.ts";
import { parseGoTemplate } from "../../templates/go-template.ts";
import { idleJudge, JUDGE_NAMES } from "../agents-judges.ts";
import { hintOf, hookProblems } from "../config-problems.ts";
import { folderThatCounts, identityOf } from "../hook-identity.ts";
import { valueAt } from "../hook-sections.ts";
import type { LostAt, Path, RuleCollector } from "../rule-collector.ts";
import { BUILTIN_NAMES, misplaced, nothingToAdd, readArgs } from "./builtins.ts";
import {
  canBlock,
  type DockerHook,
  HOOK_KEYS,
  HOOK_SCHEMAS,
  HOOK_TYPES,
  MODEL_SCHEMAS,
  ON_FAILURE,
  ruleParts,
} from "./hook.ts";
import { agentEvent } from "./spelling.ts";

/** Reads one hook of docker-agent and adds a rule, or a broken rule with the problem. */

export interface HookPlace {
  readonly event: EventName;
  readonly contract: EventContract;
  readonly matcher?: string | undefined;
  readonly lane?: "preempt";
}

/** The origin of a hook: the file, a setting that is a shorthand for the hook, or docker-agent itself. */
type Origin = "hook" | "setting" | "agent";

interface Hook {
  readonly value: JsonObject;
  readonly at: HookPlace;
  readonly lost: LostAt;
  readonly path: Path;
  readonly from: Origin;
}

/** A hook that has the fields of its type. */
interface UsableHook extends Hook {
  readonly value: JsonObject & DockerHook;
}

/** The properties of a hook that docker-agent adds: it runs after all other hooks, and its failure is ignored. */
const ADDED = { priority: -1_000_000, onFailure: "ignore", implied: true } as const;

export class HookReader {
  readonly #collector: RuleCollector;

  constructor(collector: RuleCollector) {
    this.#collector = collector;
  }

  read(at: HookPlace, given: unknown, path: Path, from: Origin = "hook"): void {
    if (!isJsonObject(given)) {
      this.#collector.lose(at, "HOOK_CONFIG_TYPE", path, `a hook must be a mapping, not ${kindOf(given)}`);
      return;
    }
    const value = withoutNulls(given);
    const hook: Hook = { value, at, lost: lostAt(value, at), path, from };
    if (!this.#isKnown(hook) || !this.#isUsable(hook)) return;
    const meant = this.#meaning(hook);
    if (meant === undefined) return;
    const { event, matcher, lane } = at;
    const { context } = this.#collector;
    const folder = folderThatCounts({ workingDir: value["working_dir"] }, context.baseDir);
    const identity = identityOf("docker-agent", lane ?? "default", withoutZeros(value), folder);
    const parts = ruleParts(meant, context, lane);
    const added = from === "agent" ? ADDED : {};
    const rule = { event, matcher, ...parts, ...(lane === undefined ? {} : { lane }), ...added, identity };
    // A setting can be a shorthand for several hooks, which differ in their event.
    this.#collector.add(rule, path, undefined, from === "hook" ? undefined : event);
  }

  #isKnown({ value: { type }, lost, path }: Hook): boolean {
    if (typeof type === "string" && HOOK_TYPES.includes(type)) return true;
    const hint = (typeof type === "string" ? suggest(type, HOOK_TYPES) : undefined) ?? KNOWN_TYPES;
    if (type === undefined)
      this.#collector.lose(lost, "HOOK_CONFIG_HANDLER", path, 'a hook needs a "type"', { hint: KNOWN_TYPES });
    else {
      const message = `hook type ${JSON.stringify(type)} is not available in this version of hookbox`;
      this.#collector.lose(lost, "HOOK_CONFIG_UNSUPPORTED", [...path, "type"], message, { hint });
    }
    return false;
  }

  /**
   * Reports all problems with a hook's keys and values. If there is an error, leaves a broken rule and returns `false`.
   */
  #isUsable(hook: Hook): hook is UsableHook {
    const { value, at, lost, path } = hook;
    const type = String(value["type"]);
    const keyCheck = { known: HOOK_KEYS, what: `a ${type} hook`, severity: "warning" } as const;
    const problems = hookProblems(this.#collector.document, HOOK_SCHEMAS[type] as z.ZodType, value, path, keyCheck);
    this.#collector.report(...problems);
    const first = problems.find(({ severity }) => severity === "error");
    if (first !== undefined) {
      this.#collector.leaveBroken(lost, first);
      return false;
    }
    if (value["on_error"] !== "block" || canBlock(at.contract)) return true;
    const message = `on_error: block, but ${agentEvent(at.event)} has nothing to block`;
    this.#collector.lose(lost, "HOOK_CONFIG_TYPE", [...path, "on_error"], message);
    return false;
  }

  /** Returns the hook as docker-agent reads it. Returns `undefined` if the fields of its type cannot be used. */
  #meaning(hook: UsableHook): DockerHook | undefined {
    const { value } = hook;
    if (value.type === "builtin") return this.#builtin(hook);
    if (value.type === "model") return this.#isModel(hook) ? value : undefined;
    const { args } = value;
    if (Array.isArray(args) && args.length > 0)
      this.#warn(hook, "args", "docker-agent gives args to built-in hooks only");
    return value;
  }

  /** Reads a built-in hook. An unknown name is an error, because docker-agent would fail at each event. */
  #builtin(hook: UsableHook): DockerHook | undefined {
    const { at, value } = hook;
    const name = String(value["command"]);
    if (!BUILTIN_NAMES.includes(name)) {
      const hint = suggest(name, BUILTIN_NAMES) ?? `known: ${BUILTIN_NAMES.join(", ")}`;
      return this.#lose(hook, "HOOK_BUILTIN", "command", `docker-agent has no built-in hook "${name}"`, hint);
    }
    if (JUDGE_NAMES.includes(name)) {
      const idle = idleJudge(name, at.event);
      if (idle === undefined) return value;
      this.#warn(hook, "command", idle);
      return undefined;
    }
    const { args: given = [] } = value;
    if (name === "add_context" && given.some((_, index) => !this.#isTemplate(hook, ["args", index]))) return undefined;
    const { args, remarks } = readArgs(name, given);
    for (const remark of remarks) this.#warn(hook, "args", remark);
    const idle = nothingToAdd(name, args);
    if (idle !== undefined) {
      this.#warn(hook, value["args"] === undefined ? "command" : "args", idle);
      return undefined;
    }
    const missing = missingArgs(name, args);
    if (missing !== undefined) return this.#lose(hook, "HOOK_BUILTIN", "command", missing);
    const problem = misplaced(name, at.event, args, this.#collector.context.compat);
    if (problem !== undefined) this.#warn(hook, "command", problem);
    return { ...value, args: [...args] };
  }

  #isModel(hook: Hook): boolean {
    const { at, value } = hook;
    const { schema } = value;
    if (schema !== undefined && !MODEL_SCHEMAS.includes(String(schema))) {
      const hint = suggest(String(schema), MODEL_SCHEMAS) ?? `known: ${MODEL_SCHEMAS.join(", ")}`;
      this.#lose(hook, "HOOK_CONFIG_HANDLER", "schema", `unknown schema ${JSON.stringify(schema)}`, hint);
      return false;
    }
    if (!this.#isTemplate(hook, ["prompt"])) return false;
    for (const key of IDLE_FOR_MODELS)
      if (!isEmpty(value[key])) this.#warn(hook, key, `${key} has no effect in a hook of type model`);
    if (schema === undefined && at.contract.context === null) {
      const hint = `schema: ${MODEL_SCHEMAS.join(", ")}`;
      const message = `without a schema the model's answer is text, which ${agentEvent(at.event)} does not take: the hook decides nothing`;
      this.#warn(hook, "prompt", message, at.contract.kind === "gate" ? hint : undefined);
    }
    if (schema !== undefined && denialWord(at.contract) === undefined)
      this.#warn(hook, "schema", `${agentEvent(at.event)} has nothing to decide`);
    return true;
  }

  /**
   * Whether a template can be used. A field that no event has is refused, because it would be missing at each event.
   */
  #isTemplate({ value, lost, path }: Hook, keys: Path): boolean {
    const parsed = parseGoTemplate(String(valueAt(value, keys)), GO_FIELDS);
    if (parsed.ok) return true;
    const where = `line ${parsed.line}, column ${parsed.column} of the template`;
    this.#collector.lose(lost, "HOOK_PROMPT_TEMPLATE", [...path, ...keys], `${where}: ${parsed.message}`);
    return false;
  }

  #lose({ lost, path, from }: Hook, code: ErrorCode, key: string, message: string, hint?: string): undefined {
    this.#collector.lose(lost, code, from === "hook" ? [...path, key] : path, message, hintOf(hint));
    return undefined;
  }

  #warn({ path, from }: Hook, key: string, message: string, hint?: string): void {
    this.#collector.warn("HOOK_CONFIG_INERT", from === "hook" ? [...path, key] : path, message, hintOf(hint));
  }
}

const KNOWN_TYPES = `known types: ${HOOK_TYPES.join(", ")}`;
const IDLE_FOR_MODELS = ["args", "env", "working_dir"] as const;

/** Describes a hook for its broken rule, named by its own name or by the built-in hook that it runs. */
function lostAt({ type, name, command, on_error: onError }: JsonObject, at: HookPlace): LostAt {
  const asked = type === "builtin" && typeof command === "string" ? command : undefined;
  const own = typeof name === "string" && name !== "" ? name : asked;
  return {
    ...at,
    ...(typeof type === "string" ? { declaredType: type } : {}),
    ...(own === undefined ? {} : { name: own }),
    // Any other text, such as "constructor", sets nothing.
    onFailure: typeof onError === "string" && Object.hasOwn(ON_FAILURE, onError) ? ON_FAILURE[onError] : undefined,
  };
}

/** Removes keys with `null`, because a key without a value means the same as a missing key in YAML. */
function withoutNulls(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
}

/** Removes zero values. docker-agent treats a missing field like the empty string, `false` or 0. */
function withoutZeros(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== "" && item !== false && item !== 0));
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === "" || (typeof value === "object" && Object.keys(value as object).length === 0)
  );
}
