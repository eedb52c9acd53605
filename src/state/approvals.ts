import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { open, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { seal, sha256, unseal } from "../cache/cache-folder.ts";
import { makeFolder } from "../files/make-folder.ts";
import { approvalFolder, approvalPlace, approvalPlaces } from "./approval-place.ts";
import { isPrivateFolder } from "./private-folder.ts";
import { asStateError, stateError } from "./state-errors.ts";

/** The content of one file of a repository that the user has approved, with what its rules load and run. */
export interface Approval {
  /** The path of the file, without links at the time of its approval. */
  readonly path: string;
  /** The agent that the command line selected. */
  readonly agent: string | null;
  readonly dialect: string;
  readonly text: string;
  /** The text of the lock file next to the file; `null` if there was none, `false` if it could not be read. */
  readonly lock: string | null | false;
  /** The digest of each module, by the name in its rule. */
  readonly modules: Readonly<Record<string, string>>;
  /** The digests that the files of each script word had. Empty: the word named no file of the project. */
  readonly scripts: Readonly<Record<string, readonly string[]>>;
  /** The digests of the files that the script of a word loads, by their paths in the project. `null`: no such file. */
  readonly loads?: Readonly<Record<string, Readonly<Record<string, string | null>>>>;
  /** The digest of the review in which the user approved the file. */
  readonly digest: string;
}

const MAX_BYTES = 64 * 1_048_576;

/** The approvals of the user, in a folder that only the user may enter. */
export class Approvals {
  readonly #folder: string;

  constructor(folder: string = approvalFolder()) {
    this.#folder = folder;
  }

  /** Returns the approval of a file. Throws if other users can change the folder, or if the approval is damaged. */
  async get(file: string, agent: string | null): Promise<Approval | undefined> {
    if (!isPrivateFolder(this.#folder)) return undefined;
    const { place, path } = approvalPlace(file, agent, this.#folder);
    const sealed = await readOwn(place);
    if (sealed === undefined) return undefined;
    const content = unseal(sealed, basename(place));
    const approval = content === undefined ? undefined : (JSON.parse(content.toString()) as Approval);
    if (approval === undefined || approval.path !== path || approval.agent !== agent)
      throw stateError(place, "is damaged", `remove it, and approve ${file} with hookbox trust`);
    return approval;
  }

  /** Returns the paths of all files whose approved content is in force. Damaged approvals are left out. */
  async list(): Promise<readonly string[]> {
    if (!isPrivateFolder(this.#folder)) return [];
    const names = (await readdir(this.#folder)).filter((name) => name.endsWith(".json"));
    const read = names.map(async (name) => {
      const sealed = await readOwn(join(this.#folder, name)).catch(() => undefined);
      const content = sealed === undefined ? undefined : unseal(sealed, name);
      return content === undefined ? [] : [(JSON.parse(content.toString()) as Approval).path];
    });
    return (await Promise.all(read)).flat().sort();
  }

  /** Stores an approval and the bytes of its modules. */
  async put(file: string, approval: Omit<Approval, "path">, modules: Iterable<Uint8Array>): Promise<void> {
    const { place, path } = approvalPlace(file, approval.agent, this.#folder);
    try {
      await makeFolder(this.#folder, 0o700);
      isPrivateFolder(this.#folder);
      for (const bytes of modules) await write(this.moduleFile(sha256(bytes)), bytes);
      const text = JSON.stringify({ path, ...approval } satisfies Approval);
      await write(place, seal(Buffer.from(text), basename(place)));
    } catch (error) {
      throw asStateError(error, place);
    }
  }

  async remove(file: string, agent: string | null): Promise<void> {
    for (const { place } of approvalPlaces(file, agent, this.#folder)) await rm(place, { force: true });
  }

  /** Returns the path of the stored copy of a module. */
  moduleFile(digest: string): string {
    return join(this.#folder, `${digest}.wasm`);
  }
}

async function readOwn(place: string): Promise<Buffer | undefined> {
  try {
    const file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (!stats.isFile() || stats.size > MAX_BYTES) throw stateError(place, "is not a file of hookbox", "remove it");
      return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw asStateError(error, place);
  }
}

async function write(place: string, content: Uint8Array): Promise<void> {
  const draft = `${place}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(draft, content, { flag: "wx", mode: 0o600 });
    await rename(draft, place);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
