import { contractOf } from "../../events/lookup.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import type { Handler, HandlerOf, OnFailure, Rule } from "../../rule.ts";
import { judgeNamed } from "../agents-judges.ts";
import type { ConfigWriter } from "../dialect.ts";
import { givenName } from "../rule-name.ts";
import { translateMatcher } from "../translate-matcher.ts";
import { GroupedHooks } from "../write-groups.ts";
import { asShellLine, closesOnFailure, noSuchKind } from "../write-hook.ts";
import { type Fate, type Remark, wholeSeconds, withoutUndefined } from "../writing.ts";
import { BUILTIN_NAMES } from "./builtins.ts";
import { dockerAgentCodec } from "./codec.ts";
import { canBlock, DECISION_SCHEMA, MODEL_ANSWER_TOKENS, MODEL_NAME } from "./hook.ts";
import { GROUPED } from "./hook-lists.ts";
import { agentEvent, canonicalEvent } from "./spelling.ts";

/** Writes rules as the `hooks:` of a docker-agent file. */
export const dockerAgentWriter: ConfigWriter = { keepsPriority: false, write };

const LANGUAGE = { dialect: "docker-agent", codec: dockerAgentCodec, toolNames: "own" } as const;
const DEFAULT_TIMEOUT_SECONDS = 60;

const ON_ERROR: Readonly<Record<OnFailure, string>> = { continue: "warn", ignore: "ignore", block: "block" };

function write(rules: readonly Rule[]): ReturnType<ConfigWriter["write"]> {
  const groups = new GroupedHooks(["hooks"]);
  const fates = rules.map((rule): Fate => {
    const event = agentEvent(rule.event);
    if (canonicalEvent(event) === undefined) return { refused: `docker-agent has no event ${rule.event}` };
    const written = handlerFields(rule.handler);
    if ("refused" in written) return written;
    const hook = hookFields(rule, written.fields);
    if (!GROUPED.includes(event)) return { paths: [groups.addBare(event, hook)], remarks: written.remarks };
    const { matchers, remarks } = translateMatcher(rule, LANGUAGE);
    const lane = rule.lane === "preempt" && rule.event === "PreToolUse" ? { preempt_yolo: true } : {};
    const paths = matchers.map((matcher) =>
      groups.add(event, { ...(matcher === undefined ? {} : { matcher }), ...lane }, hook),
    );
    return { paths, remarks: [...written.remarks, ...remarks] };
  });
  return { value: { hooks: groups.value }, fates };
}

type Written =
  | { readonly fields: Readonly<Record<string, JsonValue | undefined>>; readonly remarks: readonly Remark[] }
  | { readonly refused: string };

/** Returns the keys of the hook's own type. */
function handlerFields(handler: Handler): Written {
  if (handler.type === "command") {
    const line = asShellLine(handler, "docker-agent");
    if ("refused" in line) return line;
    const { env, workingDir } = handler;
    return { fields: { type: "command", command: line.command, env, working_dir: workingDir }, remarks: line.remarks };
  }
  if (handler.type === "builtin") return builtinFields(handler);
  const judge = handler.type === "wasm" ? judgeNamed(handler) : undefined;
  if (judge !== undefined && BUILTIN_NAMES.includes(judge))
    return { fields: { type: "builtin", command: judge }, remarks: [] };
  if (handler.type === "model") return modelFields(handler);
  return { refused: noSuchKind("docker-agent", handler) };
}

function builtinFields({ name, args, env, workingDir }: HandlerOf<"builtin">): Written {
  if (!BUILTIN_NAMES.includes(name)) return { refused: `docker-agent has no built-in hook "${name}"` };
  const given = args.length === 0 ? undefined : [...args];
  return { fields: { type: "builtin", command: name, args: given, env, working_dir: workingDir }, remarks: [] };
}

/** Returns the fields of a model hook whose prompt and answer docker-agent handles in the same way. */
function modelFields(handler: HandlerOf<"model">): Written {
  const { model, prompt, template, answer, redacts, maxTokens } = handler;
  if (template !== "go" || answer === "ok")
    return { refused: "docker-agent's prompts are Go templates, and its models answer with a decision or with text" };
  if (model === undefined || !MODEL_NAME.test(model))
    return { refused: "docker-agent needs a model as provider/model, and the hook names none" };
  const schema = answer === "decision" ? DECISION_SCHEMA : undefined;
  const remarks: Remark[] = [];
  if (!redacts) {
    const why = 'secrets are removed before anything is sent, unless compat is "faithful"';
    remarks.push({ what: "redact false", why, consequence: "changed" });
  }
  if (maxTokens !== MODEL_ANSWER_TOKENS) {
    const why = `docker-agent has no setting for the length of an answer; ${MODEL_ANSWER_TOKENS} is used`;
    remarks.push({ what: `maxTokens ${maxTokens}`, why, consequence: "changed" });
  }
  return { fields: { type: "model", model, schema, prompt }, remarks };
}

function hookFields(rule: Rule, fields: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const { timeoutMs } = rule;
  const seconds = wholeSeconds(timeoutMs);
  return withoutUndefined({
    // The agent's name of a guard is also the rule's name.
    name: rule.name === fields["command"] ? undefined : givenName(rule),
    ...fields,
    timeout: seconds === DEFAULT_TIMEOUT_SECONDS ? undefined : seconds,
    on_error: onError(rule),
    strict_output: rule.strict === true ? true : undefined,
  });
}

/** Returns `on_error`. docker-agent does not load a file with `on_error: block` at an event that cannot block. */
function onError(rule: Rule): string | undefined {
  const contract = contractOf(rule.event, "docker-agent");
  const isGate = contract !== undefined && canBlock(contract);
  if (isGate && closesOnFailure(rule, "docker-agent")) return ON_ERROR.block;
  return rule.onFailure === undefined || rule.onFailure === "block" ? undefined : ON_ERROR[rule.onFailure];
}
