// What one command hands to the next one, or to the words around a substitution.

import { BACKSLASH, NEWLINE } from "../chars";
import { Command, Pipeline } from "../shell/command";
import { HERE } from "../shell/marks";
import { cut, joined, mark, push } from "../text";
import { Call } from "./call";
import { noteCommand, noteDownload } from "./effects";
import { readSearch } from "./find";
import { same, startsWith } from "../units";

export function follow(call: Call, command: Command, pipeline: Pipeline): void {
  const name = call.name;
  pipeline.next();
  let prints: string | null = null;
  if (same(name, "echo") || same(name, "printf")) {
    prints = printed(call);
    pipeline.text = prints;
  } else if (same(name, "pwd")) {
    prints = String.fromCharCode(HERE);
  } else if (same(name, "git") && call.args.includes("--show-toplevel")) {
    prints = String.fromCharCode(HERE);
  } else if (same(name, "which") || same(name, "command") || same(name, "realpath") || same(name, "readlink")) {
    if (call.args.length > 0) prints = call.args[call.args.length - 1];
  } else if (same(name, "cat") && call.operands().length === 0) {
    pipeline.documents = command.documents;
    pipeline.text = command.hereString;
  } else if (same(name, "curl") || same(name, "wget")) {
    noteDownload();
  } else if (same(name, "base64") || same(name, "base32")) {
    pipeline.decoded = call.has("--decode", 0x64) || call.has("--decode", 0x44);
  } else if (same(name, "find")) {
    const search = readSearch(call.args);
    pipeline.roots = search.roots;
    pipeline.filtered = search.filtered;
  }
  noteCommand(prints);
}

function printed(call: Call): string {
  const args = call.args;
  let first = 0;
  let escapes = same(call.name, "printf");
  while (first < args.length && startsWith(args[first], "-")) {
    if (args[first].includes("e")) escapes = true;
    first++;
  }
  // Of a format only what is put into it matters.
  if (same(call.name, "printf") && first < args.length && args[first].includes("%")) first++;
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
