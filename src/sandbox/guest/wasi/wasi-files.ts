import type { Descriptors } from "./descriptors.ts";
import type { GuestMemory } from "./guest-memory.ts";
import type { FileReader } from "./wasi-capability.ts";
import { ERRNO, type Errno, FILE_TYPE, OPEN_FLAG, RIGHTS } from "./wasi-codes.ts";
import { writeFileStatus } from "./wasi-streams.ts";

/** Descriptor of the only preopened folder. C, Go, Rust and Zig resolve paths against it. */
const ROOT_FD = 3;
const ROOT_NAME = new TextEncoder().encode("/");

const MAX_PATH_BYTES = 4_096;
const CHANGES = OPEN_FLAG.create | OPEN_FLAG.exclusive | OPEN_FLAG.truncate;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Opens granted files and reports their status. A file is read whole when it is opened, and never written. */
export class WasiFiles {
  readonly #memory: GuestMemory;
  readonly #open: Descriptors;
  readonly #files: () => FileReader | undefined;

  constructor(memory: GuestMemory, open: Descriptors, files: () => FileReader | undefined) {
    this.#memory = memory;
    this.#open = open;
    this.#files = files;
  }

  getPrestat(fd: number, result: number): Errno {
    if (!this.#isPreopen(fd)) return ERRNO.badf;
    if (!this.#memory.holds(result, 8)) return ERRNO.fault;
    // Tag 0 means a folder.
    this.#memory.setUint32(result, 0);
    this.#memory.setUint32((result >>> 0) + 4, ROOT_NAME.byteLength);
    return ERRNO.success;
  }

  getPrestatName(fd: number, path: number, size: number): Errno {
    if (!this.#isPreopen(fd)) return ERRNO.badf;
    if (size >>> 0 < ROOT_NAME.byteLength) return ERRNO.nametoolong;
    if (!this.#memory.holds(path, size)) return ERRNO.fault;
    this.#memory.bytes(path, ROOT_NAME.byteLength).set(ROOT_NAME);
    return ERRNO.success;
  }

  #isPreopen(fd: number): boolean {
    return fd === ROOT_FD && this.#open.get(fd)?.kind === "root";
  }

  /** Checks the descriptor that a path is relative to, and the pointer and length of the path. */
  #errnoOfPath(fd: number, path: number, size: number): Errno {
    const from = this.#open.get(fd);
    if (from === undefined) return ERRNO.badf;
    if (from.kind !== "root") return ERRNO.notdir;
    if (size >>> 0 > MAX_PATH_BYTES) return ERRNO.nametoolong;
    return this.#memory.holds(path, size) ? ERRNO.success : ERRNO.fault;
  }

  /** Decodes the path. Called after all other checks, because decoding takes longer. */
  #path(path: number, size: number): string | Errno {
    try {
      return utf8.decode(this.#memory.bytes(path, size));
    } catch {
      return ERRNO.ilseq;
    }
  }

  open(fd: number, path: number, size: number, flags: number, rights: bigint, result: number): Errno {
    const errno = this.#errnoOfPath(fd, path, size);
    if (errno !== ERRNO.success) return errno;
    if (!this.#memory.holds(result, 4)) return ERRNO.fault;
    if ((flags & CHANGES) !== 0 || (rights & RIGHTS.write) !== 0n) return ERRNO.rofs;
    if (this.#open.isFull) return ERRNO.mfile;
    const isFolder = (flags & OPEN_FLAG.directory) !== 0;
    if (isFolder && size >>> 0 > 1) return ERRNO.notsup;
    const name = this.#path(path, size);
    if (typeof name === "number") return name;
    if (name === "") return ERRNO.noent;
    if (name === ".") return this.#opened(result, this.#open.add({ kind: "root", flags: 0 }));
    if (isFolder) return ERRNO.notsup;
    const bytes = this.#files()?.read(name);
    if (bytes === undefined) return ERRNO.noent;
    return this.#opened(result, this.#open.add({ kind: "bytes", bytes, canSeek: true, at: 0, flags: 0 }));
  }

  #opened(result: number, fd: number): Errno {
    this.#memory.setUint32(result, fd);
    return ERRNO.success;
  }

  getFileStatus(fd: number, path: number, size: number, result: number): Errno {
    const errno = this.#errnoOfPath(fd, path, size);
    if (errno !== ERRNO.success) return errno;
    const name = this.#path(path, size);
    if (typeof name === "number") return name;
    if (!this.#memory.holds(result, 64)) return ERRNO.fault;
    if (name === "") return ERRNO.noent;
    if (name === ".") return writeFileStatus(this.#memory, result, FILE_TYPE.directory, 0);
    const bytes = this.#files()?.read(name);
    if (bytes === undefined) return ERRNO.noent;
    return writeFileStatus(this.#memory, result, FILE_TYPE.regular, bytes.byteLength);
  }
}
