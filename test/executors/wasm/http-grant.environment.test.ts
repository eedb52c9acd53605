import { spawn } from "node:child_process";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { httpServer } from "../../net/servers.ts";
import { openTrap } from "../../net/traps.ts";
import { asks, fetching } from "./fetching-guest.ts";
import { fileOf } from "./wasm-rule.ts";

const INDEX = pathToFileURL(path.resolve(import.meta.dirname, "../../../dist/bundle/index.js")).href;

test("a guard's requests do not use a proxy from the environment", async () => {
  const server = await httpServer((response) => response.end(asks("straight")));
  const trap = await openTrap();
  onTestFinished(async () => void (await Promise.all([server.close(), trap.close()])));
  const hook = {
    type: "wasm",
    module: fileOf(fetching()),
    config: { 0: JSON.stringify({ url: server.origin }) },
    grants: { hosts: { allow: [server.origin], allowPrivate: true } },
  };
  const script = `
    import { createEngine } from ${JSON.stringify(INDEX)};
    const engine = await createEngine({ config: ${JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook] }] } })}, cacheDir: false });
    const { decision, rules } = await engine.dispatch("PreToolUse", { tool_name: "Bash", tool_input: {} });
    console.log(decision, rules[0].receipt.requests);
    await engine.close();`;
  const proxy = `http://127.0.0.1:${trap.port}`;
  const names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
  const env = { ...Object.fromEntries(names.map((name) => [name, proxy])), NODE_USE_ENV_PROXY: "1", NO_PROXY: "" };
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "ignore"],
    env,
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  await new Promise((resolve) => child.on("close", resolve));
  expect(said).toBe("ask 1\n");
  expect(trap.caught()).toBe(0);
});
