/** Returns the type of a value with its article, for messages: `a string`, `an array`, `null`, `an object (Date)`. */
export function nameValue(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "an array";
  if (typeof value !== "object") return `a ${typeof value}`;
  const { constructor: made } = value;
  const name = typeof made === "function" && made !== Object ? made.name : "";
  return name === "" ? "an object" : `an object (${name})`;
}
