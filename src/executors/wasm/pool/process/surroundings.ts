import { closeSync, fstatSync, readdirSync, readlinkSync, rmdirSync, statSync } from "node:fs";
import { MAX_MEMORY_PAGES, type Unfit } from "../self-test.ts";
import { V8_TABLE_ENTRIES } from "./flags.ts";
import { DESCRIPTORS } from "./messages.ts";

/** What a sandbox process must find around itself, and must not. Proved in the process before it takes a call. */
export function findUnfitSurroundings(variables: readonly string[]): Unfit | undefined {
  return capOnMemory() ?? capOnTables() ?? environment(variables) ?? folder() ?? standardStreams() ?? descriptors();
}

/** The module that asks for too much has not been through admission: this is the cap behind ours. */
function capOnMemory(): Unfit | undefined {
  const memory = new WebAssembly.Memory({ initial: 1 });
  if (throws(() => memory.grow(MAX_MEMORY_PAGES))) return undefined;
  return { limit: "max-memory", message: `a memory grew beyond ${MAX_MEMORY_PAGES} pages, V8's cap` };
}

function capOnTables(): Unfit | undefined {
  if (throws(() => new WebAssembly.Table({ element: "anyfunc", initial: V8_TABLE_ENTRIES + 1 }))) return undefined;
  return { limit: "max-table", message: `a table has more than ${V8_TABLE_ENTRIES} entries, V8's cap` };
}

/** macOS gives a process this one, whatever its parent says. */
const OF_THE_SYSTEM = new Set(["__CF_USER_TEXT_ENCODING"]);

function environment(variables: readonly string[]): Unfit | undefined {
  const names = variables.filter((name) => !OF_THE_SYSTEM.has(name));
  if (names.length === 0) return undefined;
  return { limit: "environment", message: `there are environment variables: ${names.slice(0, 5).join(", ")}` };
}

function folder(): Unfit | undefined {
  const names = readdirSync(".");
  if (names.length === 0) return undefined;
  return { limit: "folder", message: "the working directory is not empty" };
}

/**
 * Nobody can make a file in a folder that is gone, and nobody has to remove it later. A thread does not start in one, and
 * Windows keeps it for as long as there is a process in it: then whoever has made it removes it.
 */
export function leaveNoFolder(): void {
  try {
    rmdirSync(process.cwd());
  } catch {
    // Gone, or not ours to remove.
  }
}

function standardStreams(): Unfit | undefined {
  if (process.platform === "win32") return undefined;
  const nowhere = statSync("/dev/null").rdev;
  const open = [0, 1, 2].find((descriptor) => fstatSync(descriptor).rdev !== nowhere);
  if (open === undefined) return undefined;
  return { limit: "stdio", message: `descriptor ${open} leads somewhere` };
}

function descriptors(): Unfit | undefined {
  const [foreign] = foreignDescriptors();
  if (foreign === undefined) return undefined;
  return { limit: "descriptors", message: `descriptor ${foreign.descriptor} is open: ${foreign.target}` };
}

interface Descriptor {
  readonly descriptor: number;
  readonly target: string;
}

/**
 * Closes what the engine's process has from whoever started it and passes on without knowing: Node keeps only the first
 * few from being inherited. macOS and Windows pass nothing on.
 */
export function closeForeignDescriptors(): void {
  for (const { descriptor } of foreignDescriptors()) closeSync(descriptor);
}

/** Node's own are kernel objects of its event loops, and pipes of which it has both ends. */
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

/** `undefined` for the one that the list itself was read from. */
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
