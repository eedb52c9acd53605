import type { ModelRequest, ModelResult } from "../../src/models/model.ts";
import { Models, type ModelsOptions } from "../../src/models/models.ts";
import type { ModelChoice, ModelProvider } from "../../src/rule.ts";
import { type StubAnswer, type StubModel, type StubModelAnswers, startStubModel } from "../helpers/stub-model.ts";

/** Requests to a stand-in for a provider. */

export const KEY = "key-of-the-tests-0123456789";

type Kind = "anthropic" | "openai";

/** Both protocols, with whole and with streamed answers. */
export const WAYS = [
  ["anthropic", false],
  ["anthropic", true],
  ["openai", false],
  ["openai", true],
] as const satisfies readonly (readonly [Kind, boolean])[];

export function providerAt(
  kind: Kind,
  url: string,
  parts: Partial<Exclude<ModelProvider, { kind: "function" }>> = {},
): ModelChoice {
  const baseUrl = kind === "openai" ? `${url}/v1` : url;
  return {
    model: "m",
    provider: {
      kind,
      name: "stub",
      baseUrl,
      keyVariable: "STUB_KEY",
      streams: false,
      structured: true,
      network: "loopback",
      ...parts,
    },
  };
}

export const QUESTION: ModelRequest = {
  model: "m",
  system: "be brief",
  messages: [{ role: "user", text: "well?" }],
  maxTokens: 100,
};

/** The answer in the form of the protocol under test. */
export function said(result: ModelResult): string {
  return result.ok ? `answer: ${result.answer.text}` : `${result.failure.kind}: ${result.failure.message}`;
}

export interface Asking {
  readonly stub: StubModel;
  readonly models: Models;
  ask(request?: Partial<ModelRequest>, signal?: AbortSignal): Promise<ModelResult>;
  close(): Promise<void>;
}

/** Models to ask; tests that are not about time have much more of it than they need. */
export async function asking(
  kind: Kind,
  streams: boolean,
  answer: StubAnswer | StubModelAnswers,
  {
    provider = {},
    ...options
  }: ModelsOptions & { provider?: Partial<Exclude<ModelProvider, { kind: "function" }>> } = {},
): Promise<Asking> {
  const stub = await startStubModel(typeof answer === "function" ? answer : () => answer);
  const models = new Models({ environment: { STUB_KEY: KEY }, ...options });
  return {
    stub,
    models,
    ask: (request = {}, signal = AbortSignal.timeout(20_000)) =>
      models.ask(providerAt(kind, stub.url, { streams, ...provider }), { ...QUESTION, ...request }, signal),
    close: async () => {
      await models.close();
      await stub.close();
    },
  };
}
