import type { IFunctionInformation, IOperatorInformation } from "wasmparser";
import { operatorLength } from "./operator-length.ts";
import { LASTING_OPERATORS, OPERATOR, TYPE_KIND } from "./wasm-codes.ts";

/** What metering needs to know of a function's body: where its costs arise. Offsets are into the file. */
export interface FunctionBody {
  /** Of the body's size, which stands before it. */
  readonly start: number;
  /** Of the list of locals. */
  readonly content: number;
  /** Of the first instruction. */
  readonly code: number;
  readonly end: number;
  readonly localGroups: number;
  readonly locals: number;
  /** Room that the locals take on the stack, in 8-byte slots. */
  readonly localSlots: number;
  /** The body itself, and each of its loops: charged on every entry and every turn. */
  readonly regions: readonly Region[];
  /** Instructions whose cost is in an operand. */
  readonly bulk: readonly BulkOperation[];
  /** Calls of functions that may themselves call. */
  readonly calls: readonly { readonly start: number; readonly end: number }[];
}

export interface Region {
  /** Where the charge is taken: before the first instruction that it pays for. */
  readonly at: number;
  /** Instructions in the region that are not in a loop inside of it. Structure is free. */
  readonly instructions: number;
  /** Calls of host functions among them. */
  readonly hostCalls: number;
}

export interface BulkOperation {
  readonly at: number;
  readonly operator: keyof typeof BULK;
}

/** Operators with a length on top of the stack. */
export const BULK = {
  [OPERATOR.memory_grow]: "pages",
  [OPERATOR.memory_init]: "bytes",
  [OPERATOR.memory_copy]: "bytes",
  [OPERATOR.memory_fill]: "bytes",
  [OPERATOR.table_init]: "entries",
  [OPERATOR.table_copy]: "entries",
  [OPERATOR.table_grow]: "entries",
  [OPERATOR.table_fill]: "entries",
} as const;

const FREE: ReadonlySet<number> = new Set([OPERATOR.nop, OPERATOR.block, OPERATOR.loop, OPERATOR.else, OPERATOR.end]);

const LASTING: ReadonlyMap<number, string> = new Map(
  Object.entries(LASTING_OPERATORS).map(([name, code]) => [code, name]),
);

type OpenRegion = { -readonly [Key in keyof Region]: Region[Key] };

/** Takes the code section's events from the parser, in order. */
export class CodeReader {
  readonly bodies: FunctionBody[] = [];
  /** An instruction that changes what JavaScript cannot put back, if there is one. */
  lastingOperator: string | undefined;
  /** An instruction outside of the allow-list, if there is one. */
  refusedOperator: number | undefined;
  readonly #bytes: Uint8Array;
  readonly #importedFunctions: number;
  #next: number;
  #body: Pick<FunctionBody, "start" | "content" | "code" | "localGroups" | "locals" | "localSlots"> | undefined;
  #regions: OpenRegion[] = [];
  /** The innermost region of each open block. */
  #blocks: OpenRegion[] = [];
  #bulk: BulkOperation[] = [];
  #calls: { start: number; end: number }[] = [];
  #at = 0;

  /** `start`: where the first body's size stands. */
  constructor(bytes: Uint8Array, start: number, importedFunctions: number) {
    this.#bytes = bytes;
    this.#next = start;
    this.#importedFunctions = importedFunctions;
  }

  begin(info: IFunctionInformation, code: number): void {
    const start = this.#next;
    let content = start;
    while (((this.#bytes[content] ?? 0) & 0x80) !== 0) content += 1;
    const locals = info.locals.reduce((sum, { count }) => sum + count, 0);
    const localSlots = info.locals.reduce((sum, { count, type }) => sum + count * (isVector(type) ? 2 : 1), 0);
    this.#body = { start, content: content + 1, code, localGroups: info.locals.length, locals, localSlots };
    this.#at = code;
    this.#blocks = [this.#openRegion(code)];
  }

  operator(info: IOperatorInformation, end: number): void {
    const code: number = info.code;
    const start = this.#at;
    this.#at = end;
    if (isAllowed(code) && operatorLength(this.#bytes, start) !== end - start) {
      throw new Error(`an instruction that can be read in two ways, at byte ${start}`);
    }
    this.lastingOperator ??= LASTING.get(code);
    if (!isAllowed(code)) this.refusedOperator ??= code;
    const region = this.#blocks.at(-1);
    if (region !== undefined && !FREE.has(code)) region.instructions += 1;

    if (code === OPERATOR.loop) this.#blocks.push(this.#openRegion(end));
    else if (code === OPERATOR.block || code === OPERATOR.if) this.#blocks.push(region as OpenRegion);
    else if (code === OPERATOR.end) this.#blocks.pop();
    else if (code === OPERATOR.call && (info.funcIndex ?? 0) < this.#importedFunctions) {
      if (region !== undefined) region.hostCalls += 1;
    } else if (code === OPERATOR.call || code === OPERATOR.call_indirect) this.#calls.push({ start, end });
    else if (Object.hasOwn(BULK, code)) this.#bulk.push({ at: start, operator: code as keyof typeof BULK });
  }

  end(end: number): void {
    if (this.#blocks.length > 0 || this.#at !== end) throw new Error(`a function that does not end at byte ${end}`);
    if (this.#body !== undefined) {
      this.bodies.push({ ...this.#body, end, regions: this.#regions, bulk: this.#bulk, calls: this.#calls });
    }
    this.#regions = [];
    this.#bulk = [];
    this.#calls = [];
    this.#next = end;
  }

  #openRegion(at: number): OpenRegion {
    const region = { at, instructions: 0, hostCalls: 0 };
    this.#regions.push(region);
    return region;
  }
}

function isVector(type: { readonly kind: number }): boolean {
  return type.kind === TYPE_KIND.v128;
}

/**
 * WebAssembly 2.0, which every supported Node runs alike. Threads, tail calls, exceptions, garbage collection and
 * relaxed SIMD are not in it: some of them depend on the Node version, some on the machine, some end a metered run
 * where no charge is taken.
 */
function isAllowed(code: number): boolean {
  if (code <= 0xff) return !REFUSED_SINGLE.has(code) && code < 0xd3;
  const prefix = code > 0xffff ? code >> 12 : code >> 8;
  if (prefix === 0xfc) return code <= OPERATOR.table_fill;
  return prefix === 0xfd && code <= 0xfd0ff;
}

const REFUSED_SINGLE: ReadonlySet<number> = new Set([
  0x06, 0x07, 0x08, 0x09, 0x0a, 0x12, 0x13, 0x14, 0x15, 0x17, 0x18, 0x19, 0x1f,
]);
