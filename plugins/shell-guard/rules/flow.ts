// What one command hands to the next one, or to the words around a substitution.

import { BACKSLASH, NEWLINE } from "../chars";
import { Command, Pipeline } from "../shell/command";
import { HERE } from "../shell/marks";
import { cut, joined, mark, push } from "../text";
import { Call } from "./call";
import { noteCommand, noteDownload } from "./effects";
import { readSearch } from "./find";

export function follow(call: Call, command: Command, pipeline: Pipeline): void {
  const name = call.name;
  pipeline.next();
  let prints: string | null = null;
  if (name === "echo" || name === "printf") {
    prints = printed(call);
    pipeline.text = prints;
  } else if (name === "pwd") {
    prints = String.fromCharCode(HERE);
  } else if (name === "git" && call.args.includes("--show-toplevel")) {
    prints = String.fromCharCode(HERE);
  } else if (name === "which" || name === "command" || name === "realpath" || name === "readlink") {
    if (call.args.length > 0) prints = call.args[call.args.length - 1];
  } else if (name === "cat" && call.operands().length === 0) {
    pipeline.documents = command.documents;
    pipeline.text = command.hereString;
  } else if (name === "curl" || name === "wget") {
    noteDownload();
  } else if (name === "base64" || name === "base32") {
    pipeline.decoded = call.has("--decode", 0x64) || call.has("--decode", 0x44);
  } else if (name === "find") {
    const search = readSearch(call.args);
    pipeline.roots = search.roots;
    pipeline.filtered = search.filtered;
  }
  noteCommand(prints);
}

function printed(call: Call): string {
  const args = call.args;
  let first = 0;
  let escapes = call.name === "printf";
  while (first < args.length && args[first].startsWith("-")) {
    if (args[first].includes("e")) escapes = true;
    first++;
  }
  // Of a format only what is put into it matters.
  if (call.name === "printf" && first < args.length && args[first].includes("%")) first++;
  const text = joined(args, first);
  return escapes && text.includes("\\") ? unescape(text) : text;
}

function unescape(text: string): string {
  const start = mark();
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    const isNewline = unit === BACKSLASH && text.charCodeAt(i + 1) === 0x6e;
    push(isNewline ? NEWLINE : unit);
    if (isNewline) i++;
  }
  return cut(start);
}
