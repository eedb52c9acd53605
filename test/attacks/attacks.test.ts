import { readdirSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { GUARD_REPORTED } from "../../src/outcome.ts";
import { SEED } from "../helpers/seed.ts";
import { ATTACKS, type Attack, type Ending } from "./attacks.ts";
import { UNVARYING_ATTACKS, VARYING_ATTACKS } from "./granted/clock-and-random.ts";
import { GRANTED_ATTACKS } from "./granted/granted-attacks.ts";
import { CANARY } from "./granted/world.ts";
import { MADE_MODULES } from "./made-modules.ts";
import type { Outcome } from "./plan.ts";
import { ATTACK_FOLDER, type AttackReport, runAttacks } from "./run-attacks.ts";

/** Attacks on one engine, four at a time and in any order, while ordinary calls go on. */

const TIMEOUT_MS = 30_000;
const THREADS = 5;
const LANES = 4;

const ORDINARY = (
  [
    [
      "deny",
      "rm -rf /",
      "rm -r -f /etc",
      "sudo rm -rf --no-preserve-root /",
      "rm -R /lib64",
      "rm /usr --recursive --force",
    ],
    ["none", "ls -la", "npm test", "git status", "cat README.md", "node -e 1", "mkdir -p build", "grep -r attack src"],
  ] as const
).flatMap(([decision, ...commands]) => commands.map((command) => ({ tool: "Bash", command, decision })));

describe("the table of attacks", () => {
  test("names every module in the folder and every generated one, and no others", () => {
    const files = readdirSync(ATTACK_FOLDER).map((file) => file.replace(/\.wat$/, ""));
    const modules = new Set(ATTACKS.map(({ module }) => module));
    expect([...modules].toSorted()).toEqual([...files, ...Object.keys(MADE_MODULES)].toSorted());
  });

  test("contains every attack once", () => {
    expect(ATTACKS.length).toBeGreaterThan(180);
    expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length);
  });

  test("contains every attack of a guard with a grant also without the grant", () => {
    const names = GRANTED_ATTACKS.filter(({ grants }) => grants !== undefined).map(({ name }) => `${name}-ungranted`);
    expect(names.length).toBeGreaterThan(150);
    expect(GRANTED_ATTACKS.filter(({ grants }) => grants === undefined).map(({ name }) => name)).toEqual(names);
  });
});

const ALL = [...ATTACKS, ...GRANTED_ATTACKS];

const ending = (ends: Ending): string =>
  "kind" in ends ? [ends.kind, ends.code].filter((part) => part !== undefined).join(" ") : `"${ends.decision}"`;

describe.each(["thread", "process"] as const)(`an engine under attack, boundary "%s", seed ${SEED}:`, (boundary) => {
  let report: AttackReport;
  const outcomesOf = ({ name }: Attack): readonly Outcome[] => report.outcomes.filter((one) => one.name === name);

  beforeAll(async () => {
    report = await runAttacks({
      attacks: ALL,
      boundary,
      timeoutMs: TIMEOUT_MS,
      ordinary: [...ORDINARY, { tool: "Read", command: "", decision: "deny" }],
      threads: THREADS,
      lanes: LANES,
      seed: SEED,
      isWatched: true,
    });
  }, 120_000);

  test.each(ALL.map((attack) => ({ ...attack, attack, ending: ending(attack.ends) })))(
    "$name ends as $ending, by name and in time",
    ({ name, ends, calls, timeoutMs, attack }) => {
      const outcomes = outcomesOf(attack);
      expect(outcomes).toHaveLength(calls);
      for (const { decision, reason, kind, code, ms } of outcomes) {
        if ("kind" in ends) {
          expect({ decision, kind, code }).toEqual({ decision: "deny", kind: ends.kind, code: ends.code ?? null });
          const told = ends.kind === "exit" && reason?.includes(GUARD_REPORTED) ? GUARD_REPORTED : ends.kind;
          for (const named of [name, told, ends.code ?? ""]) expect(reason).toContain(named);
        } else {
          expect({ decision, code }).toEqual({ decision: ends.decision, code: null });
          expect([null, ends.or ?? []].flat()).toContain(kind);
        }
        expect(ms).toBeLessThan((timeoutMs ?? TIMEOUT_MS) + 250 + 6 * report.burnTogetherMs);
      }
    },
  );

  test("no attack is allowed", () => {
    expect(report.outcomes.filter(({ decision }) => decision === "allow")).toEqual([]);
  });

  test("ordinary calls keep their verdicts, and nearly their speed", () => {
    expect(report.wrong).toEqual([]);
    expect(report.ordinaryCalls).toBeGreaterThan(ALL.length);
    expect(report.attackedP99Ms).toBeLessThan(Math.max(40 * report.quietP99Ms, 4 * report.burnTogetherMs));
  });

  test("no reason contains a character that could mislead a terminal or a reader", () => {
    const misleading = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;
    expect(report.outcomes.filter(({ reason }) => misleading.test(reason ?? ""))).toEqual([]);
    expect(report.problems.filter((message) => misleading.test(message))).toEqual([]);
  });

  test("no reason and no log is longer than its limit", () => {
    expect(report.outcomes.filter(({ reason }) => (reason ?? "").length > 10_000)).toEqual([]);
    expect(report.outcomes.filter(({ log }) => log.length > 20_000)).toEqual([]);
  });

  test("a module that does not load is listed as a problem, too", () => {
    const codes = ALL.filter(({ ends }) => "code" in ends);
    expect(report.problems).toHaveLength(codes.length);
    for (const { name } of codes) expect(report.problems.join("\n")).toContain(`rule "${name}"`);
  });

  test("guests write nothing to the process's own outputs, and change no shared object", () => {
    expect({ stdout: report.stdout, stderr: report.stderr }).toEqual({ stdout: "", stderr: "" });
    expect(report.prototype).toEqual(Object.getOwnPropertyNames(Object.prototype));
  });

  test("a second later no processor time is used any more", () => {
    expect(report.after.cpuMs).toBeLessThan(100 + 2 * report.before.cpuMs);
  });

  // Other systems do not have what `/proc` reports.
  test.skipIf(process.platform !== "linux")(
    "a second later the numbers of threads and descriptors are as before",
    () => {
      const { threads, descriptors, processes } = report.before;
      expect(threads).toBeGreaterThan(0);
      expect(report.after).toMatchObject({ threads, descriptors, processes });
    },
  );

  test("a second later memory is within what the guards may keep", () => {
    const capMiB = 16;
    // A thread keeps a guard's memory and the copy for restoring it; compiled modules stay, too.
    const kept = THREADS * 2 * capMiB + 128;
    expect(report.after.rssMiB - report.before.rssMiB).toBeLessThan(kept);
  });

  test("no connection is made without a grant, and the granted server was attacked", () => {
    expect(report.caught).toBe(0);
    expect(report.requests.length).toBeGreaterThan(10);
    expect(report.requests.filter((request) => JSON.stringify(request).includes(CANARY))).toEqual([]);
  });

  test("files without a grant are read by no guard, and do not change", () => {
    expect(JSON.stringify([report.outcomes, report.problems])).not.toContain(CANARY);
    expect(report.damage).toEqual([]);
  });

  test("time and random numbers are the same in each call, except if the real ones are granted", () => {
    const logs = (attacks: readonly Attack[]) =>
      attacks
        .filter(({ grants }) => grants !== undefined)
        .map((attack) => ({ name: attack.name, different: new Set(outcomesOf(attack).map(({ log }) => log)).size }));
    expect(logs(UNVARYING_ATTACKS).filter(({ different }) => different !== 1)).toEqual([]);
    expect(logs(VARYING_ATTACKS).filter(({ different }) => different === 1)).toEqual([]);
  });
});
