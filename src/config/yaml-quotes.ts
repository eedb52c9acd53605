/** Returns a hint to quote a value such as `*` or `@team/x`, whose first character has another meaning in YAML. */
export function hintToQuote(text: string, offset: number): { readonly hint?: string } {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  const [line = ""] = text.slice(lineStart).split("\n");
  const [, value] = /^\s*(?:- +)*(?:[\w.-]+: +)?([*&!@`%|>][^\s#]*)/.exec(line) ?? [];
  if (value === undefined) return {};
  return { hint: `"${value[0]}" has a special meaning in YAML. Write the value in quotes: ${JSON.stringify(value)}` };
}
