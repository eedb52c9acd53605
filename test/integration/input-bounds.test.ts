import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createEngine, type Engine } from "../../src/engine.ts";
import type { JsonObject, JsonValue } from "../../src/json.ts";
import { JSON_BOUNDS } from "../../src/json-bounds.ts";
import { makeFolder } from "../helpers/folders.ts";

/** Payloads, replies and files that are nested too deeply or have too many values, at each entry point. */

const DEPTH = JSON_BOUNDS.depth;
const nested = (levels: number): JsonValue => {
  let value: JsonValue = "x";
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
};
const text = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const many = (values: number): JsonValue => Array.from({ length: values }, () => 1);
const call = (command: JsonValue): JsonObject => ({ tool_name: "Bash", tool_input: { command } });

async function engineWith(...hooks: object[]): Promise<Engine> {
  const engine = await createEngine({
    cacheDir: false,
    config: { hooks: { PreToolUse: [{ hooks: hooks.map((hook) => ({ timeout: 60, ...hook })) }] } },
  });
  onTestFinished(() => engine.close());
  return engine;
}

describe("a payload for dispatch", () => {
  const guard = { type: "wasm", module: "builtin:shell-guard" };

  test.each([
    ["one level too deep", nested(DEPTH - 1), /nested deeper than 128 levels/],
    ["10,000 levels deep", nested(10_000), /nested deeper than 128 levels/],
    ["with too many values", many(JSON_BOUNDS.values), /more than 200000 values/],
  ])("is refused by a separate code if it is %s", async (_, command, message) => {
    const engine = await engineWith(guard, { type: "command", command: "true" });
    for (const asked of [
      () => engine.dispatch("PreToolUse", call(command)),
      async () => engine.explain("PreToolUse", call(command)),
    ]) {
      await expect(asked()).rejects.toMatchObject({
        code: "HOOK_PAYLOAD_LIMIT",
        message: expect.stringMatching(message),
      });
    }
  });

  test("is refused if it contains itself", async () => {
    const engine = await engineWith(guard);
    const payload: Record<string, unknown> = { tool_name: "Bash" };
    payload["tool_input"] = { payload };
    await expect(engine.dispatch("PreToolUse", payload as JsonObject)).rejects.toMatchObject({
      code: "HOOK_PAYLOAD_LIMIT",
    });
  });

  test("is refused if one of its members throws when it is read", async () => {
    const engine = await engineWith(guard);
    const payload = {
      ...call("ls"),
      get late(): never {
        throw new Error("not now");
      },
    };
    await expect(
      engine.dispatch("PreToolUse", {
        ...call("ls"),
        inner: Object.create(null, { x: { enumerable: true, get: () => payload.late } }) as JsonObject,
      }),
    ).rejects.toMatchObject({ code: "HOOK_PAYLOAD_INVALID" });
  });

  test("is judged by every kind of rule at the maximal depth", async () => {
    const engine = await engineWith(guard, { type: "command", command: "cat > /dev/null" });
    const { rules } = await engine.dispatch("PreToolUse", { ...call("ls"), deep: nested(DEPTH - 1) });
    expect(rules.map(({ failure }) => failure?.message)).toEqual([undefined, undefined]);
  });
});

describe("a tool call", () => {
  const host = { execute: () => Promise.resolve("done") };

  test.each([
    [
      "is denied if its input is too deep",
      { input: { a: nested(10_000) } as JsonObject },
      { outcome: "denied", executed: false, reason: expect.stringContaining("127 levels") },
    ],
    [
      "is denied if its input has too many values",
      { input: { a: many(150_000) } as JsonObject },
      { outcome: "denied", executed: false, reason: expect.stringContaining("values") },
    ],
  ])("%s", async (_, more, expected) => {
    const engine = await engineWith();
    expect(await engine.toolCall({ toolName: "Bash", ...more }, host)).toMatchObject(expected);
  });

  test("fails with a response that no rule could read", async () => {
    const engine = await engineWith();
    const result = await engine.toolCall({ toolName: "Bash", input: {} }, {
      execute: () => Promise.resolve(many(150_000)),
      policy: () => ({ decision: "allow", source: "mode" }),
    } as never);
    expect(result).toMatchObject({ outcome: "failed", executed: true, error: expect.stringContaining("values") });
  });

  test("is denied if a rule's input for it is too large", async () => {
    const reply = { hookSpecificOutput: { hookEventName: "PreToolUse", updatedInput: { a: many(150_000) } } };
    const file = join(makeFolder({ "reply.json": JSON.stringify(reply) }), "reply.json");
    const engine = await engineWith({ type: "command", command: `cat ${file}` });
    const result = await engine.toolCall({ toolName: "Bash", input: { a: 1 } }, host);
    expect(result).toMatchObject({ outcome: "denied", executed: false, reason: expect.stringContaining("values") });
  });
});

describe("a reply", () => {
  const reply = (levels: number): string => `{"decision":"block","reason":"no","x":${text(levels)}}`;
  const failure = {
    kind: "output-too-large",
    limit: DEPTH,
    value: DEPTH + 1,
    message: expect.stringContaining("128 levels"),
  };
  const failed = { decision: "deny", rules: [{ failure }] };

  test("of a command fails by name if it is too deep, in every dialect", async () => {
    const command = `printf '{"decision":"block","x":'; head -c 5000 /dev/zero | tr '\\0' '['; head -c 5000 /dev/zero | tr '\\0' ']'; printf '}'`;
    for (const speaks of ["hookbox", "claude-code", "docker-agent", "agentao", "autohand", "patterns"]) {
      const engine = await engineWith({
        type: "command",
        command,
        onFailure: "block",
        ...(speaks === "hookbox" ? {} : { speaks }),
      });
      expect(await engine.dispatch("PreToolUse", call("ls"))).toMatchObject(failed);
    }
  });

  test("of a command still refuses by exit code 2", async () => {
    const command = `printf '{"x":'; head -c 5000 /dev/zero | tr '\\0' '['; echo never >&2; exit 2`;
    const engine = await engineWith({ type: "command", command, onFailure: "continue" });
    expect(await engine.dispatch("PreToolUse", call("ls"))).toMatchObject({
      decision: "deny",
      reason: expect.stringContaining("never"),
    });
  });

  test("of a web hook fails by name if it is too deep", async () => {
    const server = createServer((_, response) => {
      response.setHeader("content-type", "application/json").end(reply(5_000));
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once("listening", resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const engine = await engineWith({ type: "http", url, onFailure: "block" });
    expect(await engine.dispatch("PreToolUse", call("ls"))).toMatchObject(failed);
  });
});
