// A process that hosts an engine, like an embedder's: it handles one event, then goes on until its standard input ends.

import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";

const [index, configFile, boundary] = process.argv.slice(2);
const { createEngine } = await import(index);
let engine = await createEngine({ configFiles: [configFile], cacheDir: false, sandbox: { boundary } });
const { decision, reason, rules } = await engine.dispatch("PreToolUse", {
  tool_name: "Bash",
  tool_input: { command: "ls" },
});
const failures = rules.map(({ rule, failure }) => ({ rule, code: failure?.code, kind: failure?.kind }));
process.stdout.write(`${JSON.stringify({ decision, reason, failures, problems: engine.problems })}\n`);
process.stdin.resume();
await once(process.stdin, "end");
await engine.close();
engine = undefined;
// What is left then cannot be released.
for (let left = 3; left > 0; left--) {
  globalThis.gc();
  await sleep(100);
}
process.stdout.write("closed\n");
await sleep(200);
