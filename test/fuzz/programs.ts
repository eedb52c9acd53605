import type { Random } from "../helpers/random.ts";

/**
 * Programs of every form that metering has to handle, as WAT. All of them end: each turn of a loop and each call uses
 * one of the program's own turns, and a loop goes on only while some are left.
 */

type Type = "i32" | "i64" | "f32" | "f64";

const TYPES: readonly Type[] = ["i32", "i64", "f32", "f64"];
const FUNCTIONS = 5;
const TURNS = 200;
const PAGES = 3;
const TABLE = 12;
const INTEGER = ["add", "sub", "mul", "and", "or", "xor", "shl", "shr_s", "shr_u", "rotl", "rotr"];
const DIVIDING = ["div_s", "div_u", "rem_s", "rem_u"];
const FLOAT = ["add", "sub", "mul", "div", "min", "max"];
const FLOAT_ONE = ["abs", "neg", "ceil", "floor", "trunc", "nearest", "sqrt"];
const COMPARING = ["eq", "ne", "lt_s", "lt_u", "gt_s", "ge_u", "le_s"];
const COMPARING_FLOAT = ["eq", "ne", "lt", "gt", "le", "ge"];
const LEFT = "(i32.gt_s (global.get $turns) (i32.const 0))";
const TAKE = "(global.set $turns (i32.sub (global.get $turns) (i32.const 1)))";
const ZERO = { i32: "(i32.const 0)", i64: "(i64.const 0)", f32: "(f32.const 0)", f64: "(f64.const 0)" } as const;

interface Signature {
  readonly params: readonly Type[];
  readonly results: readonly Type[];
}

interface Label {
  readonly name: string;
  readonly isLoop: boolean;
  readonly results: readonly Type[];
}

class Writer {
  readonly #random: Random;
  readonly #signatures: readonly Signature[];
  #locals: readonly Type[] = [];
  #results: readonly Type[] = [];
  #labels: Label[] = [];
  #names = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#signatures = random.times(FUNCTIONS, (index) =>
      index === 0
        ? { params: ["i32", "i64"], results: ["i64"] }
        : {
            params: random.times(random.below(4), () => random.pick(TYPES)),
            results: random.times(random.pick([0, 1, 1, 1, 2, 3]), () => random.pick(TYPES)),
          },
    );
  }

  module(): string {
    const functions = this.#signatures.map((signature, index) => this.#function(signature, index));
    const types = this.#signatures.map((signature, index) => `(type $t${index} (func ${this.#typesOf(signature)}))`);
    const names = this.#signatures.map((_, index) => `$f${index}`).join(" ");
    return `(module ${types.join("\n")}
      (memory (export "memory") 1 ${PAGES}) (data (i32.const 16) "to begin with") (data $data "a segment of data")
      (table $table (export "table") ${TABLE} 40 funcref) (elem (table $table) (i32.const 1) func ${names}) (elem $elem func ${names})
      (global $turns (mut i32) (i32.const ${TURNS}))
      ${TYPES.map((type) => `(global $${type} (export "${type}") (mut ${type}) (${type}.const 3))`).join("\n")}
      ${functions.join("\n")}
      (func (export "handle") (result i32) (i32.const 0)))`;
  }

  #typesOf({ params, results }: Signature): string {
    return `${params.length === 0 ? "" : `(param ${params.join(" ")})`} ${this.#resultOf(results)}`;
  }

  #resultOf(results: readonly Type[]): string {
    return results.length === 0 ? "" : `(result ${results.join(" ")})`;
  }

  #function(signature: Signature, index: number): string {
    const random = this.#random;
    const more = random.times(random.below(6), () => random.pick(TYPES));
    // The last locals are for results of several values, and for NaNs.
    this.#locals = [...signature.params, ...more, ...TYPES];
    this.#results = signature.results;
    this.#labels = [];
    const body = random.times(1 + random.below(5), () => this.#statement(4)).join("\n");
    const zeros = signature.results.map((type) => ZERO[type]).join(" ");
    return `(func $f${index} (export "f${index}") (type $t${index}) (local ${[...more, ...TYPES].join(" ")})
      (if (i32.eqz ${LEFT}) (then (return ${zeros}))) ${TAKE}
      ${body} ${signature.results.map((type) => this.#value(type, 3)).join(" ")})`;
  }

  #local(type: Type): number {
    return this.#random.pick([...this.#locals.keys()].filter((index) => this.#locals[index] === type));
  }

  #lastLocal(type: Type): number {
    return this.#locals.lastIndexOf(type);
  }

  /** Bits of a NaN may differ between two runs of one program; this program uses only numbers. */
  #settled(type: "f32" | "f64", value: string): string {
    const scratch = this.#lastLocal(type);
    return `(select (local.tee ${scratch} ${value}) (${type}.const nan) (${type}.eq (local.get ${scratch}) (local.get ${scratch})))`;
  }

  #address(depth: number): string {
    const value = this.#value("i32", depth);
    return this.#random.chance(25) ? value : `(i32.and ${value} (i32.const 0xfff8))`;
  }

  #constant(type: Type): string {
    const random = this.#random;
    if (type === "i32" || type === "i64")
      return `(${type}.const ${random.pick([0, 1, -1, 2, 7, 255, -128, 65_535, 2_147_483_647, -2_147_483_648, random.below(100_000)])})`;
    return `(${type}.const ${random.pick(["0", "-0", "1", "-1.5", "0.1", "1e30", "inf", "-inf", "nan", "2147483648", "-9.25e18"])})`;
  }

  #value(type: Type, depth: number): string {
    const random = this.#random;
    if (depth <= 0) {
      return random.pick([this.#constant(type), `(local.get ${this.#local(type)})`, `(global.get $${type})`]);
    }
    const v = (of: Type): string => this.#value(of, depth - 1);
    switch (random.below(12)) {
      case 0:
        return `(if (result ${type}) ${v("i32")} (then ${this.#statement(depth - 2)} ${v(type)}) (else ${v(type)}))`;
      case 1:
        return this.#inBlock(
          [type],
          depth,
          (label) => `(br_if ${label} ${v(type)} ${v("i32")}) drop ${this.#statement(depth - 2)} ${v(type)}`,
        );
      case 2:
        return `(select ${v(type)} ${v(type)} ${v("i32")})`;
      case 3:
        return `(local.tee ${this.#local(type)} ${v(type)})`;
      case 4:
        return this.#call(type, depth);
      case 5:
        return this.#load(type, depth);
      case 6:
        return this.#inBlock(
          [type],
          depth,
          (label) => `${v(type)} (br_table ${label} ${label} ${v("i32")}) ${random.chance(2) ? "unreachable" : ""}`,
        );
      case 7:
        return `(block (result ${type}) ${v(type)} ${v("i32")} (if (param ${type}) (result ${type}) (then ${this.#statement(depth - 2)}) (else drop ${v(type)})))`;
      default:
        return type === "i32" || type === "i64" ? this.#integer(type, v) : this.#float(type, v);
    }
  }

  #integer(type: "i32" | "i64", v: (of: Type) => string): string {
    const random = this.#random;
    const other = type === "i32" ? "i64" : "i32";
    const float = random.pick(["f32", "f64"] as const);
    switch (random.below(type === "i32" ? 10 : 7)) {
      case 0:
        return `(${type}.${random.pick(DIVIDING)} ${v(type)} (${type}.or ${v(type)} (${type}.const ${random.chance(20) ? 0 : 1})))`;
      case 1:
        return `(${type}.${random.pick(["clz", "ctz", "popcnt", "extend8_s", "extend16_s"])} ${v(type)})`;
      case 2:
        return type === "i32"
          ? `(i32.wrap_i64 ${v(other)})`
          : `(i64.extend_i32_${random.pick(["s", "u"])} ${v(other)})`;
      case 3:
        return `(${type}.trunc${random.chance(20) ? "" : "_sat"}_${float}_${random.pick(["s", "u"])} ${v(float)})`;
      case 4: {
        const same = type === "i32" ? "f32" : "f64";
        return `(${type}.reinterpret_${same} ${this.#settled(same, v(same))})`;
      }
      case 5:
      case 6:
        return `(${type}.${random.pick(INTEGER)} ${v(type)} ${v(type)})`;
      case 7:
        return `(${float}.${random.pick(COMPARING_FLOAT)} ${v(float)} ${v(float)})`;
      case 8:
        return random.pick([
          "(memory.size)",
          `(memory.grow (i32.and ${v("i32")} (i32.const 1)))`,
          "(table.size $table)",
          `(ref.is_null (table.get $table (i32.and ${v("i32")} (i32.const 7))))`,
          `(table.grow $table (ref.null func) (i32.and ${v("i32")} (i32.const 3)))`,
          `(i32x4.extract_lane 2 (i32x4.add (i32x4.splat ${v("i32")}) (i64x2.splat ${v("i64")})))`,
        ]);
      default: {
        const of = random.pick(["i32", "i64"] as const);
        return `(${of}.${random.pick(COMPARING)} ${v(of)} ${v(of)})`;
      }
    }
  }

  #float(type: "f32" | "f64", v: (of: Type) => string): string {
    const random = this.#random;
    const integer = random.pick(["i32", "i64"] as const);
    switch (random.below(6)) {
      case 0:
        return `(${type}.${random.pick(FLOAT_ONE)} ${v(type)})`;
      case 1:
        return `(${type}.convert_${integer}_${random.pick(["s", "u"])} ${v(integer)})`;
      case 2:
        return type === "f32" ? `(f32.demote_f64 ${v("f64")})` : `(f64.promote_f32 ${v("f32")})`;
      case 3:
        return `(${type}.copysign ${v(type)} ${this.#settled(type, v(type))})`;
      default:
        return `(${type}.${random.pick(FLOAT)} ${v(type)} ${v(type)})`;
    }
  }

  #load(type: Type, depth: number): string {
    const width =
      type === "i32" ? ["", "8_s", "8_u", "16_s", "16_u"] : type === "i64" ? ["", "8_u", "16_s", "32_s", "32_u"] : [""];
    return `(${type}.load${this.#random.pick(width)} offset=${this.#random.pick([0, 1, 100])} ${this.#address(depth - 1)})`;
  }

  #call(type: Type, depth: number): string {
    const found = this.#signatures.findIndex(
      ({ results }, index) => index > 0 && results.length === 1 && results[0] === type,
    );
    if (found < 0 || this.#random.chance(3)) return this.#value(type, depth - 1);
    return this.#callOf(found, depth);
  }

  #callOf(index: number, depth: number): string {
    const values = (this.#signatures[index] as Signature).params.map((type) => this.#value(type, depth - 2)).join(" ");
    if (this.#random.chance(2)) return `(call $f${index} ${values})`;
    const entry = this.#random.chance(12) ? this.#value("i32", 1) : `(i32.const ${index + 1})`;
    return `(call_indirect $table (type $t${index}) ${values} ${entry})`;
  }

  #inBlock(results: readonly Type[], depth: number, inside: (label: string) => string): string {
    const name = `$b${this.#names++}`;
    this.#labels.push({ name, isLoop: false, results });
    const text = `(block ${name} ${this.#resultOf(results)} ${depth > 2 ? this.#statement(depth - 2) : ""} ${inside(name)})`;
    this.#labels.pop();
    return text;
  }

  /** The results of a call or block go into locals, the last one first. */
  #keep(results: readonly Type[]): string {
    return results
      .toReversed()
      .map((type) => (this.#random.chance(3) ? "drop" : `(local.set ${this.#local(type)})`))
      .join(" ");
  }

  #statement(depth: number): string {
    const random = this.#random;
    if (depth <= 0) return "";
    const type = random.pick(TYPES);
    const v = (of: Type, at = depth - 1): string => this.#value(of, Math.min(at, 2));
    const small = (mask: number): string => `(i32.and ${v("i32", 1)} (i32.const ${mask}))`;
    switch (random.below(20)) {
      case 0:
      case 1:
        return `(local.set ${this.#local(type)} ${v(type)})`;
      case 2:
        return `(global.set $${type} ${type === "f32" || type === "f64" ? this.#settled(type, v(type)) : v(type)})`;
      case 3:
      case 4:
        return this.#store(type, depth);
      case 5:
        return `(if ${v("i32")} (then ${this.#statement(depth - 1)} ${this.#statement(depth - 2)}) (else ${this.#statement(depth - 1)}))`;
      case 6:
      case 7:
      case 8:
        return this.#loop(depth);
      case 9: {
        const results = random.times(random.below(4), () => random.pick(TYPES));
        const values = (): string => results.map((of) => v(of, 1)).join(" ");
        const again = results.map(() => "drop").join(" ");
        return `${this.#inBlock(results, depth, (label) => `(br_if ${label} ${values()} ${v("i32", 1)}) ${again} ${values()}`)} ${this.#keep(results)}`;
      }
      case 10: {
        const index = 1 + random.below(FUNCTIONS - 1);
        return `${this.#callOf(index, depth)} ${this.#keep((this.#signatures[index] as Signature).results)}`;
      }
      case 11:
        return this.#leave(depth);
      case 12:
        return random.pick([
          `(memory.fill ${this.#address(1)} ${v("i32", 1)} ${small(511)})`,
          `(memory.copy ${this.#address(1)} ${this.#address(1)} ${small(511)})`,
          `(memory.init $data ${this.#address(1)} ${small(3)} ${small(7)})`,
          `(if (i32.eq ${v("i32", 1)} (i32.const 9)) (then (data.drop $data)))`,
        ]);
      case 13:
        return random.pick([
          `(table.set $table ${small(7)} (table.get $table ${small(7)}))`,
          `(table.copy $table $table ${small(7)} ${small(7)} ${small(3)})`,
          `(table.init $table $elem ${small(7)} ${small(1)} ${small(3)})`,
          `(table.fill $table ${small(7)} (ref.func $f1) ${small(3)})`,
          `(table.set $table ${small(7)} (ref.null func))`,
        ]);
      case 14:
        return random.pick(["nop", `(drop ${v(type)})`, "(block)", "(loop)", `(if ${v("i32")} (then))`]);
      default:
        return `${this.#statement(depth - 1)} ${this.#statement(depth - 1)}`;
    }
  }

  #store(type: Type, depth: number): string {
    const width = type === "i32" ? ["", "8", "16"] : type === "i64" ? ["", "8", "16", "32"] : [""];
    const value = this.#value(type, Math.min(depth - 1, 2));
    const settled = type === "f32" || type === "f64" ? this.#settled(type, value) : value;
    return `(${type}.store${this.#random.pick(width)} ${this.#address(1)} ${settled})`;
  }

  #loop(depth: number): string {
    const random = this.#random;
    const name = `$l${this.#names++}`;
    this.#labels.push({ name, isLoop: true, results: [] });
    const inside = `${TAKE} ${this.#statement(depth - 1)} (br_if ${name} (i32.and ${LEFT} ${this.#value("i32", 1)})) ${this.#statement(depth - 2)}`;
    this.#labels.pop();
    if (!random.chance(3)) return `(loop ${name} ${inside})`;
    const type = random.pick(TYPES);
    return `(local.set ${this.#local(type)} (loop ${name} (result ${type}) ${inside} ${this.#value(type, 1)}))`;
  }

  /** Leaves a block, goes to a loop's next turn, or leaves the function, followed by unreachable code. */
  #leave(depth: number): string {
    const random = this.#random;
    const targets = this.#labels.filter(({ results }) => results.length === 0);
    const result = this.#results.map((type) => this.#value(type, 1)).join(" ");
    const dead = random.chance(2) ? this.#statement(depth - 2) : "";
    const inner =
      targets.length === 0 || random.chance(4)
        ? `(return ${result})`
        : random.chance(2)
          ? `(br ${random.pick(targets).name})`
          : `(br_table ${random.times(1 + random.below(4), () => random.pick(targets).name).join(" ")} ${this.#value("i32", 1)})`;
    const unreachable = random.chance(20) ? "unreachable" : inner;
    return `(if (i32.and ${LEFT} ${this.#value("i32", 2)}) (then ${unreachable} ${dead}))`;
  }
}

export function makeProgram(random: Random): string {
  return new Writer(random).module();
}
