import { basename, isAbsolute } from "node:path";
import { givenName } from "../../dialects/rule-name.ts";
import { hasStrictness, type Remark } from "../../dialects/writing.ts";
import { denialWord } from "../../events/lookup.ts";
import type { Handler, Rule } from "../../rule.ts";
import { absenceOnDisk, failureDifferences } from "./failure-differences.ts";
import { languageLosses } from "./language.ts";
import { canAllow, canRefuse, guards, homeOf, isAtGate, widening } from "./protection.ts";

/** Compares a rule with the rule that was read from the new file. */
export function differencesOf(from: Rule, to: Rule): Remark[] {
  return [
    ...narrowings(from, to),
    ...settingDifferences(from, to),
    ...answers(from, to),
    ...powersLost(from, to),
    ...failedTools(from, to),
    ...failureDifferences(from, to),
    ...handlers(from, to),
    ...folders(from, to),
    ...claudeVariables(from, to),
    ...languageLosses(from, to),
  ];
}

function narrowings(from: Rule, to: Rule): Remark[] {
  const there = homeOf(to);
  const consequence = widening(from, there);
  const more = `the hook is asked more often there${consequence === "looser" ? ", and its permission counts more often" : ""}`;
  const losses: Remark[] = [];
  const isMatched = homeOf(from)?.subject !== null && !matchesAll(from.matcher);
  if (isMatched && (matchesAll(to.matcher) || there?.subject === null)) {
    const why = `${to.dialect} has no matcher at ${from.event}; ${more}`;
    losses.push({ what: `matcher "${from.matcher}"`, why, consequence });
  }
  if (from.condition !== to.condition)
    losses.push({ what: `if ${from.condition}`, why: `${to.dialect} has no such conditions; ${more}`, consequence });
  if (filterText(from) !== filterText(to)) {
    const why = `${to.dialect} has no such filter; ${more}`;
    losses.push({ what: `filter ${JSON.stringify(from.filter)}`, why, consequence });
  }
  return losses;
}

function matchesAll(matcher: string | undefined): boolean {
  return matcher === undefined || matcher === "" || matcher === "*";
}

/** Returns the filter as text. A missing list becomes an empty list, and a tool is named by its first spelling. */
function filterText({ filter, codec }: Rule): string {
  const { tools = [], paths = [] } = filter ?? {};
  return JSON.stringify([tools.map((tool) => codec.toolSpellings?.(tool)[0] ?? tool), paths]);
}

function settingDifferences(from: Rule, to: Rule): Remark[] {
  const there = homeOf(to);
  const losses: Remark[] = [];
  if (givenName(from) !== undefined && from.name !== to.name)
    losses.push({ what: `name "${from.name}"`, why: `hooks have no names in ${to.dialect}`, consequence: "changed" });
  if (Math.abs(from.timeoutMs - to.timeoutMs) >= 1) {
    const why = `${from.timeoutMs} ms become ${to.timeoutMs} ms`;
    losses.push({ what: "timeout", why, consequence: "changed" });
  }
  if (from.priority !== to.priority) {
    const why = "only its place in the file expresses it, which has no effect on hooks of other files";
    losses.push({ what: `priority ${from.priority}`, why, consequence: "changed" });
  }
  if (from.async && !to.async) {
    const why = `${to.dialect} waits for every hook, so this hook's answer takes effect`;
    losses.push({ what: "async", why, consequence: widening(from, there) });
  }
  if (from.rewakes === true && to.rewakes !== true) {
    const why = `a hook cannot wake the agent up in ${to.dialect}`;
    losses.push({ what: "asyncRewake", why, consequence: "changed" });
  }
  if (from.once !== to.once) {
    const why = to.once === undefined ? "the hook runs each time there" : "there the hook runs once per session";
    losses.push({ what: `once ${from.once}`, why, consequence: widening(from, there) });
  }
  if (from.lane !== to.lane) {
    const why = "there it is asked with the other hooks, and its permission is more than advice";
    const consequence = canAllow(from, there) ? "looser" : "changed";
    losses.push({ what: `lane ${from.lane}`, why, consequence });
  }
  if (from.strict === true && to.strict !== true && hasStrictness(from.handler)) {
    const why = `${to.dialect} reads the hook's output less strictly`;
    losses.push({ what: "strict", why, consequence: canRefuse(from) ? "looser" : "changed" });
  }
  return losses;
}

function answers(from: Rule, to: Rule): Remark[] {
  const there = homeOf(to);
  const losses: Remark[] = [];
  const added = to.may.filter((answer) => !from.may.includes(answer));
  if (added.length > 0) {
    const counts = added.some((one) => one === "rewrite" || (one === "allow" && there?.verdicts.includes("allow")));
    const refuses = added.some((one) => one === "deny" || one === "ask");
    const consequence = isAtGate(from) && counts ? "looser" : refuses ? "stricter" : "changed";
    const why = `in ${to.dialect} every answer of a hook takes effect, including ${added.join(", ")}`;
    losses.push({ what: `may ${from.may.join("+") || "(no answers)"}`, why, consequence });
  }
  return losses;
}

/** Returns the answers of a rule that have no effect at the new rule's event. */
export function powersLost(from: Rule, to: Rule): Remark[] {
  const [here, there] = [homeOf(from), homeOf(to)];
  const losses: Remark[] = [];
  if (here === undefined || there === undefined) return losses;
  const wasGate = here.kind === "gate" && denialWord(here) !== undefined;
  const isGate = there.kind === "gate" && denialWord(there) !== undefined;
  if (wasGate && !isGate && canRefuse(from)) {
    const why = `${to.dialect} does not let a hook stop anything at ${from.event}`;
    losses.push({ what: "refusals", why, consequence: "looser" });
  }
  if (here.rewrites !== there.rewrites && here.rewrites !== null && from.may.includes("rewrite")) {
    const why = `${to.dialect} does not let a hook change the ${here.rewrites} at ${from.event}`;
    // Without the rewrite, a call that the hook would have made harmless runs unchanged.
    losses.push({ what: "rewrites", why, consequence: guards(from) ? "looser" : "changed" });
  }
  return losses;
}

/** Agents with one event after all tools. Other agents report failed tools with PostToolUseFailure. */
const ONE_EVENT_AFTER_TOOLS: readonly string[] = ["docker-agent", "autohand", "openclaw"];

export function failedTools(from: Rule, to: Rule): Remark[] {
  if (from.event !== "PostToolUse" || to.event !== "PostToolUse") return [];
  const [had, has] = [from, to].map(({ dialect }) => ONE_EVENT_AFTER_TOOLS.includes(dialect));
  if (had === has) return [];
  const what = "tools that failed";
  if (had === true) {
    const why = `${to.dialect} reports them with PostToolUseFailure, at which the hook is not asked`;
    return [{ what, why, consequence: guards(from) ? "looser" : "changed" }];
  }
  const why = `the hook is also asked after them, because ${to.dialect} has one event for all tools that ran`;
  return [{ what, why, consequence: widening(from, homeOf(to)) }];
}

function handlers({ handler: from, ...rule }: Rule, { handler: to, dialect }: Rule): Remark[] {
  const weaker = canRefuse({ ...rule, handler: from }) ? "looser" : "changed";
  if (from.type === "command" && to.type === "command") {
    const losses: Remark[] = [];
    const unset = Object.keys(from.env ?? {}).filter((name) => from.env?.[name] !== to.env?.[name]);
    if (unset.length > 0) {
      const why = `${dialect} sets no variables for a hook`;
      losses.push({ what: `env ${unset.join(", ")}`, why, consequence: weaker });
    }
    if (from.workingDir !== undefined && from.workingDir !== to.workingDir) {
      const why = `${dialect} chooses the working directory of hooks`;
      losses.push({ what: `workingDir ${from.workingDir}`, why, consequence: weaker });
    }
    if (from.shell !== undefined && from.shell !== to.shell) {
      const why = `${dialect} chooses the shell of the command`;
      // The syntax of one shell may be an unknown command in another.
      const isRead = from.args === undefined && from.shell !== "sh";
      losses.push({ what: `shell ${from.shell}`, why, consequence: isRead ? weaker : "changed" });
    }
    return losses;
  }
  if (from.type === "model" || from.type === "agent") return boundsOfAsking(from, to, dialect);
  if (from.type !== "http" || to.type !== "http" || from.network === to.network) return [];
  const why = `${dialect} hooks cannot be allowed to use private networks`;
  return [{ what: "allowPrivate", why, consequence: isAtGate({ ...rule, handler: from }) ? "stricter" : "changed" }];
}

const BOUNDS = ["continueOnBlock", "redacts", "maxTokens", "maxTurns"] as const;
const WRITTEN_AS: Partial<Record<(typeof BOUNDS)[number], string>> = { redacts: "redact" };

/** Returns remarks on fields of prompt and agent hooks that only the format `hookbox` has. */
function boundsOfAsking(from: Handler, to: Handler, dialect: string): Remark[] {
  const [before, after]: Readonly<Record<string, unknown>>[] = [from, to] as unknown as Record<string, unknown>[];
  return BOUNDS.filter((bound) => before?.[bound] !== after?.[bound]).map((bound) => ({
    what: `${WRITTEN_AS[bound] ?? bound} ${before?.[bound]}`,
    why: `${dialect} has no such setting, and there it is ${after?.[bound]}`,
    consequence: "changed",
  }));
}

/** Returns a remark on a path relative to the file's folder, if the new file is in another folder. */
function folders(from: Rule, to: Rule): Remark[] {
  if (from.baseDir === to.baseDir) return [];
  const counted = countedFromFolder(from.handler) ?? (from.codec.startsAt === "file" ? "the folder" : undefined);
  const isCounted = from.handler.type === "wasm" || to.codec.startsAt === "file" || counted !== "the folder";
  if (counted === undefined || !isCounted) return [];
  if (counted === "the folder" && from.handler.type !== "command") return [];
  const why = `it is relative to the folder of the file, and the new file is in another folder`;
  return [{ what: counted, why, consequence: absenceOnDisk(from, to) }];
}

const PLUGIN_FILES: readonly string[] = ["hooks.json", "plugin.json"];

/**
 * Returns remarks on Claude Code's variables that are not set after the conversion. Claude Code sets some variables for
 * all hooks, and others only for hooks in a plugin's own file. Without the variable, `"$CLAUDE_PROJECT_DIR"/guard.sh`
 * is `/guard.sh`.
 */
function claudeVariables(from: Rule, to: Rule): Remark[] {
  const { handler, place } = from;
  if (handler.type !== "command") return [];
  const isPlugin = (rule: Rule): boolean =>
    rule.place !== undefined && PLUGIN_FILES.includes(basename(rule.place.file));
  const used = [...new Set([handler.command, ...(handler.args ?? [])].join(" ").match(/\bCLAUDE_[A-Z_]+/g))];
  const remark = (names: readonly string[], why: string): Remark[] =>
    names.length === 0 ? [] : [{ what: names.join(", "), why, consequence: canRefuse(from) ? "looser" : "changed" }];
  const ofPlugin = used.filter((name) => name.startsWith("CLAUDE_PLUGIN_"));
  const others = used.filter((name) => !ofPlugin.includes(name));
  const setsThem = (rule: Rule): boolean => ["claude-code", "hookbox"].includes(rule.codec.dialect);
  const isLost = from.dialect === "claude-code" && place !== undefined && isPlugin(from);
  return [
    ...(isLost && !(to.dialect === "claude-code" && isPlugin(to))
      ? remark(ofPlugin, "they are set only for hooks in a Claude Code plugin's own files")
      : []),
    ...(setsThem(from) && !setsThem(to) ? remark(others, `${to.dialect} does not set Claude Code's variables`) : []),
  ];
}

function countedFromFolder(handler: Handler): string | undefined {
  if (handler.type === "wasm") {
    const isPath = !/^\w+:/.test(handler.module) && !isAbsolute(handler.module);
    return isPath ? `module ${handler.module}` : undefined;
  }
  if (handler.type !== "command") return undefined;
  if (handler.workingDir !== undefined && !isAbsolute(handler.workingDir)) return `workingDir ${handler.workingDir}`;
  const isPath = handler.args !== undefined && /[/\\]/.test(handler.command) && !isAbsolute(handler.command);
  return isPath ? `command ${handler.command}` : undefined;
}
