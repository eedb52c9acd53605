import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Action } from "./action.ts";
import { ActionList } from "./action-list.ts";
import { patchedFiles } from "./patched-files.ts";
import { directoryOf, namedDirectory, namesDirectory } from "./place.ts";
import { type Part, partOf, workOf } from "./tool-table.ts";

/** A field of the input that plays a part, with its JSON pointer. */
interface Field {
  readonly part: Part;
  readonly at: string;
  readonly value: JsonValue;
}

type FileWork = "read" | "write" | "delete" | "move" | "copy";

/** How deep files may be nested in the input, such as `{"edits": [{"path": …}]}`. */
const MAX_DEPTH = 3;

/** Agents whose own field for the directory of a call becomes `cwd`. Their tools do not read the other fields. */
const DIALECTS_WITH_CWD: ReadonlySet<string> = new Set(["docker-agent", "agentao", "autohand", "openclaw"]);

/** Returns what a tool call does. `undefined` for an event without a tool call. Never throws. */
export function actionsOf(payload: JsonObject, dialect: string): readonly Action[] | undefined {
  const { tool_name: tool, tool_input: input } = payload;
  if (typeof tool !== "string") return undefined;
  if (!isJsonObject(input)) return [];
  const work = workOf(tool);
  const fields = fieldsOf(input, "");
  const unreadable: Field[] = [];
  const isNamed = ({ part, at }: Field): boolean =>
    part === "directory" && (at === "/cwd" || !DIALECTS_WITH_CWD.has(dialect));
  const list = new ActionList(directoriesOf(payload, fields.filter(isNamed), unreadable));
  if (work === undefined) addRequests(list, fields, input, false);
  else if (work === "command") addCommands(list, fields, tool, input);
  else if (work === "request") addRequests(list, fields, input, true);
  else if (work === "patch") addPatch(list, fields, payload);
  else addFiles(list, fields, input, work, 0);
  if (work !== undefined && work !== "request") {
    const of = work === "patch" || work === "copy" ? "write" : work;
    for (const { at } of unreadable) list.unread(of, at, "the directory cannot be read");
  }
  return list.actions;
}

function fieldsOf(input: JsonObject, parent: string): Field[] {
  const fields: Field[] = [];
  for (const key in input) {
    const part = partOf(key);
    const value = input[key];
    if (part === undefined || value === undefined) continue;
    fields.push({ part, at: pointer(parent, key), value });
  }
  return fields;
}

function pointer(parent: string, key: string | number): string {
  return `${parent}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Returns every directory that the call names, because only the tool knows which of several fields counts. */
function directoriesOf(
  payload: JsonObject,
  fields: readonly Field[],
  unreadable: Field[],
): readonly (string | undefined)[] {
  const event = directoryOf(payload);
  const named = new Set<string>();
  for (const field of fields) {
    if (!namesDirectory(field.value)) continue;
    const directory = namedDirectory(event, field.value);
    if (directory === undefined) unreadable.push(field);
    else named.add(directory);
  }
  return named.size === 0 ? [event] : [...named];
}

function addCommands(list: ActionList, fields: readonly Field[], tool: string, input: JsonObject): void {
  const shell = /powershell/i.test(tool) ? ({ shell: "powershell" } as const) : {};
  for (const { part, at, value } of fields) {
    if (part !== "command") continue;
    if (typeof value === "string") {
      const words = argumentsOf(fields, tool);
      if (words === undefined) list.command(value, at, shell);
      // Without blanks, the text is the name of a program, and no shell reads the arguments.
      else if (/^[^\s]+$/.test(value)) list.command([value, ...words], at, shell);
      else list.command([value, ...words].join(" "), at, shell);
      if (hasPatch(value)) for (const file of patchedFiles(value)) addPatched(list, file, at);
    } else if (isTexts(value)) list.command(value, at, shell);
    else list.unread("command", at, "the command is not text");
  }
  for (const key of ["data", "input", "chars", "keys"]) {
    const text = input[key];
    if (typeof text === "string" && text.trim() !== "") list.typed(text, pointer("", key));
  }
}

/** Whether a command contains a patch: one that Codex applies itself, or a diff for `git apply` or `patch`. */
function hasPatch(command: string): boolean {
  return command.includes("*** Begin Patch") || (command.includes("\n+++ ") && /\b(?:apply|am|patch)\b/.test(command));
}

/** Returns the arguments in their own field. Autohand's dialect has already joined them to the command. */
function argumentsOf(fields: readonly Field[], tool: string): readonly string[] | undefined {
  if (tool === "Bash" || tool === "shell") return undefined;
  const given = fields.find(({ part }) => part === "arguments")?.value;
  return isTexts(given) && given.length > 0 ? given : undefined;
}

function isTexts(value: JsonValue | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function addRequests(list: ActionList, fields: readonly Field[], input: JsonObject, isKnown: boolean): void {
  const given = fields.find(({ part }) => part === "method")?.value;
  const method = typeof given === "string" ? given.toUpperCase() : "GET";
  let found = false;
  for (const { part, at, value } of fields) {
    if (part !== "url") continue;
    for (const one of Array.isArray(value) ? (value as readonly JsonValue[]) : [value]) {
      if (one === null) continue;
      const isUrl = typeof one === "string" && (isKnown || /^[a-z][a-z0-9+.-]*:\/\//i.test(one.trim()));
      if (isUrl) list.request(one.trim(), method, at);
      else if (isKnown) list.unread("request", at, "the URL is not text");
      found = true;
    }
  }
  const { prompt } = input;
  if (found || !isKnown || typeof prompt !== "string") return;
  // Gemini CLI finds the URLs in the prompt.
  for (const [url] of prompt.matchAll(/[a-z][a-z0-9+.-]*:\/\/[^\s"'<>`]+/gi)) list.request(url, method, "/prompt");
}

function addPatch(list: ActionList, fields: readonly Field[], payload: JsonObject): void {
  let isRead = false;
  for (const { part, at, value } of fields) {
    if (part === "path") {
      isRead = true;
      addPaths(list, "write", { part, at, value });
    } else if (part === "patch" || part === "command" || part === "content") {
      if (typeof value === "string") {
        for (const file of patchedFiles(value)) {
          isRead = true;
          addPatched(list, file, at);
        }
      } else if (value !== null && !isTexts(value)) list.unread("write", at, "the patch is not text");
    }
  }
  // OpenClaw lists the files of a patch.
  const derived = payload["derived_paths"] ?? payload["derivedPaths"];
  if (isTexts(derived)) for (const path of derived) list.file("write", path, "");
  if (!isRead) list.unread("write", "", "the patch names no file");
}

type Patched = ReturnType<typeof patchedFiles> extends Generator<infer One> ? One : never;

function addPatched(list: ActionList, { kind, path, to }: Patched, content: string): void {
  if (kind !== "move") list.file(kind, path, content, content);
  else if (to !== undefined) list.move(path, to, content);
}

function addFiles(list: ActionList, fields: readonly Field[], input: JsonObject, work: FileWork, depth: number): void {
  const kind = workIn(input, work);
  const isPair = kind === "move" || kind === "copy";
  const paths = fields.filter(({ part }) => part === "path");
  const targets = fields.filter(({ part }) => part === "to");
  if (isPair) addPairs(list, kind, paths, targets);
  else {
    const content = fields.find(({ part }) => part === "content" || part === "patch")?.at;
    for (const field of paths.length > 0 ? paths : targets) addPaths(list, kind, field, content, paths.length === 1);
  }
  for (const { part, at, value } of fields) {
    if (part === "patch" && typeof value === "string" && kind === "write")
      for (const file of patchedFiles(value)) addPatched(list, file, at);
    if (!Array.isArray(value) || depth >= MAX_DEPTH) continue;
    for (const [index, one] of value.entries())
      if (isJsonObject(one)) addFiles(list, fieldsOf(one, pointer(at, index)), one, kind, depth + 1);
  }
}

/** Returns the work of one tool for several, which the input names: `{"command": "view", "path": …}`. */
function workIn(input: JsonObject, work: FileWork): FileWork {
  if (work !== "write") return work;
  for (const key of ["command", "action", "operation", "type", "op", "kind"]) {
    const word = input[key];
    if (typeof word !== "string") continue;
    if (/^(?:view|read|open)$/i.test(word)) return "read";
    if (/^(?:delete|remove|unlink)(?:_?file)?$/i.test(word)) return "delete";
    if (/^(?:move|rename)(?:_?file)?$/i.test(word)) return "move";
  }
  return work;
}

function addPairs(list: ActionList, work: "move" | "copy", from: readonly Field[], to: readonly Field[]): void {
  const targets = to.flatMap(({ value, at }) => textsIn(value).map((path) => ({ path, at })));
  const sources = from.flatMap(({ value, at }) => textsIn(value).map((path) => ({ path, at })));
  if (sources.length > 0 && targets.length === 0) list.unread(work === "copy" ? "write" : "move", "", "no destination");
  for (const source of sources) {
    if (work === "copy") list.file("read", source.path, source.at);
    else for (const target of targets) list.move(source.path, target.path, target.at);
  }
  if (work === "copy") for (const target of targets) list.file("write", target.path, target.at);
}

function textsIn(value: JsonValue): readonly string[] {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
}

function addPaths(
  list: ActionList,
  kind: "read" | "write" | "delete",
  { at, value }: Field,
  content?: string,
  isOnly = true,
): void {
  if (Array.isArray(value)) {
    for (const one of value as readonly JsonValue[])
      if (typeof one === "string") list.file(kind, one, at, content);
      else if (!isJsonObject(one)) list.unread(kind, at, "the path is not text");
  } else if (typeof value === "string") {
    if (value !== "") list.file(kind, value, at, content);
  } else if (value !== null && (isOnly || isJsonObject(value))) list.unread(kind, at, "the path is not text");
}
