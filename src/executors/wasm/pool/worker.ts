import { parentPort, workerData } from "node:worker_threads";
import createPlugin from "@extism/extism";
import { GrantedFiles } from "../guest/capabilities/granted-files.ts";
import { runGuest } from "../guest/guest-run.ts";
import type { HostFunctions } from "../guest/host.ts";
import type { GuestAnswer, GuestTask } from "../guest/protocol.ts";
import type { WasiMaker } from "../guest/wasi/wasi-capability.ts";
import { WasiHost } from "../guest/wasi/wasi-host.ts";
import { askLine } from "./ask-line.ts";
import { CALL_BEGAN, type CallBegan } from "./call-starts.ts";
import { SandboxUnfit } from "./guest-pool.ts";
import { findBrokenLimit, type Unfit } from "./self-test.ts";

export interface ThreadTask extends GuestTask {
  /** The call's number, where somebody answers what its guest asks for. */
  readonly call?: number;
  /** The number by which somebody wants to know when the guest begins to run. */
  readonly start?: number;
}

const files = new GrantedFiles();
const makeWasi: WasiMaker = (...parts) => new WasiHost(...parts);

/** Before the thread's first call. Whoever tests this gives the thread another module to find out with. */
const unfit = findBrokenLimit({ probe: (workerData as Uint8Array<ArrayBuffer> | null) ?? undefined });

/** What the pool's threads run. */
export default function run(task: ThreadTask): Promise<GuestAnswer> {
  if (unfit !== undefined) return Promise.resolve(unfitAnswer(unfit));
  const ask = task.call === undefined ? undefined : askLine(task.call);
  const { start } = task;
  const onBegin = start === undefined ? undefined : () => tellOfBegin(start);
  return runGuest(task, instantiate, { onBegin, ask, files, makeWasi });
}

function tellOfBegin(call: number): void {
  parentPort?.postMessage({ kind: CALL_BEGAN, call } satisfies CallBegan);
}

function unfitAnswer(broken: Unfit): GuestAnswer {
  const { code, message } = new SandboxUnfit(broken);
  const doneAtMs = performance.timeOrigin + performance.now();
  return {
    kind: "failed",
    failure: { kind: "unavailable", code, message },
    usage: { outputBytes: 0, memoryBytes: 0, fuel: 0, doneAtMs },
  };
}

/** Every option that could grant something is passed explicitly. */
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
  // The SDK's own `call` drops the return code, and a guest that says it failed would count as one that answered.
  return plugin.getInstance();
}
