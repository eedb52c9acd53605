import {
  type BigIntStats,
  close,
  closeSync,
  fchmod,
  fchmodSync,
  fstat,
  fstatSync,
  lstat,
  lstatSync,
  open,
  openSync,
  read,
  readdir,
  readdirSync,
  readlink,
  readlinkSync,
  readSync,
  realpath,
  realpathSync,
  rename,
  renameSync,
  unlink,
  unlinkSync,
  write,
  writeSync,
} from "node:fs";
import { promisify } from "node:util";

/**
 * What is asked of the disk, one question at a time. A guest's thread waits for each answer, and the engine's own must
 * not; so what opens files is written once, as steps, and each thread takes them in its own way.
 */
export interface DiskCalls {
  open(path: string, flags: number, mode?: number): number;
  close(fd: number): void;
  fstat(fd: number): BigIntStats;
  /** `undefined` where nothing has that name. */
  lstat(path: string): BigIntStats | undefined;
  /** As text where that is what it was; as bytes where it may be no UTF-8, which must not look like something else. */
  readlink(path: string): string | Buffer;
  realpath(path: string): Buffer;
  readdir(path: string): string[];
  /** How many bytes have come. */
  read(fd: number, into: Uint8Array, offset: number): number;
  write(fd: number, from: Uint8Array, offset: number): number;
  fchmod(fd: number, mode: number): void;
  rename(from: string, to: string): void;
  unlink(path: string): void;
}

export type WaitingDisk = {
  readonly [Name in keyof DiskCalls]: (...terms: Parameters<DiskCalls[Name]>) => Promise<ReturnType<DiskCalls[Name]>>;
};

interface Question {
  readonly name: keyof DiskCalls;
  readonly terms: readonly unknown[];
}

/** Work that asks the disk, and comes to a value. */
export type Steps<Value> = Generator<Question, Value, unknown>;

export function* ask<Name extends keyof DiskCalls>(
  name: Name,
  ...terms: Parameters<DiskCalls[Name]>
): Steps<ReturnType<DiskCalls[Name]>> {
  return (yield { name, terms }) as ReturnType<DiskCalls[Name]>;
}

/** Of what was only looked at or read, so that nothing is lost with an error; and others wait to be closed as well. */
export function* shut(fd: number): Steps<void> {
  try {
    yield* ask("close", fd);
  } catch {
    // Linux has let go of it all the same.
  }
}

/** For a thread that may wait. Throws what the steps throw. */
export function waitFor<Value>(steps: Steps<Value>, disk: DiskCalls = BLOCKING): Value {
  let turn = steps.next();
  while (turn.done !== true) {
    const { name, terms } = turn.value;
    let answer: unknown;
    try {
      answer = (disk[name] as (...terms: readonly unknown[]) => unknown)(...terms);
    } catch (error) {
      turn = steps.throw(error);
      continue;
    }
    turn = steps.next(answer);
  }
  return turn.value;
}

/** For a thread that others wait for. Rejects with what the steps throw. */
export async function takeSteps<Value>(steps: Steps<Value>, disk: WaitingDisk = WAITING): Promise<Value> {
  let turn = steps.next();
  while (turn.done !== true) {
    const { name, terms } = turn.value;
    let answer: unknown;
    try {
      answer = await (disk[name] as (...terms: readonly unknown[]) => Promise<unknown>)(...terms);
    } catch (error) {
      turn = steps.throw(error);
      continue;
    }
    turn = steps.next(answer);
  }
  return turn.value;
}

export const BLOCKING: DiskCalls = {
  open: openSync,
  close: closeSync,
  fstat: (fd) => fstatSync(fd, { bigint: true }),
  // An error that is made and caught costs ten times the look itself.
  lstat: (path) => lstatSync(path, { bigint: true, throwIfNoEntry: false }),
  readlink: (path) => {
    const text = readlinkSync(path);
    return text.includes("\ufffd") ? readlinkSync(path, { encoding: "buffer" }) : text;
  },
  // The system's own: it knows how names are spelled on a disk that takes several spellings for one.
  realpath: (path) => realpathSync.native(path, { encoding: "buffer" }),
  readdir: (path) => readdirSync(path),
  read: (fd, into, offset) => readSync(fd, into, offset, into.byteLength - offset, null),
  write: (fd, from, offset) => writeSync(fd, from, offset, from.byteLength - offset, null),
  fchmod: fchmodSync,
  rename: renameSync,
  unlink: unlinkSync,
};

const later = {
  open: promisify(open),
  fstat: promisify(fstat),
  lstat: promisify(lstat),
  readlink: promisify(readlink),
  read: promisify(read),
  write: promisify(write),
};

export const WAITING: WaitingDisk = {
  open: later.open,
  close: promisify(close),
  fstat: (fd) => later.fstat(fd, { bigint: true }),
  lstat: async (path) => {
    try {
      return await later.lstat(path, { bigint: true });
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw error;
    }
  },
  readlink: (path) => later.readlink(path, { encoding: "buffer" }),
  realpath: (path) =>
    new Promise((resolve, reject) => {
      realpath.native(path, { encoding: "buffer" }, (error, found) =>
        error === null ? resolve(found) : reject(error),
      );
    }),
  readdir: (path) => promisify(readdir)(path),
  read: async (fd, into, offset) => (await later.read(fd, into, offset, into.byteLength - offset, null)).bytesRead,
  write: async (fd, from, offset) => (await later.write(fd, from, offset, from.byteLength - offset, null)).bytesWritten,
  fchmod: promisify(fchmod),
  rename: promisify(rename),
  unlink: promisify(unlink),
};

/** Whether the system says that there is no such thing. */
export function isAbsence(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return code === "ENOENT" || code === "ENOTDIR";
}
