import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { HookRequest, ServerAnswer } from "./case.ts";

/** One server on this machine for the web hooks of all cases, each under a separate path. */
export class HookServer {
  readonly #server: Server;
  readonly #hooks = new Map<string, (request: HookRequest) => ServerAnswer>();
  #paths = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<HookServer> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const { method = "", headers, url = "" } = request;
        const answer = self.#hooks.get(url)?.({ method, headers, body: Buffer.concat(chunks).toString() });
        if (answer === "hangs") return;
        if (answer === "hangs up") {
          request.socket.destroy();
          return;
        }
        const { status = 200, headers: more = {}, body = "" } = answer ?? { status: 404 };
        const isText = typeof body === "string";
        response.writeHead(status, { "content-type": isText ? "text/plain" : "application/json", ...more });
        response.end(isText ? body : JSON.stringify(body));
      });
    });
    const self = new HookServer(server);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return self;
  }

  add(answer: (request: HookRequest) => ServerAnswer): string {
    const path = `/hooks/${++this.#paths}`;
    this.#hooks.set(path, answer);
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
