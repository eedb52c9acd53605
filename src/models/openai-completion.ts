import { z } from "zod";
import type { ModelAnswer } from "./model.ts";
import { guessTokens, InvalidAnswer, parseInput } from "./provider.ts";

/** Reads answers of Chat Completions, whole or as a stream of chunks, from OpenAI and compatible providers. */

const count = z.number().int().nonnegative();
const usageSchema = z.object({ prompt_tokens: count, completion_tokens: count });

const callSchema = z.object({
  id: z.string().nullish(),
  function: z.object({ name: z.string().min(1), arguments: z.string() }),
});

const completionSchema = z.object({
  choices: z.tuple([
    z.object({
      message: z.object({
        content: z.string().nullish(),
        refusal: z.string().nullish(),
        tool_calls: z.array(callSchema).nullish(),
      }),
      finish_reason: z.string(),
    }),
  ]),
  usage: usageSchema.nullish(),
});

type Completion = z.infer<typeof completionSchema>;

const ENDS: Readonly<Record<string, ModelAnswer["end"]>> = {
  stop: "done",
  tool_calls: "calls",
  length: "length",
  content_filter: "refusal",
};

/** Reads a whole answer. `asked` is the request's text, for estimating tokens. Throws an `InvalidAnswer`. */
export function readCompletion(value: unknown, asked: string): ModelAnswer {
  const { success, data } = completionSchema.safeParse(value);
  if (!success) throw new InvalidAnswer("the answer does not follow the Chat Completions protocol");
  const [{ message, finish_reason }] = data.choices;
  const said = message.tool_calls ?? [];
  const end = endOf(finish_reason, said.length > 0, message.refusal ?? "");
  // Calls of an answer that was cut off may be incomplete.
  const calls = end === "calls" ? said.map(callOf) : [];
  const text = end === "refusal" && message.refusal ? message.refusal : (message.content ?? "");
  const inputTokens = data.usage?.prompt_tokens ?? guessTokens(asked);
  const outputTokens = data.usage?.completion_tokens ?? guessTokens(text + JSON.stringify(said));
  return { text, calls, end, inputTokens, outputTokens };
}

function endOf(reason: string, hasCalls: boolean, refusal: string): ModelAnswer["end"] {
  const end = Object.hasOwn(ENDS, reason) ? ENDS[reason] : undefined;
  if (end === undefined) throw new InvalidAnswer("the answer ended for an unknown reason");
  if (refusal !== "") return "refusal";
  if (end === "calls" && !hasCalls) throw new InvalidAnswer("the answer ended with tool calls but contains none");
  // After a forced call the protocol says "stop".
  return end === "done" && hasCalls ? "calls" : end;
}

function callOf({ id, function: called }: z.infer<typeof callSchema>, index: number): ModelAnswer["calls"][number] {
  const { name } = called;
  // Some providers omit the id. Any id works, because the result is sent back with the same id.
  return { id: id ? id : `call_${index}`, name, input: parseInput(name, called.arguments) };
}

const chunkSchema = z.object({
  choices: z.array(
    z.object({
      index: z.literal(0).default(0),
      delta: z.object({
        content: z.string().nullish(),
        refusal: z.string().nullish(),
        tool_calls: z
          .array(
            z.object({
              index: count.default(0),
              id: z.string().nullish(),
              function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).optional(),
            }),
          )
          .nullish(),
      }),
      finish_reason: z.string().nullish(),
    }),
  ),
  usage: usageSchema.nullish(),
});

type Chunk = z.infer<typeof chunkSchema>;
type CallPart = NonNullable<Chunk["choices"][number]["delta"]["tool_calls"]>[number];

interface Begun {
  text: string;
  refusal: string;
  readonly calls: { id: string; name: string; text: string }[];
  finish: string | undefined;
  usage: Completion["usage"];
}

/** Reads a stream. Throws the stream's own error, or an `InvalidAnswer`, also for a stream that ends early. */
export async function readCompletionChunks(chunks: AsyncIterable<unknown>, asked: string): Promise<ModelAnswer> {
  const begun: Begun = { text: "", refusal: "", calls: [], finish: undefined, usage: undefined };
  for await (const value of chunks) {
    const { success, data } = chunkSchema.safeParse(value);
    if (!success) throw outOfOrder();
    take(begun, data);
  }
  if (begun.finish === undefined) throw new InvalidAnswer("the stream ended before the answer was complete");
  const { text: content, refusal, calls, finish: finish_reason, usage } = begun;
  const tool_calls = calls.map(({ id, name, text }) => ({ id, function: { name, arguments: text } }));
  return readCompletion({ choices: [{ message: { content, refusal, tool_calls }, finish_reason }], usage }, asked);
}

function take(begun: Begun, { choices, usage }: Chunk): void {
  begun.usage = usage ?? begun.usage;
  for (const { delta, finish_reason } of choices) {
    begun.text += delta.content ?? "";
    begun.refusal += delta.refusal ?? "";
    for (const part of delta.tool_calls ?? []) takeCall(begun.calls, part);
    begun.finish = finish_reason ?? begun.finish;
  }
}

function takeCall(calls: Begun["calls"], { index, id, function: said }: CallPart): void {
  if (index > calls.length) throw outOfOrder();
  const call = calls[index] ?? { id: "", name: "", text: "" };
  calls[index] = call;
  call.id ||= id ?? "";
  call.name ||= said?.name ?? "";
  call.text += said?.arguments ?? "";
}

function outOfOrder(): InvalidAnswer {
  return new InvalidAnswer("the stream does not follow the Chat Completions protocol");
}
