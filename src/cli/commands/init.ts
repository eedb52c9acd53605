import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { cleanLine } from "../../text.ts";
import { asciiJson } from "../ascii-json.ts";
import { EXIT } from "../exit-codes.ts";
import { AGENT_NAMES, AGENTS, type AgentSetup } from "../init/agents.ts";
import { hasEntries } from "../init/own-entries.ts";
import { openSettings, type Plan, planAdding, planRemoving, settingsFile, type Wish } from "../init/plan.ts";
import { textDifference } from "../init/text-difference.ts";
import { writeAdding, writeRemoving } from "../init/write-plan.ts";
import { type Paint, painter } from "../paint.ts";
import { type Console, parseVerbArgs, usageError, type Verb } from "../verb.ts";

const OPTIONS = {
  project: { type: "boolean", default: false },
  file: { type: "string" },
  yes: { type: "boolean", default: false },
  "dry-run": { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  remove: { type: "boolean", default: false },
  absorb: { type: "boolean", default: false },
  plugins: { type: "boolean", default: false },
  try: { type: "boolean", default: false },
  monitor: { type: "boolean", default: false },
} as const;

type Values = ReturnType<typeof parseVerbArgs<typeof OPTIONS>>["values"];

export const init: Verb = {
  summary: "make an agent call hookbox, with guards that work at once",
  usage: `Usage: hookbox init                    the agents on this machine, and which of them call hookbox
       hookbox init AGENT [--project | --file FILE] [--absorb [--plugins] [--try]] [--monitor]
                             [--yes | --dry-run] [--json]
       hookbox init AGENT --remove [--project | --file FILE] [--yes | --dry-run] [--json]

  AGENT          ${AGENT_NAMES.join(", ")}
  --project      the settings of this project that are yours alone. Default: your settings for all projects
  --file FILE    the file with the agent's hooks. Needed for Agentao, whose plugins have the hooks
  --absorb       move the command hooks and web hooks of the settings into a file of hookbox's, behind one entry.
                 Only for claude-code, and only from your own settings
  --plugins      with --absorb: hooks of plugins move too. Claude Code can only switch off a whole plugin, so the
                 plugin's commands, agents, skills and servers are switched off too
  --try          with --absorb: run the hooks on sample events, as the agent runs them and as hookbox runs them, and
                 change nothing if an answer differs
  --monitor      write guards that only report what they would have denied
  --remove       remove what init has written. Unchanged settings get the same bytes as before
  --yes          write without a question
  --dry-run      show the change and write nothing
  --json         print JSON; writes only with --yes

init shows the change of the agent's settings and asks. If you have no hookbox.json in ~/.config/hookbox, init writes one
with self-guard, shell-guard, path-guard and secret-guard. If npm may remove this hookbox, init copies it to ~/.local/share/hookbox.

Exit codes: 0 done, or nothing to do   1 nothing was written, because the user did not agree
            2 the settings cannot be read or changed, or a mistake on the command line`,
  get actions() {
    return AGENT_NAMES;
  },
  options: () => OPTIONS,
  run: initVerb,
};

async function initVerb(args: readonly string[], console: Console): Promise<number> {
  const { values, positionals } = parseVerbArgs(args, OPTIONS);
  const [agent, ...more] = positionals;
  if (more.length > 0) throw usageError(`init takes one agent, and not also "${more[0]}"`);
  if (values.remove && (values.absorb || values.monitor)) throw usageError("--remove takes no --absorb or --monitor");
  if ((values.plugins || values.try) && !values.absorb) throw usageError("--plugins and --try need --absorb");
  if (agent === undefined) return listAgents(values, console);
  const { project, file, absorb, monitor, plugins, try: tries } = values;
  const wish: Wish = { agent, cwd: console.cwd, project, file, absorb, monitor, plugins, tries };
  const plan = values.remove ? await planRemoving(wish) : await planAdding(wish);
  const difference = textDifference(plan.file.before ?? "", plan.after ?? "");
  const isNew = Object.keys(plan.adds?.creates ?? {}).some((path) => !existsSync(path));
  const isPending = plan.after !== plan.file.before || isNew || isCopyMissing(plan);
  if (!values.json) showPlan(plan, difference, console);
  const accepted = isPending && !values["dry-run"] && (values.yes || (await agrees(values, console)));
  let kept: readonly string[] = [];
  if (accepted && values.remove) kept = await writeRemoving(plan);
  else if (accepted) await writeAdding(plan);
  if (values.json) console.write(`${asciiJson(asData(plan, { difference, accepted, isPending, kept }))}\n`);
  else conclude(plan, { accepted, isPending, kept, isDryRun: values["dry-run"] }, console);
  return accepted || !isPending || values["dry-run"] ? EXIT.done : EXIT.problems;
}

function isCopyMissing({ adds }: Plan): boolean {
  return adds?.installed.copyFrom !== undefined && !existsSync(adds.installed.folder);
}

async function agrees({ json, remove }: Values, console: Console): Promise<boolean> {
  const answer = json ? undefined : await console.ask(`  ${remove ? "Remove" : "Write"} this? [y/N] `);
  return answer !== undefined && /^y(es)?$/i.test(answer.trim());
}

function showPlan({ setup, file, after, adds }: Plan, difference: readonly string[], console: Console): void {
  const paint = painter(console.colour);
  const say = (text: string): void => console.write(`  ${text}\n`);
  const what = after === undefined ? ", which is removed" : file.before === undefined ? ", a new file" : "";
  say(`${paint("bold", setup.title)}: ${shownPath(file.path)}${what}`);
  for (const line of difference) say(`  ${shownLine(line, paint)}`);
  console.write("\n");
  if (file.isOff) say(paint("yellow", "The hooks of this file are switched off, so the entries have no effect yet."));
  if (adds === undefined) return;
  const { installed, creates, absorbed } = adds;
  for (const path of Object.keys(creates))
    say(
      `${existsSync(path) ? "Replaces" : "Writes"} ${shownPath(path)}: ${path === adds.config ? "your guards" : "the hooks that move"}`,
    );
  if (installed.copyFrom !== undefined && !existsSync(installed.folder))
    say(`Copies hookbox to ${shownPath(installed.folder)}, because ${shownPath(installed.copyFrom)} may change`);
  for (const { name } of absorbed?.plugins ?? [])
    say(
      paint(
        "yellow",
        `Switches the plugin ${name} off: its hooks move, and its commands, agents, skills and servers stop`,
      ),
    );
  for (const { label, why } of absorbed?.stayed ?? []) say(`Stays in the settings: ${cleanLine(label)} (${why})`);
}

/** Longer lines are cut on the screen; `--json` shows them whole. */
const LINE_LENGTH = 160;

function shownLine(line: string, paint: Paint): string {
  const [, lead = "", rest = ""] = /^(.\s*)(.*)$/s.exec(line) ?? [];
  const text = lead.replaceAll("\t", "  ") + cleanLine(rest, LINE_LENGTH);
  return line.startsWith("+") ? paint("green", text) : line.startsWith("-") ? paint("red", text) : paint("dim", text);
}

function shownPath(path: string): string {
  const home = homedir();
  return cleanLine(path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path, 400);
}

interface Outcome {
  readonly accepted: boolean;
  readonly isPending: boolean;
  /** Files of hookbox's own that stay, because the user has changed them. */
  readonly kept: readonly string[];
}

function conclude(plan: Plan, outcome: Outcome & { readonly isDryRun: boolean }, console: Console): void {
  for (const line of conclusion(plan, outcome)) console.write(`  ${line}\n`);
}

function conclusion(
  { agent, setup, adds }: Plan,
  { accepted, isPending, kept, isDryRun }: Outcome & { readonly isDryRun: boolean },
): readonly string[] {
  if (!isPending) return ["Nothing to do: everything is as init writes it."];
  if (!accepted) return [`Nothing was written.${isDryRun ? "" : " Once you agree, run it again with --yes."}`];
  const stay = kept.map((path) => `${shownPath(path)} stays, because it has changed since init.`);
  if (adds === undefined) return [`${setup.title} no longer calls hookbox.`, ...stay];
  const done = `${setup.title} calls hookbox from its next session on. The rules are in ${shownPath(adds.config)}.`;
  // npx does not put hookbox on the PATH.
  const program = adds.installed.copyFrom === undefined ? "hookbox" : "npx hookbox";
  const check = `To see that it works: ${program} doctor. To take it back: ${program} init ${agent} --remove`;
  return setup.next === undefined ? [done, check] : [done, setup.next, check];
}

function asData(
  { agent, file, after, adds }: Plan,
  { difference, accepted, isPending, kept }: Outcome & { readonly difference: readonly string[] },
): object {
  return {
    agent,
    file: file.path,
    changed: isPending,
    written: accepted,
    removed: after === undefined,
    difference,
    config: adds?.config ?? null,
    creates: Object.keys(adds?.creates ?? {}),
    copy: adds?.installed.copyFrom === undefined ? null : adds.installed.folder,
    absorbed: adds?.absorbed?.moved.length ?? 0,
    stayed: adds?.absorbed?.stayed ?? [],
    plugins: adds?.absorbed?.plugins.map(({ name }) => name) ?? [],
    kept,
    next: AGENTS[agent]?.next ?? null,
  };
}

async function listAgents(values: Values, console: Console): Promise<number> {
  const found = await Promise.all(Object.entries(AGENTS).map(([name, setup]) => stateOf(name, setup, values, console)));
  if (values.json) {
    console.write(`${asciiJson({ agents: found })}\n`);
    return EXIT.done;
  }
  const width = Math.max(...AGENT_NAMES.map((name) => name.length));
  for (const { agent, file, state } of found)
    console.write(`  ${agent.padEnd(width)}  ${state}${file === null ? "" : `  ${shownPath(file)}`}\n`);
  console.write("\n  hookbox init AGENT makes an agent call hookbox.\n");
  return EXIT.done;
}

async function stateOf(
  agent: string,
  setup: AgentSetup,
  { project, file: named }: Values,
  { cwd }: Console,
): Promise<{ readonly agent: string; readonly file: string | null; readonly state: string }> {
  const wish: Wish = { agent, cwd, project, file: named, absorb: false, monitor: false, plugins: false, tries: false };
  const file = settingsFile(setup, wish);
  if (file === undefined) return { agent, file: null, state: "needs --file" };
  if (!existsSync(dirname(file))) return { agent, file, state: "not found" };
  try {
    const settings = await openSettings(wish);
    return { agent, file, state: hasEntries(settings.file) ? "calls hookbox" : "does not call hookbox" };
  } catch (error) {
    return { agent, file, state: `cannot be read: ${cleanLine((error as Error).message)}` };
  }
}
