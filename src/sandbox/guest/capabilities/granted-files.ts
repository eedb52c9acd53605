import { BLOCKING, type DiskCalls, isAbsence, type Steps, shut, waitFor } from "../../../files/disk.ts";
import { type GrantedPlace, placeOfName } from "../../../files/granted-name.ts";
import { kernelDevices } from "../../../files/kernel-folders.ts";
import { openGranted, readWhole, TooLarge, type Ways } from "../../../files/open-without-links.ts";
import { type Opener, UnsafePath, usualOpener } from "../../../files/opened-file.ts";
import { plainPath } from "../../../files/plain-path.ts";
import type { PathGrant } from "../../../grants.ts";
import type { Failure, FailureKind } from "../../../outcome.ts";
import type { Effects, GivenWorld } from "../protocol.ts";
import type { CallFiles, FilesOptions } from "./capability.ts";
import { FILE_LIMITS } from "./file-limits.ts";

/** Access to the files that a rule grants, for one call at a time. Runs in the guest's thread and blocks it. */
export class GrantedFiles implements CallFiles {
  readonly #opener: Opener | undefined;
  readonly #disk: DiskCalls;
  /** Open descriptors. They are closed when the next call begins, because a stack overflow can prevent `close`. */
  readonly #open = new Set<number>();
  #ways: Ways | undefined;
  #grants: readonly PathGrant[] = [];
  #given: GivenWorld | undefined;
  #refuse: FilesOptions["refuse"] = (failure) => {
    throw new Error(failure.message);
  };
  /** Resolved locations of granted paths in this call. */
  readonly #locations = new Map<PathGrant, string>();
  readonly #writes = new Map<string, Uint8Array>();
  #reads = 0;
  #written = 0;

  /** `opener` and `disk` are for tests. */
  constructor({ opener, disk = BLOCKING }: { readonly opener?: Opener; readonly disk?: DiskCalls } = {}) {
    this.#opener = opener;
    this.#disk = {
      ...disk,
      open: (...checks) => {
        const fd = disk.open(...checks);
        this.#open.add(fd);
        return fd;
      },
      close: (fd) => {
        try {
          disk.close(fd);
        } catch (error) {
          // After a stack overflow the descriptor is still open. After any other error it is closed.
          if (!(error instanceof RangeError)) this.#open.delete(fd);
          throw error;
        }
        this.#open.delete(fd);
      },
    };
  }

  /** Resets the state for the next call. */
  begin({ grants, given, refuse }: FilesOptions): void {
    this.#closeAll();
    this.#locations.clear();
    this.#writes.clear();
    this.#reads = 0;
    this.#written = 0;
    this.#grants = grants;
    this.#given = given;
    this.#refuse = refuse;
  }

  #closeAll(): void {
    for (const fd of this.#open) {
      try {
        this.#disk.close(fd);
      } catch {
        // The descriptor is closed even if `close` reports an error.
      }
    }
  }

  /** Files to write, by their path on this machine. In a fixture's world, by the guard's name for the file. */
  get writes(): Effects["files"] {
    if (this.#writes.size === 0) return undefined;
    return [...this.#writes].map(([path, bytes]) => ({ path, bytes }));
  }

  /** Returns a whole file by the guard's name for it, or `undefined` if it does not exist. Refuses any other error. */
  read(name: string | Uint8Array): Uint8Array | undefined {
    const text = this.#textOf(name);
    this.#reads = this.#counted(this.#reads, "reads", text);
    const place = this.#placeOf(text);
    const written = this.#writes.get(place?.path ?? text);
    if (written !== undefined) return written;
    return this.#given === undefined ? this.#readPlace(text, place) : givenFile(this.#given, text);
  }

  /** Keeps `bytes`, without a copy, until the guard has answered. Then the engine writes the file. */
  write(name: string | Uint8Array, bytes: Uint8Array): void {
    const text = this.#textOf(name);
    this.#written = this.#counted(this.#written, "writes", text);
    const place = this.#placeOf(text);
    if (place !== undefined && place.grant.access !== "write") this.#deny(text, "is granted for reading only");
    const path = place?.path ?? text;
    const { files, writtenBytes } = FILE_LIMITS;
    const others = [...this.#writes].filter(([other]) => other !== path);
    if (others.length >= files) this.#exceed("memory", `writes more than ${files} files`, files, others.length + 1);
    const total = others.reduce((sum, [, { byteLength }]) => sum + byteLength, bytes.byteLength);
    if (total > writtenBytes)
      this.#exceed("memory", `writes ${total} bytes in all; the limit is ${writtenBytes}`, writtenBytes, total);
    this.#writes.set(path, bytes);
  }

  #textOf(name: string | Uint8Array): string {
    if (typeof name === "string") return name;
    try {
      return decoder.decode(name);
    } catch {
      return this.#refuse({ kind: "capability", message: "guest ABI: the name of a file is not UTF-8" });
    }
  }

  /** Returns the place; `undefined` in a fixture's world, because fixtures must not depend on the rule's grants. */
  #placeOf(text: string): GrantedPlace | undefined {
    const found = this.#given === undefined ? placeOfName(text, this.#grants) : plainPath(text);
    if (found.ok) return "place" in found ? found.place : undefined;
    const { limit, value } = found;
    return this.#deny(text, found.message, limit === undefined ? {} : { limit, value: value ?? 0 });
  }

  #counted(before: number, what: "reads" | "writes", text: string): number {
    const limit = FILE_LIMITS[what];
    if (before === limit)
      this.#exceed("capability", `${what} a file more than ${limit} times: ${quoted(text)}`, limit, before + 1);
    return before + 1;
  }

  #readPlace(text: string, place: GrantedPlace | undefined): Uint8Array | undefined {
    if (place === undefined) return undefined;
    try {
      return waitFor(this.#reading(place), this.#disk);
    } catch (error) {
      if (isAbsence(error)) return undefined;
      if (error instanceof UnsafePath) return this.#deny(text, error.message);
      const { fileBytes } = FILE_LIMITS;
      if (error instanceof TooLarge)
        return this.#exceed(
          "memory",
          `${quoted(text)} ${error.message}; the limit is ${fileBytes}`,
          fileBytes,
          error.bytes,
        );
      const { code } = error as { readonly code?: unknown };
      // The call is refused, because a guard must not take an unreadable policy file for a missing one.
      if (typeof code === "string" && /^E[A-Z]+$/.test(code)) return this.#deny(text, `cannot be read: ${code}`);
      throw error;
    }
  }

  *#reading({ grant, parts }: GrantedPlace): Steps<Uint8Array> {
    this.#ways ??= { opener: this.#opener ?? (yield* usualOpener()), kernel: yield* kernelDevices() };
    const ways = this.#ways;
    const checks = { location: this.#locations.get(grant), within: grant.within };
    const { opened, root } = yield* openGranted(ways, grant.path, parts, checks);
    try {
      this.#locations.set(grant, root);
      return yield* readWhole(ways, opened, FILE_LIMITS.fileBytes);
    } finally {
      yield* shut(opened.fd);
    }
  }

  #deny(text: string, message: string, numbers: Pick<Failure, "limit" | "value"> = {}): never {
    const names = this.#grants.map(({ name }) => JSON.stringify(name)).join(", ");
    const granted = names === "" ? "no path" : names;
    return this.#refuse({
      kind: "capability",
      message: `file ${quoted(text)} ${message}; the rule grants ${granted}`,
      ...numbers,
    });
  }

  #exceed(kind: FailureKind, message: string, limit: number, value: number): never {
    return this.#refuse({ kind, message: `the guard ${message}`, limit, value });
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const MAX_QUOTED = 200;

function quoted(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text);
}

function givenFile({ files = {} }: GivenWorld, name: string): Uint8Array | undefined {
  const text = Object.hasOwn(files, name) ? files[name] : undefined;
  return text === undefined ? undefined : new TextEncoder().encode(text);
}
