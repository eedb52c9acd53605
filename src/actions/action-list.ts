import type { Action, UnreadAction } from "./action.ts";
import { MAX_PATH_LENGTH, pathOfUrl, placed } from "./place.ts";

/** More actions or longer texts of one call are left out, and an `unread` action says so. */
const MAX_ACTIONS = 256;
const MAX_TEXT_LENGTH = 262_144;
/** Guards do not read longer commands either, and the command is in the event twice. */
const MAX_COMMAND_LENGTH = 131_072;
const MAX_URL_LENGTH = 8_192;

type FileKind = "read" | "write" | "delete";

/** The actions of one call, of limited size. */
export class ActionList {
  readonly actions: Action[] = [];
  readonly #seen = new Set<string>();
  readonly #directories: readonly (string | undefined)[];
  #length = 0;
  #isFull = false;

  /** `directories`: the folders in which the call may run. More than one if the call names several. */
  constructor(directories: readonly (string | undefined)[]) {
    this.#directories = directories;
  }

  command(command: string | readonly string[], at: string, more: { readonly shell?: "powershell" | "cmd" } = {}): void {
    const length = typeof command === "string" ? command.length : command.reduce((sum, one) => sum + one.length + 1, 0);
    if (this.#isLong("command", at, length, MAX_COMMAND_LENGTH)) return;
    for (const directory of this.#directories) {
      this.#add({ kind: "command", command, ...more, ...(directory === undefined ? {} : { directory }) }, length);
    }
  }

  /** Adds a command that a running shell reads, whose folder is unknown. */
  typed(command: string, at: string): void {
    if (this.#isLong("command", at, command.length, MAX_COMMAND_LENGTH)) return;
    this.#add({ kind: "command", command }, command.length);
  }

  file(kind: FileKind, path: string, at: string, content?: string): void {
    if (this.#isLong(kind, at, path.length, MAX_PATH_LENGTH)) return;
    const more = content === undefined || kind !== "write" ? {} : { content };
    for (const directory of this.#directories) {
      const whole = placed(directory, pathOfUrl(path) ?? path);
      this.#add({ kind, path: whole, ...more }, whole.length);
    }
  }

  move(path: string, to: string, at: string): void {
    if (this.#isLong("move", at, path.length + to.length, 2 * MAX_PATH_LENGTH)) return;
    for (const directory of this.#directories) {
      const [from, target] = [placed(directory, path), placed(directory, to)];
      this.#add({ kind: "move", path: from, to: target }, from.length + target.length);
    }
  }

  request(url: string, method: string, at: string): void {
    if (this.#isLong("request", at, url.length + method.length, MAX_URL_LENGTH)) return;
    if (pathOfUrl(url) !== undefined) this.file("read", url, at);
    else this.#add({ kind: "request", url, method }, url.length);
  }

  unread(of: UnreadAction["of"], at: string, why: string): void {
    this.#add({ kind: "unread", of, at: at.slice(0, MAX_PATH_LENGTH), why }, at.length);
  }

  #isLong(of: UnreadAction["of"], at: string, length: number, max: number): boolean {
    if (length > max) this.unread(of, at, `${length} characters are too long; at most ${max} are read`);
    return length > max;
  }

  #add(action: Action, length: number): void {
    if (this.#isFull) return;
    this.#length += length;
    if (this.actions.length >= MAX_ACTIONS || this.#length > MAX_TEXT_LENGTH) {
      this.#isFull = true;
      const of = action.kind === "unread" ? action.of : action.kind;
      this.actions.push({ kind: "unread", of, at: "", why: "the call does too much" });
      return;
    }
    // Most calls do one thing.
    if (this.actions.length > 0) {
      if (this.#seen.size === 0) for (const one of this.actions) this.#seen.add(JSON.stringify(one));
      const text = JSON.stringify(action);
      if (this.#seen.has(text)) return;
      this.#seen.add(text);
    }
    this.actions.push(action);
  }
}
