import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test, vi } from "vitest";
import { folderWith } from "../../config/config-files.ts";
import { blocksOf } from "../../pages/blocks.ts";

const ROOT = resolve(import.meta.dirname, "../../..");

test("the program on the page about Autohand does what the page says", async () => {
  const { text: code = "" } = blocksOf("docs/autohand.md").find(({ language }) => language === "ts") ?? {};
  const folder = folderWith({ "config.json": '{ "hooks": { "hooks": [] } }' });
  const program = code
    .replace('"hookbox/autohand"', JSON.stringify(join(ROOT, "src/hosts/autohand/index.ts")))
    .replace('sessionId: "s1"', `sessionId: "s1", cacheDir: false, cwd: ${JSON.stringify(folder)}`);
  writeFileSync(join(folder, "program.ts"), program);
  const lines: string[] = [];
  const said = vi.spyOn(console, "error").mockImplementation(() => {});
  const written = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    lines.push(String(text));
    return true;
  });
  try {
    await import(join(folder, "program.ts"));
    expect(said.mock.calls).toEqual([["ran", "ran ls"]]);
  } finally {
    said.mockRestore();
    written.mockRestore();
  }
  const methods = lines.flatMap((line) => /"method":"autohand\.([^"]+)"/.exec(line)?.[1] ?? []);
  expect(methods).toEqual(
    "hook.sessionStart hook.prePrompt hook.preTool hook.permissionRequest hook.postTool hook.stop hook.postResponse hook.sessionEnd agentEnd".split(
      " ",
    ),
  );
});
