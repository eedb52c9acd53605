import { z } from "zod";
import type { ModelAnswer } from "./model.ts";
import { InvalidAnswer, parseInput } from "./provider.ts";

/** Reads answers of Anthropic's Messages API, whole or as a stream of events. Ignores other fields. */

const count = z.number().int().nonnegative();
const usageSchema = z.object({
  input_tokens: count,
  output_tokens: count,
  cache_creation_input_tokens: count.nullish(),
  cache_read_input_tokens: count.nullish(),
});

const blockSchema = z.union([
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("tool_use"), id: z.string().min(1), name: z.string().min(1), input: z.json() }),
  // Other types of content, such as thinking, are accepted and ignored.
  z.object({ type: z.string().refine((type) => !["text", "tool_use"].includes(type)) }),
]);

const messageSchema = z.object({
  type: z.literal("message"),
  role: z.literal("assistant"),
  content: z.array(blockSchema),
  stop_reason: z.string(),
  usage: usageSchema,
});

const ENDS: Readonly<Record<string, ModelAnswer["end"]>> = {
  end_turn: "done",
  stop_sequence: "done",
  tool_use: "calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "refusal",
};

/** Reads a whole message. Throws an `InvalidAnswer`. */
export function readMessage(value: unknown): ModelAnswer {
  const { success, data } = messageSchema.safeParse(value);
  if (!success) throw new InvalidAnswer("the answer does not follow the Messages protocol");
  const end = Object.hasOwn(ENDS, data.stop_reason) ? ENDS[data.stop_reason] : undefined;
  if (end === undefined) throw new InvalidAnswer("the answer ended for an unknown reason");
  const calls = data.content.flatMap((block) =>
    "input" in block ? [{ id: block.id, name: block.name, input: block.input }] : [],
  );
  if ((end === "calls") !== calls.length > 0 && end !== "length" && end !== "refusal")
    throw new InvalidAnswer("the answer ended with tool calls but contains none, or the reverse");
  const { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens } = data.usage;
  return {
    text: data.content.map((block) => ("text" in block ? block.text : "")).join(""),
    // Calls of an answer that was cut off may be incomplete.
    calls: end === "calls" ? calls : [],
    end,
    inputTokens: input_tokens + (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0),
    outputTokens: output_tokens,
  };
}

const eventSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("message_start"), message: z.looseObject({ usage: usageSchema }) }),
  z.object({
    type: z.literal("content_block_start"),
    index: count,
    content_block: z.looseObject({ type: z.string() }),
  }),
  z.object({
    type: z.literal("content_block_delta"),
    index: count,
    delta: z.object({ type: z.string(), text: z.string().optional(), partial_json: z.string().optional() }),
  }),
  z.object({ type: z.literal("content_block_stop"), index: count }),
  z.object({
    type: z.literal("message_delta"),
    delta: z.object({ stop_reason: z.string().nullish() }),
    usage: usageSchema.partial().extend({ input_tokens: count.nullish() }).optional(),
  }),
  z.object({ type: z.literal("message_stop") }),
]);
const KNOWN_EVENTS = eventSchema.options.map(({ shape }) => shape.type.value as string);

type Block = Readonly<Record<string, unknown>> & { readonly type: string };

interface Begun {
  readonly message: Readonly<Record<string, unknown>>;
  readonly blocks: { readonly block: Block; text: string; isOpen: boolean }[];
  usage: Readonly<Record<string, unknown>>;
  stopReason: string | undefined;
}

/** Reads a stream. Throws the stream's own error, or an `InvalidAnswer`, also for a stream that ends early. */
export async function readMessageEvents(events: AsyncIterable<unknown>): Promise<ModelAnswer> {
  let begun: Begun | undefined;
  for await (const value of events) {
    const { type } = (value ?? {}) as { readonly type?: unknown };
    // Unknown events are ignored, because the protocol may add some.
    if (typeof type === "string" && !KNOWN_EVENTS.includes(type)) continue;
    const { success, data: event } = eventSchema.safeParse(value);
    if (!success || (event.type === "message_start") !== (begun === undefined)) throw outOfOrder();
    if (event.type === "message_start")
      begun = { message: event.message, usage: event.message.usage, blocks: [], stopReason: undefined };
    else if (event.type === "message_stop") return readMessage(assembled(begun as Begun));
    else take(begun as Begun, event);
  }
  throw new InvalidAnswer("the stream ended before the answer was complete");
}

type Middle = Exclude<z.infer<typeof eventSchema>, { readonly type: "message_start" | "message_stop" }>;

function take(begun: Begun, event: Middle): void {
  if (event.type === "message_delta") {
    begun.stopReason = event.delta.stop_reason ?? begun.stopReason;
    const said = Object.entries(event.usage ?? {}).filter(([, value]) => typeof value === "number");
    begun.usage = { ...begun.usage, ...Object.fromEntries(said) };
    return;
  }
  if (event.type === "content_block_start") {
    if (event.index !== begun.blocks.length) throw outOfOrder();
    begun.blocks.push({ block: event.content_block, text: "", isOpen: true });
    return;
  }
  const open = begun.blocks[event.index];
  if (open?.isOpen !== true) throw outOfOrder();
  if (event.type === "content_block_stop") open.isOpen = false;
  else open.text += event.delta.text ?? event.delta.partial_json ?? "";
}

function assembled({ message, blocks, usage, stopReason }: Begun): unknown {
  if (blocks.some(({ isOpen }) => isOpen)) throw outOfOrder();
  const content = blocks.map(({ block, text }) => {
    if (block.type === "text") return { ...block, text: `${block["text"] ?? ""}${text}` };
    if (block.type !== "tool_use" || stopReason !== "tool_use") return { ...block, input: {} };
    return { ...block, input: parseInput(String(block["name"]), text) };
  });
  return { ...message, content, usage, stop_reason: stopReason };
}

function outOfOrder(): InvalidAnswer {
  return new InvalidAnswer("the stream does not follow the Messages protocol");
}
