import type { Host } from "../host.ts";
import { requireText } from "./require-text.ts";

/**
 * Files and folders, for guards that want `paths`. The rule gives each a name, and the guard uses this name: `NAME`, or
 * `NAME/rest` inside of a folder. Any other path ends the call.
 */
export interface Files {
  /** Returns the text of a file, or `undefined` if the file does not exist. Bytes that are not UTF-8 become U+FFFD. */
  read(path: string): string | undefined;
  /** Replaces or creates a file after the guard has answered. Allowed only if the rule says `"access": "write"`. */
  write(path: string, text: string): void;
}

export function makeFiles({ readFile, writeFile }: Host): Files {
  return Object.freeze({
    read: (path: string) => readFile(requireText("files", "path", path)),
    write: (path: string, text: string) =>
      writeFile(requireText("files", "path", path), requireText("files", "content", text)),
  });
}
