import { describe, expect, test } from "vitest";
import { editText, fileValue, textAt } from "../../../src/config/edit-keeping-comments.ts";
import { claudeCodeEditing } from "../../../src/dialects/claude-code/editing.ts";
import type { HookEntry, Path, Placement } from "../../../src/dialects/editing.ts";
import { valueAt } from "../../../src/dialects/hook-sections.ts";
import type { JsonValue } from "../../../src/json.ts";
import fc from "../../helpers/fc.ts";
import { jsonText, type WrittenFile, yamlText } from "./written-files.ts";

const COMMENTS = /(?:above|beside|after|before)[^\r\n]*/g;

async function hooksOf({ file, text }: WrittenFile): Promise<readonly HookEntry[]> {
  return claudeCodeEditing.entries(await fileValue(text.replace("\ufeff", ""), file));
}

async function placeOf({ file, text }: WrittenFile, event: string, matcher: string | undefined): Promise<Placement> {
  const value = await fileValue(text.replace("\ufeff", ""), file);
  return claudeCodeEditing.place(value, event, { type: "command", run: "./new.sh, ]", matcher }) as Placement;
}

const rawOf = ({ file, text }: WrittenFile, path: Path) => textAt(text, file, path);

describe.each([
  { notation: "JSON", files: jsonText, numRuns: 60 },
  { notation: "YAML", files: yamlText, numRuns: 15 },
])("in $notation", ({ files, numRuns }) => {
  test("adding a hook and removing it again restores the file, byte for byte", async () => {
    await fc.assert(
      fc.asyncProperty(
        files,
        fc.constantFrom("PreToolUse", "SessionEnd"),
        fc.option(fc.constantFrom("Bash", "Read"), { nil: undefined }),
        async (written, event, matcher) => {
          const { path, value } = await placeOf(written, event, matcher);
          const added = await editText(written.text, written.file, { op: "insert", path, value });
          expect(added).not.toBe(written.text);
          // Keys that adding created are removed as well.
          const made = valueAt(await fileValue(written.text.replace("\ufeff", ""), written.file), ["hooks", event]);
          const removed = made === undefined ? ["hooks", event] : path;
          expect(await editText(added, written.file, { op: "remove", path: removed })).toBe(written.text);
        },
      ),
      { numRuns },
    );
  });

  test("adding a hook does not change any other hook or comment", async () => {
    await fc.assert(
      fc.asyncProperty(files, fc.constantFrom("PreToolUse", "Stop"), async (written, event) => {
        const { path, value } = await placeOf(written, event, undefined);
        const text = await editText(written.text, written.file, { op: "insert", path, value });
        const before = await Promise.all((await hooksOf(written)).map((hook) => rawOf(written, hook.path)));
        const now = { ...written, text };
        const after = await Promise.all((await hooksOf(now)).map((hook) => rawOf(now, hook.path)));
        expect(after).toEqual(expect.arrayContaining(before));
        expect(after).toHaveLength(before.length + 1);
        expect(text.match(COMMENTS)).toEqual(written.text.match(COMMENTS));
      }),
      { numRuns },
    );
  });

  test("removing a hook does not change the others, and adds nothing", async () => {
    await fc.assert(
      fc.asyncProperty(files, fc.nat(), async (written, turn) => {
        const hooks = await hooksOf(written);
        const { path } = hooks[turn % hooks.length] as HookEntry;
        const text = await editText(written.text, written.file, { op: "remove", path });
        const now = { ...written, text };
        const others = hooks.filter((hook) => hook.path !== path);
        expect(await Promise.all((await hooksOf(now)).map((hook) => rawOf(now, hook.path)))).toEqual(
          await Promise.all(others.map((hook) => rawOf(written, hook.path))),
        );
        expect(isSubsequence(text.replace(/ (?:\[\]|\{\})/g, ""), written.text)).toBe(true);
      }),
      { numRuns },
    );
  });

  test("a hook that was removed and is restored is written as before", async () => {
    await fc.assert(
      fc.asyncProperty(files, fc.nat(), async (written, turn) => {
        const hooks = await hooksOf(written);
        const { path } = hooks[turn % hooks.length] as HookEntry;
        const value = valueAt(await fileValue(written.text.replace("\ufeff", ""), written.file), path) as JsonValue;
        const raw = (await rawOf(written, path)) as string;
        const gone = await editText(written.text, written.file, { op: "remove", path });
        const text = await editText(gone, written.file, { op: "insert", path, value, raw });
        expect(await rawOf({ ...written, text }, path)).toBe(raw);
        expect(await fileValue(text.replace("\ufeff", ""), written.file)).toEqual(
          await fileValue(written.text.replace("\ufeff", ""), written.file),
        );
      }),
      { numRuns },
    );
  });
});

function isSubsequence(short: string, long: string): boolean {
  let at = 0;
  for (const letter of short) {
    at = long.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
