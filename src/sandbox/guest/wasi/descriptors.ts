/** Open descriptors of a guest: its streams, and files that its rule grants. */

/** A descriptor whose bytes are all read when it is opened. */
export interface BytesDescriptor {
  readonly kind: "bytes";
  readonly bytes: Uint8Array;
  /** Whether the descriptor is a file and not a stream. */
  readonly canSeek: boolean;
  at: number;
  flags: number;
}

export type Descriptor =
  | BytesDescriptor
  /** `isForPeople` reports the stream as a terminal, so that C libraries write each line when it ends. */
  | {
      readonly kind: "sink";
      readonly write: (bytes: Uint8Array) => void;
      readonly isForPeople: boolean;
      flags: number;
    }
  /** The folder that contains all granted files. */
  | { readonly kind: "root"; flags: number };

/** Maximum number of open descriptors of one call, including its streams. */
const MAX_DESCRIPTORS = 16;

export class Descriptors {
  readonly #open = new Map<number, Descriptor>();

  begin(first: readonly Descriptor[]): void {
    this.#open.clear();
    for (const [fd, descriptor] of first.entries()) this.#open.set(fd, descriptor);
  }

  get(fd: number): Descriptor | undefined {
    return this.#open.get(fd);
  }

  get isFull(): boolean {
    return this.#open.size >= MAX_DESCRIPTORS;
  }

  /** Returns the lowest free number, as in POSIX. The caller must have checked `isFull`. */
  add(descriptor: Descriptor): number {
    let fd = 0;
    while (this.#open.has(fd)) fd += 1;
    this.#open.set(fd, descriptor);
    return fd;
  }

  close(fd: number): boolean {
    return this.#open.delete(fd);
  }
}
