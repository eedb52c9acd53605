/**
 * What the agents' documentation defines as a permission of a tool call at `PreToolUse`: a command hook, its exit code
 * and its output. Written by hand without importing hookbox; the answer is no in doubtful cases.
 */

export interface Printed {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Fields = Readonly<Record<string, unknown>>;

export const DOCUMENTED_ALLOW: Readonly<Record<string, (printed: Printed) => boolean>> = {
  // Hookbox's own format: Claude Code's format, from a hook with exit code 0.
  hookbox: (printed) => printed.exitCode === 0 && allowedToClaude(objectIn(printed.stdout)),
  // Newest contract: the object decides whatever the exit code is, but exit code 2 blocks and nothing overrides that.
  "claude-code": (printed) => printed.exitCode !== 2 && allowedToClaude(objectIn(printed.stdout)),
  "docker-agent": (printed) => printed.exitCode === 0 && allowedToDocker(objectIn(printed.stdout)),
  // Its permissions are asked before its hooks, and a hook cannot loosen them.
  agentao: () => false,
  autohand: (printed) => printed.exitCode === 0 && allowedToAutohand(objectIn(printed.stdout)),
  // A handler may block, ask or rewrite; it cannot allow.
  openclaw: () => false,
  patterns: (printed) => printed.exitCode === 0 && allowedToPatterns(objectIn(printed.stdout)),
};

/** White space around an object, and a byte order mark before it, are ignored. */
function objectIn(stdout: string): Fields | undefined {
  try {
    return asFields(JSON.parse(stdout.trim()));
  } catch {
    return undefined;
  }
}

function asFields(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

const isIn = (words: readonly unknown[], value: unknown): boolean => words.includes(value);

function allowedToClaude(json: Fields | undefined): boolean {
  if (json === undefined || json["continue"] === false || !isIn([undefined, "approve"], json["decision"])) return false;
  const specific = asFields(json["hookSpecificOutput"]);
  const word = specific?.["permissionDecision"];
  if (!isIn([undefined, "allow"], word)) return false;
  // The old word at the top level still maps to the new one.
  return json["decision"] === "approve" || (word === "allow" && specific?.["hookEventName"] === "PreToolUse");
}

function allowedToPatterns(json: Fields | undefined): boolean {
  if (json === undefined || json["continue"] === false || !isIn([undefined, "allow"], json["decision"])) return false;
  const word = asFields(json["hookSpecificOutput"])?.["permissionDecision"];
  return isIn([undefined, "allow"], word) && (word === "allow" || json["decision"] === "allow");
}

/** A Go reader: keys in any case, the last of two counts, and null equals a missing key. */
function allowedToDocker(json: Fields | undefined): boolean {
  const top = inAnyCase(json);
  const nested = inAnyCase(asFields(top["hook_specific_output"]));
  const isUnsaid = isIn([undefined, ""], top["decision"]) && top["continue"] !== false;
  return isUnsaid && nested["permission_decision"] === "allow";
}

function inAnyCase(json: Fields | undefined): Fields {
  const entries = Object.entries(json ?? {}).filter(([, value]) => value !== null);
  return Object.fromEntries(entries.map(([key, value]) => [key.toLowerCase(), value]));
}

/** Flat and typed: a field of another type makes the whole answer invalid. */
function allowedToAutohand(json: Fields | undefined): boolean {
  if (json === undefined || json["decision"] !== "allow") return false;
  const isTyped =
    isIn(["undefined", "string"], typeof (json["reason"] ?? undefined)) &&
    isIn([undefined, null, true], json["continue"]) &&
    isIn(["undefined", "string"], typeof (json["stopReason"] ?? undefined)) &&
    isIn(["undefined", "string"], typeof (json["additionalContext"] ?? undefined));
  const input = json["updatedInput"] ?? {};
  const reserved = ["type", "tool", "__proto__", "prototype", "constructor"];
  return isTyped && asFields(input) !== undefined && !reserved.some((key) => Object.hasOwn(input, key));
}
