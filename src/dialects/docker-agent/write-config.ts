import type { JsonObject } from "../../event.ts";
import { contractOf } from "../../events/lookup.ts";
import type { OnFailure, Rule } from "../../rule.ts";
import { nameOf } from "../rule-name.ts";
import { translateMatcher } from "../translate-matcher.ts";
import { GroupedHooks } from "../write-groups.ts";
import { asShellLine, closesOnFailure, noSuchKind } from "../write-hook.ts";
import { type ConfigWriter, type Fate, wholeSeconds, withoutUndefined } from "../writing.ts";
import { dockerAgentCodec } from "./codec.ts";
import { canBlock } from "./hook.ts";
import { GROUPED } from "./hook-lists.ts";
import { agentEvent, canonicalEvent } from "./spelling.ts";

/** Rules as the `hooks:` of a docker-agent file. */
export const dockerAgentWriter: ConfigWriter = { keepsPriority: false, write };

const LANGUAGE = { dialect: "docker-agent", codec: dockerAgentCodec, toolNames: "own" } as const;
const DEFAULT_TIMEOUT_SECONDS = 60;

const ON_ERROR: Readonly<Record<OnFailure, string>> = { continue: "warn", ignore: "ignore", block: "block" };

function write(rules: readonly Rule[]): ReturnType<ConfigWriter["write"]> {
  const groups = new GroupedHooks(["hooks"]);
  const fates = rules.map((rule): Fate => {
    const event = agentEvent(rule.event);
    if (canonicalEvent(event) === undefined) return { refused: `docker-agent has no event ${rule.event}` };
    if (rule.handler.type !== "command") return { refused: noSuchKind("docker-agent", rule.handler) };
    const line = asShellLine(rule.handler, "docker-agent");
    if ("refused" in line) return line;
    const hook = hookFields(rule, line.command);
    if (!GROUPED.includes(event)) return { paths: [groups.addBare(event, hook)], remarks: line.remarks };
    const { matchers, remarks } = translateMatcher(rule, LANGUAGE);
    const lane = rule.lane === "preempt" && rule.event === "PreToolUse" ? { preempt_yolo: true } : {};
    const paths = matchers.map((matcher) =>
      groups.add(event, { ...(matcher === undefined ? {} : { matcher }), ...lane }, hook),
    );
    return { paths, remarks: [...line.remarks, ...remarks] };
  });
  return { value: { hooks: groups.value }, fates };
}

function hookFields(rule: Rule, command: string): JsonObject {
  const { handler, name, timeoutMs } = rule;
  const { env, workingDir } = handler.type === "command" ? handler : {};
  const seconds = wholeSeconds(timeoutMs);
  return withoutUndefined({
    name: name === nameOf(handler) ? undefined : name,
    type: "command",
    command,
    timeout: seconds === DEFAULT_TIMEOUT_SECONDS ? undefined : seconds,
    env,
    working_dir: workingDir,
    on_error: onError(rule),
    strict_output: rule.strict === true ? true : undefined,
  });
}

/** A file that asks for a block where nothing can be blocked does not load. */
function onError(rule: Rule): string | undefined {
  const contract = contractOf(rule.event, "docker-agent");
  const isGate = contract !== undefined && canBlock(contract);
  if (isGate && closesOnFailure(rule, "docker-agent")) return ON_ERROR.block;
  return rule.onFailure === undefined || rule.onFailure === "block" ? undefined : ON_ERROR[rule.onFailure];
}
