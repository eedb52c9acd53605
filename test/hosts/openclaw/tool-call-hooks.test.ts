import { describe, expect, test } from "vitest";
import { call, hosted, question, recording } from "./hosted.ts";

/** `before_tool_call`: the order of handlers, and how their answers are merged. */
describe("handlers of before_tool_call", () => {
  test("OC-1: are asked by priority, and in order of registration if it is equal", async () => {
    const { host } = hosted();
    const order: string[] = [];
    for (const [name, priority] of [
      ["a0", 0],
      ["b50", 50],
      ["c100", 100],
      ["d50", 50],
      ["e", undefined],
    ] as const)
      host.on("before_tool_call", () => void order.push(name), priority === undefined ? {} : { priority });
    await host.run("before_tool_call", { ...call });
    expect(order).toEqual(["c100", "b50", "d50", "a0", "e"]);
  });

  test("OC-2: are not asked after one has blocked, and its reason counts", async () => {
    const { host } = hosted();
    const low = recording(() => ({ params: { cmd: "other" } }));
    host.on("before_tool_call", low.handler, { priority: 1 });
    host.on("before_tool_call", () => ({ block: true, blockReason: "not on my watch" }), { priority: 9 });
    expect(await host.run("before_tool_call", { ...call })).toEqual({ block: true, blockReason: "not on my watch" });
    expect(low.events).toEqual([]);
  });

  test("OC-3: do not answer with block: false, and the next is asked", async () => {
    const { host } = hosted();
    host.on("before_tool_call", () => ({ block: false, blockReason: "unused" }), { priority: 9 });
    host.on("before_tool_call", () => ({ params: { cmd: "pwd" } }));
    expect(await host.run("before_tool_call", { ...call })).toEqual({ params: { cmd: "pwd" } });
  });

  test("OC-4: change the fields that they name, and the call keeps the others", async () => {
    const { host } = hosted();
    host.on("before_tool_call", () => ({ params: { mode: "dry" } }));
    const ran = await host.toolCall(call, { execute: (params) => params });
    expect(ran).toMatchObject({ status: "executed", params: { cmd: "ls", mode: "dry" } });
  });

  test("OC-5: ask in their plugin's name, whatever they write there, and the first question counts", async () => {
    const { host } = hosted();
    const ask = (title: string) => ({ requireApproval: { title, description: "d", pluginId: "somebody-else" } });
    for (const [id, priority] of [
      ["second", 1],
      ["first", 2],
    ] as const)
      host.use({ id, name: id, register: (api) => api.on("before_tool_call", () => ask(`of ${id}`), { priority }) });
    expect(await host.run("before_tool_call", { ...call })).toMatchObject({
      requireApproval: { title: "of first", pluginId: "first" },
    });
  });

  test.each(["same", "other"])("OC-6: cannot change what the user is asked about: %s plugin", async (whose) => {
    const { host } = hosted();
    host.use({
      id: "same",
      name: "Same",
      register: (api) => {
        api.on("before_tool_call", () => ({ ...question(), params: { cmd: "asked" } }), { priority: 5 });
        if (whose === "same") api.on("before_tool_call", () => ({ params: { cmd: "swapped" } }));
      },
    });
    if (whose === "other") host.on("before_tool_call", () => ({ params: { cmd: "swapped" } }));
    expect(await host.run("before_tool_call", { ...call })).toMatchObject({ params: { cmd: "asked" } });
  });

  test("OC-7: change nothing by writing later to what they returned", async () => {
    const { host } = hosted();
    const params = { cmd: "asked", list: ["a"] };
    host.on("before_tool_call", () => ({ ...question(), params }), { priority: 5 });
    host.on("before_tool_call", () => {
      params.cmd = "swapped";
      params.list.push("b");
    });
    expect(await host.run("before_tool_call", { ...call })).toMatchObject({ params: { cmd: "asked", list: ["a"] } });
  });

  test("OC-8: can block after another has asked; the question and its parameters stay in the result", async () => {
    const { host } = hosted();
    const low = recording();
    host.on("before_tool_call", () => ({ ...question(), params: { cmd: "asked" } }), { priority: 5 });
    host.on("before_tool_call", () => ({ block: true, blockReason: "never", params: { cmd: "x" } }), { priority: 4 });
    host.on("before_tool_call", low.handler);
    const result = await host.run("before_tool_call", { ...call });
    expect(result).toMatchObject({
      block: true,
      blockReason: "never",
      params: { cmd: "asked" },
      requireApproval: { title: "Deploy" },
    });
    expect(low.events).toEqual([]);
  });

  test("OC-36: a handler sees the parameters that higher priorities returned, and keeps the fields that it does not name", async () => {
    const { host } = hosted();
    const second = recording(() => ({ params: { limit: 5 } }));
    host.on("before_tool_call", () => ({ params: { cmd: "ls -- safe" } }), { priority: 9 });
    host.on("before_tool_call", second.handler);
    const ran = await host.toolCall({ ...call, params: { cmd: "ls", cwd: "/a" } }, { execute: (params) => params });
    expect(second.events[0]).toMatchObject({ params: { cmd: "ls -- safe", cwd: "/a" } });
    expect(ran).toMatchObject({ status: "executed", params: { cmd: "ls -- safe", cwd: "/a", limit: 5 } });
  });

  test("OC-36: a handler after a question sees the parameters that the user is asked about", async () => {
    const { host } = hosted();
    const low = recording();
    host.on("before_tool_call", () => ({ ...question(), params: { cmd: "asked" } }), { priority: 9 });
    host.on("before_tool_call", () => ({ params: { cmd: "swapped" } }), { priority: 5 });
    host.on("before_tool_call", low.handler);
    await host.run("before_tool_call", { ...call });
    expect(low.events[0]).toMatchObject({ params: { cmd: "asked" } });
  });

  test("OC-9: a handler that writes to its event changes the event of no other handler", async () => {
    const { host } = hosted();
    const params = { cmd: "ls", env: { A: "1" } };
    host.on("before_tool_call", (event) => {
      event.params.cmd = "rm";
      event.params.env.A = "2";
    });
    const second = recording();
    host.on("before_tool_call", second.handler);
    await host.run("before_tool_call", { ...call, params });
    expect(second.events[0]).toMatchObject({ params: { cmd: "ls", env: { A: "1" } } });
    expect(params).toEqual({ cmd: "ls", env: { A: "1" } });
  });

  test("that do not exist do not affect the embedder's own question about what will run", async () => {
    const { host } = hosted();
    const params = { argv: ["ls"] };
    const ran = await host.toolCall(
      { ...call, params },
      {
        execute: (given) => given["argv"],
        sensitive: () => ({ title: "Run", description: "it" }),
        approve: () => {
          params.argv = ["rm"];
          params.argv.push("-rf");
          return "allow-once";
        },
      },
    );
    expect(ran).toMatchObject({ status: "executed", result: ["ls"] });
    const nested = { argv: ["ls"] };
    const again = await host.toolCall(
      { ...call, params: nested },
      {
        execute: (given) => given["argv"],
        sensitive: () => ({ title: "Run", description: "it" }),
        approve: () => {
          nested.argv.push("-rf");
          return "allow-once";
        },
      },
    );
    expect(again).toMatchObject({ status: "executed", result: ["ls"] });
  });

  test("OC-27: that make a harmless call a sensitive one have the user asked about what will run", async () => {
    const { host } = hosted();
    host.on("before_tool_call", () => ({ params: { cmd: "drop database" } }));
    const asked: unknown[] = [];
    const ran = await host.toolCall(call, {
      execute: () => expect.unreachable(),
      sensitive: ({ params }) =>
        params["cmd"] === "ls" ? undefined : { title: "Sensitive", description: String(params["cmd"]) },
      approve: (one) => {
        asked.push(one);
        return "deny";
      },
    });
    expect(ran).toEqual({ status: "blocked", reason: "Denied by user" });
    expect(asked).toMatchObject([
      { title: "Sensitive", description: "drop database", params: { cmd: "drop database" } },
    ]);
  });

  test.each([
    { block: "yes" },
    { block: 1 },
    { block: null },
    { blockReason: 7 },
    { params: [1] },
    { params: "ls" },
    { params: null },
    { requireApproval: true },
    { requireApproval: null },
    { requireApproval: { title: "no description" } },
    { requireApproval: { title: "t", description: "d", severity: "huge" } },
    { requireApproval: { title: "t", description: "d", allowedDecisions: "deny" } },
    "block",
    true,
    ["block"],
  ])("with an answer that cannot be read block the call: %j", async (said) => {
    const { host, errors } = hosted();
    host.on("before_tool_call", () => said);
    const ran = await host.toolCall(call, { execute: () => expect.unreachable(), approve: () => "allow-once" });
    expect(ran).toEqual({ status: "blocked", reason: "Tool call blocked because before_tool_call hook failed" });
    expect(errors).toHaveLength(1);
  });

  test.each([undefined, null, "text", 7, [1]])(
    "are shown {} for parameters that are not an object: %j",
    async (params) => {
      const { host } = hosted();
      const seen = recording();
      host.on("before_tool_call", seen.handler);
      await host.toolCall({ ...call, toolName: " EXEC ", params }, { execute: () => "done" });
      expect(seen.events).toMatchObject([{ toolName: "exec", params: {} }]);
    },
  );

  test("judge what will run, even if the caller still has the parameters", async () => {
    const { host } = hosted();
    const params = { list: ["a"] };
    host.on("before_tool_call", () => question());
    const ran = await host.toolCall(
      { ...call, params },
      {
        execute: (given) => structuredClone(given),
        approve: () => {
          params.list.push("b");
          return "allow-once";
        },
      },
    );
    expect(ran).toMatchObject({ status: "executed", result: { list: ["a"] } });
  });
});
