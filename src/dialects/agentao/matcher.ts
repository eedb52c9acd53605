import type { Compat } from "../../codec.ts";
import { isJsonObject } from "../../json.ts";
import { compileMatcher } from "../../matcher/tool-name.ts";
import { kindOf } from "../../schema-issue.ts";
import { suggest } from "../../suggest.ts";

/**
 * A rule's matcher: an object with a pattern for the tool's name or for the trigger of a compaction, or the text of a
 * group in Claude Code's form. A pattern for a name is a glob or, between `^` and `$`, a regular expression. A matcher
 * that cannot be read never matches everything.
 */
type ReadMatcher =
  | { readonly ok: true; readonly matcher: string | undefined; readonly note?: string }
  | { readonly ok: false; readonly key?: string; readonly message: string; readonly hint?: string };

const KEYS: Readonly<Record<string, readonly string[]>> = {
  PreToolUse: ["tool_name", "toolName"],
  PostToolUse: ["tool_name", "toolName"],
  PostToolUseFailure: ["tool_name", "toolName"],
  PreCompact: ["trigger"],
};

export function readMatcher(event: string, value: unknown, compat?: Compat): ReadMatcher {
  if (value === undefined || value === null) return { ok: true, matcher: undefined };
  const keys = KEYS[event];
  if (!isJsonObject(value)) {
    const hint = `write it as { "${keys?.[0] ?? "tool_name"}": … }`;
    return { ok: false, message: `non-object matcher: ${kindOf(value)}`, hint };
  }
  if (keys === undefined) {
    const isEmpty = Object.keys(value).length === 0;
    const note = `${event} has nothing that a matcher could test; the hook runs each time`;
    return { ok: true, matcher: undefined, ...(isEmpty ? {} : { note }) };
  }
  const unknown = Object.keys(value).find((key) => !keys.includes(key));
  if (unknown !== undefined) {
    const hint = suggest(unknown, keys) ?? `${event} is matched by: ${keys.join(", ")}`;
    return { ok: false, key: unknown, message: `unknown key "${unknown}" in the matcher of ${event}`, hint };
  }
  const patterns = [...new Set(Object.values(value))];
  const [key = ""] = Object.keys(value);
  if (patterns.length > 1)
    return { ok: false, message: "tool_name and toolName have different values", hint: "keep one" };
  const [pattern] = patterns;
  if (pattern === undefined) return { ok: true, matcher: undefined };
  if (typeof pattern !== "string") {
    return { ok: false, key, message: `${key} must be a text, not ${kindOf(pattern)}` };
  }
  if (pattern === "") return { ok: false, key, message: `an empty ${key} fits nothing, so the hook would never run` };
  return event === "PreCompact" ? triggerPattern(pattern) : toolPattern(pattern, key, compat);
}

function toolPattern(pattern: string, key: string, compat: Compat | undefined): ReadMatcher {
  const compiled = compileMatcher(pattern, "glob");
  if (!compiled.ok) return { ok: false, key, message: compiled.message };
  if (pattern.startsWith("^") && pattern.endsWith("$")) return { ok: true, matcher: pattern };
  // Agentao compares the whole text with the name. A list or an expression would therefore guard nothing.
  if (/[|,^$()[\]{}\\+\s]/.test(pattern)) {
    const message = `${key} "${pattern}" fits no tool, so the hook would never run`;
    const hint = 'write an expression for the whole name, such as "^(Bash|Write)$"';
    return compat === "faithful"
      ? { ok: true, matcher: pattern, note: `${message}: ${hint}` }
      : { ok: false, key, message, hint };
  }
  const note = `tool_name "${pattern}" is a glob, in which a dot matches only a dot. Write a regular expression as "^${pattern}$"`;
  return { ok: true, matcher: pattern, ...(pattern.includes(".*") ? { note } : {}) };
}

/**
 * Reads a trigger pattern, which is a glob in Agentao's documentation and an expression for the whole name in its code.
 * A pattern of name characters is a glob.
 */
function triggerPattern(pattern: string): ReadMatcher {
  if (pattern !== "*" && /^[\w*? -]+$/.test(pattern)) {
    return { ok: true, matcher: pattern.replaceAll("*", ".*").replaceAll("?", ".") };
  }
  if (compileMatcher(pattern, "anchored").ok) return { ok: true, matcher: pattern };
  const note = `trigger "${pattern}" is not a valid pattern, so it is compared literally`;
  return { ok: true, matcher: pattern.replace(/[\\^$.|?*+()[\]{}]/g, "\\$&"), note };
}

/** Converts a matcher in Claude Code's form to an Agentao matcher that matches the same names. */
export function readGroupMatcher(event: string, value: unknown, compat?: Compat): ReadMatcher {
  if (typeof value !== "string") return readMatcher(event, value, compat);
  if (KEYS[event] === undefined) return readMatcher(event, value === "" || value === "*" ? null : { matcher: value });
  const compiled = compileMatcher(value, "wide");
  if (!compiled.ok) return { ok: false, message: compiled.message };
  const { matcher } = compiled;
  if (matcher.kind === "all") return { ok: true, matcher: undefined };
  const isTrigger = event === "PreCompact";
  if (matcher.kind === "pattern") {
    const anywhere = `^[\\s\\S]*(?:${value})[\\s\\S]*$`;
    const fits = compileMatcher(anywhere, isTrigger ? "anchored" : "glob");
    return fits.ok ? { ok: true, matcher: anywhere } : { ok: false, message: fits.message };
  }
  const [first = "", ...others] = matcher.names;
  if (others.length === 0) return { ok: true, matcher: first };
  const names = matcher.names.join("|");
  return { ok: true, matcher: isTrigger ? names : `^(?:${names})$` };
}
