import type { z } from "zod";
import { isJsonObject, type JsonObject } from "../../event.ts";
import type { EventContract } from "../../events/contract.ts";
import { contractOf } from "../../events/lookup.ts";
import type { EventName } from "../../events/table.ts";
import { compileMatcher } from "../../matcher/tool-name.ts";
import { hintOf, kindOf, schemaProblems } from "../config-problems.ts";
import type { Findings, LostAt, Path } from "../findings.ts";
import { folderThatCounts, identityOf } from "../identity.ts";
import { nearest, suggest } from "../suggest.ts";
import { BUILTIN_NAMES, misplaced } from "./builtins.ts";
import { canBlock, type DockerHook, HOOK_KEYS, HOOK_SCHEMAS, MODEL_SCHEMAS, ruleParts } from "./hook.ts";
import { type ShorthandHook, writtenOut } from "./shorthands.ts";
import { AGENT_EVENTS, canonicalEvent } from "./spelling.ts";

/**
 * A `hooks:` section of docker-agent: event -> hooks, or for the events of tools, event -> groups with a matcher. A
 * part that cannot be understood costs the others nothing, and leaves a broken rule where it stood.
 */

interface Group {
  readonly event: EventName;
  readonly contract: EventContract;
  readonly matcher?: string | undefined;
  readonly lane?: "preempt";
}

/** Events whose hooks stand in groups with a matcher. */
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
  readonly #findings: Findings;

  constructor(findings: Findings) {
    this.#findings = findings;
  }

  /** Of one `hooks:`; nothing at all is no hooks. */
  section(hooks: unknown, path: Path): void {
    if (hooks === undefined || hooks === null) return;
    if (!isJsonObject(hooks)) {
      this.#findings.lose(
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
      this.#unknownEvent(name, path);
      return;
    }
    const contract = contractOf(event, DIALECT) as EventContract;
    for (const [part, at] of asList(list, path)) {
      if (GROUPED.includes(name)) this.#group(event, name, contract, part, at);
      else this.#hook({ event, contract }, part, at);
    }
  }

  /** May be newer than the table, unless it is nearly the name of something that can say no. */
  #unknownEvent(name: string, path: Path): void {
    const near = canonicalEvent(nearest(name, AGENT_EVENTS) ?? "");
    const isGate = near !== undefined && contractOf(near, DIALECT)?.kind === "gate";
    const options = { ...hintOf(suggest(name, AGENT_EVENTS)), part: "key" as const };
    const message = `unknown event "${name}"`;
    if (isGate) this.#findings.lose({ event: near }, "HOOK_CONFIG_UNKNOWN_EVENT", path, message, options);
    else this.#findings.warn("HOOK_CONFIG_UNKNOWN_EVENT", path, message, options);
  }

  #group(event: EventName, name: string, contract: EventContract, group: unknown, path: Path): void {
    if (!isJsonObject(group)) {
      this.#findings.lose(
        { event },
        "HOOK_CONFIG_TYPE",
        path,
        `a matcher group must be a mapping, not ${kindOf(group)}`,
      );
      return;
    }
    // Not knowing what a key does, one cannot tell whether the group is narrower without it.
    const unknown = Object.keys(group).find((key) => !GROUP_KEYS.includes(key));
    if (unknown !== undefined) {
      const hint = suggest(unknown, GROUP_KEYS) ?? `${name} has groups: ${GROUP_KEYS.join(", ")}`;
      const message = `unknown key "${unknown}" in a matcher group`;
      this.#findings.lose({ event }, "HOOK_CONFIG_UNKNOWN_KEY", [...path, unknown], message, { hint, part: "key" });
      return;
    }
    const matcher = group["matcher"] ?? undefined;
    if (matcher !== undefined && typeof matcher !== "string") {
      const message = `matcher must be a text, not ${kindOf(matcher)}`;
      this.#findings.lose({ event }, "HOOK_CONFIG_TYPE", [...path, "matcher"], message);
      return;
    }
    const compiled = compileMatcher(matcher, contract.matcherStyle);
    if (!compiled.ok) {
      this.#findings.lose({ event }, "HOOK_CONFIG_MATCHER", [...path, "matcher"], compiled.message);
      return;
    }
    const preempts = group["preempt_yolo"] ?? false;
    if (typeof preempts !== "boolean") {
      const message = `preempt_yolo must be true or false, not ${kindOf(preempts)}`;
      this.#findings.lose({ event, matcher }, "HOOK_CONFIG_TYPE", [...path, "preempt_yolo"], message);
      return;
    }
    if (preempts && event !== "PreToolUse") {
      const message = `preempt_yolo is for pre_tool_use, not for ${name}`;
      this.#findings.lose({ event, matcher }, "HOOK_CONFIG_TYPE", [...path, "preempt_yolo"], message, { part: "key" });
      return;
    }
    const at: Group = { event, contract, matcher, ...(preempts ? { lane: "preempt" } : {}) };
    for (const [hook, where] of asList(group["hooks"], [...path, "hooks"])) this.#hook(at, hook, where);
  }

  /** What a setting stands for. The setting itself is the place of all of it. */
  expansion(shorthand: ShorthandHook, path: Path): void {
    const event = canonicalEvent(shorthand.event) as EventName;
    const contract = contractOf(event, DIALECT) as EventContract;
    const lane = shorthand.preempts === true ? ({ lane: "preempt" } as const) : {};
    this.#hook({ event, contract, ...lane }, writtenOut(shorthand), path, "setting");
  }

  #hook(at: Group, value: unknown, path: Path, from: "hook" | "setting" = "hook"): void {
    if (!isJsonObject(value)) {
      this.#findings.lose(at, "HOOK_CONFIG_TYPE", path, `a hook must be a mapping, not ${kindOf(value)}`);
      return;
    }
    const hook = withoutNulls(value);
    const { type, name } = hook;
    const builtin = type === "builtin" && typeof hook["command"] === "string" ? hook["command"] : undefined;
    const lost = {
      ...at,
      ...(typeof type === "string" ? { declaredType: type } : {}),
      ...(typeof name === "string" && name !== "" ? { name } : builtin === undefined ? {} : { name: builtin }),
    };
    const schema = typeof type === "string" && Object.hasOwn(HOOK_SCHEMAS, type) ? HOOK_SCHEMAS[type] : undefined;
    if (type === undefined) {
      this.#findings.lose(lost, "HOOK_CONFIG_HANDLER", path, 'a hook needs a "type"', { hint: "known types: command" });
      return;
    }
    if (schema !== undefined && !this.#isSound(hook, schema, { at, lost }, path)) return;
    if (type !== "command") {
      const what = builtin === undefined ? "" : ` ("${builtin}")`;
      const message = `hook type ${JSON.stringify(type)}${what} is not available in this version of hookbox`;
      const near =
        schema === undefined && typeof type === "string" ? suggest(type, Object.keys(HOOK_SCHEMAS)) : undefined;
      const where = from === "setting" ? path : [...path, "type"];
      this.#findings.lose(lost, "HOOK_CONFIG_UNSUPPORTED", where, message, { hint: near ?? "known types: command" });
      return;
    }
    const sound = hook as unknown as DockerHook;
    if (sound.args !== undefined && sound.args.length > 0) {
      this.#findings.warn("HOOK_CONFIG_INERT", [...path, "args"], "docker-agent gives args to built-in hooks only");
    }
    const { event, matcher, lane } = at;
    const folder = folderThatCounts({ workingDir: hook["working_dir"] }, this.#findings.context.baseDir);
    const identity = identityOf(DIALECT, lane ?? "default", hook, folder);
    const rule = { event, matcher, ...ruleParts(sound), ...(lane === undefined ? {} : { lane }), identity };
    this.#findings.add(rule, path);
  }

  /** Tells all that is wrong with a hook of a known type, and leaves a broken rule where it cannot be meant. */
  #isSound(
    hook: JsonObject,
    schema: z.ZodType,
    { at, lost }: { readonly at: Group; readonly lost: LostAt },
    path: Path,
  ): boolean {
    const type = String(hook["type"]);
    for (const key of Object.keys(hook).filter((key) => !HOOK_KEYS.includes(key))) {
      const options = { ...hintOf(suggest(key, HOOK_KEYS)), part: "key" as const };
      this.#findings.warn("HOOK_CONFIG_UNKNOWN_KEY", [...path, key], `unknown key "${key}" in a ${type} hook`, options);
    }
    const flaws = schemaProblems(this.#findings.document, schema, hook, path);
    const [first] = flaws;
    if (first !== undefined) {
      this.#findings.tell(...flaws);
      this.#findings.leaveBroken(lost, first);
      return false;
    }
    if (hook["on_error"] === "block" && !canBlock(at.contract)) {
      const message = `on_error: block, but ${at.event} has nothing to block`;
      this.#findings.lose(lost, "HOOK_CONFIG_TYPE", [...path, "on_error"], message);
      return false;
    }
    if (type === "builtin") return this.#isBuiltin(hook, at, lost, path);
    const answers = hook["schema"];
    if (type !== "model" || answers === undefined || MODEL_SCHEMAS.includes(String(answers))) return true;
    const message = `unknown schema ${JSON.stringify(answers)}`;
    const hint = suggest(String(answers), MODEL_SCHEMAS) ?? `known: ${MODEL_SCHEMAS.join(", ")}`;
    this.#findings.lose(lost, "HOOK_CONFIG_HANDLER", [...path, "schema"], message, { hint });
    return false;
  }

  /** A name that the agent does not have is one that it would fail over at each event. */
  #isBuiltin(hook: JsonObject, { event }: Group, lost: LostAt, path: Path): boolean {
    const name = String(hook["command"]);
    if (!BUILTIN_NAMES.includes(name)) {
      const hint = suggest(name, BUILTIN_NAMES) ?? `known: ${BUILTIN_NAMES.join(", ")}`;
      const message = `docker-agent has no built-in hook "${name}"`;
      this.#findings.lose(lost, "HOOK_CONFIG_HANDLER", [...path, "command"], message, { hint });
      return false;
    }
    const problem = misplaced(name, event, Array.isArray(hook["args"]) ? (hook["args"] as string[]) : []);
    if (problem !== undefined) this.#findings.warn("HOOK_CONFIG_INERT", [...path, "command"], problem);
    return true;
  }
}

/** One thing may stand where a list of it is wanted; nothing is an empty list. */
function asList(value: unknown, path: Path): readonly (readonly [unknown, Path])[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value.map((item, index) => [item, [...path, index]] as const) : [[value, path]];
}

/** A key without a value is in YAML what a missing key is. */
function withoutNulls(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));
}
