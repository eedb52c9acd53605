import type { ModelProvider } from "../rule.ts";
import type { ModelAnswer, ModelRequest } from "./model.ts";

/** The interface around a provider's client library: one request, and its answer or an error. */

export type RemoteProvider = Exclude<ModelProvider, { readonly kind: "function" }>;

export interface ProviderCall {
  readonly provider: RemoteProvider;
  readonly request: ModelRequest;
  /** The base URL. `undefined`: the client library's own URL. */
  readonly baseUrl: string | undefined;
  /** The `fetch` that adds the key, so that the library never sees the key. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  readonly signal: AbortSignal;
}

/** Asks once. Throws the library's error or an `InvalidAnswer`. */
export type AskProvider = (call: ProviderCall) => Promise<ModelAnswer>;

/** Thrown for an answer that does not follow the protocol. */
export class InvalidAnswer extends Error {
  override readonly name = "InvalidAnswer";
}

/** The key for the libraries. Without a key, the libraries would search variables and files for one. */
export const NO_KEY = "hookbox-adds-the-key";

/** The longest timeout that Node accepts. Disables the libraries' own timeouts, because the caller has a timeout. */
export const NO_DEADLINE_MS = 2_147_483_647;

/** Parses a tool's input that a model wrote. Some models write nothing if there are no arguments. */
export function parseInput(tool: string, text: string): ModelAnswer["calls"][number]["input"] {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidAnswer(`the input of the tool "${tool}" is not JSON`);
  }
}

/**
 * Estimates the tokens of a text if the provider counts none. Most languages have at least three bytes in a token.
 * Rounds up, because limits are compared with the result.
 */
export function guessTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3);
}
