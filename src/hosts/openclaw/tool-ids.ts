import { HookError } from "../../errors.ts";

/** Other providers' names of tools, each with OpenClaw's own id. */
const PROVIDER_SPELLINGS: Readonly<Record<string, string>> = {
  bash: "exec",
  exec_command: "exec",
  "apply-patch": "apply_patch",
};

/** Words that a matcher must not contain, because they name several tools or are not a tool's own id. */
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

/** Returns the sorted, distinct ids of a registration's matcher. Throws `HOOK_API_MISUSE` for an invalid matcher. */
export function matcherIds(matcher: unknown): readonly string[] {
  if (!Array.isArray(matcher)) throw misuse("a matcher must be a list of tool ids");
  if (matcher.length === 0) throw misuse("a matcher must name at least one tool; leave it out to match all tools");
  // The loop uses indices, because iteration methods would skip holes of a sparse list.
  const ids = Array.from({ length: matcher.length }, (_, index) => idOf(matcher[index]));
  return [...new Set(ids)].sort();
}

function idOf(entry: unknown): string {
  if (typeof entry !== "string") throw misuse("a matcher's entries must be strings");
  const id = entry.trim().toLowerCase();
  if (id === "") throw misuse("a matcher's entries must not be blank");
  if (id === "*") throw misuse('"*" is not allowed in a matcher; leave the matcher out to match all tools');
  if (Object.hasOwn(REFUSED, id))
    throw misuse(`a matcher takes OpenClaw's own tool ids, and "${id}" is a provider's name`, REFUSED[id]);
  return id;
}

function misuse(message: string, instead?: string): HookError {
  return new HookError("HOOK_API_MISUSE", message, instead === undefined ? {} : { hint: `the id is "${instead}"` });
}
