import { randomUUID } from "node:crypto";
import { HookError } from "../../errors.ts";
import { parseJsonObject } from "../../json.ts";
import { asciiJson } from "../ascii-json.ts";
import { firstThatApplies } from "../doctor/canary.ts";
import { agentSettings, placeOf } from "../doctor/entries.ts";
import { mayStart } from "../doctor/may-start.ts";
import { eventDialect } from "../event-dialect.ts";
import { EXIT } from "../exit-codes.ts";
import { type Console, usageError } from "../verb.ts";
import { wireSampleOf } from "./sample-events.ts";
import { trialText } from "./trial-text.ts";

/** `hookbox hooks fire`: sends one event through the entry in the agent's settings. */

interface Values {
  readonly tool?: string | undefined;
  readonly input?: string | undefined;
  readonly dialect?: string | undefined;
  readonly json: boolean;
}

export async function fireEvent(
  event: string,
  { tool, input, dialect: named, json }: Values,
  console: Console,
): Promise<number> {
  const dialect = eventDialect(named, undefined).known;
  if (dialect === undefined) throw usageError("hooks fire needs one dialect, not auto");
  const { cwd } = console;
  const given = input === undefined ? undefined : parseJsonObject(input);
  if (input !== undefined && given === undefined) throw usageError("--input is not one JSON object");
  const sample = wireSampleOf(dialect, event, tool, cwd);
  const decoded = dialect.decodeEvent(sample, event);
  if (!decoded.ok) throw new HookError("HOOK_PAYLOAD_INVALID", decoded.message);
  // A session of its own, so that rules that run once, or keep variables, do not confuse it with the user's.
  const payload = {
    ...decoded.payload,
    session_id: randomUUID(),
    ...(given === undefined ? {} : { tool_input: given }),
  };
  const wire =
    parseJsonObject(dialect.codec.encodePayload({ name: decoded.name, dialect: dialect.name, payload })) ?? {};
  const settings = (await agentSettings(undefined, cwd)).filter((one) => one.dialect.name === dialect.name);
  const sending = settings.flatMap((one) =>
    one.entries.flatMap((entry) => (entry.hook.canonicalEvent === decoded.name ? [{ one, entry }] : [])),
  );
  const may = await Promise.all(sending.map(({ one }) => mayStart(one, cwd)));
  const entries = sending.flatMap(({ entry }, at) => (may[at] === true ? [entry] : []));
  const trial = await firstThatApplies(entries, wire, cwd);
  if (trial === undefined) throw noEntry(dialect.name, event, sending.find((_, at) => may[at] === false)?.one.file);
  const { entry, ...result } = trial;
  if (json) console.write(`${asciiJson({ file: entry.file.path, entry: placeOf(entry), ...result })}\n`);
  else
    console.write(
      `through ${entry.file.path}, ${placeOf(entry)}\n${trialText({ ...trial, isSample: given === undefined }, console.colour)}`,
    );
  return trial.failure === null ? EXIT.done : EXIT.problems;
}

function noEntry(dialect: string, event: string, projects: string | undefined): HookError {
  if (projects !== undefined)
    return new HookError("HOOK_EDIT_HOOK", `${projects} may have come with the project, so its entry is not started`, {
      hint: `review it with hookbox trust --config ${projects}`,
    });
  return new HookError("HOOK_EDIT_HOOK", `no entry in the settings of ${dialect} sends this event to hookbox`, {
    hint: `"hookbox init" writes entries; without an entry: hookbox explain --sample --event ${event}, or hookbox run --dialect ${dialect}`,
  });
}
