import { randomInt } from "node:crypto";
import { readlinkSync } from "node:fs";
import { HookError } from "../../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { agentAbove } from "../off/agent-process.ts";
import { OFF_VARIABLE } from "../off/off-file.ts";
import { clockTime, MOST_OFF_MS, offNow, recordOff, recordOn } from "../off/off-now.ts";
import { timeMs } from "../time-option.ts";
import { type Console, parseVerbArgs, usageError, type Verb } from "../verb.ts";

/** `hookbox disable` and `hookbox enable`. */

const OPTIONS = { for: { type: "string", default: "10m" } } as const;

export const disable: Verb = {
  summary: "let all events pass for some minutes; only from a terminal",
  usage: `Usage: hookbox disable [--for TIME]

  --for TIME   how long, such as 90s, 10m or 2h; at most 24h. Default: 10m

  Needs a terminal and a typed confirmation, and refuses if an agent has started it. The state folder records
  until when, who and from which terminal; "hookbox doctor" and "hookbox serve --status" show it.
  Without a terminal, for example in a container: start the agent with ${OFF_VARIABLE}=1 (Linux only).

Exit codes: 0 switched off   1 not confirmed   2 refused, or a mistake on the command line`,
  options: () => OPTIONS,
  run: disableVerb,
};

export const enable: Verb = {
  summary: "end the time of hookbox disable",
  usage: `Usage: hookbox enable

  Switches hookbox on again before the time of "hookbox disable" is over. Needs no terminal.

Exit codes: 0 hookbox is on   2 the record cannot be written`,
  options: () => ({}),
  run: async (args: readonly string[], console: Console) => {
    if (parseVerbArgs(args, {}).positionals.length > 0) throw usageError("enable takes no argument");
    const ended = recordOn();
    console.write(ended === undefined ? "hookbox was on already.\n" : "hookbox is on again.\n");
    return EXIT.done;
  },
};

async function disableVerb(args: readonly string[], console: Console): Promise<number> {
  const { values, positionals } = parseVerbArgs(args, OPTIONS);
  if (positionals.length > 0) throw usageError(`disable takes no argument such as "${positionals[0]}"; use --for TIME`);
  const forMs = timeMs("--for", values.for);
  if (forMs < 1_000 || forMs > MOST_OFF_MS)
    throw usageError(`--for is ${JSON.stringify(values.for)}; expected from 1s to 24h`);
  const agent = agentAbove();
  if (agent !== undefined)
    throw new HookError("HOOK_DISABLE_REFUSED", `an agent seems to have started this command: ${agent}`, {
      hint: "run it in a terminal of your own",
    });
  const word = Array.from({ length: 5 }, () => LETTERS[randomInt(LETTERS.length)]).join("");
  const off = offNow();
  if (off?.how === "command") console.write(`hookbox is off until ${clockTime(off.until)} already.\n`);
  const answer = await console.ask(
    `For ${values.for}, hookbox will judge no call of any agent of yours. To confirm, type ${word}: `,
  );
  if (answer === undefined && console.stdin.isTTY !== true)
    throw new HookError("HOOK_DISABLE_REFUSED", "hookbox disable needs a terminal, so that a person confirms it", {
      hint: `in a container, start the agent with ${OFF_VARIABLE}=1`,
    });
  if (answer?.trim() !== word) {
    console.write("Not confirmed. hookbox stays on.\n");
    return EXIT.problems;
  }
  const { until } = recordOff(forMs, terminalName());
  console.write(`hookbox is off until ${clockTime(until)}. To switch it on before: hookbox enable\n`);
  return EXIT.done;
}

/** Letters that are not mistaken for others. */
const LETTERS = "abcdefhkmnprstuvwxyz";

function terminalName(): string {
  try {
    return readlinkSync("/proc/self/fd/0");
  } catch {
    return "a terminal";
  }
}
