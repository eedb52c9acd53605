import type { ErrorCode, Problem } from "../../errors.ts";
import { isJsonObject, type JsonObject } from "../../event.ts";
import type { EventContract } from "../../events/contract.ts";
import { contractOf } from "../../events/lookup.ts";
import type { EventName } from "../../events/table.ts";
import { compileMatcher } from "../../matcher/tool-name.ts";
import type { Rule } from "../../rule.ts";
import { brokenRule } from "../broken-rule.ts";
import { hintOf, kindOf, type ProblemOptions, problemAt, schemaProblems } from "../config-problems.ts";
import type { ConfigDocument, ParseContext, ParsedConfig } from "../dialect.ts";
import { folderThatCounts, identityOf } from "../identity.ts";
import { nearest, suggest } from "../suggest.ts";
import { dockerAgentCodec } from "./codec.ts";
import { canBlock, type DockerHook, HOOK_KEYS, HOOK_SCHEMA, ruleParts } from "./hook.ts";
import { AGENT_EVENTS, canonicalEvent } from "./spelling.ts";

/**
 * A `hooks:` section of docker-agent: event -> hooks, or for the events of tools, event -> groups with a matcher. A
 * part that cannot be understood costs the others nothing, and leaves a broken rule where it stood.
 */

type Path = readonly (string | number)[];

interface Group {
  readonly event: EventName;
  readonly contract: EventContract;
  readonly matcher?: string | undefined;
  readonly lane?: "preempt";
}

const GROUPED: readonly string[] = [
  "pre_tool_use",
  "post_tool_use",
  "permission_request",
  "tool_input_transform",
  "tool_guard",
  "tool_response_transform",
];
const GROUP_KEYS = ["matcher", "preempt_yolo", "hooks"];
const FORMAT = { dialect: "docker-agent", codec: dockerAgentCodec } as const;

export class HookLists {
  readonly #document: ConfigDocument;
  readonly #context: ParseContext;
  readonly #rules: Rule[] = [];
  readonly #problems: Problem[] = [];

  constructor(document: ConfigDocument, context: ParseContext) {
    this.#document = document;
    this.#context = context;
  }

  get parsed(): ParsedConfig {
    return { rules: this.#rules, problems: this.#problems };
  }

  /** Of one `hooks:`; nothing at all is no hooks. */
  section(hooks: unknown, path: Path): void {
    if (hooks === undefined || hooks === null) return;
    if (!isJsonObject(hooks)) {
      this.lose({ event: "*" }, "HOOK_CONFIG_TYPE", path, `"hooks" must be a mapping of events, not ${kindOf(hooks)}`);
      return;
    }
    for (const [name, list] of Object.entries(hooks)) this.#event(name, list, [...path, name]);
  }

  /** A problem, and a broken rule in the place of what could not be read. */
  lose(
    at: {
      readonly event: string;
      readonly matcher?: string | undefined;
      readonly type?: string;
      readonly name?: string;
    },
    code: ErrorCode,
    path: Path,
    message: string,
    options: ProblemOptions = {},
  ): void {
    const problem = problemAt(this.#document, code, path, message, options);
    this.#problems.push(problem);
    const { event, matcher, type, name } = at;
    const rest = { ...(type === undefined ? {} : { declaredType: type }), ...(name === undefined ? {} : { name }) };
    this.#rules.push(brokenRule(FORMAT, this.#context, { event, matcher, ...rest }, problem));
  }

  warn(code: ErrorCode, path: Path, message: string, options: ProblemOptions = {}): void {
    this.#problems.push(problemAt(this.#document, code, path, message, { ...options, severity: "warning" }));
  }

  #event(name: string, list: unknown, path: Path): void {
    const event = canonicalEvent(name);
    if (event === undefined) {
      this.#unknownEvent(name, path);
      return;
    }
    const contract = contractOf(event, FORMAT.dialect) as EventContract;
    for (const [part, at] of asList(list, path)) {
      if (GROUPED.includes(name)) this.#group(event, name, contract, part, at);
      else this.#hook({ event, contract }, part, at);
    }
  }

  /** May be newer than the table, unless it is nearly the name of something that can say no. */
  #unknownEvent(name: string, path: Path): void {
    const near = canonicalEvent(nearest(name, AGENT_EVENTS) ?? "");
    const isGate = near !== undefined && contractOf(near, FORMAT.dialect)?.kind === "gate";
    const options = { ...hintOf(suggest(name, AGENT_EVENTS)), part: "key" as const };
    const message = `unknown event "${name}"`;
    if (isGate) this.lose({ event: near }, "HOOK_CONFIG_UNKNOWN_EVENT", path, message, options);
    else this.warn("HOOK_CONFIG_UNKNOWN_EVENT", path, message, options);
  }

  #group(event: EventName, name: string, contract: EventContract, group: unknown, path: Path): void {
    if (!isJsonObject(group)) {
      this.lose({ event }, "HOOK_CONFIG_TYPE", path, `a matcher group must be a mapping, not ${kindOf(group)}`);
      return;
    }
    // Not knowing what a key does, one cannot tell whether the group is narrower without it.
    const unknown = Object.keys(group).find((key) => !GROUP_KEYS.includes(key));
    if (unknown !== undefined) {
      const hint = suggest(unknown, GROUP_KEYS) ?? `${name} has groups: ${GROUP_KEYS.join(", ")}`;
      const message = `unknown key "${unknown}" in a matcher group`;
      this.lose({ event }, "HOOK_CONFIG_UNKNOWN_KEY", [...path, unknown], message, { hint, part: "key" });
      return;
    }
    const matcher = group["matcher"] ?? undefined;
    if (matcher !== undefined && typeof matcher !== "string") {
      const message = `matcher must be a text, not ${kindOf(matcher)}`;
      this.lose({ event }, "HOOK_CONFIG_TYPE", [...path, "matcher"], message);
      return;
    }
    const compiled = compileMatcher(matcher, contract.matcherStyle);
    if (!compiled.ok) {
      this.lose({ event }, "HOOK_CONFIG_MATCHER", [...path, "matcher"], compiled.message);
      return;
    }
    const preempts = group["preempt_yolo"] ?? false;
    if (typeof preempts !== "boolean") {
      const message = `preempt_yolo must be true or false, not ${kindOf(preempts)}`;
      this.lose({ event, matcher }, "HOOK_CONFIG_TYPE", [...path, "preempt_yolo"], message);
      return;
    }
    if (preempts && event !== "PreToolUse") {
      const message = `preempt_yolo is for pre_tool_use, not for ${name}`;
      this.lose({ event, matcher }, "HOOK_CONFIG_TYPE", [...path, "preempt_yolo"], message, { part: "key" });
      return;
    }
    const at: Group = { event, contract, matcher, ...(preempts ? { lane: "preempt" } : {}) };
    for (const [hook, where] of asList(group["hooks"], [...path, "hooks"])) this.#hook(at, hook, where);
  }

  #hook(at: Group, value: unknown, path: Path): void {
    if (!isJsonObject(value)) {
      this.lose(at, "HOOK_CONFIG_TYPE", path, `a hook must be a mapping, not ${kindOf(value)}`);
      return;
    }
    const hook = withoutNulls(value);
    const { type, name } = hook;
    const lost = {
      ...at,
      ...(typeof type === "string" ? { type } : {}),
      ...(typeof name === "string" && name !== "" ? { name } : {}),
    };
    if (type !== "command") {
      const message =
        type === undefined
          ? 'a hook needs a "type"'
          : `hook type ${JSON.stringify(type)} is not available in this version of hookbox`;
      const code = type === undefined ? "HOOK_CONFIG_HANDLER" : "HOOK_CONFIG_UNSUPPORTED";
      this.lose(lost, code, type === undefined ? path : [...path, "type"], message, { hint: "known types: command" });
      return;
    }
    const flaws = schemaProblems(this.#document, HOOK_SCHEMA, hook, path);
    for (const key of Object.keys(hook).filter((key) => !HOOK_KEYS.includes(key))) {
      const options = { ...hintOf(suggest(key, HOOK_KEYS)), part: "key" as const };
      this.warn("HOOK_CONFIG_UNKNOWN_KEY", [...path, key], `unknown key "${key}" in a command hook`, options);
    }
    const [first, ...more] = flaws;
    if (first !== undefined) {
      this.#problems.push(first, ...more);
      this.#rules.push(brokenRule(FORMAT, this.#context, { ...lost, declaredType: "command" }, first));
      return;
    }
    const sound = hook as unknown as DockerHook;
    if (sound.on_error === "block" && !canBlock(at.contract)) {
      const message = `on_error: block, but ${at.event} has nothing to block`;
      this.lose(lost, "HOOK_CONFIG_TYPE", [...path, "on_error"], message);
      return;
    }
    if (sound.args !== undefined && sound.args.length > 0) {
      this.warn("HOOK_CONFIG_INERT", [...path, "args"], "docker-agent gives args to built-in hooks only");
    }
    const place = this.#document.locate(path);
    this.#rules.push({
      id: `${place.file}#${place.pointer ?? ""}`,
      event: at.event,
      matcher: at.matcher,
      ...ruleParts(sound),
      ...(at.lane === undefined ? {} : { lane: at.lane }),
      identity: identityOf(
        "docker-agent",
        at.lane ?? "default",
        hook,
        folderThatCounts({ workingDir: hook["working_dir"] }, this.#context.baseDir),
      ),
      ...FORMAT,
      compat: "safer",
      layer: this.#context.layer,
      place,
      baseDir: this.#context.baseDir,
    });
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
