import type { ModelProvider } from "../rule.ts";
import type { ModelAnswer, ModelRequest } from "./model.ts";

/** What a provider's client library is wrapped into: one request, and its answer or an error. */

export type RemoteProvider = Exclude<ModelProvider, { readonly kind: "function" }>;

export interface ProviderCall {
  readonly provider: RemoteProvider;
  readonly request: ModelRequest;
  /** `undefined`: where the client library says the provider is. */
  readonly baseUrl: string | undefined;
  /** Adds the key, so that the library never has it. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>;
  readonly signal: AbortSignal;
}

/** Throws what the library throws, or `InvalidAnswer`. Tries once. */
export type AskProvider = (call: ProviderCall) => Promise<ModelAnswer>;

/** What was answered is not what the protocol has. */
export class InvalidAnswer extends Error {
  override readonly name = "InvalidAnswer";
}

/** Instead of a key: without one, the libraries look for others in variables and files. */
export const NO_KEY = "hookbox-adds-the-key";

/** The longest that a timer takes. The libraries' own deadlines are not wanted: the caller has one. */
export const NO_DEADLINE_MS = 2_147_483_647;

/** What a model wrote as a tool's input. Some write nothing for "no arguments". */
export function parseInput(tool: string, text: string): ModelAnswer["calls"][number]["input"] {
  if (text.trim() === "") return {};
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidAnswer(`the input of the tool "${tool}" is not JSON`);
  }
}

/**
 * Tokens of a text whose provider counted none: rather too many than too few, since limits are held against them. Most
 * languages have three bytes or more to a token.
 */
export function guessTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3);
}
