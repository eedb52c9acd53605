import path from "node:path";
import { expect, test } from "vitest";
import { SpillFolders } from "../../../src/executors/builtin/spill-folders.ts";
import { folder } from "./builtin-kit.ts";

test("an engine that closes does not remove the folder while another one is about to write to it", async () => {
  const root = path.join(folder(), "spills");
  const write = async (session: string): Promise<string | undefined> => {
    const folders = new SpillFolders(root);
    const file = await (await folders.of(session))?.write("long");
    await folders.close();
    return file;
  };
  const written: (string | undefined)[] = [];
  const engines = Array.from({ length: 8 }, async (_, session) => {
    for (let time = 0; time < 50; time += 1) written.push(await write(String(session % 3)));
  });
  await Promise.all(engines);
  expect(written.filter((file) => file === undefined)).toEqual([]);
});
