import { createHash } from "node:crypto";
import { abi, type admission, grants, loadAdmission } from "../../sandbox/index.ts";
import { openModule, readModule } from "../../wasm-binary/module-binary.ts";

/**
 * Makes a guard: compiles a script to bytecode, runs the bytecode once in a second instance of the engine, and stores
 * the resulting memory as the initial memory. The second instance has no gaps from the compiler. Before it gets the
 * bytecode, its memory is the same for all guards.
 */

interface SnapshotParts {
  /** The engine: `engine.wasm` of guest-sdk/typescript/engine. */
  readonly engine: Uint8Array;
  /** A classic script that defines `__hookbox_guard`. Characters that UTF-8 cannot encode are replaced. */
  readonly script: string;
  /** The script's name in stack traces. */
  readonly fileName: string;
  /** Returns the grants that the manifest wants. Its errors are passed on. */
  readonly wantsOf: (manifest: string) => readonly string[];
}

export interface Snapshot {
  /** The guard without its manifest section. */
  readonly wasm: Uint8Array<ArrayBuffer>;
  /** The JSON from the script, not validated. */
  readonly manifest: string;
  /** The memory at the start of every call. */
  readonly memoryBytes: number;
  /** The size of the data section, which contains the memory without zeros. */
  readonly imageBytes: number;
}

/**
 * Thrown if the script threw, ran forever, or did not define a guard. The message is the error's message and its stack,
 * with lines of the script.
 */
export class GuardScriptError extends Error {
  override readonly name = "GuardScriptError";
}

/**
 * Makes a guard. The same parts give the same bytes on every machine. Rejects with a {@link GuardScriptError} if the
 * script is wrong, and with another error if the engine is not a hookbox engine.
 */
export async function snapshotGuard({ engine, script, fileName, wantsOf }: SnapshotParts): Promise<Snapshot> {
  const { mutableGlobals } = openModule(engine).outline;
  const bytecode = compileScript(await startEngine(engine), script, fileName);
  const started = await startEngine(engine);
  const { exports, stackTop } = started;
  const address = exports.memory.buffer.byteLength - bytecode.byteLength;
  new Uint8Array(exports.memory.buffer).set(bytecode, address);
  const hasFailed = limited(started, () => exports.hookbox_load(address, bytecode.byteLength)) !== 0;
  const manifest = textOf(exports);
  if (hasFailed) throw new GuardScriptError(manifest);
  const wants = wantsOf(manifest);
  const pages = exports.hookbox_finish(
    ENGINE_WANTS.reduce((bits, [name, bit]) => bits | (wants.includes(name) ? bit : 0), 0),
  );
  if (pages === 0) throw new GuardScriptError(textOf(exports));
  if (mutableGlobals.length !== 1 || exports.__stack_pointer.value !== stackTop)
    throw new Error("the engine has not restored its stack pointer");

  const memory = memoryOf(started, pages * PAGE_BYTES);
  const { assembleGuard, dataSection } = await loadAdmission();
  const data = dataSection(memory);
  return {
    wasm: assembleGuard(engine, { namespaceOf: namespaceFor(wants), pages, data }),
    manifest,
    memoryBytes: memory.byteLength,
    imageBytes: data.byteLength,
  };
}

/**
 * Returns the memory that a guard has before its script is loaded. Nearly all of it is the same in every guard.
 *
 * @public plugins/build.mjs imports it from dist/, which knip does not follow.
 */
export async function memoryBeforeScript(engine: Uint8Array): Promise<Uint8Array> {
  const started = await startEngine(engine);
  return memoryOf(started, started.exports.memory.buffer.byteLength);
}

interface StartedEngine {
  readonly exports: EngineExports;
  readonly fuel: WebAssembly.Global<"i64">;
  readonly stackTop: number;
}

/** Starts an instance of the engine. Its memory has the maximum size, so that the packer can put bytecode at its end. */
async function startEngine(engine: Uint8Array): Promise<StartedEngine> {
  const { module, state } = await meteredEngine(engine);
  const instance = await WebAssembly.instantiate(module, nobodyIsThere(module));
  const exports = instance.exports as unknown as EngineExports;
  const fuel = instance.exports[state.fuel] as WebAssembly.Global<"i64">;
  fuel.value = BUILD_FUEL;
  (instance.exports[state.depth] as WebAssembly.Global<"i64">).value = BUILD_DEPTH;
  const stackTop = exports.__stack_pointer.value;
  exports.memory.grow(BUILD_PAGES - exports.memory.buffer.byteLength / PAGE_BYTES);
  if (exports.hookbox_start() !== 0) throw new Error("the engine did not start");
  return { exports, fuel, stackTop };
}

/** Returns the first bytes of an engine's memory. */
function memoryOf({ exports, stackTop }: StartedEngine, bytes: number): Uint8Array {
  const memory = new Uint8Array(exports.memory.buffer).slice(0, bytes);
  // The rest of the stack is cleared, because it has no meaning and each restore would copy it.
  return memory.fill(0, 0, stackTop);
}

function compileScript(started: StartedEngine, script: string, fileName: string): Uint8Array {
  const { exports } = started;
  const pass = (text: string): { address: number; bytes: number } => {
    const bytes = new TextEncoder().encode(text);
    const address = exports.hookbox_allocate(bytes.byteLength + 1) >>> 0;
    if (address === 0) throw new GuardScriptError("InternalError: out of memory");
    const memory = new Uint8Array(exports.memory.buffer, address, bytes.byteLength + 1);
    memory.set(bytes);
    memory[bytes.byteLength] = 0;
    return { address, bytes: bytes.byteLength };
  };
  const name = pass(fileName);
  const source = pass(script);
  const compile = (): number => exports.hookbox_compile(source.address, source.bytes, name.address);
  if (limited(started, compile) !== 0) throw new GuardScriptError(textOf(exports));
  return bytesOf(exports).slice();
}

interface EngineExports {
  readonly memory: WebAssembly.Memory;
  readonly __stack_pointer: WebAssembly.Global<"i32">;
  hookbox_start(): number;
  hookbox_allocate(bytes: number): number;
  hookbox_compile(script: number, scriptBytes: number, fileName: number): number;
  hookbox_load(bytecode: number, bytes: number): number;
  hookbox_text(): number;
  hookbox_text_bytes(): number;
  hookbox_finish(wants: number): number;
}

/** Grants that the engine has to know, because they change `Date` and `Math.random`, which every guard has. */
const ENGINE_WANTS: readonly (readonly [name: string, bit: number])[] = [
  ["clock", 1],
  ["random", 2],
];

/** Returns the engine's text: the manifest, or the error. */
function textOf(exports: EngineExports): string {
  const text = new TextDecoder().decode(bytesOf(exports));
  return text === "" ? "InternalError: out of memory" : text;
}

function bytesOf({ memory, hookbox_text, hookbox_text_bytes }: EngineExports): Uint8Array {
  return new Uint8Array(memory.buffer, hookbox_text() >>> 0, hookbox_text_bytes());
}

/**
 * Limits for running the script. The engine counts iterations of loops in the script and reports the author's line.
 * Fuel limits long work in the engine's own functions. Nothing else could end this work, because the script runs in the
 * builder's thread.
 */
const BUILD_FUEL = 20_000_000_000n;
const BUILD_DEPTH = 262_144n;
const BUILD_PAGES = 2_048;

interface MeteredEngine {
  readonly module: WebAssembly.Module;
  readonly state: ReturnType<typeof admission.rewrite>["state"];
}

const engines = new Map<string, Promise<MeteredEngine>>();

/** Compiles the engine with metering, as in guards. Metering does not change the memory that a script leaves. */
function meteredEngine(engine: Uint8Array): Promise<MeteredEngine> {
  const digest = createHash("sha256").update(engine).digest("hex");
  let metered = engines.get(digest);
  if (metered === undefined) {
    metered = meter(Uint8Array.from(engine));
    engines.set(digest, metered);
  }
  return metered;
}

async function meter(engine: Uint8Array<ArrayBuffer>): Promise<MeteredEngine> {
  const { MAX_TABLE_ENTRIES, rewrite } = await loadAdmission();
  const caps = { memoryPages: BUILD_PAGES, tableEntries: MAX_TABLE_ENTRIES };
  const { bytes, state } = rewrite(engine, readModule(engine), caps);
  return { module: await WebAssembly.compile(bytes), state };
}

/** Calls the engine. Throws a {@link GuardScriptError} if the engine traps. */
function limited({ fuel }: StartedEngine, work: () => number): number {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
    if (fuel.value < 0n) throw new GuardScriptError("InternalError: the guard's top-level code takes too long");
    throw new GuardScriptError("InternalError: the guard's top-level code crashed the engine", { cause: error });
  }
}

function nobodyIsThere(module: WebAssembly.Module): WebAssembly.Imports {
  const imports: Record<string, Record<string, () => never>> = {};
  for (const { module: namespace, name } of WebAssembly.Module.imports(module)) {
    imports[namespace] = { ...imports[namespace], [name]: () => outsideOfACall(name) };
  }
  return imports;
}

/** Throws if the engine calls the host during the build. Normally the engine refuses the call, with the line. */
function outsideOfACall(name: string): never {
  throw new Error(`the engine called ${name} while the guard was built`);
}

const PAGE_BYTES = 65_536;

/** Returns the namespaces of the engine's imports. An import that the guard does not want needs no grant. */
function namespaceFor(wants: readonly string[]): (entry: abi.ImportName) => string {
  const linked: ReadonlySet<string> = new Set([...grants.ALWAYS_GRANTED, ...wants]);
  return (entry) => (linked.has(abi.capabilityOf(entry)) ? entry.module : abi.ABSENT_NAMESPACE);
}

/** Returns the engine without a script. hookbox's own build admits this module once for all guards. */
export async function engineWithoutGuard(engine: Uint8Array): Promise<Uint8Array<ArrayBuffer>> {
  const { assembleGuard, dataSection } = await loadAdmission();
  const data = dataSection(new Uint8Array(0));
  return assembleGuard(engine, { namespaceOf: namespaceFor(grants.GRANTABLE), pages: 0, data });
}
