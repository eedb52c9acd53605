import { buffersOf } from "./buffer-lists.ts";
import type { BytesDescriptor, Descriptor, Descriptors } from "./descriptors.ts";
import type { GuestMemory } from "./guest-memory.ts";
import { ERRNO, type Errno, FILE_TYPE, RIGHTS, WHENCE } from "./wasi-codes.ts";

/** Reads, writes and reports the status of open descriptors. */
export class WasiStreams {
  readonly #memory: GuestMemory;
  readonly #open: Descriptors;

  constructor(memory: GuestMemory, open: Descriptors) {
    this.#memory = memory;
    this.#open = open;
  }

  read(fd: number, list: number, count: number, result: number): Errno {
    const found = this.#readable(fd);
    if (typeof found === "number") return found;
    const read = this.#readAt(found.bytes, found.at, list, count, result);
    if (typeof read === "bigint") found.at += Number(read);
    return typeof read === "bigint" ? ERRNO.success : read;
  }

  readFrom(fd: number, list: number, count: number, offset: bigint, result: number): Errno {
    const found = this.#readable(fd);
    if (typeof found === "number") return found;
    if (!found.canSeek) return ERRNO.spipe;
    const at = BigInt.asUintN(64, offset);
    const { byteLength } = found.bytes;
    const read = this.#readAt(found.bytes, at > BigInt(byteLength) ? byteLength : Number(at), list, count, result);
    return typeof read === "bigint" ? ERRNO.success : read;
  }

  /** Returns the number of bytes as a bigint, or an error as a number. */
  #readAt(bytes: Uint8Array, from: number, list: number, count: number, result: number): bigint | Errno {
    const buffers = buffersOf(this.#memory, list, count);
    if (typeof buffers === "number") return buffers;
    if (!this.#memory.holds(result, 4)) return ERRNO.fault;
    let at = from;
    for (const buffer of buffers) {
      const piece = bytes.subarray(at, at + buffer.byteLength);
      buffer.set(piece);
      at += piece.byteLength;
    }
    this.#memory.setUint32(result, at - from);
    return BigInt(at - from);
  }

  #readable(fd: number): BytesDescriptor | Errno {
    const found = this.#open.get(fd);
    if (found?.kind === "root") return ERRNO.isdir;
    return found?.kind === "bytes" ? found : ERRNO.badf;
  }

  write(fd: number, list: number, count: number, result: number): Errno {
    const found = this.#open.get(fd);
    if (found?.kind !== "sink") return isFile(found) ? ERRNO.rofs : ERRNO.badf;
    const buffers = buffersOf(this.#memory, list, count);
    if (typeof buffers === "number") return buffers;
    if (!this.#memory.holds(result, 4)) return ERRNO.fault;
    let written = 0;
    for (const buffer of buffers) {
      found.write(buffer);
      written += buffer.byteLength;
    }
    this.#memory.setUint32(result, written);
    return ERRNO.success;
  }

  seek(fd: number, offset: bigint, whence: number, result: number): Errno {
    const found = this.#open.get(fd);
    if (found === undefined) return ERRNO.badf;
    if (found.kind === "root") return ERRNO.isdir;
    if (found.kind !== "bytes" || !found.canSeek) return ERRNO.spipe;
    if (!this.#memory.holds(result, 8)) return ERRNO.fault;
    const base = originOf(found, whence);
    const at = base === undefined ? -1n : BigInt(base) + offset;
    if (at < 0n || at > BigInt(Number.MAX_SAFE_INTEGER)) return ERRNO.inval;
    found.at = Number(at);
    this.#memory.setUint64(result, at);
    return ERRNO.success;
  }

  tell(fd: number, result: number): Errno {
    return this.seek(fd, 0n, WHENCE.current, result);
  }

  close(fd: number): Errno {
    return this.#open.close(fd) ? ERRNO.success : ERRNO.badf;
  }

  /** Returns success for any open descriptor. Used by functions that have no effect here. */
  known(fd: number): Errno {
    return this.#open.get(fd) === undefined ? ERRNO.badf : ERRNO.success;
  }

  getStatus(fd: number, result: number): Errno {
    const found = this.#open.get(fd);
    if (found === undefined) return ERRNO.badf;
    if (!this.#memory.holds(result, 24)) return ERRNO.fault;
    const { own, inherited } = rightsOf(found);
    this.#memory.bytes(result, 24).fill(0);
    this.#memory.view.setUint8(result >>> 0, fileTypeOf(found));
    this.#memory.view.setUint16((result >>> 0) + 2, found.flags, true);
    this.#memory.setUint64((result >>> 0) + 8, own);
    this.#memory.setUint64((result >>> 0) + 16, inherited);
    return ERRNO.success;
  }

  /** Stores the flags. The flags have no effect, because no function here waits. */
  setFlags(fd: number, flags: number): Errno {
    const found = this.#open.get(fd);
    if (found === undefined) return ERRNO.badf;
    found.flags = flags & 0x1f;
    return ERRNO.success;
  }

  getFileStatus(fd: number, result: number): Errno {
    const found = this.#open.get(fd);
    if (found === undefined) return ERRNO.badf;
    const size = found.kind === "bytes" && found.canSeek ? found.bytes.byteLength : 0;
    return writeFileStatus(this.#memory, result, fileTypeOf(found), size);
  }
}

/** Writes a file's status. Device, inode and times are 0, because real values would differ between machines. */
export function writeFileStatus(memory: GuestMemory, result: number, type: number, size: number): Errno {
  if (!memory.holds(result, 64)) return ERRNO.fault;
  memory.bytes(result, 64).fill(0);
  memory.view.setUint8((result >>> 0) + 16, type);
  memory.setUint64((result >>> 0) + 24, 1n);
  memory.setUint64((result >>> 0) + 32, BigInt(size));
  return ERRNO.success;
}

function originOf({ bytes, at }: BytesDescriptor, whence: number): number | undefined {
  switch (whence) {
    case WHENCE.set:
      return 0;
    case WHENCE.current:
      return at;
    case WHENCE.end:
      return bytes.byteLength;
    default:
      return undefined;
  }
}

function isFile(found: Descriptor | undefined): boolean {
  return found?.kind === "bytes" && found.canSeek;
}

function fileTypeOf(found: Descriptor): number {
  if (found.kind === "root") return FILE_TYPE.directory;
  if (found.kind === "sink" && found.isForPeople) return FILE_TYPE.characterDevice;
  return isFile(found) ? FILE_TYPE.regular : FILE_TYPE.unknown;
}

const FILE_RIGHTS =
  RIGHTS.read | RIGHTS.seek | RIGHTS.tell | RIGHTS.advise | RIGHTS.setFlags | RIGHTS.stat | RIGHTS.poll;
const NO_RIGHTS = 0n;

function rightsOf(found: Descriptor): { readonly own: bigint; readonly inherited: bigint } {
  switch (found.kind) {
    case "root":
      // The rights include writing, although files cannot be written. C libraries request at most the inherited rights,
      // so `open` would otherwise succeed and only the write would fail.
      return {
        own: RIGHTS.openPath | RIGHTS.statPath | RIGHTS.stat,
        inherited: FILE_RIGHTS | RIGHTS.write,
      };
    case "sink":
      return { own: RIGHTS.write | RIGHTS.setFlags | RIGHTS.stat | RIGHTS.poll, inherited: NO_RIGHTS };
    case "bytes":
      return {
        own: found.canSeek ? FILE_RIGHTS : RIGHTS.read | RIGHTS.setFlags | RIGHTS.stat | RIGHTS.poll,
        inherited: NO_RIGHTS,
      };
  }
}
