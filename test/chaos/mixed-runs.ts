import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Engine, FailureKind } from "../../src/index.ts";
import type { JsonObject } from "../../src/json.ts";
import type { HookFunction } from "../../src/rule.ts";
import { closedPort, type FaultyServer } from "../faults/faulty-server.ts";
import { guest } from "../helpers/guests.ts";

/** Hooks of all types, most of which misbehave, each behind the name of a tool. */

export interface Act {
  readonly tool: string;
  readonly hooks: readonly object[];
  /** How the first of them may fail; `undefined` if it does not fail. */
  readonly kinds: readonly (FailureKind | undefined)[];
  /** How often it is called, relative to others. */
  readonly weight: number;
  /** Default: PreToolUse. */
  readonly event?: "PostToolUse";
  /** In addition to the fields that all events have. */
  readonly payload?: JsonObject;
  /** Called before each call. */
  readonly before?: () => void;
}

const SLOW_MS = 80;
/** Never reached by working hooks. */
const PATIENT_MS = 60_000;
const FOR_EVER = "sleep 600";

export async function makeActs(folder: string, marker: string, server: FaultyServer): Promise<readonly Act[]> {
  const refused = await closedPort();
  const env = { HOOKBOX_CHAOS: marker };
  const shell = (command: string, more = {}): object => ({
    type: "command",
    command,
    env,
    timeoutMs: PATIENT_MS,
    ...more,
  });
  const slow = { timeoutMs: SLOW_MS };
  const http = (url: string, more = {}): object => ({ type: "http", url, timeoutMs: PATIENT_MS, ...more });
  const code = (run: HookFunction, more = {}): object => ({ type: "function", run, timeoutMs: PATIENT_MS, ...more });
  const guard = (name: string, more = {}): object => {
    const module = join(folder, `${name}.wasm`);
    writeFileSync(module, guest(name));
    return { type: "wasm", module, timeoutMs: PATIENT_MS, ...more };
  };
  const act = (tool: string, hook: object | readonly object[], kind?: FailureKind, weight = 2): Act => ({
    tool,
    hooks: Array.isArray(hook) ? hook : [hook as object],
    kinds: [kind],
    weight,
  });
  const throws = code(() => {
    throw new Error("no");
  });
  const stubborn = "trap '' TERM; while :; do sleep 1; done";

  return [
    act("command-answers", shell("cat >/dev/null; echo '{}'"), undefined, 4),
    act("command-denies", shell("echo no >&2; exit 2")),
    act("command-fails", shell("exit 1"), "exit"),
    act("command-reads-nothing", shell("exec 0<&-; exit 0")),
    act("command-hangs", shell(`exec ${FOR_EVER}`, slow), "timeout", 3),
    act("command-ignores-term", shell(stubborn, slow), "timeout", 3),
    act("command-forks", shell(`${FOR_EVER} & (${FOR_EVER} & wait) & wait`, slow), "timeout", 3),
    act("command-leaves-children", shell(`${FOR_EVER} & ${FOR_EVER} & exit 0`), undefined, 3),
    act("command-leaves-stubborn-child", shell(`(${stubborn}) >/dev/null 2>&1 & exit 0`)),
    act("command-floods", shell("yes"), "output-too-large"),
    act("command-is-missing", shell("./nowhere", { args: [] }), "spawn"),
    act("command-detaches", shell(`echo '{"async":true,"asyncTimeout":0.1}'; exec ${FOR_EVER}`)),
    act("command-detaches-with-children", shell(`echo '{"async":true,"asyncTimeout":0.1}'; ${FOR_EVER} & wait`)),
    act("command-detaches-and-ends", shell(`echo '{"async":true}'; sleep 0.05`)),
    act("async-command", shell("sleep 0.02", { async: true })),
    act("async-command-hangs", shell(stubborn, { async: true, ...slow })),
    act("async-web-hook-hangs", http(server.url("hangs"), { async: true, ...slow })),
    act(
      "async-function-hangs",
      code(() => new Promise(() => {}), { async: true, ...slow }),
    ),
    act("web-hook-answers", http(server.url("ok")), undefined, 4),
    act("web-hook-hangs", http(server.url("hangs"), slow), "timeout", 3),
    act("web-hook-hangs-half-way", http(server.url("hangs-half-way"), slow), "timeout", 3),
    act("web-hook-resets", http(server.url("resets")), "unavailable"),
    act("web-hook-breaks-off", http(server.url("breaks-off")), "unavailable"),
    act("web-hook-floods", http(server.url("floods")), "output-too-large", 1),
    act("web-hook-redirects-in-circles", http(server.url("redirects-in-circles")), "unavailable"),
    act("web-hook-redirects-inwards", http(server.url("redirects-inwards")), "capability"),
    act("web-hook-is-missing", http(`http://127.0.0.1:${refused}/`), "unavailable"),
    act(
      "function-answers",
      code(() => ({})),
    ),
    act("function-throws", throws, "trap"),
    act(
      "function-hangs",
      code(() => new Promise(() => {}), slow),
      "timeout",
      3,
    ),
    act("function-rewrites", [code(() => rewrite), throws], undefined),
    act("context", { type: "context", text: "be careful" }),
    act("guard-denies", guard("denies"), undefined, 4),
    act("guard-traps", guard("traps"), "trap"),
    act("guard-loops", guard("allows-then-loops-for-ever", { limits: { fuel: 1_000_000 } }), "fuel"),
    // After three in a row its rule is not run for a while.
    {
      ...act("guard-hangs", guard("divides-for-ever", { ...slow, limits: { fuel: 2_000_000_000 } })),
      kinds: ["timeout", "unavailable"],
      weight: 1,
    },
    act(
      "once-function",
      code(() => ({}), { once: "session" }),
    ),
    act("once-command-fails", shell("exit 1", { once: "session" }), "exit"),
    act("mixed", [
      shell("echo '{}'"),
      http(server.url("resets")),
      throws,
      guard("traps"),
      shell(`exec ${FOR_EVER}`, slow),
    ]),
  ];
}

/** Hooks in other agents' files, each with the file that contains it. */
export function makeForeignActs(marker: string): {
  readonly acts: readonly Act[];
  readonly agentao: object;
  readonly autohand: object;
} {
  const as = (script: string): string => `HOOKBOX_CHAOS=${marker}; export HOOKBOX_CHAOS; ${script}`;
  const act = (tool: string, kind: FailureKind | undefined, weight = 2): Act => ({
    tool,
    hooks: [],
    kinds: [kind],
    weight,
  });
  const agentao = (tool: string, script: string) => ({
    type: "command",
    command: as(script),
    matcher: { toolName: tool },
    timeout: tool === "agentao-hangs" ? 1 : PATIENT_MS / 1_000,
  });
  const autohand = (tool: string, script: string) => ({
    event: "pre-tool",
    command: as(script),
    matcher: `^${tool}$`,
    timeout: tool === "autohand-hangs" ? SLOW_MS : PATIENT_MS,
  });
  return {
    acts: [
      act("agentao-denies", undefined),
      act("agentao-breaks-json", "invalid-output"),
      act("agentao-hangs", "timeout", 1),
      act("autohand-fails", "exit"),
      act("autohand-hangs", "timeout"),
      act("autohand-is-killed", "signal"),
    ],
    agentao: {
      hooks: {
        PreToolUse: [
          agentao("agentao-denies", 'cat >/dev/null; echo \'{"decision":"block","reason":"no"}\''),
          agentao("agentao-breaks-json", "printf '{\"decision\":'"),
          agentao("agentao-hangs", `${FOR_EVER} & exec ${FOR_EVER}`),
        ],
      },
    },
    autohand: {
      hooks: {
        enabled: true,
        hooks: [
          autohand("autohand-fails", "exec 0<&-; exit 3"),
          autohand("autohand-hangs", `trap '' TERM; ${FOR_EVER} & while :; do sleep 1; done`),
          autohand("autohand-is-killed", "kill -9 $$"),
        ],
      },
    },
  };
}

const BEFORE = "PreToolUse";

const rewrite = {
  hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { command: "ls -l" } },
} as const;

export function configOf(acts: readonly Act[]): object {
  const hooksAt = (name: string): object[] =>
    acts.filter(({ event = BEFORE }) => event === name).map(({ tool, hooks }) => ({ matcher: tool, hooks }));
  return { hooks: { PreToolUse: hooksAt(BEFORE), PostToolUse: hooksAt("PostToolUse") } };
}

export interface Call {
  readonly act: Act;
  readonly how: "waits" | "gives up" | "registers";
  readonly givesUpAfterMs: number;
  readonly session: string;
}

/** Long enough that a process that keeps it grows visibly. */
const TEXT = "x".repeat(20_000);

let registered = 0;

/** Makes one call, and returns what is wrong with its verdict, if anything. */
export async function make(engine: Engine, call: Call, signal: AbortSignal): Promise<string | undefined> {
  const { act, how, session } = call;
  const payload = (tool: string) => ({
    session_id: session,
    tool_name: tool,
    tool_input: { command: "ls", text: `${registered}${TEXT}` },
    ...act.payload,
  });
  registered += 1;
  if (how === "registers") {
    const tool = `registered-${registered}`;
    const run: HookFunction = (event) => ({ decision: "block", reason: String(event["session_id"]) });
    const dispose = await engine.register([{ event: "PreToolUse", matcher: tool, type: "function", run }]);
    const { decision } = await engine.dispatch("PreToolUse", payload(tool), { signal });
    dispose();
    const after = await engine.dispatch("PreToolUse", payload(tool), { signal });
    return decision === "deny" && after.rules.length === 0 ? undefined : `registered rule: ${decision}`;
  }
  const caller = new AbortController();
  const timer = how === "gives up" ? setTimeout(() => caller.abort(), call.givesUpAfterMs) : undefined;
  act.before?.();
  const verdict = await engine.dispatch(act.event ?? BEFORE, payload(act.tool), {
    signal: how === "gives up" ? caller.signal : signal,
  });
  clearTimeout(timer);
  if (verdict.decision === "allow") return `${act.tool}: allows`;
  const kind = verdict.rules[0]?.failure?.kind;
  const isAsKnown = act.kinds.includes(kind) || (how === "gives up" && kind === "cancelled");
  return isAsKnown ? undefined : `${act.tool}: ${kind}: ${verdict.rules[0]?.failure?.message}`;
}
