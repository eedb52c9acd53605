import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { answerBody, answerEvents } from "../helpers/stub-protocols.ts";

/** Replaces the model of clients with other protocols than Anthropic's: one shell call, then a short text. */

type Json = Readonly<Record<string, unknown>>;

interface ModelServer {
  /** Without a path. */
  readonly url: string;
  /** Everything that the client ever sent, as text. */
  sent(): string;
  close(): Promise<void>;
}

/** The clients' names for their shell tools. */
const SHELL_TOOLS: readonly string[] = [
  ...["exec_command", "run_shell_command", "bash", "Bash", "shell", "shell_command"],
  // OpenClaw's.
  "exec",
];

interface Protocol {
  readonly path: RegExp;
  /** Names of the tools that the model may call. */
  tools(body: Json): readonly string[];
  /** Whether the client reports the result of a call. */
  hasResult(body: Json): boolean;
  answer(body: Json, call: { readonly name: string; readonly input: Json } | undefined): string;
}

const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);
const sse = (events: readonly Json[]): string =>
  events
    .map((event) => `${"type" in event ? `event: ${event["type"]}\n` : ""}data: ${JSON.stringify(event)}\n\n`)
    .join("");

/** OpenAI's Chat Completions, for Qwen Code, Kimi Code and Copilot. */
const CHAT: Protocol = {
  path: /\/chat\/completions$/,
  tools: (body) => list(body["tools"]).map((tool) => String((tool["function"] as Json | undefined)?.["name"])),
  hasResult: (body) => list(body["messages"]).some(({ role }) => role === "tool"),
  answer(body, call) {
    const words = {
      model: String(body["model"]),
      ...(call === undefined ? { text: "That is all." } : { calls: [call as never] }),
    };
    return body["stream"] === true ? answerEvents("openai", words) : answerBody("openai", words);
  },
};

/** OpenAI's Responses, for Codex. */
const RESPONSES: Protocol = {
  path: /\/responses$/,
  tools: (body) => list(body["tools"]).map(({ name }) => String(name)),
  hasResult: (body) => list(body["input"]).some(({ type }) => type === "function_call_output"),
  answer(_, call) {
    const item =
      call === undefined
        ? { type: "message", role: "assistant", id: "m", content: [{ type: "output_text", text: "That is all." }] }
        : { type: "function_call", id: "f", call_id: "call_1", name: call.name, arguments: JSON.stringify(call.input) };
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    return sse([
      { type: "response.created", response: { id: "r" } },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { id: "r", usage } },
    ]);
  },
};

/** Google's generateContent, for Gemini CLI. */
const GEMINI: Protocol = {
  path: /:(?:streamG|g)enerateContent$/,
  tools: (body) =>
    list(body["tools"]).flatMap((tool) => list(tool["functionDeclarations"]).map(({ name }) => String(name))),
  hasResult: (body) => JSON.stringify(body["contents"]).includes('"functionResponse"'),
  answer(_, call) {
    const part =
      call === undefined ? { text: "That is all." } : { functionCall: { name: call.name, args: call.input } };
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 };
    return sse([{ candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP" }], usageMetadata }]);
  },
};

/** `more`: further fields of the call's input. */
export async function startModelServer(command: string, more: Json = {}): Promise<ModelServer> {
  const bodies: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      const path = (request.url ?? "").split("?")[0] ?? "";
      const protocol = [CHAT, RESPONSES, GEMINI].find((one) => one.path.test(path));
      if (request.method !== "POST" || protocol === undefined) {
        response.writeHead(404, { "content-type": "application/json" }).end("{}");
        return;
      }
      bodies.push(text);
      const body = JSON.parse(text) as Json;
      const name = SHELL_TOOLS.find((one) => protocol.tools(body).includes(one));
      const input = { ...(name === "exec_command" ? { cmd: command } : { command }), description: "one step", ...more };
      const call = name === undefined || protocol.hasResult(body) ? undefined : { name, input };
      const isStream = body["stream"] === true || /stream/.test(path);
      const answer = protocol.answer(body, call);
      response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
      response.end(isStream || protocol !== GEMINI ? answer : answer.replace(/^data: /, ""));
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent: () => bodies.join("\n"),
    close: () => {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
}
