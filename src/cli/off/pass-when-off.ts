import { aggregate } from "../../aggregate/aggregate.ts";
import type { DecidedEvent, Dialect } from "../../dialects/dialect.ts";
import type { Verdict } from "../../verdict.ts";
import { formatOfEvents } from "../config-files.ts";
import { decodeEvent } from "../decode-event.ts";
import { eventDialect } from "../event-dialect.ts";
import { EXIT } from "../exit-codes.ts";
import { readPayload } from "../payload.ts";
import { RUN_OPTIONS } from "../run-options.ts";
import { type Console, parseVerbArgs } from "../verb.ts";
import { type Off, offNow, offText } from "./off-now.ts";

/** Answers events while hookbox is switched off: without an opinion, with a message that says so. */

/**
 * Answers the event of `hookbox run`. Returns `undefined` if hookbox is on. While hookbox is off, hookbox
 * stops no action of the agent, even if hookbox cannot read the payload or the command line.
 */
export async function passWhenOff(args: readonly string[], console: Console): Promise<number | undefined> {
  const off = offNow();
  if (off === undefined) return undefined;
  try {
    const { values } = parseVerbArgs(args, RUN_OPTIONS);
    if (values.lines) return undefined;
    const payload = await readPayload(console);
    const dialect = await eventDialect(values.dialect, formatOfEvents(values)).of(payload);
    const event = decodeEvent(dialect, payload, values.event);
    if (values.json) console.write(`${JSON.stringify(passing(event, dialect, off), null, 2)}\n`);
    else console.write(dialect.encodeReply(passing(event, dialect, off), event).stdout);
  } catch {
    // The message on standard error is the whole answer.
  }
  console.writeError(`${offText(off)}\n`);
  console.onReplied(EXIT.done);
  return EXIT.done;
}

/** The verdict of no rule, with the message. */
export function passing({ name, payload }: DecidedEvent, { name: dialect }: Dialect, off: Off): Verdict {
  return { ...aggregate({ name, dialect, payload }, []), systemMessage: offText(off) };
}
