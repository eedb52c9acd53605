import { homedir } from "node:os";
import path from "node:path";
import { callersEnvironment, callersFolder } from "../../caller.ts";
import type { HookEvent } from "../../event.ts";
import { parseJsonObject } from "../../json.ts";
import { mayComeWithRepository } from "../../layer-trust.ts";
import type { Models } from "../../models/models.ts";
import { WITHIN_VARIABLE } from "../../models/recursion.ts";
import type { HttpClient } from "../../net/http-client.ts";
import { childEnvironment, type Variables } from "../../processes/environment.ts";
import { runProgram } from "../../processes/run-program.ts";
import type { HandlerOf, Rule } from "../../rule.ts";
import type { Stop } from "../../stop-signal.ts";
import { eventText } from "../event-text.ts";
import { expandPath } from "../expand-path.ts";
import { ownVariables } from "../rule-environment.ts";
import type { BuiltinCall, BuiltinTools, PostOptions } from "./builtin.ts";
import { limitTime } from "./limit-time.ts";

/** The parts that all calls share. */
interface Workshop extends Pick<BuiltinTools, "models" | "now" | "spillFolder" | "dataFolder"> {
  readonly client: HttpClient;
  readonly models: Models;
}

/** The time limits of a call. */
export interface CallLimits {
  readonly stop: Stop;
  readonly timeLeftMs: number;
}

/** Builds the call of a built-in hook from a rule and an event. */
export function describeCall(
  rule: Rule,
  handler: HandlerOf<"builtin">,
  event: HookEvent,
  { stop, timeLeftMs }: CallLimits,
  { client, ...shared }: Workshop,
): BuiltinCall {
  const parent = callersEnvironment();
  const own = ownVariables(rule, handler.env, parent, process.platform);
  const env = readable(rule, parent, own);
  const workingDir = workingDirOf(handler, event, env);
  const { network } = handler;
  const sessionId = event.payload["session_id"];
  return {
    event,
    hookInput: () => {
      const encoded = eventText(rule, event);
      return encoded.ok ? parseJsonObject(encoded.text) : undefined;
    },
    args: handler.args,
    workingDir,
    env,
    home: homedir(),
    layer: rule.layer,
    network,
    sessionId: typeof sessionId === "string" ? sessionId : "",
    stop,
    timeLeftMs,
    choice: handler.choice,
    tools: {
      ...shared,
      run: (file, args, options = {}) => {
        const given = { ...own, ...options.env, [WITHIN_VARIABLE]: "1" };
        return runProgram({ cwd: workingDir, ...options, file, args, env: given }, stop);
      },
      post: (request) => post(client, { network, ...request }, stop),
    },
  };
}

/** Returns the variables that a rule may read. A rule from a repository must not read the user's secrets. */
function readable({ layer }: Rule, parent: Variables, own: Variables): Variables {
  if (!mayComeWithRepository(layer)) return { ...parent, ...own };
  const sources = { inherit: "listed", parent, dialect: {}, handler: own, platform: process.platform } as const;
  return childEnvironment(sources).variables;
}

function workingDirOf({ workingDir }: HandlerOf<"builtin">, event: HookEvent, env: Variables): string {
  const { cwd } = event.payload;
  const usual = typeof cwd === "string" && path.isAbsolute(cwd) ? cwd : callersFolder();
  return path.resolve(usual, workingDir === undefined ? "" : expandPath(workingDir, env, process.platform));
}

async function post(
  client: HttpClient,
  { timeoutMs, headers = {}, ...request }: PostOptions & { readonly network: NonNullable<PostOptions["network"]> },
  stop: Stop,
): ReturnType<BuiltinTools["post"]> {
  if (timeoutMs === undefined) return client.post({ ...request, headers }, stop);
  return limitTime(stop, timeoutMs, "no answer", (sooner) => client.post({ ...request, headers }, sooner));
}
