/** Returns JSON for a terminal. Escapes everything that is not ASCII, because names in the JSON are untrusted. */
export function asciiJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, null, indent).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
