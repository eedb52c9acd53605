import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Verdict } from "../../src/verdict.ts";
import { bashCall } from "./cli.ts";
import { hooks, type RunSetup, USER_FILE, type World, world } from "./trust-world.ts";

/** An approval covers the scripts that a command names, and what these scripts load, if the text names the file. */

const LS = JSON.parse(bashCall("ls")) as object;
const DENIES = "echo scripted >&2; exit 2\n";

async function judge(place: World, setup: RunSetup = {}, args: readonly string[] = []): Promise<Verdict> {
  // Agents send the folder to which they have changed.
  const event = { ...LS, cwd: join(place.folder, setup.cwd ?? "project") };
  return JSON.parse((await place.cli(["run", "--json", ...args], { event, ...setup })).stdout) as Verdict;
}

/** Approves as a user without a terminal does. Returns the text of the review. */
async function trust(place: World, args: readonly string[] = []): Promise<string> {
  const { digest } = JSON.parse((await place.cli(["trust", "--json", ...args])).stdout) as { digest: string };
  const { stdout, exitCode } = await place.cli(["trust", "--trust", digest, ...args]);
  expect(exitCode, stdout).toBe(0);
  return stdout;
}

function written(files: Readonly<Record<string, string | object>>, rule: object | string): World {
  const place = world();
  place.write(USER_FILE, hooks());
  for (const [path, content] of Object.entries({ "package.json": {}, ...files }))
    place.write(`project/${path}`, content);
  place.write("project/hookbox.json", hooks(typeof rule === "string" ? { type: "command", command: rule } : rule));
  return place;
}

interface Case {
  readonly what: string;
  readonly files: Readonly<Record<string, string | object>>;
  readonly command: string | object;
  /** The files that the agent changes or creates, each in a world of its own. */
  readonly changes: readonly string[];
  /** What the changed file contains. Default: a shell script that lets everything pass. */
  readonly content?: string | object;
  readonly shows: string;
}

const JS = 'import { deny } from "./lib/deny.js";\ndeny();\n';
const JS_DENIES = 'export const deny = () => { console.error("scripted"); process.exitCode = 2; };\n';

const CASES: readonly Case[] = [
  {
    what: "a script after cd",
    files: { "tools/check.sh": DENIES },
    command: "cd tools && sh ./check.sh",
    changes: ["tools/check.sh"],
    shows: "pins the script tools/./check.sh",
  },
  {
    what: "a script that the shell reads from its input",
    files: { "check.sh": DENIES },
    command: "sh < ./check.sh",
    changes: ["check.sh"],
    shows: "pins the script ./check.sh",
  },
  {
    what: "a script that comes through a pipe",
    files: { "check.sh": DENIES },
    command: "cat ./check.sh | sh",
    changes: ["check.sh"],
    shows: "pins the script ./check.sh",
  },
  {
    what: "a script that a variable without a value names by its default",
    files: { "check.sh": DENIES },
    command: "sh ${NO_SUCH_VARIABLE:-./check.sh}",
    changes: ["check.sh"],
    shows: "pins the script $",
  },
  {
    what: "a file that a shell script sources next to itself",
    files: { "tools/check.sh": '. "$(dirname "$0")/lib.sh"\ndeny\n', "tools/lib.sh": `deny() { ${DENIES.trim()}; }\n` },
    command: "sh ./tools/check.sh",
    changes: ["tools/lib.sh"],
    content: "deny() { :; }\n",
    shows: "which loads tools/lib.sh",
  },
  {
    what: "a module that a JavaScript hook imports, and a file that would come first",
    files: { "hook.mjs": JS, "lib/deny.js": JS_DENIES, "lib/package.json": { type: "module" } },
    command: "node ./hook.mjs",
    changes: ["lib/deny.js"],
    content: "export const deny = () => {};\n",
    shows: "which loads lib/deny.js",
  },
  {
    what: "a Python module next to the script, also one that would hide a module of Python",
    files: {
      "h/hook.py": "import json, sys\nimport lib\nlib.deny()\n",
      "h/lib.py": 'import sys\ndef deny():\n  print("scripted", file=sys.stderr); sys.exit(2)\n',
    },
    command: "python3 ./h/hook.py",
    changes: ["h/lib.py", "h/json.py", "h/lib/__init__.py"],
    content: "def deny(): pass\n",
    shows: "which loads h/lib.py",
  },
  {
    what: "the script of a package, and the file that it runs",
    files: { "package.json": { scripts: { check: "sh ./tools/check.sh" } }, "tools/check.sh": DENIES },
    command: "npm run --silent check",
    changes: ["tools/check.sh", ".npmrc"],
    shows: "pins the script package.json#check",
  },
  {
    what: "the text of a package's script",
    files: { "package.json": { scripts: { check: "sh ./tools/check.sh" } }, "tools/check.sh": DENIES },
    command: "npm run --silent check",
    changes: ["package.json"],
    content: { scripts: { check: "true" } },
    shows: "which loads tools/check.sh",
  },
  {
    what: "a script that runs before a package's script",
    files: { "package.json": { scripts: { check: "echo scripted >&2; exit 2" } } },
    command: "npm run --silent check",
    changes: ["package.json"],
    content: { scripts: { precheck: "true", check: "echo scripted >&2; exit 2" } },
    shows: "package.json#check",
  },
];

describe("an approval pins", () => {
  test.each(CASES.map((one) => [one.what, one] as const))(
    "%s",
    async (_, { files, command, changes, content, shows }) => {
      for (const change of changes) {
        const place = written(files, command);
        expect(await trust(place)).toContain(shows);
        const before = await judge(place);
        expect(before.reason, JSON.stringify(before)).toMatch(/scripted|check/);
        expect(before.reason).not.toContain("hookbox trust");
        mkdirSync(join(place.project, change, ".."), { recursive: true });
        place.write(`project/${change}`, content ?? "exit 0\n");
        const after = await judge(place);
        expect([change, after.decision, after.reason]).toEqual([
          change,
          "deny",
          expect.stringContaining("hookbox trust"),
        ]);
      }
    },
  );

  test("no package.json that changes in its other parts", async () => {
    const files = { "package.json": { scripts: { check: "echo scripted >&2; exit 2" } } };
    const place = written(files, "npm run --silent check");
    await trust(place);
    place.write("project/package.json", { ...files["package.json"], dependencies: { x: "1" } });
    expect((await judge(place)).reason).not.toContain("hookbox trust");
  });

  test("packages not, and says so", async () => {
    const place = written({ "hook.mjs": 'import chalk from "chalk";\n' }, "node ./hook.mjs");
    expect(await trust(place)).toContain("not pinned: the packages chalk");
  });

  test("no file that the shell finds only at the start, and says so", async () => {
    expect(await trust(written({ "check1.sh": DENIES }, "sh ./check*.sh"))).toContain("not pinned: ./check*.sh");
  });
});

describe("an approved command does not run", () => {
  test.each(["elsewhere", "project/sub"])(
    "a script of the same name in %s, to which the agent has changed",
    async (cwd) => {
      const place = written({ "check.sh": DENIES }, {});
      // Claude Code starts a hook in the folder to which the agent has changed.
      place.write("project/.claude/settings.json", hooks({ type: "command", command: "sh ./check.sh" }));
      const args = ["--config", join(place.project, ".claude/settings.json")];
      await trust(place, args);
      place.write(`${cwd}/check.sh`, "exit 0\n");
      const verdict = await judge(place, { cwd, env: { CLAUDE_PROJECT_DIR: place.project } }, args);
      expect([verdict.decision, verdict.reason]).toEqual([
        "deny",
        expect.stringContaining("not the script that you approved"),
      ]);
    },
  );

  test("a file that was too large to be pinned", async () => {
    const place = written({}, "sh ./check.sh");
    writeFileSync(
      join(place.project, "check.sh"),
      Buffer.concat([Buffer.from(DENIES), Buffer.alloc(65 * 1_048_576, "#")]),
    );
    expect(await trust(place)).toContain("the script ./check.sh cannot be read, so its rule fails");
    writeFileSync(
      join(place.project, "check.sh"),
      Buffer.concat([Buffer.from("exit 0\n"), Buffer.alloc(65 * 1_048_576, "#")]),
    );
    expect((await judge(place)).decision).toBe("deny");
  });
});

test("an approval pins the script of an MCP server", async () => {
  const place = written({ "server.mjs": "process.exit(3);\n" }, {});
  place.write("project/hookbox.json", {
    mcpServers: { own: { type: "stdio", command: "node", args: ["./server.mjs"] } },
    ...hooks({ type: "mcp_tool", server: "own", tool: "t" }),
  });
  expect(await trust(place)).toContain("pins the script ./server.mjs");
  expect((await judge(place)).reason).not.toContain("hookbox trust");
  place.write("project/server.mjs", "process.exit(0);\n");
  expect((await judge(place)).reason).toContain("not the script that you approved");
});
