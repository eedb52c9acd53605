/**
 * Errors before a hook runs. Misuse of the API throws a {@link HookError}. A bad configuration becomes a {@link
 * Problem}, which is listed and closes the gates of its rules. The failure of a running hook is part of a `HookOutcome`
 * instead.
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
  HOOK_CONFIG_DUPLICATE_KEY:
    "An object in a configuration file has the same key twice, so one of the two values would be lost.",
  HOOK_CONFIG_UNKNOWN_KEY: "A key is not part of the format.",
  HOOK_CONFIG_UNKNOWN_EVENT: "An event name is unknown.",
  HOOK_CONFIG_UNKNOWN_TOOL:
    "A name in a matcher, `if` or `filter` is similar to the name of a known tool, but is not one.",
  HOOK_CONFIG_TYPE: "A value has the wrong type or is out of range.",
  HOOK_CONFIG_MATCHER:
    "A matcher cannot be compiled to a pattern that runs in linear time, or has a form that no tool name fits.",
  HOOK_CONFIG_CONDITION: "An `if` is not a single permission rule, or its pattern is invalid.",
  HOOK_CONFIG_FILTER: "A `filter` has an invalid pattern.",
  HOOK_CONFIG_PATTERN: "A path pattern has another meaning than before picomatch read path patterns.",
  HOOK_CONFIG_HANDLER: "A handler type is unknown, or is not allowed at this event.",
  HOOK_CONFIG_UNSUPPORTED: "A feature is not available in this version, so the rule is not loaded.",
  HOOK_CONFIG_INERT: "A setting has no effect in this place.",
  HOOK_CONFIG_RENAMED: "A setting has an old name, which is still accepted.",
  HOOK_CONFIG_GRANT: "A host or path that a rule grants its guard cannot be granted.",
  HOOK_CONFIG_TRUST:
    "A file that may come with a repository requests something that only the user's own files may set.",
  HOOK_TRUST_MISSING:
    "The user has not approved a file that may come with a repository, so only its built-in guards are in force.",
  HOOK_TRUST_CHANGED:
    "A file that the user has approved has changed. The approved content stays in force until hookbox trust.",
  HOOK_CONFIG_DISABLED: "A file disables rules.",
  HOOK_EXCEPTION_UNNEEDED: "An exception has expired, was never used here, or loosens no rule.",
  HOOK_CONFIG_SCOPE: "A setting does not apply to rules that are more trusted than its file.",
  HOOK_COMMAND_NOT_FOUND: "The program of a command hook does not exist, or cannot be run.",
  HOOK_HTTP_URL: "The URL of an HTTP hook is invalid, or points to a host that the rule may not contact.",
  HOOK_HTTP_HEADER: "A header of an HTTP hook cannot be sent.",
  HOOK_MODEL_PROVIDER: "The model of a rule cannot be used: its provider is unknown, or a key or a package is missing.",
  HOOK_PROMPT_TEMPLATE: "The template of a prompt or text is invalid.",
  HOOK_MCP_SERVER: "The server of an MCP tool is unknown, or cannot be used.",
  HOOK_BUILTIN: "There is no built-in hook of this name, or the event or the arguments do not fit.",
  HOOK_MODULE_NOT_FOUND: "The file of a wasm rule does not exist or cannot be read.",
  HOOK_MODULE_DIGEST: "The bytes of a wasm module do not have the digest that the rule pins.",
  HOOK_MODULE_INVALID: "The file is not a WebAssembly module that can be compiled.",
  HOOK_MODULE_IMPORT: "The module has an import that it was not granted.",
  HOOK_MODULE_ABI: "The module does not follow the guest ABI.",
  HOOK_MODULE_FEATURE: "The module uses a WebAssembly feature that guards may not use.",
  HOOK_MODULE_LIMIT: "The module declares more than the rule's limits allow.",
  HOOK_MODULE_MANIFEST: "The module's manifest is invalid.",
  HOOK_MODULE_EVENT: "The rule is configured for an event that its module does not judge.",
  HOOK_MODULE_CONFIG:
    "The rule's `config` has a key that the module does not accept, or lacks a key that the module requires.",
  HOOK_MODULE_GRANT: "The grants of a rule differ from the capabilities that its module asks for.",
  HOOK_MODULE_FIXTURE: "The module does not pass its own tests.",
  HOOK_GRANT_ABSENT: "A rule grants its guard a path that does not exist.",
  HOOK_STATE: "The state folder, which stores the variables of guards, cannot be used or is damaged.",
  HOOK_LOCK_MISMATCH: "A module is not the one that was reviewed and locked.",
  HOOK_LOCK_MISSING: "There is a lock file, but the module is not in it.",
  HOOK_LOCK_ABSENT:
    "A module is neither locked nor pinned, so a program that can write its file can replace the guard.",
  HOOK_LOCK_INVALID: "A lock file is invalid, or cannot be read or written.",
  HOOK_GUARD_QUARANTINED:
    "A rule has cost several worker threads or sandbox processes in a row, and is not run for a minute.",
  HOOK_SANDBOX_UNFIT: "A limit for guards is not enforced on this machine, so no guard is run.",
  HOOK_BUILD_NOT_FOUND: "There is no guard at the path to build or test, or more than one.",
  HOOK_BUILD_NOTFOUND: "The former name of HOOK_BUILD_NOT_FOUND, which is not reported any more.",
  HOOK_BUILD_SOURCE: "The source of a guard cannot be built.",
  HOOK_BUILD_GLOBAL: "A guard's source uses a global or a way of loading code that guards do not have.",
  HOOK_BUILD_TYPE: "TypeScript reports an error in a guard's source.",
  HOOK_BUILD_FILE: "A file next to a guard's source, such as its manifest or fixtures, cannot be used.",
  HOOK_BUILD_TOOL: "A tool that builds guards is not installed, or does not work.",
  HOOK_BUILD_OUTPUT: "The built module cannot be written.",
  HOOK_NEW_FOLDER: "The folder for a new guard cannot be created.",
  HOOK_EDIT_FILE: "A file with hooks cannot be changed.",
  HOOK_EDIT_PLACE: "A part of a file with hooks cannot be changed without changing other parts.",
  HOOK_EDIT_HOOK: "There is no such hook, or a hook cannot have the requested settings.",
  HOOK_INIT_AGENT: "The command `hookbox init` cannot write the settings of this agent.",
  HOOK_INIT_ABSORB: "The hooks of a settings file cannot be moved into a configuration of hookbox.",
  HOOK_INIT_COPY: "A copy of hookbox cannot be written to the user's data folder.",
  HOOK_PATIENCE_ENDED: "The agent's patience ended before the event was judged.",
  HOOK_PATIENCE_UNSAID:
    "The agent's entry that starts hookbox has no timeout, so it is not known how long the agent waits.",
  HOOK_SERVER_SOCKET: "The socket or the token of the server cannot be used, or others could use it.",
  HOOK_SERVER_RUNNING: "A server answers at this socket already, or none does.",
  HOOK_SERVER_REQUEST: "A relay's request to the server cannot be read.",
  HOOK_SERVER_BUSY: "The server has too many calls in memory.",
  HOOK_DISABLE_REFUSED: "No person at a terminal seems to have asked for `hookbox disable`, so hookbox stays on.",
  HOOK_PERSON_NEEDED: "An agent seems to have started a command that is the decision of a person.",
  HOOK_RELAY_INPUT: "The relay cannot read the agent's payload, or the payload is too long or did not end in time.",
  HOOK_RELAY_FOLDER: "The relay was started in a folder that does not exist any more.",
  HOOK_RELAY_SYSTEM: "The relay cannot use the system as it needs to.",
  HOOK_RELAY_SOCKET: "The server's socket or its folder is missing, or belongs to another user.",
  HOOK_RELAY_NO_SERVER: "No server answers, and the relay cannot start one.",
  HOOK_RELAY_SLOW: "The server did not start or answer before the agent's patience ended.",
  HOOK_RELAY_CUT_OFF: "The server's answer ended too early.",
  HOOK_RELAY_GARBAGE: "What answers at the socket is no hookbox server.",
  HOOK_RELAY_VERSION: "The server speaks another version of the relay's protocol.",
  HOOK_CLI_USAGE: "The command line is invalid.",
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

/** A problem of the configuration. With severity `error`, at least one rule does not run as written. */
export interface Problem {
  readonly severity: "error" | "warning";
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  readonly place?: Place;
}

interface HookErrorOptions {
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

/** Returns the text of a thrown value. Workers and libraries also throw strings and `undefined`. */
export function describeThrown(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message === "" ? thrown.name : thrown.message;
  if (typeof thrown === "string") return thrown;
  try {
    return `non-error value thrown: ${String(thrown)}`;
  } catch {
    return `non-error value thrown: ${typeof thrown}`;
  }
}
