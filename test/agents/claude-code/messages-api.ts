import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** The model's part of a conversation: what it answers in one turn. */
export type Block =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: object };

export interface Message {
  readonly role: string;
  readonly content: string | readonly Readonly<Record<string, unknown>>[];
}

/** What the client sent the model about a tool call. */
export interface ToolResult {
  readonly id: string;
  readonly text: string;
  readonly isError: boolean;
}

interface MessagesApi {
  readonly url: string;
  /** Results in the longest conversation that the client sent, and in those of its sub-agents. */
  toolResults(): readonly ToolResult[];
  /** Everything that the client ever sent, as text. */
  sent(): string;
  /** From the end of each answer with a call to the request with the call's result, in order, in milliseconds. */
  callsMs(): readonly number[];
  close(): Promise<void>;
}

/** The model's turns in each conversation, by the prompt with which the conversation starts. */
export type Script = Readonly<Record<string, readonly Block[]>>;

/**
 * A stand-in for the model's own server on this machine: a conversation with a prompt of the script gets its turns, one
 * after another, and every other request gets a short text. `beforeAnswer` is called in such a conversation with the
 * number of calls that have a result.
 */
export async function startMessagesApi(
  script: Script,
  beforeAnswer: (done: number) => Promise<void> = async () => {},
): Promise<MessagesApi> {
  const bodies: string[] = [];
  let answers = 0;
  const conversations: Record<string, readonly Message[]> = {};
  const callsMs: number[] = [];
  let answeredAt: number | undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    const askedAt = performance.now();
    request.on("end", async () => {
      const text = Buffer.concat(chunks).toString();
      bodies.push(text);
      const path = request.url ?? "";
      const isMessage = request.method === "POST" && /^\/v1\/messages(?:\?|$)/.test(path);
      if (!isMessage) {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(path.includes("count_tokens") ? '{"input_tokens":10}' : "{}");
        return;
      }
      const { messages, tools, model, stream } = JSON.parse(text) as {
        readonly messages: readonly Message[];
        readonly tools?: readonly unknown[];
        readonly model: string;
        readonly stream?: boolean;
      };
      const said = JSON.stringify(messages.filter(({ role }) => role === "user"));
      const prompt = tools?.length ? Object.keys(script).find((one) => said.includes(one)) : undefined;
      if (prompt !== undefined && messages.length >= (conversations[prompt]?.length ?? 0))
        conversations[prompt] = messages;
      const done = messages.flatMap(resultsOf).length;
      if (prompt !== undefined && answeredAt !== undefined) callsMs.push(askedAt - answeredAt);
      answeredAt = undefined;
      if (prompt !== undefined) await beforeAnswer(done);
      const block: Block = script[prompt ?? ""]?.[done] ?? {
        type: "text",
        text: "That is all.",
      };
      const id = `msg_${++answers}`;
      if (stream !== true) {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify(messageOf(id, model, block)));
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of eventsOf(id, model, block)) {
        response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      }
      response.end();
      if (prompt !== undefined && block.type === "tool_use") answeredAt = performance.now();
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    toolResults: () => Object.values(conversations).flat().flatMap(resultsOf),
    sent: () => bodies.join("\n"),
    callsMs: () => callsMs,
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
}

function messageOf(id: string, model: string, block: Block): object {
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content: [block],
    stop_reason: stopReason(block),
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}

const stopReason = (block: Block): string => (block.type === "tool_use" ? "tool_use" : "end_turn");

function eventsOf(
  id: string,
  model: string,
  block: Block,
): readonly ({ readonly type: string } & Record<string, unknown>)[] {
  const isText = block.type === "text";
  return [
    { type: "message_start", message: { ...messageOf(id, model, block), content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: isText ? { ...block, text: "" } : { ...block, input: {} } },
    {
      type: "content_block_delta",
      index: 0,
      delta: isText
        ? { type: "text_delta", text: block.text }
        : { type: "input_json_delta", partial_json: JSON.stringify(block.input) },
    },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: stopReason(block), stop_sequence: null },
      usage: { output_tokens: 1 },
    },
    { type: "message_stop" },
  ];
}

export function resultsOf({ content }: Message): ToolResult[] {
  if (typeof content === "string") return [];
  return content
    .filter(({ type }) => type === "tool_result")
    .map((block) => ({
      id: String(block["tool_use_id"]),
      text: typeof block["content"] === "string" ? block["content"] : JSON.stringify(block["content"]),
      isError: block["is_error"] === true,
    }));
}
