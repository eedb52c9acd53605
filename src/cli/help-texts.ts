import { suggest } from "../dialects/suggest.ts";

/**
 * Help texts. A separate module, so that a process that answers an agent does not load them.
 */

export const AGENT_HELP = `  --agent NAME      whose hooks are meant, in a file with several agents (--format docker-agent). Default: as the event's
                    agent_name says
  --hook-EVENT CMD  a hook for this run, after those of the files; may be given more than once. EVENT: pre-tool-use,
                    post-tool-use, session-start, session-end, on-user-input, stop (--format docker-agent)`;

export const DIALECT_HELP = `Default: claude-code, or as --format says. auto: as each
                    payload says`;

export const PATIENCE_HELP = `  --patience TIME   how long the agent waits for an event's answer: 60 or 60s in seconds, or 60000ms. Write the
                    number that its entry has as timeout. Default: defaults.event.patienceMs of the configuration, or
                    what the agent waits if its entry has no timeout`;

/** Returns the help of `run`. `configHelp` describes the options for the configuration. */
export const runUsage = (
  configHelp: string,
): string => `Usage: hookbox run [--config FILE]... [--format NAME] [--event NAME] [--dialect NAME] [--patience TIME]
                   [--json] < payload.json
       hookbox run --lines [the same options] < payloads.jsonl

${configHelp}
${AGENT_HELP}
  --dialect NAME    whose event it is, and whose reply is wanted. ${DIALECT_HELP}
${PATIENCE_HELP}
  --event NAME      the event, for payloads that do not name it
  --json            print the whole verdict instead of the agent's reply
  --lines           go on until standard input ends: one payload a line, one answer line each, in their order

Exit codes: 0 the reply, or with --json the verdict, is on standard output
            1 something is wrong, at an event that must not be blocked
            2 the input or the configuration cannot be used; agents take it as a refusal`;

/** The summary of each verb, in the order of the help. Verbs that only hookbox itself starts are not included. */
export const SUMMARIES = {
  run: "answer one event: payload on stdin, the agent's reply on stdout",
  check: "list the rules of a configuration and what is wrong with it",
  explain: "say for one payload which rules apply, and why",
  hooks: "list, add, switch, remove and try the hooks of a file, of any agent",
  convert: "write the hooks of one agent's file as another's, and say what has no equal there",
  inspect: "say what a guard's module can and cannot touch, without running it",
  lock: "pin the modules that a configuration names, after a look at what changed",
  new: "make a folder with a guard to start from, in TypeScript, Rust or C",
  build: "compile a guard and its tests into one .wasm file",
  test: "run a guard's own tests: its source, or what was built",
  snapshots: "list the states of the work tree that a hook has kept, and go back to one",
  demo: "a good guard, a shell script and hostile guards at work, no agent needed",
  completion: "print the script by which bash, zsh or fish completes verbs and options",
} as const;

/** The error for a command line whose first word is not a verb. */
export function unknownVerb(name: string | undefined): { readonly message: string; readonly hint: string } {
  const verbs = Object.keys(SUMMARIES);
  const meant = name === undefined ? undefined : suggest(name, verbs);
  return {
    message: name === undefined ? "a verb is needed" : `unknown verb "${name}"`,
    hint: `${meant === undefined ? "" : `${meant} `}verbs: ${verbs.join(", ")}; see hookbox --help`,
  };
}

export function helpText(): string {
  return `hookbox: hooks for coding agents, with guards in a WebAssembly sandbox

Usage: hookbox VERB [options]

${Object.entries(SUMMARIES)
  .map(([name, summary]) => `  ${name.padEnd(12)}${summary}`)
  .join("\n")}

  hookbox VERB --help      the options of a verb
  hookbox --version        with --json: the version of each contract, too

Try it:
  hookbox demo
  hookbox check ~/.claude/settings.json
  hookbox hooks add hookbox.json PreToolUse --type wasm --module builtin:shell-guard
  echo '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf /"}}' \\
    | hookbox run --config hookbox.json
`;
}
