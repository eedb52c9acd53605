import type { IncomingMessage, ServerResponse } from "node:http";
import type { Server, Socket } from "node:net";

/** The most connections in each state. */
const MAX_EACH = 256;
/** The system's limit also counts connections that are being closed. */
const MAX_OPEN = 8 * MAX_EACH;

/**
 * Closes the oldest connection when too many wait for a whole request, or when too many clients keep a connection after
 * an answer. Clients that send nothing therefore only take connections from each other: a relay sends its request at once,
 * and an agent that keeps its connection has sent the token. `onClosed` is called for each closed connection.
 */
export function boundConnections(server: Server, onClosed: () => void): void {
  const asking = new Set<Socket>();
  const judged = new Set<Socket>();
  const answered = new Set<Socket>();
  const leave = (socket: Socket): void => {
    for (const place of [asking, judged, answered]) place.delete(socket);
  };
  const enter = (socket: Socket, place: Set<Socket>): void => {
    leave(socket);
    if (socket.destroyed) return;
    place.add(socket);
    if (place.size <= MAX_EACH) return;
    // A call that is being judged is not cut off by a later call.
    const [closed = socket] = place === judged ? [socket] : place;
    leave(closed);
    closed.destroy();
    onClosed();
  };
  server.maxConnections = MAX_OPEN;
  server.on("drop", onClosed);
  server.on("connection", (socket: Socket) => {
    socket.once("close", () => leave(socket));
    enter(socket, asking);
  });
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    // A body that the answer did not need ends after the answer.
    request.once("end", () => response.writableEnded || enter(socket, judged));
    // The answer is complete, but the client may not read it.
    response.once("prefinish", () => enter(socket, answered));
  });
}
