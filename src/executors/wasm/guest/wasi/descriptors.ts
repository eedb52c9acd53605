/** What a guest has open: its streams from the start, and files that its rule grants. */

/** Bytes that are all there when it is opened. */
export interface BytesDescriptor {
  readonly kind: "bytes";
  readonly bytes: Uint8Array;
  /** Whether it is a file, and no stream. */
  readonly canSeek: boolean;
  at: number;
  flags: number;
}

export type Descriptor =
  | BytesDescriptor
  /** `isForPeople`: a terminal, to which C libraries write a line as soon as it ends. */
  | {
      readonly kind: "sink";
      readonly write: (bytes: Uint8Array) => void;
      readonly isForPeople: boolean;
      flags: number;
    }
  /** The folder that all granted files are in. */
  | { readonly kind: "root"; flags: number };

/** All that one call has open at a time, its streams included. */
export const MAX_DESCRIPTORS = 16;

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

  /** The least number that is free, as everywhere. Whoever calls has seen that there is one. */
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
