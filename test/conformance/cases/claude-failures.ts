import type { CaseFamily, ConformanceCase, Expectation, JsonObject, Kit } from "../case.ts";
import { at, command, decision, prints } from "../claude-hooks.ts";

const PRE = "PreToolUse";

/** Each way to give no answer, and its default meaning at a gate. */
const FAILURES: readonly (readonly [string, "deny" | "none", (kit: Kit, more: JsonObject) => JsonObject])[] = [
  ["exit 1", "none", (kit, more) => command(kit, "hook", "exit 1", more)],
  ["not found", "deny", (kit, more) => command(kit, "hook", "exec no-such-command-anywhere", more)],
  ["no such program", "deny", (_, more) => ({ type: "command", command: "/no/such/program", args: [], ...more })],
  ["killed", "deny", (kit, more) => command(kit, "hook", "kill -9 $$", more)],
  ["broken JSON", "deny", (kit, more) => command(kit, "hook", "printf '{oops}'", more)],
  ["JSON of another shape", "deny", (kit, more) => command(kit, "hook", prints({ continue: "yes" }), more)],
  ["too late", "deny", (kit, more) => command(kit, "hook", "exec sleep 5", { ...more, timeout: 0.1 })],
  [
    "too late, with a child that holds the output",
    "deny",
    (kit, more) => command(kit, "hook", "sleep 5 & exec sleep 5", { ...more, timeout: 0.1 }),
  ],
  ["status 500", "deny", (kit, more) => ({ type: "http", url: kit.server("hook", { status: 500 }), ...more })],
  ["hangs up", "deny", (kit, more) => ({ type: "http", url: kit.server("hook", "hangs up"), ...more })],
  ["text for JSON", "deny", (kit, more) => ({ type: "http", url: kit.server("hook", { body: "fine" }), ...more })],
  [
    "web hook too late",
    "deny",
    (kit, more) => ({ type: "http", url: kit.server("hook", "hangs"), ...more, timeout: 0.1 }),
  ],
];

const slug = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
const says = (word: string): Expectation => ({ verdict: { decision: word } });
/** The configuration of such a hook has a problem before its first event. */
const saysOf = (name: string, word: string): Expectation => ({
  ...says(word),
  ...(name === "no such program" ? { problems: ["HOOK_COMMAND_NOT_FOUND"] } : {}),
});

const plain: readonly ConformanceCase[] = FAILURES.map(([name, word, hook]) => ({
  id: `FP1/${slug(name)}`,
  title: name,
  matrix: "a hook without an answer at PreToolUse",
  config: (kit) => at(PRE, hook(kit, {})),
  expect: word === "none" ? says("none") : { default: saysOf(name, word), faithful: saysOf(name, "none") },
}));

const blocking: readonly ConformanceCase[] = FAILURES.map(([name, , hook]) => ({
  id: `FP2/${slug(name)}`,
  title: name,
  matrix: "a hook without an answer at PreToolUse, with onFailure: block",
  config: (kit) => at(PRE, hook(kit, { onFailure: "block" })),
  expect: saysOf(name, "deny"),
}));

const GOING_ON = ["Stop", "SubagentStop", "TaskCompleted", "TeammateIdle"];
const goingOn: readonly ConformanceCase[] = GOING_ON.flatMap((event) =>
  ["exit 1", "exec sleep 5", "kill -9 $$"].map((text) => ({
    id: `FP3/${event}-${slug(text)}`,
    title: `${event}, ${text}`,
    matrix: "no failure makes the agent continue, with every onFailure",
    event,
    config: (kit: Kit) =>
      at(event, command(kit, "hook", text, { onFailure: "block", timeout: text.includes("sleep") ? 0.4 : 10 })),
    expect: {
      verdict: { decision: "none", continue: true },
      runs: { hook: 1 },
      problems: ["HOOK_CONFIG_INERT"],
    },
  })),
);

const OBSERVERS = ["PostToolUse", "SessionStart", "Notification", "SubagentStart"];

export const failures: CaseFamily = {
  title: "Claude Code: hooks that give no answer",
  source: "Hooks reference (2.1.295), failures and onFailure",
  dialect: "claude-code",
  cases: [
    ...plain,
    ...blocking,
    ...goingOn,
    ...OBSERVERS.map(
      (event): ConformanceCase => ({
        id: `FP4/${event}`,
        title: event,
        matrix: "a failure never blocks an event that only observes",
        event,
        config: (kit) => at(event, command(kit, "hook", "kill -9 $$")),
        expect: { verdict: { decision: "none", continue: true, systemMessage: /hook/ } },
      }),
    ),
    {
      id: "FP5",
      title: "a timeout at PreModelSwitch blocks, by default and with faithful",
      event: "PreModelSwitch",
      config: (kit) => at("PreModelSwitch", command(kit, "hook", "exec sleep 5", { timeout: 0.1 })),
      expect: { either: says("deny") },
    },
    {
      id: "FP6",
      title: "onFailure: block denies at PermissionRequest, but exit code 2 does not",
      event: "PermissionRequest",
      config: (kit) => at("PermissionRequest", command(kit, "hook", "exit 1", { onFailure: "block" })),
      expect: says("deny"),
    },
    {
      id: "FP7",
      title: "the message of a failure names the hook and the cause",
      config: (kit) => at(PRE, command(kit, "hook", "exec sleep 5", { timeout: 0.1, onFailure: "block" })),
      expect: { verdict: { decision: "deny", reason: /hook.*timeout: no answer within 100 ms/ } },
    },
    {
      id: "FP8",
      title: "a hook's failure does not weaken another hook's denial",
      config: (kit) =>
        at(PRE, command(kit, "broken", "kill -9 $$"), command(kit, "hook", prints(decision("deny", "because")))),
      expect: { verdict: { decision: "deny", reason: /because/ }, runs: { broken: 1, hook: 1 } },
    },
    {
      id: "FP9",
      title: "a cancellation by the caller is neither a denial nor a permission",
      cancelAfterMs: 60,
      config: (kit) =>
        at(
          PRE,
          command(kit, "hook", "exec sleep 5", { onFailure: "block" }),
          command(kit, "quick", prints(decision("allow"))),
        ),
      expect: { verdict: { cancelled: true, decision: "none" } },
    },
    {
      id: "FP10",
      title: "a broken entry is a problem, makes its gate deny, and does not change other entries",
      config: (kit) => ({
        hooks: { [PRE]: [{ hooks: [{ type: "comand" }, command(kit, "hook", prints(decision("allow")))] }] },
      }),
      expect: { verdict: { decision: "deny" }, runs: { hook: 1 }, problems: ["HOOK_CONFIG_HANDLER"] },
    },
  ],
};
