import type { Action } from "../../actions/action.ts";
import { actionsOf } from "../../actions/actions-of.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import { exceptionFor, exceptionNaming } from "../../engine/exceptions.ts";
import { createEngine, type Engine, type Explanation } from "../../engine.ts";
import { formatPlace, formatProblem, type Problem } from "../../errors.ts";
import type { HookEvent } from "../../event.ts";
import type { RuleException } from "../../exception.ts";
import type { JsonObject } from "../../json.ts";
import type { Rule } from "../../rule.ts";
import { cleanLine, visibleText } from "../../text.ts";
import { AGENT_OPTIONS, addedHooks, HOOK_FLAG_OPTIONS } from "../agent-options.ts";
import { CONFIG_HELP, CONFIG_OPTIONS, configFiles, formatOfEvents } from "../config-files.ts";
import { decodeEvent } from "../decode-event.ts";
import { eventDialect } from "../event-dialect.ts";
import { exceptLine } from "../except-line.ts";
import { EXIT } from "../exit-codes.ts";
import { AGENT_HELP, DIALECT_HELP } from "../help-texts.ts";
import { painter } from "../paint.ts";
import { readPayload } from "../payload.ts";
import { certainProblemOf, problemOfRule } from "../rule-problem.ts";
import { remarksOn } from "../rule-summary.ts";
import { type Console, parseVerbArgs, usageError, type Verb } from "../verb.ts";

export const explain: Verb = {
  summary: "show which rules apply to one payload, and why; runs no hook",
  usage: `Usage: hookbox explain [--config FILE]... [--format NAME] [--event NAME] [--dialect NAME] [--json]
                       < payload.json
       hookbox explain --sample --event NAME [--tool NAME] ...

${CONFIG_HELP}
${AGENT_HELP}
  --dialect NAME    the agent that sends the event. ${DIALECT_HELP}
  --event NAME      the name of the event, for payloads without one
  --sample          use a sample event of the agent, and do not read standard input
  --tool NAME       with --sample: the tool in the event
  --json            print JSON

Exit codes: 0 explained   2 the input or the configuration cannot be used`,
  options: () => OPTIONS,
  run: explainVerb,
};

const OPTIONS = {
  ...CONFIG_OPTIONS,
  ...AGENT_OPTIONS,
  ...HOOK_FLAG_OPTIONS,
  dialect: { type: "string" },
  event: { type: "string" },
  sample: { type: "boolean", default: false },
  tool: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

async function explainVerb(args: readonly string[], console: Console): Promise<number> {
  const { values, positionals } = parseVerbArgs(args, OPTIONS);
  if (positionals.length > 0) throw usageError(`explain takes no argument such as "${positionals[0]}"`);
  const choice = eventDialect(values.dialect, formatOfEvents(values));
  const files = await configFiles(values.config, values.format, console.cwd, {
    agent: values.agent,
    compat: values.compat,
    added: addedHooks(values, formatOfEvents(values)),
  });
  if (values.tool !== undefined && !values.sample) throw usageError("--tool goes with --sample");
  const payload = values.sample ? await sampleOf(choice.known, values, console.cwd) : await readPayload(console);
  const dialect = values.sample ? (choice.known as Dialect) : await choice.of(payload);
  const decoded = decodeEvent(dialect, payload, values.event);

  const engine = await createEngine({
    configFiles: files,
    cwd: console.cwd,
    approvals: "required",
    dialect: dialect.name,
    prepare: "on-demand",
    askServers: "none",
  });
  try {
    await engine.prepare();
    const { problems } = engine;
    const explanations = engine.explain(decoded.name, decoded.payload);
    const given = values.sample ? { payload } : {};
    const actions = actionsOf(decoded.payload, dialect.name);
    const event = { ...decoded, dialect: dialect.name };
    const except = (rule: Rule): Excepting => ({
      exception: exceptionFor(rule, event),
      line: exceptLineFor(rule, event),
    });
    const rules = explanations.map((one) => asData(one, problems, except(one.rule)));
    if (values.json)
      console.write(
        `${JSON.stringify({ event: decoded.name, ...given, actions, rules, warnings: warningsIn(problems) }, null, 2)}\n`,
      );
    else {
      if (values.sample) console.write(`given ${cleanLine(JSON.stringify(payload), 2_000)}\n`);
      report(decoded.name, actions, explanations, engine, console, except);
    }
    return EXIT.done;
  } finally {
    await engine.close();
  }
}

async function sampleOf(
  dialect: Dialect | undefined,
  { event, tool }: { readonly event?: string | undefined; readonly tool?: string | undefined },
  cwd: string,
): Promise<JsonObject> {
  if (dialect === undefined) throw usageError("--sample needs the agent whose event it uses: --dialect NAME");
  if (event === undefined) throw usageError("--sample needs --event NAME");
  const { wireSampleOf } = await import("../hooks/sample-events.ts");
  return wireSampleOf(dialect, event, tool, cwd);
}

function exceptLineFor(rule: Rule, event: HookEvent): string | undefined {
  const exception = exceptionNaming(rule, event);
  return exception && exceptLine(exception);
}

/** The exception from a rule for this event, and the command line that would add one. */
interface Excepting {
  readonly exception: RuleException | undefined;
  readonly line: string | undefined;
}

function asData(
  { rule, applies, why }: Explanation,
  problems: readonly Problem[],
  { exception, line }: Excepting,
): object {
  const { name, handler, matcher, mode, place } = rule;
  const type = handler.type === "broken" ? handler.declaredType : handler.type;
  const problem = certainProblemOf(rule, problems) ?? null;
  const grants = (handler.type === "wasm" ? handler.grants : undefined) ?? null;
  return {
    ...{ rule: name, type, applies, why, matcher: matcher ?? null, mode, grants, problem, place: place ?? null },
    exception: exception ?? null,
    except: line ?? null,
  };
}

function report(
  event: string,
  actions: readonly Action[] | undefined,
  explanations: readonly Explanation[],
  engine: Engine,
  console: Console,
  except: (rule: Rule) => Excepting,
): void {
  const paint = painter(console.colour);
  const applying = explanations.filter(({ applies }) => applies).length;
  const rules = explanations.length === 1 ? "rule applies" : "rules apply";
  console.write(`${paint("bold", event)}: ${applying} of ${explanations.length} ${rules}\n`);
  for (const { kind, ...fields } of actions ?? [])
    console.write(`  ${paint("dim", "does")}   ${kind} ${cleanLine(JSON.stringify(fields), 300)}\n`);
  for (const { rule, applies, why } of explanations) {
    const place = rule.place === undefined ? "" : paint("dim", `  ${cleanLine(formatPlace(rule.place))}`);
    const problem = certainProblemOf(rule, engine.problems);
    const runs = problem === undefined ? paint("green", "runs ") : paint("red", "fails");
    const mark = applies ? runs : paint("dim", "skips");
    console.write(`  ${mark}  ${paint("bold", cleanLine(rule.name))}${place}\n         ${cleanLine(why)}\n`);
    const isLoaded = problemOfRule(rule, engine.problems) === undefined;
    if (problem !== undefined)
      console.write(
        `         ${paint("red", `${isLoaded ? "" : "could not be loaded: "}${cleanLine(problem.message)}`)}\n`,
      );
    if (problem?.hint !== undefined) console.write(`         ${paint("dim", cleanLine(problem.hint))}\n`);
    for (const remark of remarksOn(rule)) console.write(`         ${remark}\n`);
    if (!applies) continue;
    const { exception, line } = except(rule);
    if (exception !== undefined) console.write(`         ${cleanLine(exceptionText(exception))}\n`);
    else if (line !== undefined)
      console.write(`         ${paint("dim", `to let exactly this call pass: ${visibleText(line)}`)}\n`);
  }
  for (const warning of warningsIn(engine.problems))
    console.write(`  ${paint("yellow", "warning")}  ${cleanLine(formatProblem(warning))}\n`);
}

function exceptionText({ reason, expires, place }: RuleException): string {
  const where = place === undefined ? "" : ` (${formatPlace(place)})`;
  return `excepted until ${expires}: ${reason}${where}`;
}

/** Returns the warnings of the configuration, because a misspelt name may be the reason why a rule does not apply. */
function warningsIn(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter(({ severity, code }) => severity === "warning" && /^HOOK_(CONFIG|TRUST)_/.test(code));
}
