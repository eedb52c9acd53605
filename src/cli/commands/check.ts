import { isLockable } from "../../config/attach-lock.ts";
import type { ConfigFile } from "../../config/sources.ts";
import { createEngine, type Engine } from "../../engine.ts";
import type { Problem } from "../../errors.ts";
import type { Rule } from "../../rule.ts";
import { cleanLine } from "../../text.ts";
import { AGENT_OPTIONS, addedHooks, HOOK_FLAG_OPTIONS } from "../agent-options.ts";
import { asciiJson } from "../ascii-json.ts";
import { missingEventFields } from "../checks/missing-event-fields.ts";
import { missingGrantPaths } from "../checks/missing-grant-paths.ts";
import { missingPatience } from "../checks/missing-patience.ts";
import { unneededExceptions } from "../checks/unneeded-exceptions.ts";
import { unusableState } from "../checks/unusable-state.ts";
import { CONFIG_HELP, CONFIG_OPTIONS, configFiles, formatOfEvents } from "../config-files.ts";
import { EXIT } from "../exit-codes.ts";
import { AGENT_HELP } from "../help-texts.ts";
import { columns, painter } from "../paint.ts";
import { problemLines } from "../problem-lines.ts";
import { problemOfRule } from "../rule-problem.ts";
import { summaryOf } from "../rule-summary.ts";
import { sentAsData, sentLines } from "../sent-fields-report.ts";
import { type Console, parseVerbArgs, type Verb } from "../verb.ts";

export const check: Verb = {
  summary: "list the rules and the problems of a configuration",
  usage: `Usage: hookbox check [FILE]... [--config FILE]... [--format NAME] [--servers]
                     [--json]

  FILE              the same as --config FILE
${CONFIG_HELP}
${AGENT_HELP}
  --servers         start the MCP servers that rules name, and check that they have the tools. Without it,
                    check starts nothing that the configuration names
  --json            print JSON

Exit codes: 0 no errors   1 errors   2 no configuration, or a mistake on the command line`,
  options: () => OPTIONS,
  run: checkVerb,
};

const OPTIONS = {
  ...CONFIG_OPTIONS,
  ...AGENT_OPTIONS,
  ...HOOK_FLAG_OPTIONS,
  servers: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
} as const;

async function checkVerb(args: readonly string[], console: Console): Promise<number> {
  const { values, positionals } = parseVerbArgs(args, OPTIONS);
  const named = [...positionals, ...values.config];
  const files = await configFiles(named, values.format, console.cwd, {
    agent: values.agent,
    compat: values.compat,
    added: addedHooks(values, formatOfEvents({ ...values, config: named })),
  });
  const engine = await createEngine({
    configFiles: files,
    cwd: console.cwd,
    approvals: "required",
    sandbox: { threads: 1 },
    // By default no server starts, because checking an untrusted file must not start the programs that it names.
    askServers: values.servers ? "all" : "none",
  });
  try {
    const warnings = [
      ...unpinned(engine),
      ...unusableState(engine),
      ...missingGrantPaths(engine),
      ...missingPatience(engine),
      ...missingEventFields(engine),
      ...unneededExceptions(engine),
    ];
    const problems = reportedOnce([...engine.problems, ...warnings]);
    const errors = problems.filter((problem) => problem.severity === "error");
    if (values.json)
      console.write(
        `${asciiJson({ ok: errors.length === 0, rules: engine.rules.map((rule) => ruleAsData(rule, problems)), problems })}\n`,
      );
    else report(engine.rules, problems, formatsOf(files), console, values.servers);
    return errors.length === 0 ? EXIT.done : EXIT.problems;
  } finally {
    await engine.close();
  }
}

function formatsOf(files: readonly ConfigFile[]): ReadonlyMap<string | undefined, string> {
  return new Map(files.map(({ file, dialect = "hookbox" }) => [file, dialect]));
}

/** Drops a warning of the parser if the loader reports the same problem as an error. */
function reportedOnce(problems: readonly Problem[]): readonly Problem[] {
  const isSame = (one: Problem, other: Problem): boolean =>
    one.code === other.code && one.message === other.message && one.place?.line === other.place?.line;
  const errors = problems.filter(({ severity }) => severity === "error");
  return problems.filter((one) => one.severity === "error" || !errors.some((error) => isSame(one, error)));
}

function unpinned({ rules, problems }: Engine): Problem[] {
  return rules.flatMap((rule): Problem[] => {
    const { handler, name, place } = rule;
    // A rule that cannot run has a more important problem.
    if (problemOfRule(rule, problems) !== undefined) return [];
    if (handler.type !== "wasm" || !isLockable(rule) || isPinned(rule)) return [];
    return [
      {
        severity: "warning",
        code: "HOOK_LOCK_ABSENT",
        message: `rule "${name}": nothing pins the bytes of module ${handler.module}`,
        hint: 'look at it with "hookbox inspect", and pin it with "hookbox lock"',
        ...(place === undefined ? {} : { place }),
      },
    ];
  });
}

function isPinned({ handler, approved }: Rule): boolean {
  const isInFile = handler.type === "wasm" && (handler.sha256 !== undefined || handler.locked !== undefined);
  return isInFile || approved?.module !== undefined;
}

function ruleAsData(rule: Rule, problems: readonly Problem[]): object {
  const { name, event, matcher, handler, timeoutMs, onFailure, mode, may, priority, async, layer, place } = rule;
  const { condition, filter, once, lane, agent, rewakes, implied, dialect } = rule;
  const type = handler.type === "broken" ? handler.declaredType : handler.type;
  return {
    rule: name,
    event,
    matcher: matcher ?? null,
    condition: condition ?? null,
    filter: filter ?? null,
    type,
    loaded: problemOfRule(rule, problems) === undefined,
    timeoutMs,
    onFailure: onFailure ?? null,
    mode,
    may,
    grants: (handler.type === "wasm" ? handler.grants : undefined) ?? null,
    priority,
    async,
    wakes: rewakes === true,
    once: once ?? null,
    lane: lane ?? null,
    ...(agent === undefined ? {} : { agent: agent.name }),
    ...(implied === true ? { implied } : {}),
    speaks: dialect,
    sends: sentAsData(rule),
    layer,
    place: place ?? null,
  };
}

function report(
  rules: readonly Rule[],
  problems: readonly Problem[],
  formats: ReadonlyMap<string | undefined, string>,
  console: Console,
  asksServers: boolean,
): void {
  const paint = painter(console.colour);
  const loaded = rules.filter((rule) => rule.handler.type !== "broken");
  const rows = loaded.map((rule) => [
    rule.event,
    rule.matcher === undefined || rule.matcher === "" ? "*" : cleanLine(rule.matcher),
    rule.handler.type,
    cleanLine(rule.name),
    summaryOf(rule, formats.get(rule.place?.file) ?? rule.dialect),
  ]);
  for (const line of columns(rows, (text, _, column) =>
    column === 3 ? paint("bold", text) : column === 4 ? paint("dim", text) : text,
  )) {
    console.write(`  ${line}\n`);
  }
  const sent = sentLines(loaded);
  if (sent.length > 0) console.write(`\n  ${sent.join("\n  ")}\n`);
  if (!asksServers && loaded.some(({ handler }) => handler.type === "mcp_tool"))
    console.write("\n  No MCP server was started. To check their tools, use --servers.\n");
  if (rows.length > 0 && problems.length > 0) console.write("\n");
  for (const problem of problems)
    for (const line of problemLines(problem, console.cwd, paint, { isAsNamed: true })) console.write(`  ${line}\n`);
  const errors = problems.filter((problem) => problem.severity === "error").length;
  const until = errors === 1 ? "it is fixed, its gates deny" : "they are fixed, their gates deny";
  // A file without errors and without rules may be the wrong file.
  const idle = loaded.every(({ implied }) => implied === true) ? ". Without a rule, nothing is ever refused" : "";
  const shut = errors === 0 ? idle : `. Until ${until}`;
  console.write(
    `\n  ${count(loaded.length, "rule")}, ${count(errors, "error")}, ${count(problems.length - errors, "warning")}${shut}\n`,
  );
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}
