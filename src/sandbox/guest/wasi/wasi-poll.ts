import type { Failure } from "../../../outcome.ts";
import type { Descriptors } from "./descriptors.ts";
import type { GuestMemory } from "./guest-memory.ts";
import { WasiClock } from "./wasi-clock.ts";
import { ERRNO, type Errno, EVENT_TYPE } from "./wasi-codes.ts";

const SUBSCRIPTION_BYTES = 48;
const EVENT_BYTES = 32;
/** The maximum number of subscriptions: the maximum number of open descriptors. */
const MAX_SUBSCRIPTIONS = 16;
/** The maximum number of events in one call. Each takes a microsecond, but a host call costs fixed fuel. */
const MAX_POLLED = 65_536;
const IS_ABSOLUTE = 1;

interface Event {
  readonly userData: bigint;
  readonly type: number;
  readonly error: Errno;
  readonly bytes: number;
}

interface Alarm extends Event {
  /** The time of the alarm in nanoseconds from now. */
  readonly in: bigint;
}

/**
 * Implements `poll_oneoff` without waiting, because a sleeping thread could not be ended. Every open descriptor is
 * ready. If there is none, the clocks move forward to the first alarm.
 */
export class WasiPoll {
  readonly #memory: GuestMemory;
  readonly #open: Descriptors;
  readonly #clock: WasiClock;
  readonly #refuse: (failure: Failure) => never;
  #polled = 0;

  constructor(memory: GuestMemory, open: Descriptors, clock: WasiClock, refuse: (failure: Failure) => never) {
    this.#memory = memory;
    this.#open = open;
    this.#clock = clock;
    this.#refuse = refuse;
  }

  begin(): void {
    this.#polled = 0;
  }

  wait(subscriptions: number, events: number, count: number, result: number): Errno {
    const number = count >>> 0;
    if (number === 0 || number > MAX_SUBSCRIPTIONS) return ERRNO.inval;
    const isHeld =
      this.#memory.holds(subscriptions, number * SUBSCRIPTION_BYTES) &&
      this.#memory.holds(events, number * EVENT_BYTES) &&
      this.#memory.holds(result, 4);
    if (!isHeld) return ERRNO.fault;
    this.#count(number);
    const ready: Event[] = [];
    const alarms: Alarm[] = [];
    for (let index = 0; index < number; index += 1) {
      const read = this.#subscription((subscriptions >>> 0) + index * SUBSCRIPTION_BYTES);
      if ("in" in read) alarms.push(read);
      else ready.push(read);
    }
    // All subscriptions are read before events are written, because both may overlap in the guest's memory.
    const happened = ready.length > 0 ? ready : this.#ring(alarms);
    this.#memory.bytes(events, happened.length * EVENT_BYTES).fill(0);
    for (const [index, event] of happened.entries()) this.#write((events >>> 0) + index * EVENT_BYTES, event);
    this.#memory.setUint32(result, happened.length);
    return ERRNO.success;
  }

  #count(number: number): void {
    this.#polled += number;
    if (this.#polled <= MAX_POLLED) return;
    this.#refuse({
      kind: "capability",
      message: `poll_oneoff: waits for more than ${MAX_POLLED} events in one call`,
      limit: MAX_POLLED,
      value: this.#polled,
    });
  }

  #subscription(at: number): Event | Alarm {
    const { view } = this.#memory;
    const userData = view.getBigUint64(at, true);
    const type = view.getUint8(at + 8);
    const failed = (error: Errno): Event => ({ userData, type, error, bytes: 0 });
    if (type === EVENT_TYPE.clock) {
      const id = view.getUint32(at + 16, true);
      if (!WasiClock.knows(id)) return failed(ERRNO.inval);
      const time = view.getBigUint64(at + 24, true);
      const isAbsolute = (view.getUint16(at + 40, true) & IS_ABSOLUTE) !== 0;
      return { userData, type, error: ERRNO.success, bytes: 0, in: isAbsolute ? time - this.#clock.read(id) : time };
    }
    if (type !== EVENT_TYPE.read && type !== EVENT_TYPE.write) return failed(ERRNO.inval);
    const found = this.#open.get(view.getUint32(at + 16, true));
    if (found === undefined || found.kind === "root") return failed(ERRNO.badf);
    const bytes = found.kind === "bytes" ? Math.max(0, found.bytes.byteLength - found.at) : 0;
    return { userData, type, error: ERRNO.success, bytes };
  }

  #ring(alarms: readonly Alarm[]): readonly Event[] {
    const first = alarms.reduce((least, alarm) => (alarm.in < least ? alarm.in : least), alarms[0]?.in ?? 0n);
    this.#clock.sleep(first);
    return alarms.filter((alarm) => alarm.in <= first);
  }

  #write(at: number, { userData, type, error, bytes }: Event): void {
    const { view } = this.#memory;
    view.setBigUint64(at, userData, true);
    view.setUint16(at + 8, error, true);
    view.setUint8(at + 10, type);
    if (type !== EVENT_TYPE.clock) view.setBigUint64(at + 16, BigInt(bytes), true);
  }
}
