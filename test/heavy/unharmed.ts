import { expect } from "vitest";
import { type HeavyModule, idleModule, withFixture } from "./heavy-modules.ts";
import { type Host, type HostTerms, host, type Way } from "./hosts.ts";

/** What a host may use in addition to its use with a module that does nothing. */
const MOST_MIB = {
  peak: 400,
  /** With the module loaded and compiled. */
  rest: 250,
  closed: 150,
} as const;

const isVerdict = (way: Way): boolean => way !== "check" && way !== "lock";
const LIMITS = "(fuel: used up its fuel|timeout|HOOK_MODULE_LIMIT|HOOK_MODULE_FIXTURE)";

/** A gate that names the rule for which it is shut, and why. */
function expectShut(way: Way, { stdout, stderr }: Host): void {
  if (!isVerdict(way)) expect(stdout).toMatch(/error .*HOOK_MODULE_(LIMIT|FIXTURE)/);
  else {
    expect(stdout.replaceAll("\\", "")).toMatch(/"(permissionDecision|decision)":"deny"/);
    expect(stdout, stderr).toMatch(new RegExp(`gate \\(.*${LIMITS}`));
  }
  if (way.startsWith("engine")) expect(stdout).toMatch(/"rule":"watcher","(code|kind)":/);
}

/** `check` and `lock` run a module only for its fixtures. */
const shown = (way: Way, module: Uint8Array<ArrayBuffer>) => (isVerdict(way) ? module : withFixture(module));

const baselines = new Map<string, Promise<Host>>();

function baselineOf(terms: Pick<HostTerms, "node" | "way">): Promise<Host> {
  const key = `${terms.node} ${terms.way}`;
  const known = baselines.get(key) ?? host({ ...terms, module: shown(terms.way, idleModule()), restMs: 0 });
  baselines.set(key, known);
  return known;
}

export interface Harm {
  readonly peakMiB: number;
  readonly restMiB: number;
  readonly closedMiB: number;
}

/** Loads the module in this way, and expects the process to live, to be small, and to refuse by name. */
export async function expectUnharmed(
  { make }: HeavyModule,
  terms: Pick<HostTerms, "node" | "way" | "restMs" | "onRest">,
): Promise<Harm> {
  const { way } = terms;
  const baseline = await baselineOf(terms);
  const loaded = await host({ ...terms, module: shown(way, make()) });
  expect(loaded, loaded.stderr).toMatchObject({ exitCode: isVerdict(way) ? 0 : 1, signal: null });
  expectShut(way, loaded);
  const harm = {
    peakMiB: loaded.peakMiB - baseline.peakMiB,
    restMiB: (loaded.restMiB ?? 0) - baseline.peakMiB,
    closedMiB: (loaded.closedMiB ?? 0) - baseline.peakMiB,
  };
  expect(harm.peakMiB).toBeLessThan(MOST_MIB.peak);
  expect(harm.restMiB).toBeLessThan(MOST_MIB.rest);
  expect(harm.closedMiB).toBeLessThan(MOST_MIB.closed);
  return harm;
}
