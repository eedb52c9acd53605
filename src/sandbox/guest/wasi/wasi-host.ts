import type { CallContext, HostCall, ServedGuest } from "../capabilities/capability.ts";
import { COMMAND } from "../guest-abi.ts";
import type { GuestBlocks } from "../guest-blocks.ts";
import type { GuestLog } from "../guest-log.ts";
import { Descriptors } from "./descriptors.ts";
import { GuestExit } from "./guest-exit.ts";
import { GuestMemory } from "./guest-memory.ts";
import { AnswerStream, LineStream } from "./streams.ts";
import type { WASI_FUNCTIONS, WasiFunctionName } from "./wasi-abi.ts";
import type { WasiCapability, WasiWorld } from "./wasi-capability.ts";
import { RESOLUTION_NANOSECONDS, WasiClock } from "./wasi-clock.ts";
import { ERRNO, type Errno } from "./wasi-codes.ts";
import { WasiFiles } from "./wasi-files.ts";
import { WasiPoll } from "./wasi-poll.ts";
import { WasiRandom } from "./wasi-random.ts";
import { WasiStreams } from "./wasi-streams.ts";

/**
 * The part of WASI that guards need. Stdin is the event, and output goes to the log. Files are those that the rule
 * grants. Clock and random numbers are fixed unless the rule grants the real ones. Node's own WASI is not used, because
 * it is not a sandbox.
 */

type Call = (...values: never[]) => number | undefined;

export class WasiHost implements WasiCapability {
  readonly functions: Readonly<Record<WasiFunctionName, HostCall>>;
  readonly #blocks: GuestBlocks;
  readonly #memory = new GuestMemory();
  readonly #open = new Descriptors();
  readonly #stdout: LineStream;
  readonly #stderr: LineStream;
  readonly #answer: AnswerStream;
  readonly #clock: WasiClock;
  readonly #random: WasiRandom;
  readonly #poll: WasiPoll;
  #guest: Pick<ServedGuest, "memory" | "touch"> | undefined;
  #isGranted = false;
  #isCommand = false;

  constructor(blocks: GuestBlocks, log: GuestLog, { files, clock, random }: WasiWorld) {
    this.#blocks = blocks;
    this.#stdout = new LineStream(log, "info");
    this.#stderr = new LineStream(log, "warn");
    this.#answer = new AnswerStream((failure) => blocks.refuse(failure));
    this.#clock = new WasiClock(clock);
    this.#random = new WasiRandom(this.#memory, random, (failure) => blocks.refuse(failure));
    this.#poll = new WasiPoll(this.#memory, this.#open, this.#clock, (failure) => blocks.refuse(failure));
    const guarded = Object.entries(this.#table(files)).map(([name, call]) => [name, this.#guarded(name, call)]);
    this.functions = Object.fromEntries(guarded) as Record<WasiFunctionName, HostCall>;
  }

  /** Resets the state for the next call, and detaches the last guest's memory. */
  begin(context: CallContext): void {
    const { setup, input } = context;
    const { grants, limits } = setup;
    this.#isGranted = grants?.wasi === true;
    this.#isCommand = setup.function === COMMAND;
    this.#guest = undefined;
    this.#memory.attach(undefined);
    this.#stdout.begin(limits.logBytes);
    this.#stderr.begin(limits.logBytes);
    this.#answer.begin(limits.outputBytes);
    this.#clock.begin(context);
    this.#random.begin();
    this.#poll.begin();
    const printed = this.#isCommand ? this.#answer : this.#stdout;
    this.#open.begin([
      { kind: "bytes", bytes: input, canSeek: false, at: 0, flags: 0 },
      { kind: "sink", write: (bytes) => printed.write(bytes), isForPeople: !this.#isCommand, flags: 0 },
      { kind: "sink", write: (bytes) => this.#stderr.write(bytes), isForPeople: true, flags: 0 },
      ...(grants?.paths === undefined ? [] : [{ kind: "root", flags: 0 } as const]),
    ]);
  }

  attach(guest: Pick<ServedGuest, "memory" | "touch">): void {
    this.#guest = guest;
    this.#memory.attach(guest.memory);
  }

  get answer(): Uint8Array | undefined {
    return this.#isCommand ? this.#answer.written.slice() : undefined;
  }

  flush(): void {
    this.#stdout.flush();
    this.#stderr.flush();
  }

  #guarded(name: string, call: Call): HostCall {
    const refused = { kind: "capability", message: `${name} needs a grant of "wasi"` } as const;
    return (_: unknown, ...values: never[]) => {
      if (!this.#isGranted) return this.#blocks.refuse(refused);
      // These functions write results at many addresses, so a guest with WASI is restored as a whole.
      this.#guest?.touch();
      return call(...values);
    };
  }

  #table(reader: WasiWorld["files"]): Readonly<Record<WasiFunctionName, Call>> {
    const memory = this.#memory;
    const streams = new WasiStreams(memory, this.#open);
    const files = new WasiFiles(memory, this.#open, reader);
    const always = (errno: Errno) => () => errno;
    const known = (fd: number): Errno => streams.known(fd);
    return {
      args_get: always(ERRNO.success),
      args_sizes_get: (count: number, bytes: number) => this.#none(count, bytes),
      environ_get: always(ERRNO.success),
      environ_sizes_get: (count: number, bytes: number) => this.#none(count, bytes),
      clock_res_get: (id: number, result: number) => this.#time(id, result, () => RESOLUTION_NANOSECONDS),
      clock_time_get: (id: number, _: bigint, result: number) => this.#time(id, result, () => this.#clock.read(id)),
      random_get: (pointer: number, size: number) => this.#random.fill(pointer, size),
      sched_yield: always(ERRNO.success),
      poll_oneoff: (from: number, to: number, count: number, result: number) =>
        this.#poll.wait(from, to, count, result),
      proc_exit: (code: number) => {
        throw new GuestExit(code >>> 0);
      },
      proc_raise: (signal: number) =>
        this.#blocks.refuse({ kind: "signal", message: `raised the signal ${signal >>> 0}`, value: signal >>> 0 }),

      fd_read: (fd: number, list: number, count: number, result: number) => streams.read(fd, list, count, result),
      fd_pread: (fd: number, list: number, count: number, offset: bigint, result: number) =>
        streams.readFrom(fd, list, count, offset, result),
      fd_write: (fd: number, list: number, count: number, result: number) => streams.write(fd, list, count, result),
      fd_seek: (fd: number, by: bigint, whence: number, result: number) => streams.seek(fd, by, whence, result),
      fd_tell: (fd: number, result: number) => streams.tell(fd, result),
      fd_close: (fd: number) => streams.close(fd),
      fd_fdstat_get: (fd: number, result: number) => streams.getStatus(fd, result),
      fd_fdstat_set_flags: (fd: number, flags: number) => streams.setFlags(fd, flags),
      fd_filestat_get: (fd: number, result: number) => streams.getFileStatus(fd, result),
      fd_advise: known,
      fd_sync: known,
      fd_datasync: known,
      fd_prestat_get: (fd: number, result: number) => files.getPrestat(fd, result),
      fd_prestat_dir_name: (fd: number, path: number, size: number) => files.getPrestatName(fd, path, size),
      path_open: (...[fd, , path, size, flags, rights, , , result]: OpenValues) =>
        files.open(fd, path, size, flags, rights, result),
      path_filestat_get: (fd: number, _: number, path: number, size: number, result: number) =>
        files.getFileStatus(fd, path, size, result),

      // WASI cannot write files. Guards use `file_write` instead, which takes effect after the guard has answered.
      ...fromNames(["fd_allocate", "fd_pwrite", "fd_filestat_set_size", "fd_filestat_set_times"], ERRNO.rofs),
      ...fromNames(["path_create_directory", "path_link", "path_remove_directory", "path_rename"], ERRNO.rofs),
      ...fromNames(["path_symlink", "path_unlink_file", "path_filestat_set_times"], ERRNO.rofs),
      ...fromNames(["fd_readdir", "fd_renumber", "fd_fdstat_set_rights"], ERRNO.notsup),
      // A readlink is invalid, because there are no symbolic links.
      ...fromNames(["path_readlink"], ERRNO.inval),
      ...fromNames(["sock_accept", "sock_recv", "sock_send", "sock_shutdown"], ERRNO.nosys),
    };
  }

  /** Reports zero arguments or environment variables. */
  #none(count: number, bytes: number): Errno {
    if (!this.#memory.holds(count, 4) || !this.#memory.holds(bytes, 4)) return ERRNO.fault;
    this.#memory.setUint32(count, 0);
    this.#memory.setUint32(bytes, 0);
    return ERRNO.success;
  }

  #time(id: number, result: number, nanoseconds: () => bigint): Errno {
    if (!WasiClock.knows(id)) return ERRNO.inval;
    if (!this.#memory.holds(result, 8)) return ERRNO.fault;
    this.#memory.setUint64(result, nanoseconds());
    return ERRNO.success;
  }
}

type OpenValues = readonly [number, number, number, number, number, bigint, bigint, number, number];

function fromNames<Name extends keyof typeof WASI_FUNCTIONS>(
  names: readonly Name[],
  errno: Errno,
): Readonly<Record<Name, Call>> {
  return Object.fromEntries(names.map((name) => [name, () => errno])) as Record<Name, Call>;
}
