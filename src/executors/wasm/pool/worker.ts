import createPlugin from "@extism/extism";
import { GrantedFiles } from "../guest/capabilities/granted-files.ts";
import { runGuest } from "../guest/guest-run.ts";
import type { HostFunctions } from "../guest/host.ts";
import type { GuestAnswer, GuestTask } from "../guest/protocol.ts";

const files = new GrantedFiles();

/** What the pool's threads run. */
export default function run(task: GuestTask): Promise<GuestAnswer> {
  return runGuest(task, instantiate, { files });
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
