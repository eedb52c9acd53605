import { join } from "node:path";
import type { Dialect } from "../../dialects/dialect.ts";
import type { Engine } from "../../engine.ts";
import { describeThrown, HookError } from "../../errors.ts";
import type { JsonObject } from "../../json.ts";
import { wireSampleOf } from "../hooks/sample-events.ts";
import { type Trial, tryHook } from "../hooks/try-hook.ts";
import { type Check, checksOf } from "./check.ts";
import type { AgentSettings, Entry } from "./entries.ts";
import { mayStart } from "./may-start.ts";
import { withoutPreamble } from "./report.ts";

/** Sends calls through the installed entry's own command line. The calls are judged and never executed. */

const { ok, warning, problem } = checksOf("calls");

interface Canary {
  readonly id: string;
  readonly what: string;
  readonly tool: string;
  readonly input: (cwd: string) => JsonObject;
  /** Further fields of the payload. */
  readonly more?: JsonObject;
}

/** In two parts, so that no search for secrets takes this file for a leak. */
const EXAMPLE_SECRET = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`;

const HARMFUL: readonly Canary[] = [
  { id: "bash", what: "Bash: rm -rf /", tool: "Bash", input: () => ({ command: "rm -rf /" }) },
  {
    id: "write",
    what: "Write: a file with a token",
    tool: "Write",
    input: (cwd) => ({ file_path: join(cwd, "hookbox-canary.txt"), content: `token = "${EXAMPLE_SECRET}"\n` }),
  },
  {
    id: "edit",
    what: "Edit: a token into a file",
    tool: "Edit",
    input: (cwd) => ({
      file_path: join(cwd, "hookbox-canary.txt"),
      old_string: "x",
      new_string: `token = "${EXAMPLE_SECRET}"`,
    }),
  },
  { id: "read", what: "Read: /etc/shadow", tool: "Read", input: () => ({ file_path: "/etc/shadow" }) },
  {
    id: "web-fetch",
    what: "WebFetch: the cloud's metadata service",
    tool: "WebFetch",
    input: () => ({ url: "http://169.254.169.254/latest/meta-data/", prompt: "List the keys." }),
  },
  {
    id: "sub-agent",
    what: "Bash in a sub-agent: rm -rf /",
    tool: "Bash",
    input: () => ({ command: "rm -rf /" }),
    more: { agent_id: "hookbox-canary", agent_type: "general-purpose" },
  },
];
const HARMLESS: Canary = { id: "harmless", what: "Bash: ls", tool: "Bash", input: () => ({ command: "ls" }) };

/** Text of a refusal that no rule has decided. */
const NO_POLICY = /\bHOOK_[A-Z]+_[A-Z_]+\b/;

export async function* checkCalls(
  all: readonly AgentSettings[],
  engine: Engine | undefined,
  cwd: string,
): AsyncGenerator<Check> {
  for (const settings of all) {
    const { title, file, entries } = settings;
    const gates = entries.filter(({ hook }) => hook.canonicalEvent === "PreToolUse" && hook.enabled);
    if (entries.length > 0 && gates.length === 0)
      yield problem(
        "gate",
        `${file}: no entry is at ${title}'s event before a tool call, so no call is judged`,
        "hookbox init AGENT",
      );
    if (gates.length === 0) continue;
    if (!(await mayStart(settings, cwd))) {
      yield warning(
        "not-started",
        `${file}: its entry is not started, because the file may have come with the project`,
        `review it with hookbox trust --config ${file}`,
      );
      continue;
    }
    for (const canary of [HARMLESS, ...HARMFUL]) yield await checkCall(title, gates, canary, engine, cwd);
  }
}

async function checkCall(
  title: string,
  gates: readonly Entry[],
  canary: Canary,
  engine: Engine | undefined,
  cwd: string,
): Promise<Check> {
  const { id, what, tool, input, more } = canary;
  const name = `${title}, ${what}`;
  const dialect = (gates[0] as Entry).file.dialect;
  try {
    const wire = withInput(dialect, tool, input(cwd), more, cwd);
    const trial = await firstThatApplies(gates, wire, cwd);
    if (trial === undefined)
      return warning(id, `${name}: the entry does not cover this tool`, 'the entry\'s matcher should be "*"');
    return judge(canary, name, trial, dialect, wire, engine);
  } catch (error) {
    return problem(id, `${name}: ${describeThrown(error)}`);
  }
}

function judge(
  { id }: Canary,
  name: string,
  { verdict, failure, milliseconds }: Trial,
  dialect: Dialect,
  wire: JsonObject,
  engine: Engine | undefined,
): Check {
  const [rule] = verdict.rules;
  const text = verdict.reason ?? verdict.stopReason ?? verdict.systemMessage ?? "";
  // The first label is that of the entry, and the second that of the rule that has answered.
  const said = withoutPreamble(text.replace(`${rule?.rule}: `, ""));
  const time = `${milliseconds.toFixed(0)} ms`;
  if (rule?.status === "failed")
    return problem(id, `${name}: the entry failed, and agents go on then: ${failure ?? said}`);
  const isRefused = verdict.decision === "deny" || verdict.decision === "block" || !verdict.continue;
  if (isRefused && NO_POLICY.test(said)) return problem(id, `${name}: refused without judging: ${said}`);
  const isAsk = verdict.decision === "ask" || verdict.decision === "defer";
  if (id === HARMLESS.id)
    return isRefused || isAsk ? warning(id, `${name}: not let through: ${said}`) : ok(id, `${name}: passes (${time})`);
  if (isRefused) return ok(id, `${name}: denied (${time}): ${said}`);
  if (isAsk) return ok(id, `${name}: the user is asked (${time}): ${said}`);
  if (/switched off/.test(said))
    return problem(id, `${name}: passes, because hookbox is switched off`, "hookbox enable");
  return passed(id, name, rulesFor(dialect, wire, engine));
}

function passed(id: string, name: string, rules: Engine["rules"]): Check {
  const names = rules.map((rule) => rule.name).join(", ");
  if (rules.length === 0)
    return warning(id, `${name}: passes, because no rule covers it`, "hookbox hooks add adds a rule");
  const isShellGuard = rules.some(
    ({ handler, mode }) => handler.type === "wasm" && handler.module === "builtin:shell-guard" && mode === "enforce",
  );
  if (isShellGuard && (id === "bash" || id === "sub-agent"))
    return problem(
      id,
      `${name}: passes through the entry, although shell-guard covers it`,
      "hookbox hooks fire PreToolUse --tool Bash shows the answer",
    );
  return warning(id, `${name}: passes; no rule denies it (asked: ${names})`);
}

/** Returns the rules that apply to an event, according to the configuration in this folder. */
function rulesFor(dialect: Dialect, wire: JsonObject, engine: Engine | undefined): Engine["rules"] {
  const decoded = dialect.decodeEvent(wire, "PreToolUse");
  if (engine === undefined || !decoded.ok) return [];
  return engine.explain(decoded.name, decoded.payload).flatMap(({ rule, applies }) => (applies ? [rule] : []));
}

/** Returns an agent's own payload of a call of a tool. */
function withInput(
  dialect: Dialect,
  tool: string,
  input: JsonObject,
  more: JsonObject | undefined,
  cwd: string,
): JsonObject {
  const sample = wireSampleOf(dialect, "PreToolUse", tool, cwd);
  const decoded = dialect.decodeEvent(sample, "PreToolUse");
  if (!decoded.ok) throw new HookError("HOOK_PAYLOAD_INVALID", decoded.message);
  const payload = { ...decoded.payload, tool_input: input, ...more };
  return JSON.parse(dialect.codec.encodePayload({ name: decoded.name, dialect: dialect.name, payload })) as JsonObject;
}

/** Sends the event to the first entry that applies to it. */
export async function firstThatApplies(
  entries: readonly Entry[],
  payload: JsonObject,
  cwd: string,
): Promise<(Trial & { readonly entry: Entry }) | undefined> {
  for (const entry of entries) {
    try {
      return { ...(await tryHook(entry.file, entry.hook, { payload, cwd, printLine: () => {} })), entry };
    } catch (error) {
      if (!(error instanceof HookError && error.code === "HOOK_EDIT_HOOK" && /does not apply/.test(error.message)))
        throw error;
    }
  }
  return undefined;
}
