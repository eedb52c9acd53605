import type { HttpAsk, HttpReply } from "../../guest/capabilities/capability.ts";
import type { GuestAnswer, GuestSetup, GuestTask, UncompiledModule } from "../../guest/protocol.ts";
import type { BrokenLimit } from "../self-test.ts";
import { encodeFrame, type Frame, type FrameLimits } from "./frames.ts";

/** Messages between an engine and a sandbox process, and their encoding as frames. */

/** File descriptors of a sandbox process in addition to stdin, stdout and stderr, which are `/dev/null`. */
export const DESCRIPTORS = {
  /** Calls and answers. Only the thread that runs guests reads them. */
  channel: 3,
  /**
   * Closed when the engine ends, which ends the sandbox process at any point of a guest's run. The process writes one
   * byte to say why it ended.
   */
  lifeline: 4,
} as const;

/** The byte on the lifeline of a process whose guest thread used up its JavaScript heap. */
export const OUT_OF_MEMORY = "m";

/** Maximum number of setups that a process keeps. Both sides drop the oldest setup at the same time. */
export const MAX_SETUPS = 1_024;

/** Limits for frames to a process. Modules have at most 8 MiB before metering. */
export const TO_PROCESS: FrameLimits = { messageBytes: 2 ** 30, partsBytes: 2 ** 30, parts: 2 ** 20 };

/** Limits for frames from a process. A call's output comes from blocks of 4 MiB. Keys and paths are in the message. */
export const FROM_PROCESS: FrameLimits = { messageBytes: 4 * 1_048_576, partsBytes: 8 * 1_048_576, parts: 4_096 };

export interface SentSetup extends Omit<GuestSetup, "module"> {
  /** The module. `undefined` if the process already has the module from another setup. */
  readonly module: Omit<UncompiledModule, "bytes"> | undefined;
}

export type ToProcess =
  | { readonly kind: "start" }
  | { readonly kind: "spin" }
  | { readonly kind: "setup"; readonly key: number; readonly setup: SentSetup }
  | {
      readonly kind: "call";
      readonly id: number;
      readonly task: Omit<GuestTask, "input" | "state" | "setup">;
      readonly stateKeys?: readonly string[];
    }
  | { readonly kind: "reply"; readonly reply: HttpReply };

export const startFrame = (probe: Uint8Array | undefined): Buffer =>
  encodeFrame({ kind: "start" } satisfies ToProcess, probe === undefined ? [] : [probe]);

export const spinFrame = (): Buffer => encodeFrame({ kind: "spin" } satisfies ToProcess);

/** Returns the frame of a setup. `knowsModule` means that the module was sent to the process before. */
export function setupFrame(key: number, { module, ...setup }: GuestSetup, knowsModule: boolean): Buffer {
  if (!("bytes" in module))
    throw new TypeError("a sandbox process compiles its modules itself, so it needs their bytes");
  const { bytes, ...described } = module;
  const sent: SentSetup = { ...setup, module: knowsModule ? undefined : described };
  return encodeFrame({ kind: "setup", key, setup: sent } satisfies ToProcess, knowsModule ? [] : [bytes]);
}

export function callFrame(id: number, { input, state, setup: _, ...task }: GuestTask): Buffer {
  if (state === undefined) return encodeFrame({ kind: "call", id, task } satisfies ToProcess, [input]);
  const message: ToProcess = { kind: "call", id, task, stateKeys: [...state.keys()] };
  return encodeFrame(message, [input, ...state.values()]);
}

/** Returns the task of a `call` message, in the process. The task takes over the frame's parts. */
export function taskOf({ task, stateKeys }: Extract<ToProcess, { kind: "call" }>, parts: Frame["parts"]): GuestTask {
  const [input = new Uint8Array(0), ...values] = parts;
  const state = stateKeys?.map((key, index) => [key, values[index] ?? new Uint8Array(0)] as const);
  return { ...task, setup: undefined, input, ...(state === undefined ? {} : { state: new Map(state) }) };
}

export function replyFrame(reply: HttpReply): Buffer {
  if (reply.kind !== "answered") return encodeFrame({ kind: "reply", reply } satisfies ToProcess);
  const { body, ...rest } = reply;
  return encodeFrame({ kind: "reply", reply: rest }, [body]);
}

/** Returns the reply of a `reply` message, in the process. */
export function replyOf({ message, parts: [body = new Uint8Array(0)] }: Frame): HttpReply {
  const { reply } = message as Extract<ToProcess, { kind: "reply" }>;
  return reply.kind === "answered" ? { ...reply, body } : reply;
}

export const readyFrame = (): Buffer => encodeFrame({ kind: "ready" });
export const spinningFrame = (): Buffer => encodeFrame({ kind: "spinning" });
export const brokenLimitFrame = ({ limit, message }: BrokenLimit): Buffer =>
  encodeFrame({ kind: "broken", limit, message });

export function askFrame(id: number, { body, ...ask }: HttpAsk): Buffer {
  return encodeFrame({ kind: "ask", id, ask }, body === undefined ? [] : [body]);
}

/** Returns the frame of an answer. The parts are the answer's text, then the values of its effects in order. */
export function answerFrame(id: number, answer: GuestAnswer): Buffer {
  if (answer.kind !== "answered") return encodeFrame({ ...answer, id });
  const { text, usage, effects: { state, files } = {} } = answer;
  const values = (state ?? []).flatMap(([, value]) => (value === null ? [] : [value]));
  const fields = {
    ...(state === undefined ? {} : { state: state.map(([key, value]) => [key, value !== null]) }),
    ...(files === undefined ? {} : { files: files.map(({ path }) => path) }),
  };
  return encodeFrame({ kind: "answered", id, usage, ...fields }, [
    text,
    ...values,
    ...(files ?? []).map(({ bytes }) => bytes),
  ]);
}
