import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../files/make-folder.ts";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../json.ts";
import { defaultStateFolder } from "../../state/default-state-folder.ts";
import { isPrivateFolder } from "../../state/private-folder.ts";
import { replaceFile } from "../hooks/write-file.ts";

/** What `hookbox init` has written, so that `--remove` can give back the same bytes. One record for each settings file. */
export interface InitRecord {
  readonly agent: string;
  /** The text of the settings before `init`; `null` if there was no file. */
  readonly before: string | null;
  readonly after: string;
  /** The folder of the copy of hookbox, if the entry needs one. */
  readonly copy?: string;
  /** Files of hookbox's own that `init` has created, with their text. */
  readonly created: Readonly<Record<string, string>>;
  /** The hooks that moved out of the settings, in their order. */
  readonly absorbed?: readonly { readonly event: string; readonly group: JsonObject }[];
  /** The plugins that are switched off. */
  readonly plugins?: readonly string[];
}

type Records = Readonly<Record<string, InitRecord>>;

export async function readRecords(): Promise<Records> {
  const content = parseJsonObject((await textNow()) ?? "{}");
  return (isJsonObject(content?.["settings"]) ? content["settings"] : {}) as unknown as Records;
}

export async function writeRecords(records: Records): Promise<void> {
  const folder = defaultStateFolder();
  await makeFolder(folder, 0o700);
  isPrivateFolder(folder);
  if (Object.keys(records).length === 0) return rm(recordFile(), { force: true });
  await replaceFile(recordFile(), await textNow(), `${JSON.stringify({ version: 1, settings: records }, null, 2)}\n`);
}

function textNow(): Promise<string | undefined> {
  return readFile(recordFile(), "utf8").catch(() => undefined);
}

function recordFile(): string {
  return join(defaultStateFolder(), "init.json");
}
