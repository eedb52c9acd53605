import type { JsonObject, JsonValue } from "../../src/json.ts";
import type { StubAnswer, StubRequest } from "./stub-model.ts";

/** The providers' encodings of an answer, as one body and as a stream of events. */

type Words = StubAnswer & { readonly model: string };

export function answerBody(protocol: StubRequest["protocol"], words: Words): string {
  if ((words.status ?? 200) !== 200) return JSON.stringify(error(protocol, words.text ?? "something went wrong"));
  return JSON.stringify(protocol === "anthropic" ? message(words) : completion(words));
}

export function answerEvents(protocol: StubRequest["protocol"], words: Words): string {
  return protocol === "anthropic" ? messageEvents(words) : completionEvents(words);
}

function error(protocol: StubRequest["protocol"], text: string): JsonObject {
  const details = { type: "stub_error", message: text };
  return protocol === "anthropic"
    ? { type: "error", error: details }
    : { error: { ...details, code: null, param: null } };
}

function blocksOf({ text = "", calls = [] }: Words): readonly JsonObject[] {
  const said = text === "" ? [] : [{ type: "text", text, citations: null }];
  return [...said, ...calls.map(({ name, input }, index) => ({ type: "tool_use", id: `call_${index}`, name, input }))];
}

function message(words: Words): JsonObject {
  const { model, calls = [], stopReason, inputTokens = 10, outputTokens = 5 } = words;
  return {
    id: "msg_stub",
    type: "message",
    role: "assistant",
    model,
    content: blocksOf(words),
    stop_reason: stopReason ?? (calls.length > 0 ? "tool_use" : "end_turn"),
    stop_sequence: null,
    usage: { input_tokens: inputTokens, output_tokens: outputTokens },
  };
}

function messageEvents(words: Words): string {
  const whole = message(words);
  const usage = whole["usage"] as JsonObject;
  const begun = { ...whole, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } };
  const blocks = blocksOf(words).flatMap((block, index) => {
    const { empty, deltas } = partsOf(block);
    return [
      { type: "content_block_start", index, content_block: empty },
      ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ];
  });
  const events: readonly JsonObject[] = [
    { type: "message_start", message: begun },
    ...blocks,
    {
      type: "message_delta",
      delta: { stop_reason: whole["stop_reason"] as string, stop_sequence: null },
      usage: { output_tokens: usage["output_tokens"] as number },
    },
    { type: "message_stop" },
  ];
  return events.map((event) => `event: ${event["type"]}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

function partsOf(block: JsonObject): { readonly empty: JsonObject; readonly deltas: readonly JsonObject[] } {
  if (block["type"] === "text") {
    const deltas = halves(block["text"] as string).map((text) => ({ type: "text_delta", text }));
    return { empty: { ...block, text: "" }, deltas };
  }
  const deltas = halves(inputText(block["input"] as JsonValue));
  return {
    empty: { ...block, input: {} },
    deltas: deltas.map((partial_json) => ({ type: "input_json_delta", partial_json })),
  };
}

function completion(words: Words): JsonObject {
  const { model, text = "", calls = [], inputTokens = 10, outputTokens = 5 } = words;
  const tool_calls = calls.map((call, index) => toolCall(call, index));
  const said = { role: "assistant", content: text === "" ? null : text, refusal: null };
  return {
    id: "chatcmpl_stub",
    object: "chat.completion",
    created: 0,
    model,
    choices: [
      {
        index: 0,
        message: calls.length > 0 ? { ...said, tool_calls } : said,
        logprobs: null,
        finish_reason: finishOf(words),
      },
    ],
    usage: usageOf(inputTokens, outputTokens),
  };
}

function completionEvents(words: Words): string {
  const { model, text = "", calls = [], inputTokens = 10, outputTokens = 5 } = words;
  const chunk = (parts: JsonObject): JsonObject => ({
    id: "chatcmpl_stub",
    object: "chat.completion.chunk",
    created: 0,
    model,
    ...parts,
  });
  const delta = (said: JsonObject, finish_reason: string | null = null): JsonObject =>
    chunk({ choices: [{ index: 0, delta: said, finish_reason }] });
  const ofCalls = calls.flatMap((call, index) => {
    const {
      id,
      type,
      function: called,
    } = toolCall(call, index) as { id: string; type: string; function: { name: string; arguments: string } };
    return [
      delta({ tool_calls: [{ index, id, type, function: { name: called.name, arguments: "" } }] }),
      ...halves(called.arguments).map((part) => delta({ tool_calls: [{ index, function: { arguments: part } }] })),
    ];
  });
  const events = [
    delta({ role: "assistant", content: "" }),
    ...(text === "" ? [] : halves(text).map((content) => delta({ content }))),
    ...ofCalls,
    delta({}, finishOf(words)),
    chunk({ choices: [], usage: usageOf(inputTokens, outputTokens) }),
  ];
  return [...events.map((event) => JSON.stringify(event)), "[DONE]"].map((data) => `data: ${data}\n\n`).join("");
}

function toolCall({ name, input }: { name: string; input: JsonValue }, index: number): JsonObject {
  return { id: `call_${index}`, type: "function", function: { name, arguments: inputText(input) } };
}

/** A text is sent unchanged, because a model's malformed JSON is such a text. */
function inputText(input: JsonValue): string {
  return typeof input === "string" ? input : JSON.stringify(input);
}

const finishOf = ({ stopReason, calls = [] }: Words): string =>
  stopReason ?? (calls.length > 0 ? "tool_calls" : "stop");

const usageOf = (inputTokens: number, outputTokens: number): JsonObject => ({
  prompt_tokens: inputTokens,
  completion_tokens: outputTokens,
  total_tokens: inputTokens + outputTokens,
});

const halves = (text: string): readonly string[] => {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
};
