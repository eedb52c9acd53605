import { closeSync, fstatSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { MAX_MEMORY_PAGES, MAX_TABLE_ENTRIES, type Unfit } from "../self-test.ts";
import { DESCRIPTORS } from "./messages.ts";

/** What a sandbox process must find around itself, and must not. Proved in the process before it takes a call. */
export function findUnfitSurroundings(): Unfit | undefined {
  return capOnMemory() ?? capOnTables() ?? environment() ?? folder() ?? standardStreams() ?? descriptors();
}

/** The module that asks for too much has not been through admission: this is the cap behind ours. */
function capOnMemory(): Unfit | undefined {
  const memory = new WebAssembly.Memory({ initial: 1 });
  if (throws(() => memory.grow(MAX_MEMORY_PAGES))) return undefined;
  return { limit: "max-memory", message: `a memory grew beyond ${MAX_MEMORY_PAGES} pages, V8's cap` };
}

function capOnTables(): Unfit | undefined {
  if (throws(() => new WebAssembly.Table({ element: "anyfunc", initial: MAX_TABLE_ENTRIES + 1 }))) return undefined;
  return { limit: "max-table", message: `a table has more than ${MAX_TABLE_ENTRIES} entries, V8's cap` };
}

/** macOS gives a process this one, whatever its parent says. */
const OF_THE_SYSTEM = new Set(["__CF_USER_TEXT_ENCODING"]);

function environment(): Unfit | undefined {
  const names = Object.keys(process.env).filter((name) => !OF_THE_SYSTEM.has(name));
  if (names.length === 0) return undefined;
  return { limit: "environment", message: `there are environment variables: ${names.slice(0, 5).join(", ")}` };
}

function folder(): Unfit | undefined {
  const names = readdirSync(".");
  if (names.length === 0) return undefined;
  return { limit: "folder", message: "the working directory is not empty" };
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
