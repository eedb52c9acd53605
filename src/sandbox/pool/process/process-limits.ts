import { closeSync, fstatSync, readdirSync, readlinkSync, rmdirSync, statSync } from "node:fs";
import { type BrokenLimit, MAX_MEMORY_PAGES } from "../self-test.ts";
import { V8_TABLE_ENTRIES } from "./flags.ts";
import { DESCRIPTORS } from "./messages.ts";

/**
 * Checks the environment of a sandbox process, in that process before its first call. Returns the first check that
 * fails.
 */
export function findBrokenProcessLimit(variables: readonly string[]): BrokenLimit | undefined {
  return capOnMemory() ?? capOnTables() ?? environment(variables) ?? folder() ?? standardStreams() ?? descriptors();
}

/** Tests V8's own limit with a memory that did not go through admission. This limit still works if admission fails. */
function capOnMemory(): BrokenLimit | undefined {
  const memory = new WebAssembly.Memory({ initial: 1 });
  if (throws(() => memory.grow(MAX_MEMORY_PAGES))) return undefined;
  return { limit: "max-memory", message: `a memory grew beyond ${MAX_MEMORY_PAGES} pages, V8's cap` };
}

function capOnTables(): BrokenLimit | undefined {
  if (throws(() => new WebAssembly.Table({ element: "anyfunc", initial: V8_TABLE_ENTRIES + 1 }))) return undefined;
  return { limit: "max-table", message: `a table has more than ${V8_TABLE_ENTRIES} entries, V8's cap` };
}

/** A variable that macOS sets in every process. */
const OF_THE_SYSTEM = new Set(["__CF_USER_TEXT_ENCODING"]);

function environment(variables: readonly string[]): BrokenLimit | undefined {
  const names = variables.filter((name) => !OF_THE_SYSTEM.has(name));
  if (names.length === 0) return undefined;
  return { limit: "environment", message: `the process has environment variables: ${names.slice(0, 5).join(", ")}` };
}

function folder(): BrokenLimit | undefined {
  const names = readdirSync(".");
  if (names.length === 0) return undefined;
  return { limit: "folder", message: "the working directory is not empty" };
}

/**
 * Removes the working directory, so that no process can create files in it and no folder is left over. Called after the
 * worker thread has started, because a thread cannot start in a removed folder. Windows keeps a folder while a process
 * uses it, so there the engine removes the folder.
 */
export function leaveNoFolder(): void {
  try {
    rmdirSync(process.cwd());
  } catch {
    // The folder is already removed, or may not be removed.
  }
}

function standardStreams(): BrokenLimit | undefined {
  if (process.platform === "win32") return undefined;
  const nowhere = statSync("/dev/null").rdev;
  const open = [0, 1, 2].find((descriptor) => fstatSync(descriptor).rdev !== nowhere);
  if (open === undefined) return undefined;
  return { limit: "stdio", message: `descriptor ${open} is not /dev/null` };
}

function descriptors(): BrokenLimit | undefined {
  const [foreign] = foreignDescriptors();
  if (foreign === undefined) return undefined;
  return { limit: "descriptors", message: `descriptor ${foreign.descriptor} is open: ${foreign.target}` };
}

interface Descriptor {
  readonly descriptor: number;
  readonly target: string;
}

/**
 * Closes descriptors that the engine's process inherited from its parent and passed on. Node prevents the inheritance
 * of the first few descriptors only. On macOS and Windows no descriptors are passed on.
 */
export function closeForeignDescriptors(): void {
  for (const { descriptor } of foreignDescriptors()) closeSync(descriptor);
}

/**
 * Returns descriptors that do not belong to Node. Node's own are kernel objects of its event loops, and pipes with both
 * ends open.
 */
function foreignDescriptors(): readonly Descriptor[] {
  if (process.platform !== "linux") return [];
  const open = readdirSync("/proc/self/fd").flatMap((name) => {
    const target = targetOf(name);
    return target === undefined ? [] : [{ descriptor: Number(name), target }];
  });
  const own: readonly number[] = [0, 1, 2, DESCRIPTORS.channel, DESCRIPTORS.lifeline];
  const isPair = (target: string): boolean =>
    target.startsWith("pipe:") && open.filter((one) => one.target === target).length > 1;
  return open.filter(
    ({ descriptor, target }) => !own.includes(descriptor) && !target.startsWith("anon_inode:") && !isPair(target),
  );
}

/** Returns the target of a descriptor; `undefined` for the closed descriptor with which the list was read. */
function targetOf(descriptor: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return undefined;
  }
}

function throws(run: () => unknown): boolean {
  try {
    run();
    return false;
  } catch {
    return true;
  }
}
