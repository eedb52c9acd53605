import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { describeThrown, HookError } from "../../errors.ts";
import { type JsonObject, parseJsonObject } from "../../json.ts";
import type { admission } from "../../sandbox/index.ts";
import { cleanLine } from "../../text.ts";
import { asciiJson } from "../ascii-json.ts";
import { EXIT } from "../exit-codes.ts";
import { painter } from "../paint.ts";
import { readPayload } from "../payload.ts";
import { problemLines } from "../problem-lines.ts";
import { withProgress } from "../progress.ts";
import { type Console, usageError } from "../verb.ts";
import { findTargets, testTarget } from "./tested-guard.ts";
import { count, gotFailure, logLines } from "./trial-report.ts";

/** `hookbox test --payload`: prints a guard's answer to one event. Resolves to the exit code. */
export async function answerPayload(
  guard: string,
  payload: string,
  { json, checksTypes }: { readonly json: boolean; readonly checksTypes: boolean },
  console: Console,
): Promise<number> {
  const [target, another] = await findTargets(guard);
  if (target === undefined || another !== undefined) throw usageError("--payload is for one guard: name its folder");
  const event = await eventFrom(payload, console);
  const test: admission.Fixture = { name: payload, event, decision: "none" };
  const { results, problems, stuck } = await withProgress(console, "Building the guard", (report) =>
    testTarget(target, { tests: () => [test], checksTypes }, report),
  );
  if (stuck) console.endForGood("threads");
  const [result] = results;
  const answer = result?.actual;
  const failure = answer !== undefined && "failure" in answer ? answer.failure : undefined;
  const said = answer !== undefined && "decision" in answer ? answer : undefined;
  const isFine = said !== undefined && problems.every(({ severity }) => severity !== "error");
  if (json) {
    const data = { decision: said?.decision ?? null, reason: said?.reason ?? null, failure: failure ?? null };
    console.write(`${asciiJson({ ok: isFine, ...data, fuel: result?.fuel ?? 0, log: result?.log ?? [], problems })}\n`);
  } else {
    const paint = painter(console.colour);
    const lines = [
      ...problems.flatMap((problem) => problemLines(problem, console.cwd, paint)),
      ...(said === undefined ? [] : [`decision  ${paint("bold", said.decision)}`]),
      ...(said?.reason === undefined ? [] : [`reason    ${cleanLine(said.reason, MAX_REASON)}`]),
      ...(failure === undefined ? [] : gotFailure(failure, paint)),
      ...(result === undefined ? [] : [...logLines(result), `fuel      ${count(result.fuel)}`]),
    ];
    for (const line of lines) console.write(`  ${line}\n`);
  }
  return isFine ? EXIT.done : EXIT.problems;
}

const MAX_REASON = 2_000;

async function eventFrom(name: string, console: Console): Promise<admission.Fixture["event"]> {
  const event = name === "-" ? await readPayload(console) : await readEvent(name, console.cwd);
  if (typeof event["hook_event_name"] === "string") return event as admission.Fixture["event"];
  throw new HookError("HOOK_PAYLOAD_INVALID", "the event needs a hook_event_name that is a string", {
    hint: 'such as { "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": { "command": "ls" } }',
  });
}

async function readEvent(name: string, cwd: string): Promise<JsonObject> {
  const text = await readFile(resolve(cwd, name), "utf8").catch((error: unknown) => {
    throw new HookError("HOOK_PAYLOAD_INVALID", `the event cannot be read: ${describeThrown(error)}`);
  });
  const event = parseJsonObject(text);
  if (event === undefined) throw new HookError("HOOK_PAYLOAD_INVALID", `${name} is not one JSON object`);
  return event;
}
