import { readSync, writeSync } from "node:fs";
import { describeThrown } from "../../../errors.ts";
import { compileUnoptimised } from "../../admission/compile-unoptimised.ts";
import type { HttpAsk, HttpReply } from "../../guest/capabilities/capability.ts";
import { GrantedFiles } from "../../guest/capabilities/granted-files.ts";
import { directImports } from "../../guest/direct-link.ts";
import { type Instantiate, restoreUsed, runGuest } from "../../guest/guest-run.ts";
import type { CompiledModule, GuestSetup, GuestTask } from "../../guest/protocol.ts";
import type { WasiMaker } from "../../guest/wasi/wasi-capability.ts";
import { WasiHost } from "../../guest/wasi/wasi-host.ts";
import { findBrokenLimit, MAX_DEPTH, spinForEver } from "../self-test.ts";
import { type Frame, FrameReader } from "./frames.ts";
import {
  answerFrame,
  askFrame,
  brokenLimitFrame,
  DESCRIPTORS,
  MAX_SETUPS,
  readyFrame,
  replyOf,
  type SentSetup,
  spinningFrame,
  TO_PROCESS,
  type ToProcess,
  taskOf,
} from "./messages.ts";
import { findBrokenProcessLimit, leaveNoFolder } from "./process-limits.ts";

/**
 * Runs guests in a thread of a sandbox process. Handles one frame after the other until the channel is closed.
 * `variables` are names of the environment variables of the process.
 */
export async function runGuests(variables: readonly string[]): Promise<void> {
  for (let frame = nextFrame(); frame !== undefined; frame = nextFrame()) {
    const message = frame.message as ToProcess;
    if (message.kind === "start") start(frame, variables);
    if (message.kind === "spin") spin();
    if (message.kind === "setup") keepSetup(message.key, message.setup, frame);
    if (message.kind === "call") {
      send(answerFrame(message.id, await answer(taskOf(message, frame.parts), message.id)));
      restoreUsed();
    }
  }
}

const reader = new FrameReader(TO_PROCESS);
const arrived: Frame[] = [];
const piece = Buffer.allocUnsafeSlow(65_536);

/** Returns the next frame. Blocks this thread, which has no other work. `undefined`: the channel is closed. */
function nextFrame(): Frame | undefined {
  while (arrived.length === 0) {
    const bytes = readSync(DESCRIPTORS.channel, piece);
    if (bytes === 0) return undefined;
    arrived.push(...reader.push(piece.subarray(0, bytes)));
  }
  return arrived.shift();
}

function send(frame: Buffer): void {
  for (let sent = 0; sent < frame.byteLength; ) {
    sent += writeSync(DESCRIPTORS.channel, frame, sent, frame.byteLength - sent);
  }
}

function start({ parts: [probe] }: Frame, variables: readonly string[]): void {
  const broken = findBrokenLimit({ probe, depth: MAX_DEPTH }) ?? findBrokenProcessLimit(variables);
  leaveNoFolder();
  send(broken === undefined ? readyFrame() : brokenLimitFrame(broken));
}

/** Runs an endless loop, so that the engine can test whether a sandbox process can be killed in a loop. */
function spin(): void {
  send(spinningFrame());
  spinForEver();
}

type Kept = { readonly moduleKey: string } & ({ readonly setup: GuestSetup } | { readonly problem: string });

const setups = new Map<number, Kept>();

function keepSetup(key: number, sent: SentSetup, { parts: [bytes] }: Frame): void {
  const kept = keptOf(sent, bytes);
  const [oldest] = setups.keys();
  if (setups.size >= MAX_SETUPS && oldest !== undefined) setups.delete(oldest);
  setups.set(key, kept);
}

function keptOf({ module, ...sent }: SentSetup, bytes: Uint8Array<ArrayBuffer> | undefined): Kept {
  const { moduleKey } = sent;
  if (module === undefined || bytes === undefined) {
    const other = [...setups.values()].find((kept) => kept.moduleKey === moduleKey);
    if (other === undefined) return { moduleKey, problem: "it was not sent" };
    return "setup" in other ? { moduleKey, setup: { ...sent, module: other.setup.module } } : other;
  }
  try {
    const compile = module.isLight ? (code: typeof bytes) => new WebAssembly.Module(code) : compileUnoptimised;
    const compiled: CompiledModule = { ...module, compiled: compile(bytes) };
    return { moduleKey, setup: { ...sent, module: compiled } };
  } catch (error) {
    return { moduleKey, problem: describeThrown(error) };
  }
}

async function answer(task: GuestTask, id: number): ReturnType<typeof runGuest> {
  const kept = setups.get(task.setupKey);
  if (kept === undefined) return { kind: "needs-setup" };
  if ("problem" in kept) {
    return {
      kind: "failed",
      failure: { kind: "unavailable", message: `the module cannot be compiled: ${kept.problem}` },
      usage: { outputBytes: 0, memoryBytes: 0, fuel: 0, doneAtMs: performance.timeOrigin + performance.now() },
    };
  }
  const ask = (wanted: HttpAsk): HttpReply => {
    send(askFrame(id, wanted));
    const reply = nextFrame();
    if (reply === undefined) throw new Error("the engine has ended");
    return replyOf(reply);
  };
  return runGuest({ ...task, setup: kept.setup }, instantiate, { ask, files, makeWasi });
}

const files = new GrantedFiles();
const makeWasi: WasiMaker = (...parts) => new WasiHost(...parts);

/** Links a guest synchronously, because this thread has no other work. */
const instantiate: Instantiate = (module, functions) =>
  Promise.resolve(new WebAssembly.Instance(module, directImports(functions)));
