import { isAbsence, type Steps, takeSteps, WAITING, type WaitingDisk } from "../../files/disk.ts";
import { placeToWrite } from "../../files/granted-name.ts";
import { kernelDevices } from "../../files/kernel-folders.ts";
import type { Ways } from "../../files/open-without-links.ts";
import { type Opener, UnsafePath, usualOpener } from "../../files/opened-file.ts";
import { letGo, putInPlace, type StagedFile, stage } from "../../files/staged-file.ts";
import type { PathGrant } from "../../grants.ts";
import type { Failure } from "../../outcome.ts";
import type { StopSignal } from "../../stop-signal.ts";
import { FILE_LIMITS } from "../guest/capabilities/file-limits.ts";
import type { Effects } from "../guest/protocol.ts";

type Writes = NonNullable<Effects["files"]>;

/** Replacements for tests. */
interface TestedDisk {
  readonly opener?: Opener;
  readonly disk?: WaitingDisk;
}

interface WriteOptions extends TestedDisk {
  /** A signal after which no visible change begins. Its reason is a `Failure`. Default: the signal never fires. */
  readonly signal?: StopSignal;
}

/**
 * Writes the files of a guard's answer. Writes all or none, unless the disk fails between two renames. Paths and sizes
 * are checked against grants and limits again, because an attacker may control the guest's process. Resolves to a
 * failure or `undefined`: `capability` for files that are not granted, `memory` for too many bytes, `unavailable` for
 * disk errors.
 */
export async function commitFiles(
  grants: readonly PathGrant[],
  files: Writes,
  { opener, disk = WAITING, signal }: WriteOptions = {},
): Promise<Failure | undefined> {
  const tooMuch = excessOf(files);
  if (tooMuch !== undefined) return tooMuch;
  const staged: (StagedFile & { readonly path: string })[] = [];
  let path = "";
  const take = <Value>(steps: Steps<Value>): Promise<Value> => takeSteps(steps, disk);
  try {
    const ways: Ways = { opener: opener ?? (await take(usualOpener())), kernel: await take(kernelDevices()) };
    for (const file of files) {
      path = file.path;
      const found = placeToWrite(path, grants);
      if (!found.ok)
        throw new UnsafePath(found.message === "is not granted" ? "is not granted for writing" : found.message);
      staged.push({ path, ...(await take(stage(ways, found.place, file.bytes))) });
    }
    if (signal?.aborted === true) return signal.reason as Failure;
    for (const file of staged) {
      path = file.path;
      await take(putInPlace(ways, file));
    }
    return undefined;
  } catch (error) {
    return failureOf(path, error);
  } finally {
    for (const file of staged) await take(letGo(file));
  }
}

function excessOf(files: Writes): Failure | undefined {
  const { files: mostFiles, writtenBytes } = FILE_LIMITS;
  const total = files.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
  if (files.length > mostFiles) return exceeded(`more than ${mostFiles} files`, mostFiles, files.length);
  if (total > writtenBytes) return exceeded(`${total} bytes in all; the limit is ${writtenBytes}`, writtenBytes, total);
  return undefined;
}

function exceeded(what: string, limit: number, value: number): Failure {
  return { kind: "memory", message: `the guard writes ${what}`, limit, value };
}

function failureOf(path: string, error: unknown): Failure {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  const isUnsafe = error instanceof UnsafePath;
  const said = isUnsafe || typeof code !== "string" ? String(message) : code;
  const cause = isAbsence(error) ? "its folder does not exist" : said;
  return {
    kind: isUnsafe ? "capability" : "unavailable",
    message: `file ${JSON.stringify(path)} could not be written: ${isUnsafe ? "it " : ""}${cause}`,
  };
}
