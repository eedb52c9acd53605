import { suggest } from "../suggest.ts";

/** Help texts in a separate module, so that a process that answers an agent does not load them. */

export const AGENT_HELP = `  --agent NAME      the agent whose hooks count, in a file with several agents (--format docker-agent).
                    Default: the event's agent_name
  --hook-EVENT CMD  a hook for this run, after the hooks of the files. Can be repeated. EVENT: pre-tool-use,
                    post-tool-use, session-start, session-end, on-user-input, stop (--format docker-agent)`;

export const DIALECT_HELP = `Default: the agent of --format,
                    otherwise claude-code. auto: recognises the agent of each payload`;

const PATIENCE_HELP = `  --patience TIME   how long the agent waits for an answer: 60 or 60s for seconds, or 60000ms. Use the timeout that the
                    agent's hook has. Default: defaults.event.patienceMs of the configuration, otherwise how long the
                    agent waits for a hook without a timeout`;

/** Returns the help of `run`. `configHelp` describes the options for the configuration. */
export const runUsage = (
  configHelp: string,
): string => `Usage: hookbox run [--config FILE]... [--format NAME] [--event NAME] [--dialect NAME] [--patience TIME]
                   [--trust-env] [--json] < payload.json
       hookbox run --lines [the same options] < payloads.jsonl

${configHelp}
${AGENT_HELP}
  --dialect NAME    the agent that sends the event and reads the reply. ${DIALECT_HELP}
${PATIENCE_HELP}
  --event NAME      the name of the event, for payloads without one
  --with-project    with --config, read the hookbox.json in the working directory too
  --json            print the whole verdict instead of the agent's reply
  --trust-env       approve the repository's files if HOOKBOX_TRUST names the digest that hookbox trust shows. For CI:
                    without this option the variable has no effect, because a repository can set variables for hooks
  --lines           answer many events: reads one payload per line until standard input ends, and writes one answer
                    line for each, in the same order

Exit codes: 0 the reply, or with --json the verdict, is on standard output
            1 an error, at an event that must not be blocked
            2 the input or the configuration cannot be used; agents take it as a refusal`;

/** The summary of each verb, in the order of the help. Verbs that only hookbox itself starts are not included. */
export const SUMMARIES = {
  init: "make an agent call hookbox, with guards that work at once",
  run: "answer one event: payload on stdin, the agent's reply on stdout",
  check: "list the rules and the problems of a configuration",
  explain: "show which rules apply to one payload, and why",
  hooks: "list, add, switch, remove and try the hooks in a file of any agent",
  convert: "convert one agent's hooks to another agent's format, and report what is lost",
  inspect: "show what a guard's module can and cannot access, without running it",
  lock: "pin the modules that a configuration names, after a review of the changes",
  trust: "show what the configuration of a repository would do, and approve exactly that",
  except: "let exactly one call pass a rule until a day; only from a terminal",
  new: "create a folder with a new guard, in TypeScript, Rust or C",
  build: "compile a guard and its tests into one .wasm file",
  test: "run a guard's own tests, from its source or a .wasm file",
  snapshots: "list the snapshots of the work tree that a hook has made, and go back to one",
  serve: "keep engines loaded, and answer the relays and web hooks of agents",
  relay: "pass one event to the server, and start the server if none runs",
  doctor: "check that hooks run and gates close, through the installed entries",
  disable: "let all events pass for some minutes; only from a terminal",
  enable: "end the time of hookbox disable",
  demo: "show a guard, a shell script and hostile guards at work, without an agent",
  completion: "print the completion script for bash, zsh or fish",
} as const;

/** Returns the error for a command line whose first word is not a verb. */
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
  hookbox --version        the version; with --json also the versions of formats and interfaces

Try it:
  hookbox init claude-code
  hookbox demo
  hookbox check ~/.claude/settings.json
  hookbox hooks add hookbox.json PreToolUse --type wasm --module builtin:shell-guard
  echo '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf /"}}' \\
    | hookbox run --config hookbox.json
`;
}
