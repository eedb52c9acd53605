import type { ClientOptions, OpenAI } from "openai";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { type OptionalPackage, optionalPackage } from "../optional-package.ts";
import type { ModelAnswer, ModelMessage, ModelRequest } from "./model.ts";
import { readCompletion, readCompletionChunks } from "./openai-completion.ts";
import { type AskProvider, NO_DEADLINE_MS, NO_KEY, type ProviderCall, type RemoteProvider } from "./provider.ts";

/** Asks OpenAI and compatible providers through OpenAI's own client. */

type Client = new (options: ClientOptions) => OpenAI;
type Body = OpenAI.ChatCompletionCreateParams;
type Message = OpenAI.ChatCompletionMessageParam;

export async function loadOpenai(): Promise<OptionalPackage<AskProvider>> {
  const found = await optionalPackage("openai", () => import("openai"));
  return found.ok ? { ok: true, module: (call) => ask(found.module.OpenAI, call) } : found;
}

async function ask(Client: Client, { provider, request, baseUrl, fetch, signal }: ProviderCall): Promise<ModelAnswer> {
  const client = new Client({
    apiKey: NO_KEY,
    // `null` is needed, because the library reads environment variables for `undefined`.
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: baseUrl ?? null,
    fetch,
    maxRetries: 0,
    timeout: NO_DEADLINE_MS,
    logLevel: "off",
  });
  const body = bodyOf(request, provider);
  const answer: unknown = await client.chat.completions.create(body, { signal });
  const asked = JSON.stringify(body);
  return provider.streams
    ? readCompletionChunks(answer as AsyncIterable<unknown>, asked)
    : readCompletion(answer, asked);
}

function bodyOf(request: ModelRequest, { name, streams, structured }: RemoteProvider): Body {
  const { model, system, messages, tools = [], mustCall, schema, maxTokens } = request;
  return {
    model,
    // OpenAI renamed this field; other providers use the old name.
    ...(name === "openai" ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens }),
    messages: [
      ...(system === "" ? [] : [{ role: "system" as const, content: system }]),
      ...messages.flatMap(messagesOf),
    ],
    ...(streams ? { stream: true, stream_options: { include_usage: true } } : { stream: false }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map((tool) => ({
            type: "function" as const,
            function: { name: tool.name, description: tool.description, parameters: tool.schema },
          })),
          tool_choice: mustCall === true ? ("required" as const) : ("auto" as const),
        }),
    ...(schema === undefined || !structured
      ? {}
      : {
          response_format: {
            type: "json_schema" as const,
            json_schema: { name: schema.name, schema: schema.schema, strict: canBeStrict(schema.schema) },
          },
        }),
  };
}

function messagesOf(message: ModelMessage): readonly Message[] {
  if (message.role === "user") return [{ role: "user", content: message.text }];
  if (message.role === "results")
    return message.results.map(({ id, text, isError }) => ({
      role: "tool",
      tool_call_id: id,
      // The protocol has no field for errors, so the text names the error.
      content: isError ? `Error: ${text}` : text,
    }));
  const tool_calls = message.calls.map(({ id, name, input }) => ({
    id,
    type: "function" as const,
    function: { name, arguments: JSON.stringify(input) },
  }));
  return [{ role: "assistant", content: message.text, ...(tool_calls.length === 0 ? {} : { tool_calls }) }];
}

/** Whether OpenAI accepts the schema as strict: objects must not have optional or additional fields. */
function canBeStrict(schema: JsonValue): boolean {
  if (Array.isArray(schema)) return schema.every(canBeStrict);
  if (!isJsonObject(schema)) return true;
  if (schema["type"] === "object" && !isClosed(schema)) return false;
  return Object.values(schema).every(canBeStrict);
}

function isClosed({ properties = {}, required = [], additionalProperties }: JsonObject): boolean {
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name);
  return additionalProperties === false && Object.keys(properties as JsonObject).every(isRequired);
}
