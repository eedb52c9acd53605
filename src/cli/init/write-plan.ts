import { existsSync, rmSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { request } from "node:http";
import { dirname } from "node:path";
import { makeFolder } from "../../files/make-folder.ts";
import { saveHooksFile } from "../hooks/hooks-file.ts";
import { expectUnchanged, removeFile, replaceFile } from "../hooks/write-file.ts";
import { defaultSocket } from "../serve/socket-file.ts";
import { dataFolder, writeCopy } from "./installation.ts";
import type { Plan } from "./plan.ts";
import { copyOf, writeCopies } from "./plugins.ts";
import { type InitRecord, readRecords, writeRecords } from "./record.ts";

/**
 * Writes a plan: first what the entry names, then the record, and the agent's settings last, so that the agent never
 * has an entry that cannot work. If the settings cannot be written, removes the new files again.
 */
export async function writeAdding({ agent, file, after, record, adds }: Plan): Promise<void> {
  if (adds === undefined || after === undefined) return;
  await expectUnchanged(file.path, file.before);
  writeCopy(adds.installed);
  const records = await readRecords();
  const written: string[] = [];
  const plugins = adds.absorbed?.plugins ?? [];
  try {
    writeCopies(plugins);
    for (const [path, text] of Object.entries(adds.creates)) {
      await makeFolder(dirname(path), 0o700);
      const before = await readFile(path, "utf8").catch(() => undefined);
      if (before === text) continue;
      await replaceFile(path, before, text);
      if (before === undefined) written.push(path);
    }
    const next: InitRecord = {
      agent,
      before: adds.base ?? null,
      after,
      ...(adds.installed.copyFrom === undefined ? {} : { copy: adds.installed.folder }),
      created: { ...record?.created, ...adds.creates },
      ...(adds.absorbed === undefined ? {} : { absorbed: adds.absorbed.moved }),
      ...(plugins.length === 0 ? {} : { plugins: plugins.map(({ name }) => name) }),
    };
    await writeRecords({ ...records, [file.path]: next });
    if (after !== file.before) {
      await makeFolder(dirname(file.path));
      await saveHooksFile(file, after, file.aside);
    }
  } catch (error) {
    for (const path of written) await rm(path, { force: true });
    await writeRecords(records).catch(() => undefined);
    throw error;
  }
  await removeUnusedCopy(record?.copy);
}

/** Removes the entries, then hookbox's own unchanged files that no other entry needs. */
export async function writeRemoving({ file, after, record }: Plan): Promise<readonly string[]> {
  const kept: string[] = [];
  if (after === undefined) await removeFile(file.path, file.before);
  else if (after !== file.before) await replaceFile(file.path, file.before, after);
  const { [file.path]: _, ...others } = await readRecords();
  await writeRecords(others);
  for (const [path, text] of Object.entries(record?.created ?? {})) {
    if (Object.values(others).some(({ created }) => Object.hasOwn(created, path))) continue;
    const now = await readFile(path, "utf8").catch(() => undefined);
    if (now === text) await rm(path);
    else if (now !== undefined) kept.push(path);
  }
  for (const name of record?.plugins ?? []) await rm(copyOf({ name }), { recursive: true, force: true });
  await removeUnusedCopy(record?.copy);
  return kept;
}

/** Removes the copy of hookbox that an entry named, if no entry names it any more. A server that runs from it stops. */
async function removeUnusedCopy(copy: string | undefined): Promise<void> {
  if (copy === undefined || dirname(copy) !== dataFolder() || !existsSync(copy)) return;
  if (Object.values(await readRecords()).some((one) => one.copy === copy)) return;
  await stopServer();
  rmSync(copy, { recursive: true, force: true });
}

function stopServer(): Promise<void> {
  return new Promise((resolve) => {
    const asked = request(
      { socketPath: defaultSocket(), method: "POST", path: "/v1/stop", timeout: 5_000 },
      (answer) => {
        answer.resume().on("close", resolve);
      },
    );
    asked.on("timeout", () => asked.destroy());
    // No server runs.
    asked.on("error", () => resolve());
    asked.end();
  });
}
