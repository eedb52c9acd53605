/**
 * Names that a TypeScript author expects to be there and that a guard does not have, each with what to do instead.
 * What the engine has by itself, and what `hookbox/guest` adds where it is used, is not among them.
 */

const NETWORK = "a guard has no network: it decides by the event and its configuration";
const TIMERS = "a guard answers at once and has no timers; promises work";
const FILES = "a guard has no files and no environment: put what it needs into its configuration";
const PAGE = "a guard is no web page";
const THREADS = "a guard has one thread";
const BYTES = "use Uint8Array with TextEncoder and TextDecoder, or atob and btoa";
const GLOBAL = "write globalThis";
const CANCEL = "nothing in a guard can be cancelled: it answers at once";

const ADVICE: readonly (readonly [hint: string, names: readonly string[]])[] = [
  [NETWORK, ["fetch", "XMLHttpRequest", "WebSocket", "EventSource", "Request", "Response", "Headers", "FormData"]],
  [
    TIMERS,
    [
      "setTimeout",
      "clearTimeout",
      "setInterval",
      "clearInterval",
      "setImmediate",
      "clearImmediate",
      "requestAnimationFrame",
    ],
  ],
  [FILES, ["process", "Deno", "Bun", "__dirname", "__filename", "File", "Blob", "FileReader"]],
  [PAGE, ["window", "document", "navigator", "location", "localStorage", "sessionStorage", "indexedDB", "alert"]],
  [THREADS, ["Worker", "MessageChannel", "MessagePort", "BroadcastChannel", "WebAssembly"]],
  [BYTES, ["Buffer"]],
  [GLOBAL, ["global", "self"]],
  [CANCEL, ["AbortController", "AbortSignal", "EventTarget", "Event"]],
  ["a guard has no clock: the same event has to have the same answer", ["performance"]],
  ["a guard has no randomness: the same event has to have the same answer", ["crypto"]],
  [
    "streams need what a guard does not have; work on the whole text",
    ["ReadableStream", "WritableStream", "TransformStream"],
  ],
  ["compare and format by hand: a guard has no tables of languages and regions", ["Intl"]],
];

/** Name -> what to do instead. */
export const MISSING_GLOBALS: ReadonlyMap<string, string> = new Map(
  ADVICE.flatMap(([hint, names]) => names.map((name) => [name, hint] as const)),
);

/** What a dynamic `require`, or an `import()` of a name that is only known at run time, comes down to. */
export const DYNAMIC_REQUIRE = "__require";
export const DYNAMIC_REQUIRE_HINT =
  "everything that a guard needs is bundled while it is built: import it by a fixed name";
