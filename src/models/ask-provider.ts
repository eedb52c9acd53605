import type { CheckedFetch } from "../net/checked-fetch.ts";
import { FetchFailed } from "../net/fetch-failed.ts";
import type { OptionalPackage } from "../optional-package.ts";
import type { Failure } from "../outcome.ts";
import { type AccessProblem, accessTo, type Environment } from "./access.ts";
import { loadAnthropic } from "./anthropic.ts";
import type { ModelAnswer, ModelRequest, ModelResult } from "./model.ts";
import { loadOpenai } from "./openai.ts";
import type { AskProvider, ProviderCall, RemoteProvider } from "./provider.ts";
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

/**
 * The headers that the protocols need. The libraries would also send details of the platform, and headers that their
 * environment variables name.
 */
const SENT_HEADERS = ["accept", "content-type", "anthropic-version", "anthropic-beta"];

/** The header in which each library sends a key. The library itself never has the key. */
const KEY_HEADERS: Readonly<Record<string, (key: string) => string>> = {
  authorization: (key) => `Bearer ${key}`,
  "x-api-key": (key) => key,
};

interface ClientFetch {
  readonly fetch: ProviderCall["fetch"];
  /** Returns the last error, because the libraries do not always pass it on. */
  failed(): FetchFailed | undefined;
}

/** Returns the `fetch` for a client library. Adds the key and rejects answers of other content types. */
function clientFetch(
  fetch: CheckedFetch["fetch"],
  { key, streams }: { readonly key: string | undefined; readonly streams: boolean },
): ClientFetch {
  let failed: FetchFailed | undefined;
  const run = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const given = new Headers(init.headers);
    const headers = new Headers();
    for (const [name, value] of given) if (SENT_HEADERS.includes(name)) headers.set(name, value);
    for (const [name, spell] of Object.entries(KEY_HEADERS))
      if (key !== undefined && given.has(name)) headers.set(name, spell(key));
    const response = await fetch(input, { ...init, headers });
    if (response.ok) await demandType(response, streams);
    return response;
  };
  return {
    failed: () => failed,
    fetch: async (input, init) => {
      try {
        return await run(input, init);
      } catch (error) {
        if (error instanceof FetchFailed) failed = error;
        throw error;
      }
    },
  };
}

/** Rejects other content types, because a library would misread them. */
async function demandType(response: Response, streams: boolean): Promise<void> {
  const [type = ""] = (response.headers.get("content-type") ?? "").split(";");
  const expected = streams ? "text/event-stream" : "application/json";
  if (type.trim().toLowerCase() === expected) return;
  await response.body?.cancel();
  const message = `the answer is of type "${type.trim()}" where ${expected} was asked for`;
  throw new FetchFailed({ kind: "invalid-output", message });
}
