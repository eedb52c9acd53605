import { workerData } from "node:worker_threads";
import createPlugin from "@extism/extism";
import { runGuest } from "../guest/guest-run.ts";
import type { HostFunctions } from "../guest/host.ts";
import type { GuestAnswer, GuestTask } from "../guest/protocol.ts";
import { SandboxUnfit } from "./guest-pool.ts";
import { findBrokenLimit, type Unfit } from "./self-test.ts";

/** Before the thread's first call. Whoever tests this gives the thread another module to find out with. */
const unfit = findBrokenLimit({ probe: (workerData as Uint8Array<ArrayBuffer> | null) ?? undefined });

/** What the pool's threads run. */
export default function run(task: GuestTask): Promise<GuestAnswer> {
  if (unfit !== undefined) return Promise.resolve(unfitAnswer(unfit));
  return runGuest(task, instantiate);
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
