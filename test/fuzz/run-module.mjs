import { createHash } from "node:crypto";
import { parentPort } from "node:worker_threads";

// Runs a module's function once with a host that gives fixed answers, in a thread that can be ended. Prints everything
// that is visible of the run.

const MAX_HASHED_BYTES = 2 ** 26;
const MAX_NOTES = 2_000;
const GIVES_I32 = new Set(["input_load_u8", "load_u8", "get_log_level", "http_status_code"]);

function bitsOf(value) {
  // The bits of a NaN may differ between two runs of one module.
  return typeof value === "number" && Number.isNaN(value) ? "NaN" : Object.is(value, -0) ? "-0" : String(value);
}

function stateOf(exports) {
  const state = {};
  for (const [name, value] of Object.entries(exports)) {
    if (name.startsWith("hookbox:")) continue;
    if (value instanceof WebAssembly.Global) state[name] = bitsOf(value.value);
    if (value instanceof WebAssembly.Table) {
      state[name] = Array.from({ length: value.length }, (_, index) => value.get(index)?.name ?? "null").join();
    }
    if (value instanceof WebAssembly.Memory) {
      const bytes = new Uint8Array(value.buffer);
      const hash = bytes.length > MAX_HASHED_BYTES ? "" : createHash("sha1").update(bytes).digest("hex");
      state[name] = `${bytes.length} ${hash}`;
    }
  }
  return state;
}

function endOf(exports, state, error) {
  if (state !== undefined && exports[state.fuel].value < 0n) return "fuel";
  if (state !== undefined && exports[state.depth].value < 0n) return "depth";
  if (error === undefined) return "return";
  return error instanceof RangeError ? "stack" : `trap: ${error.message}`;
}

parentPort.on("message", async ({ module, state, run, values, fuel, depth }) => {
  const notes = [];
  const imports = WebAssembly.Module.imports(module);
  const host = {};
  for (const { module: namespace, name } of imports) {
    host[namespace] ??= {};
    host[namespace][name] = (...given) => {
      if (notes.length < MAX_NOTES) notes.push(`${name} ${given.map(bitsOf)}`);
      const answer = (notes.length * 2_654_435_761) % 65_536;
      return GIVES_I32.has(name) ? answer : BigInt(answer);
    };
  }
  let exports = {};
  let error;
  let results = [];
  try {
    ({ exports } = await WebAssembly.instantiate(module, host));
    if (state !== undefined) {
      exports[state.fuel].value = BigInt(fuel);
      exports[state.depth].value = BigInt(depth);
    }
    results = [exports[run](...values)].flat().map(bitsOf);
  } catch (thrown) {
    error = thrown;
  }
  const used = state === undefined || exports[state.fuel] === undefined ? 0 : fuel - Number(exports[state.fuel].value);
  const end = exports[state?.fuel] === undefined && state !== undefined ? "instantiate" : endOf(exports, state, error);
  parentPort.postMessage({ end, used, seen: { results, notes, state: stateOf(exports) } });
});
