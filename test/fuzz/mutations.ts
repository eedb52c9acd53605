import { leb128 } from "../../src/wasm-binary/leb128.ts";
import { Cursor } from "../../src/wasm-binary/operators.ts";
import { sectionsOf } from "../helpers/guests.ts";
import type { Random } from "../helpers/random.ts";

/** Modules that no compiler would make: damaged bytes, misplaced sections, unusual encodings, other instructions. */

interface Part {
  id: number;
  content: number[];
}

const CODE = 10;

/** A number in more bytes than it needs. */
function padded(value: number, bytes: number): number[] {
  const short = leb128(value);
  if (short.length >= bytes) return short;
  const more = [...short.slice(0, -1), (short.at(-1) ?? 0) | 0x80];
  while (more.length < bytes - 1) more.push(0x80);
  return [...more, 0];
}

/** Opcodes that can replace each other: the module often stays valid, and does something else. */
const FAMILIES: readonly (readonly [number, number])[] = [
  [0x46, 0x4f],
  [0x51, 0x5a],
  [0x61, 0x66],
  [0x67, 0x69],
  [0x6a, 0x78],
  [0x79, 0x7b],
  [0x7c, 0x8a],
  [0x92, 0x98],
  [0xa0, 0xa6],
  [0x02, 0x03],
  [0x20, 0x24],
  [0x0c, 0x0d],
  [0x28, 0x29],
  [0x2c, 0x2f],
  [0x36, 0x37],
  [0x3a, 0x3b],
]; // prettier-ignore

/** Instructions that do not change the stack, but affect how it is counted. */
const NEUTRAL: readonly (readonly number[])[] = [
  [0x01],
  [0x02, 0x40, 0x0b],
  [0x03, 0x40, 0x0b],
  [0x41, 0, 0x1a],
  [0x3f, 0, 0x1a],
  [0x41, 1, 0x40, 0, 0x1a],
  [0x41, 0, 0x41, 0, 0x41, 8, 0xfc, 0x0b, 0],
  [0x41, 0, 0x41, 8, 0x41, 8, 0xfc, 0x0a, 0, 0],
  [0x44, 0, 0, 0, 0, 0, 0, 0, 0, 0x9f, 0x1a],
  [0x41, 1, 0x04, 0x40, 0x05, 0x0b],
  [0x41, 0, 0x04, 0x40, 0x00, 0x0b],
  [0x02, 0x40, 0x0c, 0x00, 0x0b],
  [0x03, 0x40, 0x41, 0, 0x0d, 0x00, 0x0b],
  [0x02, 0x7f, 0x41, 1, 0x0c, 0, 0x0b, 0x1a],
  [0xfd, 0x0c, ...new Array<number>(16).fill(0), 0x1a],
  [0x10, 0x00],
  [0x11, 0x00, 0x00],
  [0x20, 0, 0x1a],
  [0x23, 0, 0x1a],
  [0x00],
  [0x0f],
  [0x1a],
  [0xd2, 0, 0x1a],
  [0xfc, 0x09, 0],
  [0x03, 0x40, 0x0c, 0x00, 0x0b],
  [0x12, 0x00],
  [0x08, 0x00],
]; // prettier-ignore

class Mutation {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  #damage(bytes: number[]): void {
    const random = this.#random;
    const at = random.below(bytes.length + 1);
    switch (random.below(5)) {
      case 0:
        if (at < bytes.length) bytes[at] = (bytes[at] as number) ^ (1 << random.below(8));
        break;
      case 1:
        if (at < bytes.length) bytes[at] = random.pick([0, 1, 0x7f, 0x80, 0xff, 0x0b, random.below(256)]);
        break;
      case 2:
        bytes.splice(at, 0, random.below(256));
        break;
      case 3:
        bytes.splice(at, 1 + random.below(3));
        break;
      default:
        bytes.splice(at, 0, ...bytes.slice(random.below(bytes.length + 1)).slice(0, random.below(20)));
    }
  }

  #sections(parts: Part[], others: readonly Part[]): void {
    const random = this.#random;
    const at = random.below(parts.length);
    const part = parts[at];
    if (part === undefined) return;
    switch (random.below(9)) {
      case 0:
        parts.splice(at, 1);
        break;
      case 1:
        parts.splice(random.below(parts.length + 1), 0, structuredClone(part));
        break;
      case 2:
        parts.splice(at, 1);
        parts.splice(random.below(parts.length + 1), 0, part);
        break;
      case 3:
        part.content.length = random.below(part.content.length + 1);
        break;
      case 4:
        parts.splice(at, 0, { id: 0, content: [1, 0x78, ...random.times(random.below(40), () => random.below(256))] });
        break;
      case 5:
        part.id = random.below(15);
        break;
      case 6: {
        const other = others.find(({ id }) => id === part.id);
        if (other !== undefined) part.content = [...other.content];
        break;
      }
      case 7:
        // The count before the entries.
        if ((part.content[0] ?? 0x80) < 0x80)
          part.content.splice(0, 1, ...padded(part.content[0] as number, 2 + random.below(5)));
        break;
      default:
        if (part.id !== CODE) this.#damage(part.content);
    }
  }

  /** The code of one function, with its size corrected. */
  #code(part: Part): void {
    const random = this.#random;
    const bytes = Uint8Array.from(part.content);
    const cursor = new Cursor(bytes, 0);
    const count = cursor.leb();
    const chosen = random.below(count);
    for (let index = 0; index < count; index += 1) {
      const start = cursor.at;
      const size = cursor.leb();
      const end = cursor.at + size;
      if (index === chosen) {
        const body = this.#body(bytes.subarray(cursor.at, end));
        part.content.splice(start, end - start, ...padded(body.length, random.pick([1, 1, 1, 5])), ...body);
        return;
      }
      cursor.at = end;
    }
  }

  #body(bytes: Uint8Array): number[] {
    const random = this.#random;
    const body = [...bytes];
    const starts = instructionsOf(bytes);
    if (starts.length === 0) return body;
    for (let edits = 1 + random.below(3); edits > 0; edits -= 1) {
      // Places are those of the original body: a second edit may hit the middle of an instruction.
      const at = random.pick(starts);
      switch (random.below(7)) {
        case 0:
        case 1:
          body.splice(at, 0, ...random.pick(NEUTRAL));
          break;
        case 2: {
          const family = FAMILIES.find(([from, to]) => (body[at] ?? 0) >= from && (body[at] ?? 0) <= to);
          if (family !== undefined) body[at] = family[0] + random.below(family[1] - family[0] + 1);
          break;
        }
        case 3:
          if ((body[at + 1] ?? 0x80) < 0x40)
            body.splice(at + 1, 1, ...padded(body[at + 1] as number, 2 + random.below(5)));
          break;
        case 4: {
          const [from = 0, to = 0] = [random.pick(starts), random.pick(starts)].sort((a, b) => a - b);
          body.splice(at, 0, ...body.slice(from, to).slice(0, 200));
          break;
        }
        case 5:
          if (at + 1 < body.length) body[at + 1] = random.pick([0, 1, 2, 0x3f, 0x40, 0x7f, random.below(128)]);
          break;
        default:
          this.#damage(body);
      }
    }
    return body;
  }

  of(module: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
    const random = this.#random;
    const parts = partsOf(module);
    const others = partsOf(other);
    for (let changes = 1 + random.below(3); changes > 0; changes -= 1) {
      const code = parts.find(({ id, content }) => id === CODE && content.length > 1);
      if (code !== undefined && random.below(4) > 0) {
        try {
          this.#code(code);
        } catch {
          // An earlier change has left code that cannot be parsed.
          this.#damage(code.content);
        }
      } else this.#sections(parts, others);
    }
    const bytes = [
      ...module.subarray(0, 8),
      ...parts.flatMap(({ id, content }) => [
        id,
        ...padded(content.length, random.chance(8) ? 2 + random.below(4) : 1),
        ...content,
      ]),
    ];
    if (random.chance(6)) this.#damage(bytes);
    return Uint8Array.from(bytes);
  }
}

function partsOf(module: Uint8Array): Part[] {
  return sectionsOf(module).map(({ id, content, end }) => ({ id, content: [...module.subarray(content, end)] }));
}

function instructionsOf(body: Uint8Array): number[] {
  const cursor = new Cursor(body, 0);
  for (let groups = cursor.leb(); groups > 0; groups -= 1) {
    cursor.leb();
    cursor.byte();
  }
  const starts: number[] = [];
  while (cursor.at < body.length) starts.push(cursor.operator().start);
  return starts;
}

export function mutated(random: Random, module: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Mutation(random).of(module, other);
}
