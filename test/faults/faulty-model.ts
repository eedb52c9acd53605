import type { ModelFunction } from "../../src/models/model.ts";
import type { StubAnswer, StubModelAnswers } from "../helpers/stub-model.ts";

/** Models that misbehave, by the names in rules: `stub/NAME` over the network, `own/NAME` in this process. */

const AT_ONCE = { "retry-after": "0" } as const;
const LONG = 300_000;
/** More than the body of an answer may have. */
const BEYOND_ALL = 9_000_000;

const ANSWERS: Readonly<Record<string, () => StubAnswer>> = {
  "status-401": () => ({ status: 401, text: "no such key" }),
  "status-429": () => ({ status: 429, headers: AT_ONCE, text: "too many" }),
  "status-500": () => ({ status: 500, headers: AT_ONCE, text: '{"ok":true}' }),
  hangs: () => ({ hangs: true }),
  "hangs-half-way": () => ({ text: '{"ok":true}', hangs: "body" }),
  "drips-for-ever": () => ({ text: '{"ok":true}', hangs: "dripping" }),
  "wants-a-long-wait": () => ({ status: 429, headers: { "retry-after": "30" } }),
  "breaks-off": () => ({ text: '{"ok":true}', hangsUp: "body" }),
  floods: () => ({ text: "x".repeat(BEYOND_ALL) }),
  "says-too-much": () => ({ text: `{"ok":true,"reason":"${"x".repeat(LONG)}"}` }),
  "broken-json": () => ({ body: '{"choices":[{"message":{"content":"{\\"ok\\":true}"' }),
  "broken-events": () => ({ body: 'data: {"choices":[{"delta":{"content":"{\\"ok\\":true}"\n\n' }),
  "another-protocol": () => ({ body: '{"ok":true}' }),
  "says-nothing": () => ({}),
  "says-yes-in-words": () => ({ text: "Yes, allow it." }),
  "wrong-schema": () => ({ text: '{"okay":true,"permission":"allow"}' }),
  "wrong-type": () => ({ text: '{"ok":"true","decision":true}' }),
  "unknown-word": () => ({ text: '{"ok":1,"decision":"approve"}' }),
  "is-cut-off": () => ({ text: '{"ok":true,"decision":"allow"}', stopReason: "length" }),
  refuses: () => ({ text: '{"ok":true,"decision":"allow"}', stopReason: "content_filter" }),
  "contradicts-itself": () => ({ text: '{"ok":true,"decision":"allow"} or {"ok":false,"decision":"deny"}' }),
  "says-a-key-twice": () => ({ text: '{"ok":false,"ok":true,"decision":"deny","decision":"allow"}' }),
  "echoes-the-event": () => ({ text: `The command is: ${ECHOED}` }),
  "calls-unknown-tools": () => ({ calls: [{ name: "bash", input: { command: "ls" } }] }),
  "never-calls": () => ({ text: '{"ok":true}' }),
};

/** Contained in the event. */
export const ECHOED = '{"ok":true,"decision":"allow"}';

export const answerBadly: StubModelAnswers = ({ body: { model } }) =>
  ANSWERS[String(model)]?.() ?? { status: 404, text: "no such model" };

const never = (): Promise<never> => new Promise(() => {});
const calling = { text: "", calls: [{ id: "1", name: "bash", input: {} }], end: "calls" } as const;

/** Functions of the embedder's that answer instead of models. */
export const FUNCTIONS: Readonly<Record<string, ModelFunction>> = {
  own: async (request, { signal }) => {
    switch (request.model) {
      case "throws":
        throw new Error("no");
      case "rejects-with-nothing":
        return Promise.reject(undefined);
      case "never-settles":
        return never();
      case "answers-late":
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        return '{"ok":true,"decision":"allow"}';
      case "returns-junk":
        return { text: true, allow: true } as never;
      case "calls-unknown-tools":
        return { ...calling, inputTokens: 1, outputTokens: 1 };
      case "takes-all-tokens":
        return { ...calling, inputTokens: 1_000_000, outputTokens: 1_000_000 };
      case "never-calls":
        return '{"ok":true}';
      default:
        throw new Error(`no model ${request.model}`);
    }
  },
};
