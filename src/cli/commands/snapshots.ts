import { HookError } from "../../errors.ts";
import type { Shadow } from "../../executors/builtin/snapshot/shadow.ts";
import {
  listCheckpoints,
  openShadow,
  planUndo,
  showCheckpoint,
  type Undo,
  undo,
} from "../../executors/builtin/snapshot/snapshots.ts";
import { Stop } from "../../stop-signal.ts";
import { asciiJson } from "../ascii-json.ts";
import { EXIT } from "../exit-codes.ts";
import { painter } from "../paint.ts";
import { listData, listText, shownData, shownText, undoData, undoText } from "../snapshots/report.ts";
import { type Console, parseVerbArgs, unknownWord, usageError, type Verb } from "../verb.ts";

export const snapshots: Verb = {
  summary: "list the snapshots of the work tree that a hook has made, and go back to one",
  usage: `Usage: hookbox snapshots [list] [--json]
       hookbox snapshots show ID [--json]
       hookbox snapshots undo [ID] [--yes] [--json]

  Snapshots of the git repository that contains the working directory. The built-in hook "snapshot" makes them and
  stores them in a folder of hookbox. They do not change the repository's index, branches or commits.

  list              list the snapshots, the newest first
  show ID           show the files that differ from the snapshot before
  undo              show what happens to each file, and do it after you agree. Without ID: undo the last change, and
                    if repeated, the change before it. Makes a snapshot of the present state first
  --yes             undo without asking
  --json            print JSON; asks no question

Exit codes: 0 done   1 undo: nothing was done, because you did not agree
            2 not in a git repository, no such snapshot, it could not be done, or a mistake on the command line`,
  get actions() {
    return Object.keys(ACTIONS);
  },
  options: () => OPTIONS,
  run: snapshotsVerb,
};

const OPTIONS = {
  json: { type: "boolean", default: false },
  yes: { type: "boolean", short: "y", default: false },
} as const;

interface Call {
  readonly shadow: Shadow;
  readonly id: number | undefined;
  readonly json: boolean;
  readonly yes: boolean;
  readonly console: Console;
}

interface Action {
  /** The minimum and maximum number of IDs for the action. */
  readonly ids: readonly [least: number, most: number];
  run(call: Call): Promise<number>;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  list: { ids: [0, 0], run: list },
  show: { ids: [1, 1], run: show },
  undo: { ids: [0, 1], run: goBack },
};

async function snapshotsVerb(args: readonly string[], console: Console): Promise<number> {
  const { values, positionals } = parseVerbArgs(args, OPTIONS);
  const [name = "list", ...ids] = positionals;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  const known = Object.keys(ACTIONS);
  if (action === undefined) throw unknownWord(`unknown action "${name}": ${known.join(", ")}`, name, known);
  const [least, most] = action.ids;
  if (ids.length < least || ids.length > most)
    throw usageError(`${name} takes ${least === most ? least : "0 or 1"} ID`);
  if (values.yes && name !== "undo") throw usageError(`--yes is for undo, not ${name}`);
  const id = ids[0] === undefined ? undefined : idFrom(ids[0]);
  const shadow = await openShadow(console.cwd, new Stop());
  if (shadow === undefined) {
    throw new HookError("HOOK_BUILTIN", "the working directory is in no git repository, or git is not installed");
  }
  return action.run({ shadow, id, json: values.json, yes: values.yes, console });
}

function idFrom(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw usageError(`"${text}" is not the ID of a snapshot, as list shows it`);
  return Number(text);
}

async function list({ shadow, json, console }: Call): Promise<number> {
  const checkpoints = await listCheckpoints(shadow);
  const top = shadow.workTree.top;
  console.write(
    json ? `${asciiJson(listData(top, checkpoints))}\n` : listText(top, checkpoints, painter(console.colour)),
  );
  return EXIT.done;
}

async function show({ shadow, id, json, console }: Call): Promise<number> {
  const shown = await showCheckpoint(shadow, id as number);
  console.write(json ? `${asciiJson(shownData(shown))}\n` : shownText(shown, painter(console.colour)));
  return EXIT.done;
}

async function goBack({ shadow, id, json, yes, console }: Call): Promise<number> {
  const planned = await planUndo(shadow, id);
  if (!json) console.write(undoText(planned, painter(console.colour)));
  const isNeeded = planned.changes.length > 0;
  const accepted = isNeeded && (yes || (await agrees(planned, json, console)));
  const done = accepted ? await undo(shadow, planned.to.id, planned.from.tree) : planned;
  if (json) console.write(`${asciiJson(undoData(done, accepted))}\n`);
  else if (accepted) console.write(`  Done. To reverse this: hookbox snapshots undo ${done.from.id}\n`);
  else if (isNeeded) console.write("  Nothing was changed. Once you agree, run it again with --yes.\n");
  return accepted || !isNeeded ? EXIT.done : EXIT.problems;
}

async function agrees({ to }: Undo, json: boolean, console: Console): Promise<boolean> {
  const answer = json ? undefined : await console.ask(`  Go back to snapshot ${to.id}? [y/N] `);
  return answer !== undefined && /^y(es)?$/i.test(answer.trim());
}
