// Makes the work of an interpreter cost what it does, and not what it might have done.
//
// The host charges for a function or a turn of a loop when it is entered, with all of its instructions, whether they
// are reached or not (docs/cost-model.md). In a switch over a hundred opcodes inside of a loop every opcode costs what
// all of them together cost. So each stretch of code that control may pass by is put into a loop of its own that
// nothing branches back to: the same program, but charged for where it is entered.

import { leb128 } from "../../../dist/executors/wasm/leb128.js";
import { openModule } from "../../../dist/executors/wasm/module-binary.js";
import { OperandStack } from "../../../dist/executors/wasm/operand-stack.js";
import { Cursor } from "../../../dist/executors/wasm/operators.js";
import { OPERATOR, SECTION } from "../../../dist/executors/wasm/wasm-codes.js";

const VOID = 0x40;
const FREE = new Set([OPERATOR.nop, OPERATOR.block, OPERATOR.loop, OPERATOR.else, OPERATOR.end]);
const VALUE_CODES = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c };

/** Labels of a `br_table` in a loop that make it an interpreter's. */
const MANY_LABELS = 20;

/**
 * `target`: instructions that one charge may be for without being split; `interpreterTarget`: the same in functions
 * that choose between many cases in a loop. `minimums`: how small the stretches may be that are cut off for it, tried
 * in this order.
 */
export function splitRegions(module, options) {
  const { outline } = openModule(module);
  const section = outline.sections.find(({ id }) => id === SECTION.code);
  const imported = outline.imports.filter(({ kind }) => kind === "function").length;
  const types = readTypes(module, outline.sections);
  const arityOf = (signature) => ({ params: signature.params.length, results: signature.results.length });
  const importTypes = outline.imports.map(({ signature }) => signature);
  const signatureOf = (index) => (index < imported ? importTypes[index] : outline.functionTypes[index - imported]);
  const arities = { ofType: (index) => types[index], ofFunction: (index) => arityOf(signatureOf(index)) };

  const cursor = new Cursor(module, section.content);
  const count = cursor.leb();
  const bodies = [];
  for (let index = 0; index < count; index++) {
    const size = cursor.leb();
    const start = cursor.at;
    const end = start + size;
    bodies.push(splitBody(module, start, end, outline.functionTypes[index], arities, options));
    cursor.at = end;
  }
  const content = Buffer.concat([
    Uint8Array.from(leb128(count)),
    ...bodies.flatMap((body) => [Uint8Array.from(leb128(body.length)), body]),
  ]);
  return Uint8Array.from(
    Buffer.concat([
      module.subarray(0, section.start),
      Uint8Array.from([SECTION.code, ...leb128(content.length)]),
      content,
      module.subarray(section.end),
    ]),
  );
}

function readTypes(module, sections) {
  const section = sections.find(({ id }) => id === SECTION.type);
  const cursor = new Cursor(module, section.content);
  return Array.from({ length: cursor.leb() }, () => {
    cursor.byte();
    const count = () => {
      const values = cursor.leb();
      cursor.at += values;
      return values;
    };
    const params = count();
    return { params, results: count() };
  });
}

function splitBody(module, start, end, signature, arities, options) {
  const cursor = new Cursor(module, start);
  for (let groups = cursor.leb(); groups > 0; groups--) {
    cursor.leb();
    cursor.byte();
  }
  const head = module.subarray(start, cursor.at);
  const root = parse(module, cursor, end, signature, arities);
  refine(root, isInterpreter(root, false, module) ? { ...options, target: options.interpreterTarget } : options);
  const pieces = [];
  emit(root, [root], module, pieces);
  return Buffer.concat([head, ...pieces]);
}

/**
 * A frame is what a branch can name: its `arms` are lists of instructions and frames, two where there is an `else`.
 * `type` is the byte of its block type, or undefined where it is not a plain one.
 */
function parse(module, cursor, end, signature, arities) {
  const stack = new OperandStack(signature.results.length, arities);
  const rootType = signature.results.length === 0 ? VOID : VALUE_CODES[signature.results[0]];
  const root = { kind: "function", type: rootType, base: 0, arms: [[]] };
  const frames = [root];
  while (cursor.at < end) {
    const operator = cursor.operator();
    const { code } = operator;
    const frame = frames.at(-1);
    const isFrame = code === OPERATOR.block || code === OPERATOR.loop || code === OPERATOR.if;
    stack.take(operator, module);
    if (isFrame) {
      const bytes = module.subarray(operator.start + 1, operator.end);
      const plain = bytes.length === 1 && bytes[0] >= VOID && bytes[0] < 0x80;
      const opened = {
        kind: code === OPERATOR.loop ? "loop" : "block",
        operator,
        type: plain ? bytes[0] : undefined,
        base: stack.height,
        arms: [[]],
      };
      frame.arms.at(-1).push(opened);
      frames.push(opened);
    } else if (code === OPERATOR.else) frame.arms.push([]);
    else if (code === OPERATOR.end) {
      frames.pop();
      const parent = frames.at(-1);
      // A place between statements: nothing of this frame is on the stack.
      if (parent !== undefined) frame.isBreak = stack.height === parent.base;
    } else {
      const isBranch = code === OPERATOR.br_if;
      frame.arms.at(-1).push({ operator, isBreak: isBranch && stack.height === frame.base });
    }
  }
  return root;
}

/** Instructions of a list that are charged together with what is around it. */
function costOf(list) {
  let cost = 0;
  for (const item of list) {
    if (item.operator !== undefined && !FREE.has(item.operator.code)) cost += 1;
    if (item.arms !== undefined && item.kind !== "loop") for (const arm of item.arms) cost += costOf(arm);
  }
  return cost;
}

/** Splits what is charged with the entry of `frame`, and then what is charged for inside of it. */
function refine(frame, options) {
  const own = (arms) => arms.reduce((sum, arm) => sum + costOf(arm), 0);
  const { arms } = frame;
  for (const minimum of options.minimums) {
    if (own(frame.arms) <= options.target) break;
    frame.arms = arms.map((arm) => splitArm(frame, arm, minimum));
  }
  for (const region of regionsIn(frame)) refine(region, options);
}

function isInterpreter(frame, isLooping, module) {
  return frame.arms.flat().some((item) => {
    if (item.arms !== undefined) return isInterpreter(item, isLooping || item.kind === "loop", module);
    if (!isLooping || item.operator.code !== OPERATOR.br_table) return false;
    return new Cursor(module, item.operator.start + 1).leb() >= MANY_LABELS;
  });
}

function* regionsIn(frame) {
  for (const item of frame.arms.flat()) {
    if (item.arms === undefined) continue;
    if (item.kind === "loop") yield item;
    else yield* regionsIn(item);
  }
}

/** From the outside in: what is cut off as a whole is only looked into if it is still too large. */
function splitArm(frame, list, minimum) {
  return split(frame, list, frame.operator?.code === OPERATOR.if, minimum).map((item) =>
    item.arms === undefined || item.kind === "loop"
      ? item
      : { ...item, arms: item.arms.map((arm) => splitArm(item, arm, minimum)) },
  );
}

function split(frame, list, isArm, minimum) {
  if (frame.type === undefined) return list;
  // Where stretches may begin: behind whatever control may come from or leave to; in an arm, at once.
  const starts = isArm ? [0] : [];
  for (const [index, item] of list.entries()) if (item.isBreak === true) starts.push(index + 1);
  if (starts.length === 0) return list;
  const made = list.slice(0, starts[0]);
  let from = starts[0];
  for (const to of [...starts.slice(1), list.length]) {
    const stretch = list.slice(from, to);
    const isLast = to === list.length;
    if (costOf(stretch) < minimum && !isLast) continue;
    if (costOf(stretch) < minimum) made.push(...stretch);
    else made.push({ kind: "loop", added: true, type: isLast ? frame.type : VOID, arms: [stretch] });
    from = to;
  }
  return made;
}

/** `frames` are all that are open, added ones among them: branches count those too. */
function emit(frame, frames, module, pieces) {
  for (const [index, arm] of frame.arms.entries()) {
    if (index > 0) pieces.push(Uint8Array.of(OPERATOR.else));
    for (const item of arm) {
      if (item.arms === undefined) pieces.push(instruction(item.operator, frames, module));
      else {
        pieces.push(
          item.added === true
            ? Uint8Array.of(OPERATOR.loop, item.type)
            : module.subarray(item.operator.start, item.operator.end),
        );
        frames.push(item);
        emit(item, frames, module, pieces);
        frames.pop();
      }
    }
  }
  pieces.push(Uint8Array.of(OPERATOR.end));
}

function instruction({ code, start, end, index }, frames, module) {
  if (code === OPERATOR.br || code === OPERATOR.br_if)
    return Uint8Array.from([code, ...leb128(labelOf(index, frames))]);
  if (code !== OPERATOR.br_table) return module.subarray(start, end);
  const cursor = new Cursor(module, start + 1);
  const count = cursor.leb();
  const labels = Array.from({ length: count + 1 }, () => leb128(labelOf(cursor.leb(), frames)));
  return Uint8Array.from([code, ...leb128(count), ...labels.flat()]);
}

function labelOf(depth, frames) {
  let left = depth;
  for (let at = frames.length - 1; at >= 0; at--) {
    if (frames[at].added === true) continue;
    if (left === 0) return frames.length - 1 - at;
    left -= 1;
  }
  throw new Error("a branch to a label that is not there");
}
