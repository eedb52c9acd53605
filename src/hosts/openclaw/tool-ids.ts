import { HookError } from "../../errors.ts";

/** A tool as OpenClaw itself calls it, whatever a provider's spelling is. */
const PROVIDER_SPELLINGS: Readonly<Record<string, string>> = {
  bash: "exec",
  exec_command: "exec",
  "apply-patch": "apply_patch",
};

/** Words that a matcher may not say, as they are more than one tool, or no tool's own name. */
const REFUSED: Readonly<Record<string, string>> = {
  ...PROVIDER_SPELLINGS,
  write: "apply_patch",
  edit: "apply_patch",
  agent: "sessions_spawn",
};

export function toolId(name: unknown): string {
  const id = typeof name === "string" ? name.trim().toLowerCase() : "";
  return Object.hasOwn(PROVIDER_SPELLINGS, id) ? (PROVIDER_SPELLINGS[id] as string) : id;
}

/** The ids of a registration's matcher, in one order and each once. Throws `HOOK_API_MISUSE` for anything else. */
export function matcherIds(matcher: unknown): readonly string[] {
  if (!Array.isArray(matcher)) throw misuse("a matcher must be a list of tool ids");
  if (matcher.length === 0) throw misuse("a matcher must name a tool; leave it out to hear of all");
  // By index: a list with holes would skip them.
  const ids = Array.from({ length: matcher.length }, (_, index) => idOf(matcher[index]));
  return [...new Set(ids)].sort();
}

function idOf(entry: unknown): string {
  if (typeof entry !== "string") throw misuse("a matcher's entries must be strings");
  const id = entry.trim().toLowerCase();
  if (id === "") throw misuse("a matcher's entries must not be blank");
  if (id === "*") throw misuse('a matcher has no wildcards; leave it out to hear of all tools, not "*"');
  if (Object.hasOwn(REFUSED, id))
    throw misuse(`a matcher takes OpenClaw's own tool ids, and "${id}" is a provider's word`, REFUSED[id]);
  return id;
}

function misuse(message: string, instead?: string): HookError {
  return new HookError("HOOK_API_MISUSE", message, instead === undefined ? {} : { hint: `the id is "${instead}"` });
}
