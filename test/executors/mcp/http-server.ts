import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { NodeStreamableHTTPServerTransport } from "@modelcontextprotocol/node";
import { McpServer, type ServerContext } from "@modelcontextprotocol/server";
import { z } from "zod";

/** An MCP server on this machine that speaks streamable HTTP, with sessions. */

export interface HttpMcp {
  readonly url: string;
  /** `METHOD message` of each request, and its headers. */
  readonly requests: readonly { readonly what: string; readonly headers: IncomingMessage["headers"] }[];
  sessions(): number;
  openSockets(): number;
  /** Forgets all sessions, like a restarted server. */
  forget(): void;
  close(): Promise<void>;
}

export interface HttpMcpOptions {
  /** Answers with one JSON document instead of a stream of events. */
  readonly json?: boolean;
  /** Answers a request instead of the server, and returns whether it did. */
  readonly instead?: (what: string, response: ServerResponse, request: IncomingMessage) => boolean;
}

type Tool = (input: { readonly bytes: number }, context: ServerContext) => Promise<string> | string;

export async function httpMcp(
  tools: Readonly<Record<string, Tool>>,
  { json = false, instead = () => false }: HttpMcpOptions = {},
): Promise<HttpMcp> {
  const requests: { what: string; headers: IncomingMessage["headers"] }[] = [];
  const sockets = new Set<Socket>();
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();

  async function newSession(): Promise<NodeStreamableHTTPServerTransport> {
    const server = new McpServer({ name: "fixture", version: "1.0.0" });
    for (const [name, tool] of Object.entries(tools)) {
      const inputSchema = z.object({ bytes: z.number().default(0) });
      server.registerTool(name, { inputSchema }, async (input, context) => ({
        content: [{ type: "text", text: await tool(input, context) }],
      }));
    }
    const transport = new NodeStreamableHTTPServerTransport({
      enableJsonResponse: json,
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await server.connect(transport);
    return transport;
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const body = text === "" ? undefined : (JSON.parse(text) as { method?: string });
    const what = `${request.method} ${body?.method ?? ""}`.trim();
    requests.push({ what, headers: request.headers });
    if (instead(what, response, request)) return;
    const id = request.headers["mcp-session-id"];
    const transport = id === undefined ? await newSession() : sessions.get(String(id));
    if (transport === undefined) response.writeHead(404).end("no such session");
    else await transport.handleRequest(request, response, body);
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    requests,
    sessions: () => sessions.size,
    openSockets: () => sockets.size,
    forget: () => sessions.clear(),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
