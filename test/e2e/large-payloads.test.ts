import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { times } from "../helpers/tier.ts";
import { bashCall, elsewhere, hookbox, MAIN, ownFolders, project, stopCall } from "./cli.ts";

/** Payloads that are refused before they are parsed, and the answers to lines after them. */

const MIB = 1_048_576;
const ROUNDS = times(9, 7);
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
});

/** A process that answers each line with a line: hookbox, or a baseline that only reads. */
class Lines {
  readonly #child: ChildProcess;
  readonly #waiting: ((line: string) => void)[] = [];

  constructor(args: readonly string[]) {
    const env = { ...process.env, ...ownFolders() };
    this.#child = spawn(process.execPath, args, { cwd: elsewhere(), env, stdio: ["pipe", "pipe", "inherit"] });
    started.push(this.#child);
    let rest = "";
    this.#child.stdin?.on("error", () => {});
    this.#child.stdout?.on("data", (chunk) => {
      const lines = `${rest}${chunk}`.split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#waiting.shift()?.(line);
    });
  }

  ask(line: string): Promise<string> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#child.stdin?.write(`${line}\n`);
    });
  }

  /** Returns the processor time for this line in milliseconds. */
  async costMs(line: string): Promise<number> {
    const before = this.#cpuMs;
    await this.ask(line);
    return this.#cpuMs - before;
  }

  get #cpuMs(): number {
    const threads = readdirSync(`/proc/${this.#child.pid}/task`);
    const times = threads.map((id) => readFileSync(`/proc/${this.#child.pid}/task/${id}/schedstat`, "utf8"));
    return times.reduce((sum, time) => sum + Number.parseInt(time, 10) / 1e6, 0);
  }

  get peakMiB(): number {
    const status = readFileSync(`/proc/${this.#child.pid}/status`, "utf8");
    return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1_024;
  }
}

/** The same reader of lines, without any judging. */
const READER = pathToFileURL(resolve(import.meta.dirname, "../../dist/cli/lines/read-lines.js")).href;
const FLOOR = `import { readLines } from ${JSON.stringify(READER)};
for await (const _ of readLines(process.stdin, ${16 * MIB})) process.stdout.write("\\n");`;

const within = (text: string): string =>
  `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls","x":${text}`;
const BAD: readonly (readonly [string, string, RegExp])[] = [
  ["nested arrays", "[".repeat(14 * MIB), /nested deeper than 128 levels/],
  ["empty objects", "{},".repeat((14 * MIB) / 3), /more than 200000 values/],
  ["nested arrays within an event", within("[".repeat(14 * MIB)), /nested deeper than 128 levels/],
  ["empty objects within an event", within(`[${"{},".repeat((14 * MIB) / 3)}`), /more than 200000 values/],
];

test("14 MiB of hostile JSON in --lines cost at most twice the reading and no memory", async () => {
  const config = project().configure("PreToolUse", { type: "command", command: "true" });
  const lines = new Lines([MAIN, "run", "--lines", "--config", config]);
  const floor = new Lines(["--input-type=module", "-e", FLOOR]);
  const ordinary = bashCall("ls");
  // The longest line that is only a text: its time is the price of 14 MiB.
  const long = JSON.stringify({ note: "x".repeat(14 * MIB) });
  for (let round = 0; round < 3; round += 1) await Promise.all([lines.ask(long), floor.ask(long), lines.ask(ordinary)]);
  const before = lines.peakMiB;
  for (const [name, line, reason] of BAD) {
    // The best of several rounds, because other processes on the same processor make both slower.
    let [reading, refusing] = [Infinity, Infinity];
    for (let round = 0; round < ROUNDS; round += 1) {
      reading = Math.min(reading, await floor.costMs(line));
      refusing = Math.min(refusing, await lines.costMs(line));
    }
    expect({ name, isCheap: refusing <= 2 * reading, refusing, reading }).toMatchObject({ name, isCheap: true });
    // The line after it is answered as if there were no line before it.
    const [refusal, answer] = await Promise.all([lines.ask(line), lines.ask(ordinary)]);
    expect(refusal).toMatch(reason);
    expect(JSON.parse(answer)).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  }
  // Parsing one such line took 512 MiB, and keeping all lines took as much as was read.
  expect(lines.peakMiB - before).toBeLessThan((BAD.length * (ROUNDS + 1) * 14) / 2);
}, 240_000);

describe("a refused payload", () => {
  const wide = `[${"{},".repeat(300_000)}{}]`;

  test("keeps its id and its event, read from the members before the excess", async () => {
    const config = project().configure("Stop", { type: "command", command: "true" });
    const stdin = [
      `{"id":7,"hook_event_name":"PreToolUse","x":${wide}}`,
      `{"id":8,"hook_event_name":"Stop","stop_hook_active":false,"x":${wide}}`,
      `{"x":${wide},"id":9,"hook_event_name":"Stop"}`,
    ].join("\n");
    const { stdout } = await hookbox(["run", "--lines", "--config", config], { stdin });
    const error = { code: "HOOK_PAYLOAD_LIMIT" };
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as object),
    ).toMatchObject([
      { id: 7, exitCode: 2, error },
      { id: 8, exitCode: 1, error },
      { exitCode: 2, error },
    ]);
  });

  test.each([
    ["an event at which a block means to go on is not blocked", `${stopCall.slice(0, -1)},"x":${wide}}`, 1],
    ["any other event is refused", `${bashCall("ls").slice(0, -1)},"x":${wide}}`, 2],
    ["so is an event that is not known yet", `{"x":${wide},"hook_event_name":"Stop"}`, 2],
    ["and one of more than 16 MiB", `${bashCall("ls").slice(0, -1)},"x":"${"x".repeat(16 * MIB)}"}`, 2],
    ["unless a block means to go on there", `${stopCall.slice(0, -1)},"x":"${"x".repeat(16 * MIB)}"}`, 1],
  ])("%s", async (_, stdin, exitCode) => {
    const config = project().configure("Stop", { type: "command", command: "true" });
    const result = await hookbox(["run", "--config", config], { stdin });
    expect(result).toMatchObject({ exitCode, stderr: expect.stringContaining("HOOK_PAYLOAD_LIMIT") });
  });

  test("is not what 10 MiB of text in a file's content become", async () => {
    const files = project();
    const config = files.configure("PreToolUse", { type: "command", command: "cat > /dev/null" });
    const input = { file_path: "/tmp/x", content: 'f({ "a": [1, 2] })\n'.repeat(500_000) };
    const stdin = JSON.stringify({ ...(JSON.parse(bashCall("ls")) as object), tool_name: "Write", tool_input: input });
    expect(await hookbox(["run", "--config", config], { stdin })).toMatchObject({ exitCode: 0, stdout: "" });
  });
});
