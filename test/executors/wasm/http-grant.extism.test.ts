import createPlugin from "@extism/extism";
import { expect, onTestFinished, test } from "vitest";
import { wat } from "../../helpers/guests.ts";
import { httpServer } from "../../net/servers.ts";
import { openTrap } from "../../net/traps.ts";
import { admitted } from "../../sandbox/module-requirements.ts";
import { asks, fetching, fetchingRule, hostsGrant } from "./fetching-guest.ts";
import { openExecutor, runToFailure, runToReply } from "./wasm-rule.ts";

/** Extism has its own HTTP function, and links it in place of ours wherever the engine can wait for promises. */

const canWait = "Suspending" in WebAssembly;

test("an admitted module imports nothing of HTTP from a namespace that Extism fills", async () => {
  for (const namespace of ["extism:host/env", "hookbox:host/absent"]) {
    const { module } = await admitted(fetching("answers", namespace), { grants: { hosts: hostsGrant() } });
    const imports = WebAssembly.Module.imports(module.compiled).filter(({ name }) => name.startsWith("http_"));
    const linked = namespace === "extism:host/env" ? "hookbox:host/env" : namespace;
    expect(imports.map(({ module: from, name }) => `${from} ${name}`)).toEqual([
      `${linked} http_request`,
      `${linked} http_status_code`,
      `${linked} http_headers`,
    ]);
  }
});

test("a guest that asks repeatedly reaches our function each time, and never Extism's", async () => {
  const server = await httpServer((response) => response.end(asks("by us")));
  const trap = await openTrap();
  onTestFinished(async () => void (await Promise.all([server.close(), trap.close()])));
  const executor = openExecutor();
  for (let round = 0; round < 3; round += 1) {
    const { reply } = await runToReply(fetchingRule([{ url: server.origin }], { allow: [server.origin] }), {
      executor,
    });
    expect(reply.reason).toBe("by us");
    const elsewhere = fetchingRule([{ url: `http://127.0.0.1:${trap.port}/` }], { allow: [server.origin] });
    expect(await runToFailure(elsewhere, { executor })).toMatchObject({ kind: "capability" });
  }
  // Extism's own function would send "node".
  expect(server.requests.map(({ headers }) => headers["user-agent"])).toEqual(["hookbox", "hookbox", "hookbox"]);
  expect(trap.caught()).toBe(0);
});

// Shows that the tests above prove something: without the renaming, the same import gets Extism's function.
test.runIf(canWait)("under its own name Extism links its own function, whatever we provide", async () => {
  const trap = await openTrap();
  onTestFinished(() => trap.close());
  const url = `http://127.0.0.1:${trap.port}/`;
  const request = JSON.stringify({ url, method: "GET", headers: {} });
  const bytes = [...new TextEncoder().encode(request)];
  const stores = bytes.map(
    (byte, at) => `(call $store (i64.add (local.get $block) (i64.const ${at})) (i32.const ${byte}))`,
  );
  const module = wat(`(module
    (import "extism:host/env" "alloc" (func $alloc (param i64) (result i64)))
    (import "extism:host/env" "store_u8" (func $store (param i64 i32)))
    (import "extism:host/env" "http_request" (func $request (param i64 i64) (result i64)))
    (memory (export "memory") 1)
    (func (export "handle") (result i32) (local $block i64)
      (local.set $block (call $alloc (i64.const ${bytes.length})))
      ${stores.join("\n")}
      (drop (call $request (local.get $block) (i64.const 0)))
      (i32.const 0)))`);
  let ours = 0;
  const plugin = await createPlugin(await WebAssembly.compile(module), {
    useWasi: false,
    runInWorker: false,
    allowedPaths: {},
    allowedHosts: ["127.0.0.1"],
    config: {},
    functions: {
      "extism:host/env": {
        http_request: () => {
          ours += 1;
          return 0n;
        },
      },
    },
  });
  onTestFinished(() => plugin.close());
  await plugin.call("handle", "");
  expect([ours, trap.caught()]).toEqual([0, 1]);
});
