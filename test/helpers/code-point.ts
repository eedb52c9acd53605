import fc from "./fc.ts";

const SURROGATES = 0x800;
const FIRST_SURROGATE = 0xd800;

/**
 * A unit for `fc.string`: any character except lone surrogates. fast-check's "binary" unit builds a list of all million
 * characters, which costs each process a second and a hundred megabytes.
 */
export const codePoint = fc.integer({ min: 0, max: 0x10ffff - SURROGATES }).map(
  (index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES),
  (text) => {
    const point = typeof text === "string" ? text.codePointAt(0) : undefined;
    if (point === undefined || String.fromCodePoint(point) !== text || /\p{Cs}/u.test(text)) throw new Error("not one");
    return point < FIRST_SURROGATE ? point : point - SURROGATES;
  },
);
