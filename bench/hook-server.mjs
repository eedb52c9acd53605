// Answers each event with a denial. Runs in a separate thread, so that its work does not count as the client's.
import { createServer } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

const server = createServer((request, response) => {
  request.resume().on("end", () => {
    response.setHeader("content-type", "application/json");
    response.end(workerData.reply);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
