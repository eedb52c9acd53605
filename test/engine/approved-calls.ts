import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import {
  type ApprovalQuestion,
  createEngine,
  type Grant,
  type JsonObject,
  type JsonValue,
  type PendingToolCall,
  type PolicyAnswer,
  type ToolCallHost,
  type ToolCallResult,
  type UserAnswer,
} from "../../src/index.ts";

/** Tool calls with real command rules and a host that records its questions. */

interface Hook extends JsonObject {
  readonly type: "command";
  readonly name: string;
  readonly command: string;
}

/** Returns a command rule that runs this shell text. */
export function shell(name: string, text: string, more: JsonObject = {}): Hook {
  return { type: "command", name, command: text, ...more };
}

/** Returns a command rule that answers with this `hookSpecificOutput` on each run. */
export function says(name: string, event: string, specific: JsonObject, more: JsonObject = {}): Hook {
  return shell(name, `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...specific } })}'`, more);
}

export const decides = (name: string, event: string, decision: string, more: JsonObject = {}): Hook =>
  says(name, event, { permissionDecision: decision, permissionDecisionReason: `${name} says so` }, more);

export const rewrites = (name: string, event: string, updatedInput: JsonObject, more: JsonObject = {}): Hook =>
  says(name, event, { updatedInput }, more);

type Hooks = Readonly<Record<string, readonly (Hook | JsonObject)[]>>;

interface Recorded {
  readonly policy: PendingToolCall[];
  readonly questions: ApprovalQuestion[];
  readonly grants: Grant[];
  readonly executed: JsonObject[];
}

interface HostParts {
  readonly policy?: PolicyAnswer | ((call: PendingToolCall, times: number) => PolicyAnswer);
  readonly user?: UserAnswer;
  readonly output?: JsonValue;
  readonly host?: Partial<ToolCallHost>;
}

interface Outcome {
  readonly result: ToolCallResult;
  readonly seen: Recorded;
  /** Names of the rules that ran, in the order in which they started. */
  readonly runs: readonly string[];
  /** Returns the last payload that a rule was given. */
  payloadOf(name: string): JsonObject;
}

export const MODE_ASKS: PolicyAnswer = { decision: "ask", source: "mode" };
export const MODE_ALLOWS: PolicyAnswer = { decision: "allow", source: "mode", label: "yolo" };
export const RULE_ALLOWS: PolicyAnswer = { decision: "allow", source: "rule" };
export const RULE_DENIES: PolicyAnswer = { decision: "deny", source: "rule", reason: "a rule forbids it" };
export const GRANTED: PolicyAnswer = { decision: "allow", source: "grant" };

/** Creates an engine with these rules; the function runs calls through it. */
export async function approvals(
  hooks: Hooks,
  dialect = "docker-agent",
): Promise<(input: JsonObject, parts?: HostParts) => Promise<Outcome>> {
  const folder = mkdtempSync(join(tmpdir(), "hookbox-calls-"));
  const log = join(folder, "runs");
  writeFileSync(log, "");
  const config = Object.fromEntries(
    Object.entries(hooks).map(([event, rules]) => [
      event,
      [
        {
          hooks: rules.map((rule) => {
            if (rule["type"] !== "command") return rule;
            const kept = join(folder, `${String(rule["name"])}.json`);
            return {
              ...rule,
              command: `echo '${String(rule["name"])}' >>'${log}'; KEPT='${kept}'; cat >"$KEPT"; ${rule["command"]}`,
            };
          }),
        },
      ],
    ]),
  );
  const engine = await createEngine({ config: { hooks: config }, dialect, cacheDir: false, sandbox: { threads: 1 } });
  onTestFinished(async () => {
    await engine.close();
    rmSync(folder, { recursive: true });
  });
  const errors = engine.problems.filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(JSON.stringify(errors));

  return async (input, { policy, user, output = "done", host = {} } = {}) => {
    writeFileSync(log, "");
    const seen: Recorded = { policy: [], questions: [], grants: [], executed: [] };
    const result = await engine.toolCall(
      { toolName: "Bash", input, toolUseId: "t1", payload: { session_id: "s", cwd: folder } },
      {
        ...(policy === undefined
          ? {}
          : {
              policy: (call) => {
                seen.policy.push(call);
                return typeof policy === "function" ? policy(call, seen.policy.length) : policy;
              },
            }),
        ...(user === undefined
          ? {}
          : {
              askUser: (question) => {
                seen.questions.push(question);
                return user;
              },
            }),
        grant: (grant) => void seen.grants.push(grant),
        execute: (given) => {
          seen.executed.push(given);
          return output;
        },
        ...host,
      },
    );
    return {
      result,
      seen,
      runs: readFileSync(log, "utf8").trim().split("\n").filter(Boolean),
      payloadOf: (name) => JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")) as JsonObject,
    };
  };
}
