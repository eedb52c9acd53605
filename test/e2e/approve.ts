import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { dirname, join } from "node:path";
import { asCaller } from "../../src/caller.ts";
import { addedHooks } from "../../src/cli/agent-options.ts";
import { configFiles, formatOfEvents } from "../../src/cli/config-files.ts";
import { RUN_OPTIONS } from "../../src/cli/run-options.ts";
import { approve, reviewTrust } from "../../src/cli/trust/review.ts";
import { parseVerbArgs } from "../../src/cli/verb.ts";
import { Approvals } from "../../src/state/approvals.ts";

/**
 * Approves the files of the tests' projects as a user does with `hookbox trust`. The approvals are in the home folder of
 * an account that exists only for the tests.
 */

/** The verbs for which the files of a repository must be approved. */
const VERBS = ["run", "check", "explain"];

/** Makes a process report `home` as the home folder of its account. Returns the environment for this. */
export function accountOf(home: string): { readonly NODE_OPTIONS: string } {
  const script = join(home, "account.cjs");
  if (!existsSync(script)) {
    mkdirSync(dirname(script), { recursive: true });
    writeFileSync(
      script,
      `const os = require("node:os");
const before = os.userInfo;
os.userInfo = (options) => ({ ...before(options), homedir: ${JSON.stringify(home)} });
require("node:module").syncBuiltinESMExports();
`,
    );
  }
  return { NODE_OPTIONS: `--require ${script}` };
}

/** Returns the folder of the approvals in an account's home folder. */
export const trustFolder = (home: string): string => join(home, ".local", "state", "hookbox", "trust");

/** Approves the files of the repository that a command line reads. Returns whether there are any. */
export async function approveFor(
  args: readonly string[],
  home: string,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<boolean> {
  const [verb = "", ...rest] = args;
  if (!VERBS.includes(verb) || rest.includes("--help")) return false;
  try {
    return await asCaller({ cwd, environment: env }, async () => {
      const options = {
        ...RUN_OPTIONS,
        sample: { type: "boolean" },
        tool: { type: "string" },
        servers: { type: "boolean" },
      };
      const { values, positionals } = parseVerbArgs(rest, options as typeof RUN_OPTIONS);
      const config = [...positionals, ...values.config];
      const files = await configFiles(config, values.format, cwd, {
        agent: values.agent,
        added: addedHooks(values, formatOfEvents({ ...values, config })),
      });
      const approvals = new Approvals(trustFolder(home));
      const review = await reviewTrust(files, cwd, approvals);
      if (review.files.length === 0) return false;
      // An unchanged approval is not written again, because a server would load the files again.
      if (review.files.some(({ state }) => state !== "approved")) await approve(review, approvals);
      return true;
    });
  } catch {
    // A configuration that cannot be read cannot be approved either.
    return false;
  }
}

const ORIGINAL = os.userInfo;
let replaced: typeof os.userInfo | undefined;
let using = 0;

/** Makes this process report `home` as the home folder of its account, until the returned function is called. */
export function enterAccount(home: string): () => void {
  using += 1;
  if (using === 1) {
    replaced = os.userInfo;
    os.userInfo = (() => ({ ...ORIGINAL(), homedir: home })) as typeof os.userInfo;
    syncBuiltinESMExports();
  }
  return () => {
    using -= 1;
    if (using > 0 || replaced === undefined) return;
    os.userInfo = replaced;
    syncBuiltinESMExports();
  };
}

/** Returns the home of a test that has replaced the account's home; see `liveIn`. */
export function replacedHome(): string | undefined {
  return os.userInfo === ORIGINAL || using > 0 ? undefined : os.userInfo().homedir;
}
