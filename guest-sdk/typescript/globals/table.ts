/** Globals that are added to a bundle that uses them: the name, and the module in this folder that exports it. */
export const PROVIDED_GLOBALS = {
  console: "console.js",
  TextEncoder: "text-encoder.js",
  TextDecoder: "text-decoder.js",
  URL: "url.js",
  URLSearchParams: "url-search-params.js",
  structuredClone: "structured-clone.js",
  queueMicrotask: "queue-microtask.js",
  atob: "base64.js",
  btoa: "base64.js",
} as const;

const NO_NETWORK = 'use context.http, with wants: ["hosts"]';
const NO_TIME = "no code runs after handle has answered, so a guard cannot wait";
const NO_FILES = 'decide by the event and by config; for files, use context.files, with wants: ["paths"]';
const NO_BYTES = "use Uint8Array with TextEncoder and TextDecoder, or atob and btoa";
const NO_CODE = "a guard cannot load code while it runs; import it, so that it is part of the bundle";
const NO_PAGE = "a guard does not run in a browser";
const NO_CRYPTO = 'for random numbers, use context.random, with wants: ["random"]; for digests, bundle a library';
const NO_STREAMS = "a guard gets the whole event at once; there is nothing to stream";

/** Globals that a guard cannot have, with the advice for the author. */
export const MISSING_GLOBALS = {
  fetch: NO_NETWORK,
  XMLHttpRequest: NO_NETWORK,
  WebSocket: NO_NETWORK,
  EventSource: NO_NETWORK,
  Request: NO_NETWORK,
  Response: NO_NETWORK,
  Headers: NO_NETWORK,
  FormData: NO_NETWORK,
  setTimeout: NO_TIME,
  setInterval: NO_TIME,
  setImmediate: NO_TIME,
  clearTimeout: NO_TIME,
  clearInterval: NO_TIME,
  clearImmediate: NO_TIME,
  requestAnimationFrame: NO_TIME,
  AbortController: NO_TIME,
  AbortSignal: NO_TIME,
  performance: 'use context.clock, with wants: ["clock"]',
  process: NO_FILES,
  Deno: NO_FILES,
  Bun: NO_FILES,
  __dirname: NO_FILES,
  __filename: NO_FILES,
  Buffer: NO_BYTES,
  Blob: NO_BYTES,
  File: NO_BYTES,
  require: NO_CODE,
  module: NO_CODE,
  exports: NO_CODE,
  importScripts: NO_CODE,
  WebAssembly: NO_CODE,
  Worker: "a guard is one thread",
  SharedWorker: "a guard is one thread",
  MessageChannel: "a guard is one thread",
  BroadcastChannel: "a guard is one thread",
  global: "write globalThis",
  self: "write globalThis",
  window: NO_PAGE,
  document: NO_PAGE,
  navigator: NO_PAGE,
  location: NO_PAGE,
  localStorage: 'use context.state, with wants: ["state"]',
  sessionStorage: 'use context.state, with wants: ["state"]',
  indexedDB: 'use context.state, with wants: ["state"]',
  crypto: NO_CRYPTO,
  Intl: "there is no locale data in a guard; compare texts by code point",
  DOMException: "throw an Error",
  Event: "throw an Error, or call a function",
  EventTarget: "throw an Error, or call a function",
  ReadableStream: NO_STREAMS,
  WritableStream: NO_STREAMS,
  TransformStream: NO_STREAMS,
  TextDecoderStream: NO_STREAMS,
  TextEncoderStream: NO_STREAMS,
  CompressionStream: NO_STREAMS,
  DecompressionStream: NO_STREAMS,
} as const;
