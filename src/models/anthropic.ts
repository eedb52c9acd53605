import type { Anthropic, ClientOptions } from "@anthropic-ai/sdk";
import { type OptionalPackage, optionalPackage } from "../optional-package.ts";
import { readMessage, readMessageEvents } from "./anthropic-message.ts";
import type { ModelAnswer, ModelMessage, ModelRequest } from "./model.ts";
import { type AskProvider, NO_DEADLINE_MS, NO_KEY, type ProviderCall } from "./provider.ts";

/** Asks Anthropic's Messages API through Anthropic's own client. */

type Client = new (options: ClientOptions) => Anthropic;

export async function loadAnthropic(): Promise<OptionalPackage<AskProvider>> {
  const found = await optionalPackage("@anthropic-ai/sdk", () => import("@anthropic-ai/sdk"));
  return found.ok ? { ok: true, module: (call) => ask(found.module.Anthropic, call) } : found;
}

async function ask(Client: Client, { provider, request, baseUrl, fetch, signal }: ProviderCall): Promise<ModelAnswer> {
  const client = new Client({
    apiKey: NO_KEY,
    authToken: null,
    webhookKey: null,
    // `null` is needed, because the library reads an environment variable for `undefined`.
    baseURL: baseUrl ?? null,
    fetch,
    maxRetries: 0,
    timeout: NO_DEADLINE_MS,
    logLevel: "off",
    openTelemetry: false,
  });
  const body: Anthropic.MessageCreateParams = { ...bodyOf(request, provider.structured), stream: provider.streams };
  // The path is used, because the library's own method prints warnings about deprecated models to stderr.
  const answer = await client.post<unknown>("/v1/messages", { body, signal, stream: provider.streams });
  return provider.streams ? readMessageEvents(answer as AsyncIterable<unknown>) : readMessage(answer);
}

function bodyOf(request: ModelRequest, isStructured: boolean): Anthropic.MessageCreateParamsNonStreaming {
  const { model, system, messages, tools = [], mustCall, schema, maxTokens } = request;
  return {
    model,
    max_tokens: maxTokens,
    ...(system === "" ? {} : { system }),
    messages: messages.map(messageOf).filter(({ content }) => content.length > 0),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, schema: of }) => ({
            name,
            description,
            input_schema: { ...of, type: "object" as const },
          })),
          tool_choice: { type: mustCall === true ? ("any" as const) : ("auto" as const) },
        }),
    ...(schema === undefined || !isStructured
      ? {}
      : { output_config: { format: { type: "json_schema" as const, schema: schema.schema } } }),
  };
}

function messageOf(message: ModelMessage): Anthropic.MessageParam {
  if (message.role === "user") return { role: "user", content: message.text };
  if (message.role === "results") {
    const content = message.results.map(({ id, text, isError }) => ({
      type: "tool_result" as const,
      tool_use_id: id,
      content: text,
      is_error: isError,
    }));
    return { role: "user", content };
  }
  const said = message.text === "" ? [] : [{ type: "text" as const, text: message.text }];
  return {
    role: "assistant",
    content: [...said, ...message.calls.map((call) => ({ type: "tool_use" as const, ...call }))],
  };
}
