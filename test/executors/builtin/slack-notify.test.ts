import { afterEach, describe, expect, test, vi } from "vitest";
import type { BuiltinCall, PostOptions } from "../../../src/executors/builtin/builtin.ts";
import { readableDuration, slackNotify } from "../../../src/executors/builtin/slack-notify.ts";
import type { PostResult } from "../../../src/net/http-client.ts";
import type { Failure } from "../../../src/outcome.ts";
import { makeEvent } from "../../helpers/rules.ts";
import { temporaryFolder } from "./repository.ts";
import { notesOf, runBuiltin, stopped } from "./run-builtin.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

const URL_OF_CHANNEL = "https://hooks.example.com/services/secret";

/** Uses a server with this answer, because the tests have no certificate for the real one. */
async function notify(
  payload: object,
  answer: PostResult,
): Promise<{ posted: PostOptions[]; failure: Failure | undefined }> {
  const posted: PostOptions[] = [];
  const call = {
    event: makeEvent("Stop", { ...payload }),
    args: [],
    workingDir: "/home/me/my <project>",
    env: { SLACK_WEBHOOK_URL: URL_OF_CHANNEL },
    tools: {
      post: (request: PostOptions) => {
        posted.push(request);
        return Promise.resolve(answer);
      },
    },
  } as unknown as BuiltinCall;
  const result = await slackNotify.run(call);
  return { posted, failure: result.ok ? undefined : result.failure };
}

const answered = (status: number): PostResult => ({
  ok: true,
  answer: { status, headers: {}, body: Buffer.from("ok"), remoteAddress: "203.0.113.1" },
});

describe("slack-notify", () => {
  test("sends project, duration, tokens and calls, with Slack's markup escaped", async () => {
    const payload = { turn_duration: 65_000, tokens_used: 1234, tool_calls_count: 5, message: "<!channel> & all" };
    const { posted, failure } = await notify(payload, answered(200));
    expect(failure).toBeUndefined();
    expect(posted).toEqual([{ url: URL_OF_CHANNEL, body: expect.any(String) }]);
    expect(JSON.parse(posted[0]?.body ?? "")).toEqual({
      text: [
        "my &lt;project&gt;: the agent is done",
        "Duration: 1 min 5 s",
        "Tokens: 1234",
        "Tool calls: 5",
        "Message: &lt;!channel&gt; &amp; all",
      ].join("\n"),
    });
  });

  test("sends no secrets", async () => {
    const key = ["AK", "IA", "IOSFODNN7EXAMPLQ"].join("");
    const { posted } = await notify({ message: `done with ${key}`, session_end_reason: key }, answered(200));
    expect(posted[0]?.body).toContain("done with ");
    expect(posted[0]?.body).not.toContain(key);
  });

  test("fails without the address in the message if Slack does not answer, or refuses", async () => {
    expect((await notify({}, answered(404))).failure).toEqual({
      kind: "unavailable",
      message: "the message could not be sent to Slack: it answered with status 404",
    });
    const failure = { kind: "unavailable", message: `no route to ${URL_OF_CHANNEL}` } as const;
    expect((await notify({}, { ok: false, failure })).failure).toEqual({
      kind: "unavailable",
      message: "the message could not be sent to Slack: no route to SLACK_WEBHOOK_URL",
    });
  });

  test("does nothing without an address", async () => {
    expect(
      notesOf(await runBuiltin("slack-notify", stopped(temporaryFolder()), { env: { SLACK_WEBHOOK_URL: "" } })),
    ).toEqual([]);
  });

  test("fails, and sends nothing, if the address does not start with https:", async () => {
    const env = { SLACK_WEBHOOK_URL: "http://127.0.0.1:9/secret" };
    expect(await runBuiltin("slack-notify", stopped(temporaryFolder()), { env })).toMatchObject({
      ok: false,
      failure: { kind: "capability", message: "nothing was sent: SLACK_WEBHOOK_URL does not begin with https:" },
    });
  });

  test("fails if the variable is set, but withheld because the hook is in a project's file", async () => {
    vi.stubEnv("SLACK_WEBHOOK_URL", URL_OF_CHANNEL);
    const result = await runBuiltin("slack-notify", stopped(temporaryFolder()), { layer: "project" });
    expect(result).toMatchObject({ ok: false, failure: { kind: "capability" } });
    expect(JSON.stringify(result)).toContain("a project's file");
    expect(JSON.stringify(result)).not.toContain("secret");
  });

  test("does nothing in a project's file if the variable is not set", async () => {
    vi.stubEnv("SLACK_WEBHOOK_URL", "");
    const result = await runBuiltin("slack-notify", stopped(temporaryFolder()), { layer: "project" });
    expect(notesOf(result)).toEqual([]);
  });

  test("fails if the address is on this machine, and keeps the address out of the message", async () => {
    const env = { SLACK_WEBHOOK_URL: "https://127.0.0.1:9/secret" };
    const result = await runBuiltin("slack-notify", stopped(temporaryFolder()), { env });
    expect(result).toMatchObject({
      ok: false,
      failure: { message: expect.stringContaining("the message could not be sent to Slack: ") },
    });
    expect(JSON.stringify(result)).not.toContain("secret");
  });

  test.each([
    [0, "0 s"],
    [59_400, "59 s"],
    [60_000, "1 min 0 s"],
    [3_725_000, "1 h 2 min"],
  ])("formats %d ms as %s", (ms, said) => {
    expect(readableDuration(ms)).toBe(said);
  });
});
