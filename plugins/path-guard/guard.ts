// path-guard: keeps files with secrets from being read, and files that run by themselves from being written.

import { ask, defineGuard, deny, type Reply } from "hookbox/guest";
import { withoutMarks } from "../../src/shell/marks.ts";
import { pathOf, Refusal, textsInCode, type Use, visitCommand } from "../files/command-files.ts";
import { type Named, named, Patterns } from "../files/patterns.ts";
import type { Path } from "../shell-guard/paths/path.ts";
import { show } from "../shell-guard/paths/protected.ts";
import { SECRET_FILES, STARTED_FILES } from "./defaults.ts";

type Verdict = Reply<"ask" | "deny", never> | undefined;

// Compiled once, when the guard is built.
const SECRETS = new Patterns(SECRET_FILES);
const STARTED = new Patterns(STARTED_FILES);

const LIST = { type: "array", items: { type: "string", minLength: 1 }, default: [] } as const;

export default defineGuard({
  name: "path-guard",
  version: "0.1.0",
  description: "Denies reading files with secrets, and writing files with secrets or files that programs start.",
  events: ["PreToolUse", "PermissionRequest"],
  config: {
    type: "object",
    additionalProperties: false,
    properties: {
      read: {
        ...LIST,
        description:
          "More files and folders that must not be read or written. `!` before a pattern makes an exception.",
      },
      write: {
        ...LIST,
        description: "More files and folders that may be read and must not be written. `!` makes an exception.",
      },
      defaults: { type: "boolean", default: true, description: "Whether the built-in lists count too." },
      ask: { type: "boolean", default: false, description: "Whether to ask the user instead of denying." },
    },
  },
  handle(event, { config }) {
    const { defaults } = config;
    const read = new Patterns(config.read);
    const write = new Patterns(config.write);
    const has = (own: Patterns, shipped: Patterns, path: Named): boolean =>
      own.verdict(path) ?? (defaults && shipped.verdict(path) === true);
    const cwd = typeof event.cwd === "string" ? withoutMarks(event.cwd) : "";
    const refuse = (reason: string): Verdict => (config.ask ? ask(reason) : deny(reason));
    const check = (use: Use, path: Path, word: string): void => {
      const names = named(path);
      if (has(read, SECRETS, names) || (use !== "read" && has(write, STARTED, names)))
        throw new Refusal(`${WORDS[use]} a protected file: ${show(word)}`);
    };
    let asked: Verdict;
    try {
      for (const action of event.actions) {
        if (action.kind === "command") {
          const doubt = visitCommand(action, cwd, {
            file: check,
            code: (text) => {
              for (const one of textsInCode(text)) check("read", pathOf(one, cwd), one);
            },
          });
          if (doubt !== undefined) asked ??= ask(doubt);
        } else if (action.kind === "unread") {
          if (action.of !== "request")
            asked ??= ask(`this call could not be checked: ${action.why} (${show(action.at)})`);
        } else if (action.kind !== "request") {
          check(action.kind, pathOf(action.path, cwd), action.path);
          if (action.kind === "move") check("write", pathOf(action.to, cwd), action.to);
        }
      }
    } catch (found) {
      if (!(found instanceof Refusal)) throw found;
      return refuse(found.reason);
    }
    return asked;
  },
});

const WORDS: Readonly<Record<Use, string>> = {
  read: "reading",
  write: "writing to",
  delete: "deleting",
  move: "moving",
};
