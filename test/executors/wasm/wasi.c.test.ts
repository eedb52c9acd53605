import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { WasmExecutor } from "../../../src/executors/wasm/wasm-executor.ts";
import type { Grants } from "../../../src/grants.ts";
import { bashEvent } from "../../helpers/rules.ts";
import { LIMITS, openExecutor, run, runToFailure, runToReply, wasmRule, withoutTime } from "./wasm-rule.ts";

/** The path of Debian's package. `.ci/run` installs it, so nothing is skipped there. */
const LACKING = [
  "/usr/bin/clang-19",
  "/usr/include/wasm32-wasi/stdio.h",
  "/usr/lib/llvm-19/lib/clang/19/lib/wasi",
].find((file) => !existsSync(file));
const skipped = LACKING === undefined ? "" : ` (skipped: there is no ${LACKING})`;

const folder = mkdtempSync(path.join(tmpdir(), "hookbox-wasi-c-"));
const executor = new WasmExecutor({ threads: 1 });
afterAll(async () => {
  await executor.close();
  rmSync(folder, { recursive: true, force: true });
});

function compiled(name: string, source: string, options: readonly string[] = []): Uint8Array<ArrayBuffer> {
  const [from, to] = [path.join(folder, `${name}.c`), path.join(folder, `${name}.wasm`)];
  writeFileSync(from, source);
  const { status, stderr } = spawnSync(
    "clang-19",
    ["--target=wasm32-wasi", "--sysroot=/usr", "-Os", "-Wl,--strip-all", ...options, from, "-o", to],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(stderr);
  return Uint8Array.from(readFileSync(to));
}

const COMMAND = `
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
int main(void) {
  static char event[65536];
  size_t length = fread(event, 1, sizeof event - 1, stdin);
  unsigned char numbers[2];
  char line[64] = "nothing";
  FILE *policy = fopen("policy.txt", "r");
  if (policy != NULL && fgets(line, sizeof line, policy) == NULL) return 9;
  fprintf(stderr, "read %zu bytes\\n", length);
  if (strstr(event, "fail") != NULL) return 3;
  if (strstr(event, "write") != NULL && fopen("policy.txt", "r+") == NULL) return 4;
  if (strstr(event, "passwd") != NULL) fopen("/etc/passwd", "r");
  if (getentropy(numbers, 2) != 0) return 5;
  sleep(3600);
  printf("{\\"decision\\":\\"deny\\",\\"reason\\":\\"%s, %d %02x%02x\\"}", line, (int)time(NULL), numbers[0], numbers[1]);
  return 0;
}`;

const REACTOR = `
#include <stdint.h>
#include <stdio.h>
#define FROM_HOST(name) __attribute__((import_module("extism:host/env"), import_name(#name)))
FROM_HOST(alloc) uint64_t alloc(uint64_t);
FROM_HOST(store_u8) void store_u8(uint64_t, uint32_t);
FROM_HOST(output_set) void output_set(uint64_t, uint64_t);
static int calls = -1;
__attribute__((constructor)) static void start(void) { calls = 0; puts("not of any call"); }
__attribute__((export_name("handle"))) int handle(void) {
  char event[4096], answer[64];
  size_t length = fread(event, 1, sizeof event, stdin);
  calls += 1;
  printf("%zu bytes\\n", length);
  int size = snprintf(answer, sizeof answer, "{\\"decision\\":\\"deny\\",\\"reason\\":\\"call %d\\"}", calls);
  uint64_t block = alloc(size);
  for (int at = 0; at < size; at++) store_u8(block + at, answer[at]);
  output_set(block, size);
  return 0;
}`;

describe.skipIf(skipped !== "")(`a guard in C with wasi-libc${skipped}`, { timeout: 60_000 }, () => {
  test("can be a command: it reads the event, the clock, random numbers and a granted file, and prints its answer", async () => {
    const policy = path.join(folder, "policy.txt");
    writeFileSync(policy, "not on fridays");
    const grants: Grants = { wasi: true, paths: [{ name: "policy.txt", path: policy, access: "read" }] };
    const module = compiled("command", COMMAND);
    const rule = wasmRule(module, { handler: { function: "_start", grants } });
    const event = bashEvent("ls");
    const first = await run(rule, { executor, event });
    // An hour after the start of the fixed clock.
    expect(first).toMatchObject({
      reply: { reason: expect.stringMatching(/^not on fridays, 946688400 [0-9a-f]{4}$/) },
      receipt: { log: [expect.stringMatching(/^warn: read \d+ bytes$/)], deterministic: false },
    });
    expect(withoutTime(await run(rule, { executor, event }))).toEqual(withoutTime(first));
    expect(withoutTime(await run(rule, { executor: openExecutor(), event }))).toEqual(withoutTime(first));

    const failing = (command: string) => runToFailure(rule, { executor, event: bashEvent(command) });
    expect(await failing("fail")).toMatchObject({ kind: "exit", value: 3 });
    expect(await failing("write")).toMatchObject({ kind: "exit", value: 4 });
    expect(await failing("cat /etc/passwd")).toMatchObject({ kind: "capability" });

    const without = wasmRule(module, { handler: { function: "_start", grants: { wasi: true } } });
    const { reply, receipt } = await runToReply(without, { executor, event });
    expect(reply.reason).toMatch(/^nothing, 946688400/);
    expect(receipt).not.toHaveProperty("deterministic");
  });

  test("can be a reactor: it is initialised once, and each call finds it initialised", async () => {
    const module = compiled("reactor", REACTOR, ["-mexec-model=reactor"]);
    const rule = wasmRule(module, { handler: { grants: { wasi: true }, limits: LIMITS } });
    const own = openExecutor();
    const results = [await run(rule, { executor: own }), await run(rule, { executor: own })];
    expect(results[0]).toMatchObject({
      reply: { reason: "call 1" },
      receipt: { log: [expect.stringMatching(/^info: \d+ bytes$/)] },
    });
    expect(withoutTime(results[1] as never)).toEqual(withoutTime(results[0] as never));
  });
});
