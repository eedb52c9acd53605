import type { Host } from "../host.ts";
import { requireText } from "./require-text.ts";

/**
 * Files and folders, for guards that want `paths`. The rule gives each a name, and the guard knows it by that: `NAME`, or
 * `NAME/rest` within a folder. Any other path ends the call.
 */
export interface Files {
  /** The text of a file, or `undefined` where there is none. Bytes that are not UTF-8 become U+FFFD. */
  read(path: string): string | undefined;
  /** Replaces all of a file, or makes it, once the guard has answered. Only where the rule says `"access": "write"`. */
  write(path: string, text: string): void;
}

export function makeFiles({ readFile, writeFile }: Host): Files {
  return Object.freeze({
    read: (path: string) => readFile(requireText("files", "path", path)),
    write: (path: string, text: string) =>
      writeFile(requireText("files", "path", path), requireText("files", "content", text)),
  });
}
