import createPlugin from "@extism/extism";
import { GrantedFiles } from "../guest/capabilities/granted-files.ts";
import { runGuest } from "../guest/guest-run.ts";
import type { HostFunctions } from "../guest/host.ts";
import type { GuestAnswer, GuestTask } from "../guest/protocol.ts";
import { askLine } from "./ask-line.ts";

export interface ThreadTask extends GuestTask {
  /** The call's number, where somebody answers what its guest asks for. */
  readonly call?: number;
}

const files = new GrantedFiles();

/** What the pool's threads run. */
export default function run(task: ThreadTask): Promise<GuestAnswer> {
  return runGuest(task, instantiate, { ask: task.call === undefined ? undefined : askLine(task.call), files });
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
