import { expect, test } from "vitest";
import { hookbox } from "./cli.ts";
import { USER_FILE, type World, world } from "./trust-world.ts";

/**
 * A repository's file with rules that are as expensive to match as the limits allow, and a guard of the user's. The
 * guard's refusal must arrive before the agent stops waiting, because the agent goes on after that.
 */

const GUARD = { type: "wasm", module: "builtin:shell-guard", name: "users-guard" };
const HARM = "rm -rf /";
const PATIENCE_S = 10;
/**
 * At most this many times as long as with a harmless file of the project. Without bounds it was 30 to 90 times as long.
 */
const MOST_TIMES_AS_LONG = 15;

const each = (count: number, of: (at: number) => object): object => ({
  hooks: {
    PreToolUse: [{ hooks: Array.from({ length: count }, (_, at) => ({ type: "context", text: `${at}`, ...of(at) })) }],
  },
});
const matchers = (count: number, of: (at: number) => string): object => ({
  hooks: {
    PreToolUse: Array.from({ length: count }, (_, at) => ({
      matcher: of(at),
      hooks: [{ type: "context", text: `${at}` }],
    })),
  },
});

const LONG = `${HARM}; ${"sudo nice env timeout 5 a b c d; ".repeat(1_980)}`;
const PATH = `/${"ab/".repeat(1_360)}`;
const PATHS = { file_path: PATH, path: PATH, notebook_path: PATH, cwd: "/x", workdir: "a\\b", directory: "/y" };

interface Attack {
  readonly file: object;
  readonly command?: string;
  readonly input?: object;
}

const ATTACKS: readonly (readonly [what: string, attack: Attack])[] = [
  ["matchers that unfold beyond any program", { file: matchers(24, (at) => `${"a{1000}".repeat(285)}${at}`) }],
  ["long alternations as matchers", { file: matchers(24, (at) => `(${"ab|ac|ad|".repeat(200)}${at}).*x`) }],
  [
    "conditions of many stars on a command of thousands of parts",
    { file: each(48, (at) => ({ if: `Bash(${"*a".repeat(480)}${at}Q *)` })), command: LONG },
  ],
  [
    "a thousand conditions on a command of thousands of parts",
    { file: each(1_000, (at) => ({ if: `Bash(*a*b*c*d*e*${at}Q*)` })), command: LONG },
  ],
  [
    "a thousand conditions on three long commands",
    {
      file: each(1_000, (at) => ({ if: `Bash(zz${at} x)` })),
      command: LONG,
      input: { cmd: LONG.slice(1), script: LONG.slice(2) },
    },
  ],
  [
    "filters of many ** on long paths",
    { file: each(100, (at) => ({ filter: { paths: [`${"**/*a*/".repeat(68)}zz${at}`] } })), input: PATHS },
  ],
  [
    "filters of many alternatives on long paths",
    {
      file: each(800, (at) => ({ filter: { paths: [`${"{a,b}".repeat(6)}${"*a".repeat(10)}${at}`] } })),
      input: PATHS,
    },
  ],
];

async function refusal(place: World, { command = HARM, input = {} }: Attack): Promise<number> {
  const account = place.write(
    "account.cjs",
    `const os = require("node:os");
const before = os.userInfo;
os.userInfo = (options) => ({ ...before(options), homedir: ${JSON.stringify(place.home)} });
require("node:module").syncBuiltinESMExports();
`,
  );
  const payload = {
    hook_event_name: "PreToolUse",
    session_id: "costly",
    cwd: place.project,
    tool_name: "Bash",
    tool_input: { command, ...input },
  };
  const result = await hookbox(["run", "--patience", `${PATIENCE_S}`], {
    cwd: place.project,
    env: { HOME: place.home, XDG_CONFIG_HOME: "", NODE_OPTIONS: `--require ${account}` },
    stdin: JSON.stringify(payload),
  });
  expect(result.signal).toBeNull();
  // Problems in the project's file may refuse as well, with exit code 2. The user's guard is asked in any case.
  expect(`${result.stdout}${result.stderr}`).toContain("users-guard: rm -rf of a protected path");
  return result.elapsedMs;
}

test.each(ATTACKS)(
  "the user's guard refuses in time, by name, in a project with %s",
  { timeout: 120_000 },
  async (_, attack) => {
    const place = world();
    place.write(USER_FILE, { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [GUARD] }] } });
    place.write("project/package.json", {});
    const timeWith = (file: object): Promise<number> => {
      place.write("project/hookbox.json", file);
      return refusal(place, attack);
    };
    await timeWith(each(1, () => ({})));
    const harmlessMs = await timeWith(each(2, () => ({})));
    expect(await timeWith(attack.file)).toBeLessThan(MOST_TIMES_AS_LONG * harmlessMs);
  },
);
