// Commands that switch hookbox off, change its rules or end its processes.

import { type Call, operandsOf } from "../shell-guard/rules/call.ts";

/** Verbs of hookbox that only show. All other verbs change what hookbox does, and are for the user. */
const SHOWING: ReadonlySet<string> = new Set(
  "check doctor explain inspect test build new run relay demo completion help version snapshots".split(" "),
);
/** Verbs that change nothing with one of these words. */
const SHOWS_WITH: Readonly<Record<string, RegExp>> = {
  hooks: /^(?:list|try|fire|--help|-h)$/,
  serve: /^(?:--status|--help|-h)$/,
  init: /^(?:--dry-run|--help|-h)$/,
  lock: /^(?:--check|--help|-h)$/,
  convert: /^/,
};

const PACKAGE_MANAGERS: ReadonlySet<string> = new Set("npm npx pnpm pnpx yarn bun bunx volta corepack".split(" "));
const REMOVES: ReadonlySet<string> = new Set("uninstall remove rm un unlink r".split(" "));
const KILLERS: ReadonlySet<string> = new Set(
  "kill pkill killall xkill fuser skill systemctl launchctl service".split(" "),
);
const STOPS = /^(?:stop|disable|mask|kill|unload|bootout|remove)$/;
const OWN = /hookbox|relay-linux/i;

/** Returns why a command may not run. `before` is the text of the commands before it, which may find a process. */
export function refusalOf(call: Call, words: readonly string[], text: string): string | undefined {
  const { name, args } = call;
  const verb = verbOf(name, words);
  if (verb !== undefined)
    return isShown(verb) ? undefined : `hookbox ${verb[0] ?? ""} is for the user, not for the agent`;
  if (
    PACKAGE_MANAGERS.has(name) &&
    args.some((arg) => REMOVES.has(arg)) &&
    args.some((arg) => /^hookbox(?:@|$)/.test(arg))
  )
    return "this would uninstall hookbox";
  if (!KILLERS.has(name)) return undefined;
  const isNamed = name === "kill" || name === "fuser" ? OWN.test(text) : args.some((arg) => OWN.test(arg));
  if (!isNamed || (/ctl$|^service$/.test(name) && !args.some((arg) => STOPS.test(arg)))) return undefined;
  return "this would end a process of hookbox";
}

/** Returns the verb and its arguments, if the command starts hookbox by any of its names. */
function verbOf(name: string, words: readonly string[]): readonly string[] | undefined {
  if (name === "hookbox") return words.slice(1);
  const isRunner = PACKAGE_MANAGERS.has(name) || name === "node" || name === "nodejs" || name === "deno";
  if (!isRunner) return undefined;
  const at = words.findIndex((word, index) => index > 0 && /(?:^|\/)hookbox(?:\.cjs|\.js)?(?:@[\w.^~-]+)?$/.test(word));
  if (at < 0) return undefined;
  const between = words.slice(1, at);
  if (between.some((word) => /^(?:install|i|add|uninstall|remove|rm|un|view|info|ls|list|why|outdated)$/.test(word)))
    return undefined;
  return words.slice(at + 1).filter((word, index) => !(index === 0 && word === "--"));
}

function isShown([verb = "help", ...args]: readonly string[]): boolean {
  if (verb.startsWith("-") || SHOWING.has(verb)) return verb !== "snapshots" || !args.includes("undo");
  const shows = Object.hasOwn(SHOWS_WITH, verb) ? SHOWS_WITH[verb] : undefined;
  if (verb === "init" && operandsOf({ name: verb, args: [...args], takesInput: false }).length === 0)
    return !args.includes("--remove");
  return shows !== undefined && (args.length === 0 ? verb === "hooks" : args.some((arg) => shows.test(arg)));
}

/** Variables that change whether hookbox or its rules are in force. */
export function isOwnVariable(name: string): boolean {
  return /^HOOKBOX_(?!CLANG|PROGRAM)/.test(name);
}
