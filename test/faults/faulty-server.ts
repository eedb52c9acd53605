import { once } from "node:events";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A server on this machine whose path selects the answer, mostly a bad one. */

const json = (response: ServerResponse, body: string | Buffer): void => {
  response.writeHead(200, { "content-type": "application/json" }).end(body);
};

const ANSWERS = {
  ok: (response: ServerResponse) => json(response, "{}"),
  hangs: () => {},
  "hangs-half-way": (response: ServerResponse) => {
    response.writeHead(200, { "content-type": "application/json" }).write('{"decision":');
  },
  resets: (response: ServerResponse) => {
    response.socket?.resetAndDestroy();
  },
  "breaks-off": (response: ServerResponse) => {
    response.writeHead(200, { "content-length": "100" }).write('{"decision":"approve"}', () => response.destroy());
  },
  "status-500": (response: ServerResponse) => {
    response.writeHead(500).end('{"decision":"approve"}');
  },
  text: (response: ServerResponse) => json(response, "approved"),
  "broken-json": (response: ServerResponse) => json(response, '{"decision":"approve"'),
  "bad-utf-8": (response: ServerResponse) => json(response, Buffer.from('{"reason":"\xff"}', "latin1")),
  "wrong-type": (response: ServerResponse) => json(response, '{"continue":"no"}'),
  "unknown-decision": (response: ServerResponse) => json(response, '{"decision":"blok"}'),
  floods: (response: ServerResponse) => {
    const chunk = Buffer.alloc(65_536, 0x20);
    const more = (): void => {
      while (!response.destroyed && response.write(chunk)) {
        // Until the client gives up.
      }
    };
    response.writeHead(200).on("drain", more);
    more();
  },
  "redirects-in-circles": (response: ServerResponse) => {
    response.writeHead(307, { location: "/redirects-in-circles" }).end();
  },
  "redirects-inwards": (response: ServerResponse) => {
    response.writeHead(307, { location: "http://169.254.169.254/latest/meta-data" }).end();
  },
} satisfies Record<string, (response: ServerResponse) => void>;

export type Misbehaviour = keyof typeof ANSWERS;

export class FaultyServer {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<FaultyServer> {
    const listener: RequestListener = (request, response) => {
      request.resume().on("end", () => ANSWERS[(request.url ?? "/").slice(1) as Misbehaviour](response));
      response.on("error", () => {});
    };
    const server = createServer(listener).listen(0, "127.0.0.1");
    await once(server, "listening");
    return new FaultyServer(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(behaviour: Misbehaviour): string {
    return `http://127.0.0.1:${this.port}/${behaviour}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

/** Returns a port on which no process listens any more. */
export async function closedPort(): Promise<number> {
  const server = await FaultyServer.open();
  const { port } = server;
  await server.close();
  return port;
}
