import fc from "./fc.ts";

const SURROGATES = 0x800;
const FIRST_SURROGATE = 0xd800;

/**
 * For `fc.string`: any character but halves of one. What fast-check calls "binary", whose list of all million characters
 * is a second's work and a hundred megabytes in each process that asks for it.
 */
export const codePoint = fc.integer({ min: 0, max: 0x10ffff - SURROGATES }).map(
  (index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES),
  (text) => {
    const point = typeof text === "string" ? text.codePointAt(0) : undefined;
    if (point === undefined || String.fromCodePoint(point) !== text || /\p{Cs}/u.test(text)) throw new Error("not one");
    return point < FIRST_SURROGATE ? point : point - SURROGATES;
  },
);
