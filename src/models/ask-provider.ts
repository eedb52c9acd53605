import type { CheckedFetch } from "../net/checked-fetch.ts";
import type { OptionalPackage } from "../optional-package.ts";
import type { Failure } from "../outcome.ts";
import { type AccessProblem, accessTo, type Environment } from "./access.ts";
import { loadAnthropic } from "./anthropic.ts";
import { clientFetch } from "./client-fetch.ts";
import type { ModelAnswer, ModelRequest, ModelResult } from "./model.ts";
import { loadOpenai } from "./openai.ts";
import type { AskProvider, RemoteProvider } from "./provider.ts";
import { providerFailure } from "./provider-failure.ts";
import { waitBeforeRetry, waitFor } from "./retries.ts";
import { failed } from "./stoppable-request.ts";

const LOADERS: Readonly<Record<RemoteProvider["kind"], () => Promise<OptionalPackage<AskProvider>>>> = {
  anthropic: loadAnthropic,
  openai: loadOpenai,
};

/** Returns a problem if the provider cannot be asked. */
export async function providerProblem(
  provider: RemoteProvider,
  environment: Environment,
): Promise<AccessProblem | undefined> {
  const access = accessTo(provider, environment);
  if (!access.ok) return access.problem;
  const loaded = await LOADERS[provider.kind]();
  return loaded.ok ? undefined : packageProblem(loaded);
}

/** Asks a provider, and retries after temporary failures. Ignores the result after the signal fired. */
export async function askProvider(
  provider: RemoteProvider,
  request: ModelRequest,
  {
    environment,
    fetch,
    signal,
  }: { readonly environment: Environment; readonly fetch: CheckedFetch["fetch"]; readonly signal: AbortSignal },
): Promise<ModelResult> {
  const access = accessTo(provider, environment);
  if (!access.ok) return failed(asFailure(access.problem));
  const loaded = await LOADERS[provider.kind]();
  if (!loaded.ok) return failed(asFailure(packageProblem(loaded)));
  const { key, baseUrl } = access;
  for (let tries = 1; ; tries += 1) {
    const client = clientFetch(fetch, { key, streams: provider.streams });
    try {
      const answer = await loaded.module({ provider, request, baseUrl, fetch: client.fetch, signal });
      return { ok: true, answer: withoutKey(answer, key) };
    } catch (error) {
      const fetchFailed = client.failed();
      const failure = providerFailure(error, { name: provider.name, key, fetchFailed });
      const waitMs = waitBeforeRetry(failure, fetchFailed, tries);
      if (waitMs === undefined) return failed(failure.failure);
      await waitFor(waitMs, signal);
      if (signal.aborted) return failed(failure.failure);
    }
  }
}

/** The minimum length of a redacted key. Shorter keys are placeholder words for local servers. */
const MIN_KEY_LENGTH = 8;

/** Removes the key from an answer, because gateways may repeat the request. */
function withoutKey(answer: ModelAnswer, key = ""): ModelAnswer {
  if (key.length < MIN_KEY_LENGTH) return answer;
  const inJson = JSON.stringify(key).slice(1, -1);
  const { text, calls } = answer;
  return {
    ...answer,
    text: text.replaceAll(key, "[key]").replaceAll(inJson, "[key]"),
    calls: JSON.parse(JSON.stringify(calls).replaceAll(inJson, "[key]")) as ModelAnswer["calls"],
  };
}

function packageProblem({ message, hint }: { readonly message: string; readonly hint: string }): AccessProblem {
  return { code: "HOOK_MODEL_PROVIDER", message, hint };
}

function asFailure({ code, message, hint }: AccessProblem): Failure {
  return { kind: "unavailable", code, message: hint === undefined ? message : `${message} (${hint})` };
}
