import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { bash } from "./calls.ts";
import { type Client, installClaudeCode } from "./install.ts";
import { init } from "./resident.ts";
import { claudeSession, type Place } from "./session.ts";

/**
 * What twenty hooks cost a tool call of the real client, before and after `hookbox init --absorb`. The figures are printed
 * and not compared, because they depend on the machine. HOOKBOX_TEST_ROUNDS sets the rounds.
 */

const ROUNDS = Number(process.env["HOOKBOX_TEST_ROUNDS"] ?? 2);
const HOOKS = 20;
const CALLS = 12;

/** Each hook looks for a word of its own, as scripts of users do, and notes its run. */
const hooks = Array.from({ length: HOOKS }, (_, at) => ({
  type: "command",
  command: `grep -q forbidden-${at} && exit 2; echo ${at} >>"$CLAUDE_PROJECT_DIR"/runs; exit 0`,
}));

function writeSettings({ home }: Place, settings: object): void {
  const file = join(home, ".claude/settings.json");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(settings));
}

const WITH_HOOKS = { hooks: { PreToolUse: [{ matcher: "Bash", hooks }] } };

const WAYS: Readonly<Record<string, { readonly hooks: number; readonly prepare: (place: Place) => Promise<void> }>> = {
  "no hook": { hooks: 0, prepare: async () => {} },
  "20 hooks of the client": { hooks: HOOKS, prepare: async (place) => writeSettings(place, WITH_HOOKS) },
  "20 hooks after --absorb, and the first guards": {
    hooks: HOOKS,
    prepare: async (place) => {
      writeSettings(place, WITH_HOOKS);
      await init(place, "--absorb");
    },
  },
  "init, with the first guards": { hooks: 0, prepare: async (place) => void (await init(place)) },
};

const quantile = (all: readonly number[], at: number): string =>
  ([...all].sort((a, b) => a - b)[Math.floor(all.length * at)] ?? Number.NaN).toFixed(0);

describe.each(["2.1.197", "latest"])("Claude Code %s", (version) => {
  let client: Client;
  beforeAll(async () => {
    client = await installClaudeCode(version);
  });

  test("the same twenty hooks run for each call before and after --absorb", { timeout: 900_000 }, async () => {
    const times: Record<string, number[]> = {};
    for (let round = 0; round < ROUNDS; round++) {
      for (const [way, { hooks: expected, prepare }] of Object.entries(WAYS)) {
        const turns = Array.from({ length: CALLS }, (_, at) => bash("true", `toolu_${at}`));
        const session = await claudeSession(client, { turns, prepare });
        expect(session.toolResults.filter(({ isError }) => isError)).toEqual([]);
        const runs = session.has("runs") ? session.read("runs").trim().split("\n") : [];
        const counts = Array.from({ length: expected }, (_, at) => runs.filter((run) => run === String(at)).length);
        expect(counts).toEqual(Array.from({ length: expected }, () => CALLS));
        // The first call also starts threads of the client and of the server.
        times[way] = [...(times[way] ?? []), ...session.callsMs.slice(1)];
      }
    }
    const rows = Object.entries(times).map(
      ([way, all]) => `${way}: p50 ${quantile(all, 0.5)}, p90 ${quantile(all, 0.9)}`,
    );
    console.info(`wall time of a tool call in Claude Code ${client.version}, ms:\n  ${rows.join("\n  ")}`);
  });
});
