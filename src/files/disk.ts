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
 * File system calls as steps of a generator. A guest's thread runs the steps synchronously, and the engine's thread
 * runs them asynchronously. Therefore code that opens files exists once.
 */
export interface DiskCalls {
  open(path: string, flags: number, mode?: number): number;
  close(fd: number): void;
  fstat(fd: number): BigIntStats;
  /** Returns `undefined` if no file or folder has this name. */
  lstat(path: string): BigIntStats | undefined;
  /** Returns bytes if the target may be invalid UTF-8, because decoding could turn the target into another path. */
  readlink(path: string): string | Buffer;
  realpath(path: string): Buffer;
  readdir(path: string): string[];
  /** Returns the number of bytes that were read. */
  read(fd: number, into: Uint8Array, offset: number): number;
  write(fd: number, from: Uint8Array, offset: number): number;
  fchmod(fd: number, mode: number): void;
  rename(from: string, to: string): void;
  unlink(path: string): void;
}

export type WaitingDisk = {
  readonly [Name in keyof DiskCalls]: (...args: Parameters<DiskCalls[Name]>) => Promise<ReturnType<DiskCalls[Name]>>;
};

interface Question {
  readonly name: keyof DiskCalls;
  readonly args: readonly unknown[];
}

/** Steps that call the file system and return a value. */
export type Steps<Value> = Generator<Question, Value, unknown>;

export function* ask<Name extends keyof DiskCalls>(
  name: Name,
  ...args: Parameters<DiskCalls[Name]>
): Steps<ReturnType<DiskCalls[Name]>> {
  return (yield { name, args }) as ReturnType<DiskCalls[Name]>;
}

/** Closes a descriptor and ignores errors. For descriptors that were only read, so that no data is lost. */
export function* shut(fd: number): Steps<void> {
  try {
    yield* ask("close", fd);
  } catch {
    // Linux releases the descriptor even if close fails.
  }
}

/** Runs the steps synchronously. Throws errors of the steps. */
export function waitFor<Value>(steps: Steps<Value>, disk: DiskCalls = BLOCKING): Value {
  let step = steps.next();
  while (step.done !== true) {
    const { name, args } = step.value;
    let answer: unknown;
    try {
      answer = (disk[name] as (...args: readonly unknown[]) => unknown)(...args);
    } catch (error) {
      step = steps.throw(error);
      continue;
    }
    step = steps.next(answer);
  }
  return step.value;
}

/** Runs the steps without blocking the thread. Rejects with errors of the steps. */
export async function takeSteps<Value>(steps: Steps<Value>, disk: WaitingDisk = WAITING): Promise<Value> {
  let step = steps.next();
  while (step.done !== true) {
    const { name, args } = step.value;
    let answer: unknown;
    try {
      answer = await (disk[name] as (...args: readonly unknown[]) => Promise<unknown>)(...args);
    } catch (error) {
      step = steps.throw(error);
      continue;
    }
    step = steps.next(answer);
  }
  return step.value;
}

export const BLOCKING: DiskCalls = {
  open: openSync,
  close: closeSync,
  fstat: (fd) => fstatSync(fd, { bigint: true }),
  // Creating and catching an error costs ten times as much as lstat itself.
  lstat: (path) => lstatSync(path, { bigint: true, throwIfNoEntry: false }),
  readlink: (path) => {
    const text = readlinkSync(path);
    return text.includes("\ufffd") ? readlinkSync(path, { encoding: "buffer" }) : text;
  },
  // The native version returns names as they are on disk, also if the disk ignores case.
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

/** Whether an error means that the file or folder does not exist. */
export function isAbsence(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return code === "ENOENT" || code === "ENOTDIR";
}
