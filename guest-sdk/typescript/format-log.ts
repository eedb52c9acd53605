/**
 * Formats values as one line, like a console. `%s`, `%d`, `%i`, `%f`, `%j`, `%o`, `%O` and `%c` work in the first
 * value.
 */
export function formatLog(values: readonly unknown[]): string {
  const [first, ...rest] = values;
  if (values.length === 0) return "";
  if (typeof first !== "string") return values.map(show).join(" ");
  if (rest.length === 0) return first;
  let used = 0;
  const text = first.replace(/%[sdifjoOc%]/g, (directive) => {
    if (directive === "%%") return "%";
    if (used === rest.length) return directive;
    const value = rest[used];
    used += 1;
    return fill(directive, value);
  });
  return [text, ...rest.slice(used).map(show)].join(" ");
}

function fill(directive: string, value: unknown): string {
  if (directive === "%c") return "";
  if (!/%[dif]/.test(directive)) return show(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "number" && typeof value !== "string") return "NaN";
  if (directive === "%i") return String(Number.parseInt(String(value), 10));
  return String(directive === "%d" ? Number(value) : Number.parseFloat(String(value)));
}

function show(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    if (value instanceof Error) return value.stack?.startsWith(value.name) ? value.stack : `${value}`;
    if (typeof value === "function") return `[function ${value.name}]`;
    if (typeof value !== "object" || value === null) return String(value);
    return JSON.stringify(value, readable()) ?? String(value);
  } catch {
    // A getter or a `toJSON` threw an error. A log line must not change the guard's answer.
    return "[unreadable]";
  }
}

/** Converts values that JSON would refuse or show as empty. */
function readable(): (this: unknown, key: string, value: unknown) => unknown {
  const above: unknown[] = [];
  return function (_key, value) {
    while (above.length > 0 && above.at(-1) !== this) above.pop();
    if (typeof value === "bigint") return `${value}n`;
    if (typeof value !== "object" || value === null) return value;
    if (above.includes(value)) return "[circular]";
    above.push(value);
    if (value instanceof Map) return [...value];
    if (value instanceof Set) return [...value];
    if (value instanceof Error || value instanceof RegExp) return String(value);
    return value;
  };
}
