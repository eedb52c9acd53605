import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { JsonObject } from "../../src/json.ts";
import { EVENT } from "./replay.ts";

const DIST = new URL("../../dist/bundle/index.js", import.meta.url).href;

/** A new process that creates a new engine for each event, and prints the verdicts: each is the engine's first call. */
export async function coldCalls(config: object, payloads: readonly JsonObject[]): Promise<readonly unknown[]> {
  const script = `
    import { createEngine } from ${JSON.stringify(DIST)};
    let text = "";
    for await (const chunk of process.stdin) text += chunk;
    const { config, payloads } = JSON.parse(text);
    for (const payload of payloads) {
      const engine = await createEngine({ config, sandbox: { threads: 1 } });
      process.stdout.write(JSON.stringify(await engine.dispatch(${JSON.stringify(EVENT)}, payload)) + "\\n");
      await engine.close();
    }`;
  const running = promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
    maxBuffer: 2 ** 27,
  });
  running.child.stdin?.end(JSON.stringify({ config, payloads }));
  const { stdout } = await running;
  return stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}
