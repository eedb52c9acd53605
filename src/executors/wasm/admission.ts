import { createHash } from "node:crypto";
import { OperatorCodeNames } from "wasmparser";
import { describeThrown, type ErrorCode } from "../../errors.ts";
import type { FailureKind } from "../../outcome.ts";
import { cleanLine } from "../../text.ts";
import { TooLarge } from "./code-reader.ts";
import { ALWAYS_GRANTED, HOST_FUNCTIONS, HOST_NAMESPACE, type HostFunction } from "./guest-abi.ts";
import {
  formatSignature,
  type ModuleBinary,
  type ModuleImport,
  type ModuleMemory,
  readModule,
  type Signature,
} from "./module-binary.ts";
import { RefusedOperator } from "./operators.ts";
import type { GuestModule } from "./protocol.ts";
import { rewrite } from "./rewrite.ts";

/** Decides whether a module may run at all, before anything of it is compiled, and writes the memory cap into it. */

export const MAX_MODULE_BYTES = 8 * 1_048_576;
export const PAGE_BYTES = 65_536;

export interface AdmissionTerms {
  /** 64 hexadecimal digits, if the rule pins the module. */
  readonly sha256: string | undefined;
  readonly function: string;
  readonly memoryBytes: number;
}

export interface AdmittedModule {
  readonly ok: true;
  /** Digest and limits: what makes one compiled module serve another rule too. */
  readonly key: string;
  readonly digest: string;
  readonly module: GuestModule;
  readonly memoryBytes: number;
}

export interface RefusedModule {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly kind: FailureKind;
  readonly message: string;
  readonly limit?: number;
  readonly value?: number;
}

export type Admission = AdmittedModule | RefusedModule;

const MAX_MESSAGE_LENGTH = 400;

class Refusal extends Error {
  readonly refused: RefusedModule;

  constructor(code: ErrorCode, kind: FailureKind, message: string, numbers: { limit?: number; value?: number } = {}) {
    // Names in the module are its author's words, and end up in terminals.
    const cleaned = cleanLine(message, MAX_MESSAGE_LENGTH);
    super(cleaned);
    this.refused = { ok: false, code, kind, message: cleaned, ...numbers };
  }
}

/** `file` must be a private copy: the digest has to be of exactly the bytes that are compiled. */
export async function admit(file: Uint8Array<ArrayBuffer>, terms: AdmissionTerms): Promise<Admission> {
  try {
    return await examine(file, terms);
  } catch (error) {
    if (error instanceof Refusal) return error.refused;
    return {
      ok: false,
      code: "HOOK_MODULE_INVALID",
      kind: "unavailable",
      message: cleanLine(`cannot be compiled: ${describeThrown(error)}`, MAX_MESSAGE_LENGTH),
    };
  }
}

async function examine(file: Uint8Array<ArrayBuffer>, terms: AdmissionTerms): Promise<AdmittedModule> {
  checkSize(file);
  const digest = createHash("sha256").update(file).digest("hex");
  checkDigest(digest, terms.sha256);
  if (!WebAssembly.validate(file))
    throw new Refusal("HOOK_MODULE_INVALID", "unavailable", "is not a valid WebAssembly module");
  const binary = parse(file);
  checkStart(binary);
  for (const entry of binary.imports) checkImport(entry);
  checkEntryPoint(binary, terms.function);
  const maximumPages = checkMemory(binary, terms.memoryBytes);
  checkSizes(binary);
  const rewritten = rewrite(file, binary, { memoryPages: maximumPages, tableEntries: MAX_TABLE_ENTRIES });
  const compiled = await WebAssembly.compile(rewritten.bytes);
  const module = { compiled, state: rewritten.state };
  return { ok: true, key: `${digest}:${maximumPages}`, digest, module, memoryBytes: maximumPages * PAGE_BYTES };
}

function checkSize(file: Uint8Array): void {
  if (file.byteLength <= MAX_MODULE_BYTES) return;
  throw new Refusal(
    "HOOK_MODULE_LIMIT",
    "memory",
    `is ${file.byteLength} bytes long; the limit is ${MAX_MODULE_BYTES}`,
    {
      limit: MAX_MODULE_BYTES,
      value: file.byteLength,
    },
  );
}

function checkDigest(digest: string, pinned: string | undefined): void {
  if (pinned === undefined || pinned.toLowerCase() === digest) return;
  throw new Refusal("HOOK_MODULE_DIGEST", "integrity", `has sha256 ${digest}, and the rule pins ${pinned}`);
}

function parse(file: Uint8Array<ArrayBuffer>): ModuleBinary {
  try {
    return readModule(file);
  } catch (error) {
    if (error instanceof RefusedOperator) {
      const name = OperatorCodeNames[error.code] ?? `0x${error.code.toString(16)}`;
      const message = `uses the instruction ${name}, which is not one that every supported Node runs alike`;
      throw new Refusal("HOOK_MODULE_FEATURE", "capability", message);
    }
    if (error instanceof TooLarge) {
      throw new Refusal("HOOK_MODULE_LIMIT", "memory", error.message, { limit: error.limit, value: error.value });
    }
    throw new Refusal("HOOK_MODULE_INVALID", "unavailable", `cannot be read: ${describeThrown(error)}`);
  }
}

/** What a module may declare at most. V8 reserves and compiles by these numbers, whether they are used or not. */
const MAX_TABLES = 4;
const MAX_TABLE_ENTRIES = 10_000;
const MAX_FUNCTIONS = 50_000;
const MAX_LOCALS = 2_000;
const MAX_GLOBALS = 1_000;

function checkSizes(binary: ModuleBinary): void {
  const largest = (numbers: readonly number[]): number => numbers.reduce((most, number) => Math.max(most, number), 0);
  const sizes: readonly (readonly [string, number, number])[] = [
    ["tables", binary.tables.length, MAX_TABLES],
    ["entries in a table", largest(binary.tables.map((table) => table.initial)), MAX_TABLE_ENTRIES],
    ["functions", binary.bodies.length, MAX_FUNCTIONS],
    ["locals in a function", largest(binary.bodies.map((body) => body.locals)), MAX_LOCALS],
    ["globals", binary.globals, MAX_GLOBALS],
  ];
  for (const [what, value, limit] of sizes) {
    if (value > limit)
      throw new Refusal("HOOK_MODULE_LIMIT", "memory", `has ${value} ${what}; the limit is ${limit}`, { limit, value });
  }
}

/** Code that runs while a module is being instantiated runs outside of a call, and so outside of its limits. */
const START_EXPORTS: ReadonlySet<string> = new Set(["_start", "_initialize", "hs_init"]);

function checkStart(binary: ModuleBinary): void {
  const name = binary.hasStart ? "a start function" : binary.exports.find((one) => START_EXPORTS.has(one.name))?.name;
  if (name === undefined) return;
  throw new Refusal("HOOK_MODULE_ABI", "capability", `has ${name}, which would run before any limit applies`);
}

function checkImport(entry: ModuleImport): void {
  const name = `${entry.module} ${entry.name}`;
  const refuse = (why: string): never => {
    throw new Refusal("HOOK_MODULE_IMPORT", "capability", `imports ${name}: ${why}`);
  };
  if (entry.module.startsWith("wasi_")) refuse("WASI is not granted");
  if (entry.kind !== "function") refuse(`a ${entry.kind} cannot be imported`);
  if (entry.module !== HOST_NAMESPACE || !Object.hasOwn(HOST_FUNCTIONS, entry.name)) refuse("no such host function");
  const known: HostFunction = HOST_FUNCTIONS[entry.name as keyof typeof HOST_FUNCTIONS];
  if (!ALWAYS_GRANTED.includes(known.capability)) refuse(`needs a grant of "${known.capability}"`);
  if (!sameSignature(entry.signature, known)) {
    refuse(`its type must be ${formatSignature(known)}, not ${formatSignature(entry.signature)}`);
  }
}

function sameSignature(actual: Signature | undefined, expected: Signature): boolean {
  return actual !== undefined && formatSignature(actual) === formatSignature(expected);
}

const ENTRY_POINT: Signature = { params: [], results: ["i32"] };

function checkEntryPoint(binary: ModuleBinary, name: string): void {
  const found = binary.exports.find((one) => one.name === name);
  const is =
    found === undefined
      ? "is missing"
      : found.kind === "function"
        ? formatSignature(found.signature)
        : `a ${found.kind}`;
  if (found?.kind === "function" && sameSignature(found.signature, ENTRY_POINT)) return;
  throw new Refusal(
    "HOOK_MODULE_ABI",
    "unavailable",
    `the export "${name}" must be ${formatSignature(ENTRY_POINT)}; it ${is === "is missing" ? is : `is ${is}`}`,
  );
}

/** The number of pages that the guest may have at most. */
function checkMemory(binary: ModuleBinary, memoryBytes: number): number {
  if (binary.memories > 1)
    throw new Refusal("HOOK_MODULE_LIMIT", "memory", `has ${binary.memories} memories; the limit is 1`, {
      limit: 1,
      value: binary.memories,
    });
  const allowed = Math.floor(memoryBytes / PAGE_BYTES);
  const { memory } = binary;
  if (memory === undefined) return allowed;
  if (memory.flags > 1) throw new Refusal("HOOK_MODULE_INVALID", "memory", "has a shared or 64-bit memory");
  if (memory.initialPages > allowed) {
    const value = memory.initialPages * PAGE_BYTES;
    throw new Refusal(
      "HOOK_MODULE_LIMIT",
      "memory",
      `starts with ${value} bytes of memory; the limit is ${memoryBytes}`,
      { limit: memoryBytes, value },
    );
  }
  return Math.min(allowed, maximumOf(memory));
}

function maximumOf(memory: ModuleMemory): number {
  return memory.maximumPages ?? Number.POSITIVE_INFINITY;
}
