import { suggest } from "../dialects/suggest.ts";

/**
 * Texts for people who ask for help. In a file of their own, because no agent asks: without them, a process that answers
 * an agent has less to read.
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

/** `configHelp` describes the options for the configuration. */
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

type Shown = readonly (readonly [name: string, verb: { readonly summary: string }])[];

/** What is wrong with a command line whose first word is no verb. */
export function unknownVerb(
  name: string | undefined,
  shown: Shown,
): { readonly message: string; readonly hint: string } {
  const verbs = shown.map(([verb]) => verb);
  const meant = name === undefined ? undefined : suggest(name, verbs);
  return {
    message: name === undefined ? "a verb is needed" : `unknown verb "${name}"`,
    hint: `${meant === undefined ? "" : `${meant} `}verbs: ${verbs.join(", ")}; see hookbox --help`,
  };
}

export function helpFor(shown: Shown): string {
  return `hookbox: hooks for coding agents, with guards in a WebAssembly sandbox

Usage: hookbox VERB [options]

${shown.map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`).join("\n")}

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
