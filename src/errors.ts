/**
 * Errors before a hook runs. Misuse of the API throws a {@link HookError}. A bad configuration becomes a
 * {@link Problem}, which is listed and closes the gates of its rules. A hook that fails while it runs is neither: its
 * failure is part of a `HookOutcome`.
 */

/** Every code that hookbox can report, with its documented meaning. */
export const ERROR_CODES = {
  HOOK_API_MISUSE: "A function of the library was called with something it cannot take.",
  HOOK_ENGINE_CLOSED: "The engine was closed before this call.",
  HOOK_EVENT_UNKNOWN: "The event is not in the contract table.",
  HOOK_PAYLOAD_INVALID: "The event's payload is not a JSON object of the documented shape.",
  HOOK_PAYLOAD_LIMIT: "The event's payload has more bytes, levels of nesting or values than hookbox reads.",
  HOOK_CONFIG_NOT_FOUND: "No configuration file was found, or a named one does not exist.",
  HOOK_CONFIG_UNREADABLE: "A configuration file exists and could not be read.",
  HOOK_CONFIG_SYNTAX: "A configuration file is not well-formed JSON, JSONC or YAML.",
  HOOK_CONFIG_LIMIT:
    "A configuration file has more bytes, levels of nesting, values, rules or patterns than hookbox reads, or more problems than it lists.",
  HOOK_CONFIG_DUPLICATE_KEY: "An object in a configuration file has the same key twice; one of the two would be lost.",
  HOOK_CONFIG_UNKNOWN_KEY: "A key is not part of the format.",
  HOOK_CONFIG_UNKNOWN_EVENT: "An event name is not in the contract table.",
  HOOK_CONFIG_UNKNOWN_TOOL: "A name in a matcher, `if` or `filter` is no known tool's, but nearly one.",
  HOOK_CONFIG_TYPE: "A value has the wrong type or is out of range.",
  HOOK_CONFIG_MATCHER:
    "A matcher cannot be compiled to a pattern that runs in linear time, or has another form than matchers have.",
  HOOK_CONFIG_CONDITION: "An `if` is not one permission rule, or has a pattern that cannot be used.",
  HOOK_CONFIG_FILTER: "A `filter` has a pattern that cannot be used.",
  HOOK_CONFIG_HANDLER: "A handler type is unknown, or may not serve this event.",
  HOOK_CONFIG_UNSUPPORTED: "A feature is known and not available in this version; the rule is not loaded.",
  HOOK_CONFIG_INERT: "A setting has no effect where it stands.",
  HOOK_CONFIG_RENAMED: "A setting has an old name, which still counts.",
  HOOK_CONFIG_GRANT: "A host or path that a rule grants its guard cannot be granted.",
  HOOK_CONFIG_TRUST: "A file that may come with a repository asks for what only the user's own files may give.",
  HOOK_CONFIG_DISABLED: "A file switches rules off.",
  HOOK_CONFIG_SCOPE: "A setting does not count for rules that are more trusted than its file.",
  HOOK_COMMAND_NOT_FOUND: "The program of a command hook does not exist, or cannot be run.",
  HOOK_HTTP_URL: "The URL of a web hook cannot be used, or leads where the rule may not send.",
  HOOK_HTTP_HEADER: "A header of a web hook cannot be sent.",
  HOOK_MODEL_PROVIDER:
    "The model that a rule is to ask cannot be asked: by whom is not known, or it lacks a key or a package.",
  HOOK_PROMPT_TEMPLATE: "A prompt or text with placeholders cannot be used.",
  HOOK_MCP_SERVER: "The server of an MCP tool is not known, or cannot be used.",
  HOOK_BUILTIN: "There is no built-in hook of that name, or it cannot be used there or so.",
  HOOK_MODULE_NOT_FOUND: "The file of a wasm rule does not exist or cannot be read.",
  HOOK_MODULE_DIGEST: "The bytes of a wasm module are not those that the rule pins.",
  HOOK_MODULE_INVALID: "The file is not a WebAssembly module that can be compiled.",
  HOOK_MODULE_IMPORT: "The module imports something that it was not granted.",
  HOOK_MODULE_ABI: "The module does not follow the guest ABI.",
  HOOK_MODULE_FEATURE: "The module uses a feature of WebAssembly that guards may not use.",
  HOOK_MODULE_LIMIT: "The module declares more than the rule's limits allow.",
  HOOK_MODULE_MANIFEST: "The module's manifest cannot be used.",
  HOOK_MODULE_EVENT: "The rule stands at an event that its module does not judge.",
  HOOK_MODULE_CONFIG: "The rule's configuration has a key that the module does not take, or lacks one that it needs.",
  HOOK_MODULE_GRANT: "What a rule grants its module is not what the module asks for.",
  HOOK_MODULE_FIXTURE: "The module does not pass its own tests.",
  HOOK_GRANT_ABSENT: "A rule grants its guard a path at which nothing is.",
  HOOK_STATE: "The folder in which guards' variables are kept between processes cannot be used, or is damaged.",
  HOOK_LOCK_MISMATCH: "A module is not the one that was reviewed and locked.",
  HOOK_LOCK_MISSING: "There is a lock file, and the module is not in it.",
  HOOK_LOCK_ABSENT: "A module is neither locked nor pinned: whoever can write its file decides what it guards.",
  HOOK_LOCK_INVALID: "A lock file cannot be used.",
  HOOK_GUARD_QUARANTINED:
    "A rule has cost several worker threads or sandbox processes in a row and is not run for a while.",
  HOOK_SANDBOX_UNFIT: "A limit that guards are held to does not hold on this machine, so none is run.",
  HOOK_BUILD_NOTFOUND: "There is no guard, or more than one, where one was to be built or tested.",
  HOOK_BUILD_SOURCE: "The source of a guard cannot be built.",
  HOOK_BUILD_GLOBAL: "A guard's source uses something that a guard does not have.",
  HOOK_BUILD_TYPE: "TypeScript has found an error in a guard's source.",
  HOOK_BUILD_FILE: "A file beside a guard's source cannot be used.",
  HOOK_BUILD_TOOL: "A tool that builds guards is not installed, or does not work.",
  HOOK_BUILD_OUTPUT: "What was built cannot be written.",
  HOOK_NEW_FOLDER: "The folder for a new guard cannot be made.",
  HOOK_EDIT_FILE: "A file of hooks cannot be changed.",
  HOOK_EDIT_PLACE: "A part of a file of hooks cannot be changed without touching what it is not about.",
  HOOK_EDIT_HOOK: "There is no such hook, or a hook cannot be what was asked for.",
  HOOK_PATIENCE_ENDED: "The agent would not have waited any longer, and the event was not judged yet.",
  HOOK_PATIENCE_UNSAID: "An agent's entry that starts hookbox does not say how long the agent waits for it.",
  HOOK_CLI_USAGE: "The command line was not understood.",
  HOOK_INTERNAL: "A defect in hookbox itself. Gates stay shut; please report it.",
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** A place in a configuration file. Lines and columns count from 1. */
export interface Place {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** The JSON pointer of the value, such as `/hooks/PreToolUse/0/hooks/1`. */
  readonly pointer?: string;
}

/** A problem of the configuration. An `error` means that at least one rule does not run as written. */
export interface Problem {
  readonly severity: "error" | "warning";
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  readonly place?: Place;
}

export interface HookErrorOptions {
  readonly hint?: string;
  readonly place?: Place;
  readonly cause?: unknown;
}

/** Thrown on misuse of the API. `code` is stable; the message is for users and may change. */
export class HookError extends Error {
  override readonly name = "HookError";
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly place: Place | undefined;

  constructor(code: ErrorCode, message: string, options: HookErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.place = options.place;
  }
}

/** Formats a place as `file:line:column`, which editors and terminals make clickable. */
export function formatPlace(place: Place): string {
  const line = place.line === undefined ? "" : `:${place.line}`;
  const column = place.line === undefined || place.column === undefined ? "" : `:${place.column}`;
  return `${place.file}${line}${column}`;
}

/** Formats a problem on one line: place, code, message, hint. */
export function formatProblem(problem: Problem): string {
  const place = problem.place === undefined ? "" : `${formatPlace(problem.place)}: `;
  const hint = problem.hint === undefined ? "" : ` (${problem.hint})`;
  return `${place}${problem.code}: ${problem.message}${hint}`;
}

/** The text of a thrown value. Workers and libraries also throw strings and `undefined`. */
export function describeThrown(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message === "" ? thrown.name : thrown.message;
  if (typeof thrown === "string") return thrown;
  try {
    return `non-error value thrown: ${String(thrown)}`;
  } catch {
    return `non-error value thrown: ${typeof thrown}`;
  }
}
