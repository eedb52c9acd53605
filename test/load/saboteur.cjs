// Loaded into the server by the load test, with --require: ends its threads and measures its memory, each on a signal
// that does not end hookbox.
const { writeFileSync } = require("node:fs");
const threads = require("node:worker_threads");

if (threads.isMainThread) {
  const alive = new Set();
  threads.Worker = class extends threads.Worker {
    constructor(...args) {
      super(...args);
      alive.add(this);
      this.on("exit", () => alive.delete(this));
    }
  };
  process.on("SIGWINCH", () => {
    for (const one of alive) one.terminate();
  });
  process.on("SIGURG", async () => {
    // Twice, with a pause, because memory outside of the heap is freed after the objects that own it.
    for (let i = 0; i < 2; i++) {
      globalThis.gc();
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    writeFileSync(process.env.HOOKBOX_LOAD_MEMORY, JSON.stringify(process.memoryUsage()));
  });
}
