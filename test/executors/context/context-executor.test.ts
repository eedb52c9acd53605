import { expect, test } from "vitest";
import type { HookEvent } from "../../../src/event.ts";
import { ContextExecutor } from "../../../src/executors/context/context-executor.ts";
import { bashEvent, makeEvent, makeRule } from "../../helpers/rules.ts";

const run = (text: string, event: HookEvent, fillsUserMessage = false) =>
  new ContextExecutor().run(makeRule({ handler: { type: "context", text, fillsUserMessage } }), event);

test("adds its text unchanged", async () => {
  const result = await run("Use tabs. {userMessage}", makeEvent("UserPromptSubmit", { prompt: "hi" }));
  expect(result).toMatchObject({ ok: true, reply: { additionalContext: ["Use tabs. {userMessage}"] } });
});

test.each([
  ["hi", "said: hi, hi"],
  ["$& $1 $` {userMessage}", "said: $& $1 $` {userMessage}, $& $1 $` {userMessage}"],
  [undefined, "said: , "],
])("inserts the user's prompt if the rule asks for it: %o", async (prompt, text) => {
  const event = makeEvent("UserPromptSubmit", prompt === undefined ? {} : { prompt });
  expect(await run("said: {userMessage}, {userMessage}", event, true)).toMatchObject({
    reply: { additionalContext: [text] },
  });
});

test("adds nothing to an event that takes no text, and says so", async () => {
  const result = await run("x", makeEvent("Notification"));
  expect(result).toMatchObject({
    ok: true,
    reply: {},
    ignored: ["additionalContext: Notification does not honour it"],
  });
  expect(await run("x", bashEvent("ls"))).toMatchObject({ reply: { additionalContext: ["x"] } });
});
