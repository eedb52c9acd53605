import { describe, expect, test } from "vitest";
import type { JsonObject, PolicyAnswer, ToolCall } from "../../src/index.ts";
import { createEngine } from "../../src/index.ts";

/** The caller's object is read once: no phase judges another call than the one before it. */

async function engineThatSees(seen: JsonObject[], meanwhile: () => void) {
  const engine = await createEngine({ config: {}, cacheDir: false, sandbox: { threads: 1 } });
  const see = (event: JsonObject): null => {
    seen.push(event);
    meanwhile();
    return null;
  };
  await engine.register(
    ["ToolInputTransform", "ToolGuard", "PreToolUse", "PostToolUse"].map((event) => ({
      event,
      type: "function" as const,
      run: see,
    })),
  );
  return engine;
}

describe("a call", () => {
  test("that changes between its phases is judged and run unchanged", async () => {
    const seen: JsonObject[] = [];
    const call = {
      toolName: "Bash",
      toolUseId: "t1",
      input: { command: "ls" },
      payload: { session_id: "s", nested: { cwd: "/a" } },
    };
    await using engine = await engineThatSees(seen, () => {
      call.toolName = "Read";
      call.toolUseId = "t2";
      call.input.command = "rm";
      call.payload.session_id = "other";
      call.payload.nested.cwd = "/b";
    });
    const asked: string[] = [];
    const result = await engine.toolCall(call, {
      policy: ({ toolName }) => {
        asked.push(toolName);
        return { decision: "allow", source: "rule" };
      },
      execute: () => "done",
    });
    expect(result.outcome).toBe("ran");
    expect(asked).toEqual(["Bash"]);
    expect(seen).toHaveLength(4);
    for (const event of seen) {
      expect(event).toMatchObject({
        tool_name: "Bash",
        tool_use_id: "t1",
        tool_input: { command: "ls" },
        session_id: "s",
        nested: { cwd: "/a" },
      });
    }
  });

  test("whose fields have another value each time is read once", async () => {
    let reads = 0;
    const call: ToolCall = {
      get toolName() {
        reads++;
        return reads === 1 ? "Bash" : "Read";
      },
      input: {},
    };
    const seen: JsonObject[] = [];
    await using engine = await engineThatSees(seen, () => {});
    await engine.toolCall(call, { policy: () => ({ decision: "allow", source: "rule" }), execute: () => null });
    expect(seen.map(({ tool_name }) => tool_name)).toEqual(["Bash", "Bash", "Bash", "Bash"]);
  });

  test("with a payload that is not JSON throws, because the caller is wrong", async () => {
    await using engine = await engineThatSees([], () => {});
    const payload = { size: 1n } as unknown as JsonObject;
    await expect(engine.toolCall({ toolName: "Bash", input: {}, payload }, { execute: () => null })).rejects.toThrow(
      /payload must be a JSON object/,
    );
  });
});

describe("a policy's answer", () => {
  const call = { toolName: "Bash", input: {} };

  test("that changes later has its first value", async () => {
    const answer: { -readonly [Key in keyof PolicyAnswer]: PolicyAnswer[Key] } = { decision: "ask", source: "rule" };
    await using engine = await engineThatSees([], () => {});
    await engine.register([
      {
        event: "PermissionRequest",
        type: "function",
        run: () => {
          answer.decision = "allow";
          return null;
        },
      },
    ]);
    const result = await engine.toolCall(call, { policy: () => answer, execute: () => "done" });
    expect(answer.decision).toBe("allow");
    expect(result).toMatchObject({ outcome: "denied", source: "non_interactive_deny", executed: false });
  });

  test.each(["policy", "askUser"])("that cannot be read refuses the call, like one of %s", async (which) => {
    const unreadable = {
      get decision(): never {
        throw new Error("not now");
      },
    };
    await using engine = await engineThatSees([], () => {});
    const host = { execute: () => null, [which]: () => unreadable };
    expect(await engine.toolCall(call, host)).toMatchObject({
      outcome: "denied",
      reason: expect.stringContaining("not now"),
    });
  });
});
