import type { Change } from "../../executors/builtin/snapshot/capture.ts";
import type { Checkpoint } from "../../executors/builtin/snapshot/checkpoints.ts";
import { readablePath } from "../../executors/builtin/snapshot/git.ts";
import type { Shown, Undo } from "../../executors/builtin/snapshot/snapshots.ts";
import { cleanLine } from "../../text.ts";
import { columns, type Paint, type Style } from "../paint.ts";

/** The output of `hookbox snapshots`. Names of files and sessions are cleaned, because they are untrusted. */

const MAX_SHOWN = 50;
const MAX_NAME = 200;

export function listText(top: string, checkpoints: readonly Checkpoint[], paint: Paint): string {
  if (checkpoints.length === 0) {
    return `  No snapshots of ${cleanLine(top)}. The built-in hook "snapshot" makes them.\n`;
  }
  const rows = [...checkpoints]
    .reverse()
    .map((one) => [String(one.id), timeOf(one), whatOf(one), filesOf(one), sessionOf(one)]);
  const head = ["ID", "time", "event", "files", "session"];
  const lines = columns([head, ...rows], (text, row) => (row === 0 ? paint("dim", text) : text));
  return [`  ${paint("bold", cleanLine(top))}`, ...lines.map((line) => `    ${line}`), ""].join("\n");
}

/** Formats a time in the local zone, because the user remembers local times. */
function timeOf({ time }: Checkpoint): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "?";
  const two = (part: number): string => String(part).padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(":")}`;
}

const whatOf = ({ event, to }: Checkpoint): string => cleanLine(to === undefined ? event : `${event} to ${to}`, 40);
const sessionOf = ({ session }: Checkpoint): string => cleanLine(session ?? "", 40);

function filesOf({ files }: Checkpoint): string {
  return files === null ? "-" : String(files);
}

export function shownText({ checkpoint, changes }: Shown, paint: Paint): string {
  const { id, tooLarge } = checkpoint;
  const head = `  ${paint("bold", `Snapshot ${id}`)}, ${timeOf(checkpoint)}, ${whatOf(checkpoint)}`;
  const large = tooLarge === 0 ? [] : [`    left out as too large: ${tooLarge} new files`];
  if (changes.length === 0) return [head, "    the first snapshot", ...large, ""].join("\n");
  return [head, ...changeLines(changes, SAID_OF_PAST, paint), ...large, ""].join("\n");
}

type Words = Readonly<Record<Change["change"], readonly [word: string, style: Style]>>;

const SAID_OF_PAST: Words = { added: ["added", "green"], deleted: ["deleted", "red"], modified: ["changed", "yellow"] };
const SAID_OF_UNDO: Words = {
  added: ["restored", "green"],
  deleted: ["removed", "red"],
  modified: ["reverted", "yellow"],
};

function changeLines(changes: readonly Change[], words: Words, paint: Paint): string[] {
  const shown = changes.slice(0, MAX_SHOWN).map(({ path, change, lines }) => {
    const [word, style] = words[change];
    return `    ${paint(style, word.padEnd(12))}  ${nameOf(path)}${linesOf(lines)}`;
  });
  return changes.length > MAX_SHOWN ? [...shown, `    and ${changes.length - MAX_SHOWN} more`] : shown;
}

function linesOf(lines: Change["lines"]): string {
  return lines === undefined ? "" : ` (+${lines.added} -${lines.deleted})`;
}

const nameOf = (path: string): string => cleanLine(readablePath(path), MAX_NAME);

export function undoText({ to, changes, left }: Undo, paint: Paint): string {
  const kept = left.slice(0, MAX_SHOWN).map(({ path, reason }) => `    unchanged: ${nameOf(path)} (${reason})`);
  const head = `  Back to ${paint("bold", `snapshot ${to.id}`)}, ${timeOf(to)}, ${whatOf(to)}`;
  const lines =
    changes.length === 0 ? ["    no file differs from the snapshot"] : changeLines(changes, SAID_OF_UNDO, paint);
  return [head, ...lines, ...kept, ""].join("\n");
}

export function listData(top: string, checkpoints: readonly Checkpoint[]): object {
  return { repository: top, snapshots: [...checkpoints].reverse().map(checkpointData) };
}

export function shownData({ checkpoint, changes }: Shown): object {
  return { ...checkpointData(checkpoint), changes: changesData(changes) };
}

export function undoData({ from, to, changes, left }: Undo, done: boolean): object {
  return {
    done,
    to: checkpointData(to),
    before: checkpointData(from),
    changes: changesData(changes),
    left: left.map(({ path, reason }) => ({ path: readablePath(path), reason })),
  };
}

function checkpointData({ id, time, event, session, files, tooLarge, to }: Checkpoint): object {
  return { id, time, event, session, files, tooLarge, undoTo: to ?? null };
}

const changesData = (changes: readonly Change[]): object[] =>
  changes.map(({ path, change, lines }) => ({ path: readablePath(path), change, lines: lines ?? null }));
