import { createServer, type Server } from "node:net";

/** Listens where no connection may arrive. Connecting is enough to be counted; nothing has to be sent. */
export interface Trap {
  /** The same at 0.0.0.0, which includes all of 127.0.0.0/8, and at ::1. */
  readonly port: number;
  /** Connections since the last call. */
  caught(): number;
  close(): Promise<void>;
}

export async function openTrap(): Promise<Trap> {
  let count = 0;
  const listen = (port: number, host: string): Promise<Server> =>
    new Promise((resolve, reject) => {
      const server = createServer((socket) => {
        count += 1;
        socket.on("error", () => undefined);
        socket.resume().end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}");
      });
      server.once("error", reject);
      server.listen(port, host, () => resolve(server));
    });
  const first = await listen(0, "0.0.0.0");
  const { port } = first.address() as { port: number };
  const second = await listen(port, "::1");
  return {
    port,
    caught: () => {
      const seen = count;
      count = 0;
      return seen;
    },
    close: async () => {
      for (const server of [first, second]) await new Promise((resolve) => server.close(resolve));
    },
  };
}
