import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { EVENT_NAMES } from "../../src/events/lookup.ts";
import { ManifestSchema } from "../../src/sandbox/admission/manifest-schema.ts";
import { inProcess } from "../e2e/in-process.ts";
import { type Block, blocksOf, ROOT } from "./blocks.ts";
import { refreshed, stepsOf } from "./output.ts";
import { KEYS, type Place } from "./place.ts";
import { lackFor, runProgram } from "./programs.ts";

/** How a block of each kind is checked or run. */

type Run = (block: Block, place: Place) => Promise<unknown>;

/** Problems about modules and programs that only the page's reader has, and about modules that are not locked yet. */
const OF_READERS = /^HOOK_(MODULE|COMMAND)_NOT_FOUND$|^HOOK_LOCK_ABSENT$|^HOOK_EXCEPTION_UNNEEDED$/;

interface Checked {
  readonly problems: readonly { readonly code: string; readonly message: string }[];
  readonly rules: readonly { readonly rule: string; readonly sends: { readonly shows: readonly string[] } | null }[];
}

/** Checked like `hookbox check`, in the recognised format. Outside of the project, so with a user's rights. */
async function checkConfiguration({ text, language, file }: Block, place: Place): Promise<void> {
  const checked = place.write(
    file ?? `block.${language}`,
    text.replaceAll('"sha256": "…"', `"sha256": "${"0".repeat(64)}"`),
  );
  const { stdout, stderr } = await inProcess(["check", "--json", checked], { env: KEYS });
  expect(stderr).toBe("");
  const { problems, rules } = JSON.parse(stdout) as Checked;
  expect(problems.filter(({ code }) => !OF_READERS.test(code))).toEqual([]);
  // A judge that sees nothing of the event judges nothing.
  expect(rules.filter(({ sends }) => sends?.shows.length === 0)).toEqual([]);
}

/** One hook or several, as in a list of hooks. */
const checkHooks: Run = (block, place) =>
  checkConfiguration({ ...block, text: `{ "hooks": { "PreToolUse": [{ "hooks": [${block.text}] }] } }` }, place);

/** Runs `hookbox test` for a guard with these tests. */
async function runFixtures(guard: string, fixtures: readonly unknown[], place: Place): Promise<void> {
  place.write("guard/guard.ts", readFileSync(join(ROOT, guard, "guard.ts"), "utf8"));
  place.write("guard/fixtures.json", JSON.stringify(fixtures));
  expect(await place.run("hookbox test guard")).toMatchObject({ exitCode: 0 });
}

/** The page's first guard in C denies each of these tool calls. */
async function runDenied(text: string, page: string, place: Place): Promise<void> {
  const [guard] = blocksOf(page).filter(({ language, kind }) => language === "c" && kind === "guard");
  if (guard === undefined || lackFor(guard) !== "") return;
  const fixtures = text
    .trim()
    .split("\n")
    .map((line, index) => ({
      name: `line ${index + 1}`,
      event: { hook_event_name: "PreToolUse", tool_name: "Bash", ...(JSON.parse(line) as object) },
      decision: "deny",
    }));
  place.write("decoys/guard.c", guard.text);
  place.write("decoys/manifest.json", '{"name":"decoys","version":"1.0.0","abi":1,"events":["PreToolUse"]}');
  place.write("decoys/fixtures.json", JSON.stringify(fixtures));
  expect(await place.run("hookbox test decoys")).toMatchObject({ exitCode: 0 });
}

/** A program prints what the comments after its `console.log` say. */
async function runAsProgram({ text }: Block, place: Place): Promise<void> {
  const said = [...text.matchAll(/console\.log\(.*\); \/\/ (.*\n)/g)].map(([, line]) => line).join("");
  expect(runProgram(text, place.folder)).toBe(said);
}

/** The commands of a block, each with the output for the page. */
async function runCommands({ text, attributes, page, line }: Block, place: Place): Promise<string> {
  const steps = stepsOf(text);
  expect(steps.map(({ shown, output }) => shown + output).join("")).toBe(text);
  let now = "";
  for (const { command, exitCode, shown, output } of steps) {
    const ran = await place.run(command);
    expect({
      at: `${page}:${line}`,
      command,
      exitCode: ran.exitCode,
      says: ran.exitCode === exitCode ? "" : ran.output,
    }).toEqual({ at: `${page}:${line}`, command, exitCode, says: "" });
    now += shown + (output === "" ? "" : refreshed(output, ran.output, attributes["varies"]));
  }
  return now;
}

const RUNS: Readonly<Record<string, Run>> = {
  json: checkConfiguration,
  yaml: checkConfiguration,
  jsonc: checkConfiguration,
  "jsonc hook": checkHooks,
  "json hook": checkHooks,
  "json event": async ({ text }) => {
    const { hook_event_name: name } = JSON.parse(text) as { hook_event_name: string };
    expect(EVENT_NAMES).toContain(name);
  },
  "json manifest": async ({ text }) => void ManifestSchema.parse(JSON.parse(text)),
  "json reply": async ({ text }, place) => {
    place.write("reply.json", text);
    place.write("hookbox.json", '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"cat reply.json"}]}]}}');
    const { output } = await place.run(
      `echo '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}' | hookbox run`,
    );
    const [decision] = /"permissionDecision": "\w+"/.exec(text) ?? [];
    expect(output.replace(/":"/g, '": "')).toContain(decision);
  },
  "json fixture": ({ text, attributes }, place) => runFixtures(attributes["guard"] ?? "", [JSON.parse(text)], place),
  "jsonl denied": ({ text, page }, place) => runDenied(text, page, place),
  "json file": async ({ file = "", text }, place) => void place.write(file, text),
  "ts guard": async ({ file, text }, place) => void (file !== undefined && place.write(file, text)),
  js: runAsProgram,
  ts: runAsProgram,
  // A separate test builds each guard.
  "c guard": async () => {},
  console: runCommands,
};

const kindOf = ({ language, kind }: Block): string => [language, kind].filter((word) => word !== undefined).join(" ");

export const isKnown = (block: Block): boolean => kindOf(block) in RUNS || "run" in block.attributes || !isRun(block);

/** Whether commands print the block. */
export const isPrinted = (block: Block): boolean =>
  isRun(block) && (block.language === "console" || "run" in block.attributes);

/** `needs` is a file without which this machine cannot run the block. */
export const isPossible = ({ attributes: { needs } }: Block): boolean => needs === undefined || existsSync(needs);
export const isRun = ({ attributes }: Block): boolean => !("no-run" in attributes || "test" in attributes);

/** Checks or runs the block; returns the text for the page. */
export async function runBlock(block: Block, place: Place): Promise<string> {
  const { before, run, varies } = block.attributes;
  if (before !== undefined) expect(await place.run(before)).toMatchObject({ exitCode: 0 });
  if (run !== undefined) return refreshed(block.text, (await place.run(run)).output, varies);
  const now = await RUNS[kindOf(block)]?.(block, place);
  return typeof now === "string" ? now : block.text;
}
