import { isDeepStrictEqual } from "node:util";
import type { EventName } from "../events/table.ts";
import type { JsonObject } from "../json.ts";
import type { HandlerOf } from "../rule.ts";
import type { ParseContext } from "./dialect.ts";
import { usualLimits } from "./shipped-guards.ts";

/** The agents' own built-in hooks that judge a call or a text. Guards that ship with hookbox stand for these hooks. */

interface Judge {
  /** The events at which the agent's hook works. */
  readonly events: readonly EventName[];
  readonly guards: readonly { readonly module: string; readonly config: JsonObject }[];
}

/** Files that Autohand's script protects, in addition to the files that path-guard protects by default. */
const SECURITY_FILES = ["*.pem", "credentials.json", "secrets.json", "service-account*.json", ".npmrc", ".pypirc"];

const JUDGES: Readonly<Record<string, Judge>> = {
  redact_secrets: {
    events: ["PreToolUse", "ToolInputTransform", "BeforeModelCall", "ToolResponseTransform"],
    guards: [{ module: "builtin:secret-guard", config: { redact: true } }],
  },
  safer_shell: {
    events: ["PreToolUse"],
    guards: [{ module: "builtin:shell-guard", config: { mode: "balanced" } }],
  },
  "security-guard": {
    events: ["PreToolUse"],
    guards: [
      { module: "builtin:shell-guard", config: { verdicts: { "fs-permissions-open": "deny" } } },
      { module: "builtin:path-guard", config: { write: SECURITY_FILES } },
    ],
  },
};

export const JUDGE_NAMES: readonly string[] = Object.keys(JUDGES);

/** Returns the guards for an agent's built-in hook. Returns `undefined` for the name of any other hook. */
export function guardsFor(
  name: string,
  { defaults }: Pick<ParseContext, "defaults">,
): readonly HandlerOf<"wasm">[] | undefined {
  if (!Object.hasOwn(JUDGES, name)) return undefined;
  return JUDGES[name]?.guards.map(({ module, config }) => ({
    type: "wasm",
    module,
    function: "handle",
    config,
    limits: usualLimits(module, defaults),
  }));
}

/** Returns why an agent's built-in hook does nothing at an event, otherwise `undefined`. */
export function idleJudge(name: string, event: EventName): string | undefined {
  return JUDGES[name]?.events.includes(event) === true ? undefined : `${name} does nothing at ${event}`;
}

/** Returns the name of the agents' built-in hook for a guard with exactly this config, otherwise `undefined`. */
export function judgeNamed({ module, config }: HandlerOf<"wasm">): string | undefined {
  return JUDGE_NAMES.find((name) => JUDGES[name]?.guards.some((guard) => isDeepStrictEqual(guard, { module, config })));
}
