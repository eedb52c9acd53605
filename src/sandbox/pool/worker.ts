import { parentPort, workerData } from "node:worker_threads";
import createPlugin from "@extism/extism";
import { GrantedFiles } from "../guest/capabilities/granted-files.ts";
import { restoreUsed, runGuest } from "../guest/guest-run.ts";
import type { HostFunctions } from "../guest/host-functions.ts";
import type { GuestAnswer, GuestTask } from "../guest/protocol.ts";
import type { WasiMaker } from "../guest/wasi/wasi-capability.ts";
import { WasiHost } from "../guest/wasi/wasi-host.ts";
import { CALL_BEGAN, type CallBegan } from "./call-starts.ts";
import { BrokenSandbox } from "./guest-pool.ts";
import { requestChannel } from "./request-channel.ts";
import { type BrokenLimit, findBrokenLimit } from "./self-test.ts";

export interface ThreadTask extends GuestTask {
  /** The call's number at the `RequestServer`. Set only if the guest may send requests. */
  readonly call?: number;
  /** The call's number at `CallStarts`. Set only if the thread must report when the guest starts to run. */
  readonly start?: number;
}

const files = new GrantedFiles();
const makeWasi: WasiMaker = (...parts) => new WasiHost(...parts);

/** The result of the self-test before the thread's first call. Tests pass another probe in `workerData`. */
const broken = findBrokenLimit({ probe: (workerData as Uint8Array<ArrayBuffer> | null) ?? undefined });

/** Runs one call. Entry point of the pool's threads. */
export default function run(task: ThreadTask): Promise<GuestAnswer> {
  if (broken !== undefined) return Promise.resolve(refusedAnswer(broken));
  const ask = task.call === undefined ? undefined : requestChannel(task.call);
  const { start } = task;
  const onBegin = start === undefined ? undefined : () => reportBegin(start);
  return runGuest(task, instantiate, { onBegin, ask, files, makeWasi });
}

/**
 * Piscina waits for the next call with `Atomics.wait` after it has sent an answer. A thread restores its guest before
 * this wait, so that the answer need not wait. If Piscina waits in another way, the next call restores the guest.
 */
const wait = Atomics.wait;
Atomics.wait = ((...values: Parameters<typeof wait>) => {
  restoreUsed();
  return wait(...values);
}) as typeof wait;

function reportBegin(call: number): void {
  parentPort?.postMessage({ kind: CALL_BEGAN, call } satisfies CallBegan);
}

function refusedAnswer(broken: BrokenLimit): GuestAnswer {
  const { code, message } = new BrokenSandbox(broken);
  const doneAtMs = performance.timeOrigin + performance.now();
  return {
    kind: "failed",
    failure: { kind: "unavailable", code, message },
    usage: { outputBytes: 0, memoryBytes: 0, fuel: 0, doneAtMs },
  };
}

/** Links a guest. Passes every option that could grant something explicitly. */
async function instantiate(module: WebAssembly.Module, functions: HostFunctions): Promise<WebAssembly.Instance> {
  const plugin = await createPlugin(module, {
    useWasi: false,
    enableWasiOutput: false,
    runInWorker: false,
    allowedPaths: {},
    allowedHosts: [],
    config: {},
    functions,
  });
  // The SDK's `call` drops the return code, so a guest that reports a failure would count as answered.
  return plugin.getInstance();
}
