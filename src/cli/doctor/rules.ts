import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { createEngine, type Engine } from "../../engine.ts";
import { describeThrown, formatProblem, HookError } from "../../errors.ts";
import { Approvals } from "../../state/approvals.ts";
import { configFiles } from "../config-files.ts";
import { testTarget } from "../guard/tested-guard.ts";
import { problemOfRule } from "../rule-problem.ts";
import { type Check, checksOf } from "./check.ts";
import { type AgentSettings, optionOf } from "./entries.ts";

const { ok, warning, problem } = checksOf("rules");

/** Returns the checks, and the engine with the rules that the entries read in this folder. The caller closes it. */
export async function checkRules(
  all: readonly AgentSettings[],
  cwd: string,
): Promise<{ readonly checks: readonly Check[]; readonly engine: Engine | undefined }> {
  const [entry] = all.flatMap(({ entries }) => entries);
  try {
    const named =
      entry === undefined ? [] : entry.words.flatMap((word, at) => (entry.words[at - 1] === "--config" ? [word] : []));
    const files = await configFiles(named, entry && optionOf(entry, "--format"), cwd, {
      withProject: entry?.words.includes("--with-project") === true,
    });
    const dialect = entry?.file.dialect.name;
    const engine = await createEngine({
      configFiles: files,
      cwd,
      ...(dialect === undefined ? {} : { dialect }),
      approvals: "required",
      sandbox: { threads: 1 },
      askServers: "none",
    });
    return {
      checks: [
        ...loaded(
          engine,
          files.map(({ file }) => file),
        ),
        ...(await approvals()),
        ...(await fixtures(engine)),
      ],
      engine,
    };
  } catch (error) {
    const hint = error instanceof HookError ? error.hint : undefined;
    const make =
      entry === undefined && error instanceof HookError && error.code === "HOOK_CONFIG_NOT_FOUND" ? warning : problem;
    return { checks: [make("files", describeThrown(error), hint)], engine: undefined };
  }
}

/** Problems of trust, of the lock file and of the configuration, in the words of `hookbox check`. */
function loaded({ rules, problems }: Engine, files: readonly string[]): readonly Check[] {
  const running = rules.filter((rule) => problemOfRule(rule, problems) === undefined).length;
  const text = `${running} of ${rules.length} ${rules.length === 1 ? "rule" : "rules"} can run, from ${files.join(", ")}`;
  const summary = rules.length === 0 ? warning("loaded", text, "hookbox hooks add adds a rule") : ok("loaded", text);
  return [
    summary,
    ...problems.map((one) => {
      const make = one.severity === "error" ? problem : warning;
      const { hint, ...rest } = one;
      return make(one.code, formatProblem(rest), hint);
    }),
  ];
}

/** Lists the approvals of all projects, because their content is in force also if the files are gone. */
async function approvals(): Promise<readonly Check[]> {
  try {
    const files = await new Approvals().list();
    if (files.length === 0) return [];
    const gone = files.filter((file) => !existsSync(file)).map((file) => `${file} (gone)`);
    const text = `approved content of ${files.length === 1 ? "1 file" : `${files.length} files`} is in force: ${[...files.filter((file) => existsSync(file)), ...gone].join(", ")}`;
    return [ok("approvals", text)];
  } catch (error) {
    return [problem("approvals", describeThrown(error))];
  }
}

/** Runs the tests in the modules of the rules. */
async function fixtures({ rules }: Engine): Promise<readonly Check[]> {
  const own = rules.flatMap(({ handler, baseDir }) =>
    handler.type === "wasm" && !handler.module.startsWith("builtin:") ? [resolve(baseDir, handler.module)] : [],
  );
  const tested = await Promise.all(
    [...new Set(own)].map(async (path) => ({
      path,
      ...(await testTarget({ kind: "module", path }, { tests: (given) => given, checksTypes: false })),
    })),
  );
  return tested.map(({ path, results, problems }) => {
    const failed = results.filter(({ passed }) => !passed).length;
    const [first] = problems;
    if (first !== undefined) return problem("fixtures", `${path}: ${first.message}`, first.hint);
    if (failed > 0)
      return problem(
        "fixtures",
        `${path}: ${failed} of ${results.length} of the guard's own tests fail`,
        `hookbox test ${path}`,
      );
    return ok("fixtures", `${path}: all ${results.length} of the guard's own tests pass`);
  });
}
