import { describe, expect, test } from "vitest";
import { ROWS } from "../../plugins/secret-guard/reach.ts";
import { samplesOf } from "../../src/cli/hooks/sample-events.ts";
import { DIALECTS } from "../../src/dialects/registry.ts";
import { createEngine, type Engine } from "../../src/engine.ts";
import { contractOf } from "../../src/events/lookup.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/json.ts";
import fc from "../helpers/fc.ts";

/** A secret in each text that an agent sends, and what becomes of it in the agent's own reply. */

const TOKEN = "glpat-abcdefghij0123456789";
const HEX = "9f86d081884c7d659a2feaa0c55ad015";
const CWD = "/home/u/project";

function engineFor(dialect: string, events: readonly string[], config: JsonObject): Promise<Engine> {
  const hook = { type: "wasm", module: "builtin:secret-guard", config };
  const hooks = Object.fromEntries(events.map((event) => [event, [{ hooks: [hook] }]]));
  return createEngine({ config: { hooks }, cwd: CWD, dialect, cacheDir: false, sandbox: { threads: 1 } });
}

/** Puts the secret into each text of a value, except into the text that an edit removes. */
function planted(value: JsonValue): JsonValue {
  if (typeof value === "string") return `${value} ${TOKEN}`;
  if (Array.isArray(value)) return value.map(planted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, key.startsWith("old") ? one : planted(one)]),
  );
}

/** Values of fields that the samples leave out or leave empty. */
const FURTHER: Readonly<Record<string, JsonObject>> = {
  BeforeModelCall: {
    messages: [
      { role: "user", content: "hello", parts: [{ type: "text", text: "a" }] },
      { role: "assistant", tool_calls: [{ function: { name: "shell", arguments: '{"cmd":"ls"}' } }] },
    ],
  },
  ElicitationResult: { content: { name: "a" } },
};

const { hookbox: _, ...AGENTS } = DIALECTS;

describe.each(Object.values(AGENTS))("an agent of $name", async (agent) => {
  const events = Object.keys(ROWS).filter((event) => samplesOf(agent, event, CWD).length > 0);
  const byDefault = await engineFor(agent.name, events, {});
  const redacting = await engineFor(agent.name, events, { redact: true, block: true });

  test("accepts the rules without a warning", () => {
    expect([byDefault.problems, redacting.problems]).toEqual([[], []]);
  });

  test.each(events)("gets no secret of %s that a reply can keep from it", async (event) => {
    const contract = contractOf(event, agent.name);
    const { fields, reach } = ROWS[event as keyof typeof ROWS];
    for (const sample of samplesOf(agent, event, CWD)) {
      // The guard does not judge the input of tools that only read.
      if (reach === "input" && ["Read", "Glob", "Grep", "LS"].includes(String(sample["tool_name"]))) continue;
      const payload = { ...sample, ...FURTHER[event] };
      const present = fields.filter((field) => payload[field] !== undefined && payload[field] !== "");
      const secret = Object.fromEntries(present.map((field) => [field, planted(payload[field] as JsonValue)]));
      if (!JSON.stringify(secret).includes(TOKEN)) continue;
      for (const engine of [byDefault, redacting]) {
        const verdict = await engine.dispatch(event, { ...payload, ...secret });
        expect(verdict.rules[0]?.failure ?? null).toBeNull();
        const reply = agent.encodeReply(verdict, { name: event, payload });
        const said = `${reply.stdout}${reply.stderr}`;
        const isRefused = ["deny", "block", "ask"].includes(verdict.decision);
        const replaces = contract?.rewrites !== null && event !== "PermissionRequest";
        expect(said).not.toContain(TOKEN);
        if (reach === "input" && !(engine === redacting && replaces)) expect(isRefused).toBe(true);
        else if (reach === "refusal") expect(isRefused).toBe(true);
        else if (replaces || reach === "display" || reach === "answer") expect(said).toContain("[redacted]");
        else if (engine === redacting && contract?.verdicts.includes("block") && /^PostTool/.test(event))
          expect(isRefused).toBe(true);
        else expect(verdict.systemMessage).toContain("which this event cannot replace");
      }
    }
  });
});

describe("a result", async () => {
  const engine = await engineFor("claude-code", ["PostToolUse", "PreToolUse"], { redact: true, allow: ["allowed"] });
  const resultOf = async (tool_response: JsonValue): Promise<JsonValue> => {
    const verdict = await engine.dispatch("PostToolUse", { tool_name: "Bash", tool_input: {}, tool_response });
    expect(verdict.rules[0]?.failure ?? null).toBeNull();
    return verdict.updatedOutput ?? tool_response;
  };

  test.each<readonly [string, JsonValue, JsonValue]>([
    ["a nested text", { a: [{ b: `x ${TOKEN} y` }] }, { a: [{ b: "x [redacted] y" }] }],
    ["a key", { [TOKEN]: 1 }, { "[redacted]": 1 }],
    ["a connection string", "postgres://app:h4rd-t0-gu3ss@db/app", "postgres://app:[redacted]@db/app"],
    ["a password that is a part of a word", "mysql://u:dev1@h/development1", "mysql://u:[redacted]@h/development1"],
    ["a named value", { db_password: "xK9-mQ2_vL7w" }, { db_password: "[redacted]" }],
    [
      "a pair of name and value",
      [{ name: "client_secret", value: HEX }],
      [{ name: "client_secret", value: "[redacted]" }],
    ],
    ["JSON in a text", `{"api_key":"${HEX}"}`, '{"api_key":"[redacted]"}'],
    ["Base64", btoa(`password = "${TOKEN}" and more text`), "[redacted]"],
    [
      "a private key",
      "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----\nend",
      "[redacted]\nend",
    ],
  ])("loses %s, and nothing else", async (_name, before, after) => {
    expect(await resultOf(before)).toEqual(after);
  });

  test("is unchanged if it was redacted before", async () => {
    const text = fc.constantFrom(
      TOKEN,
      "postgres://u:xK9-mQ2_vL7w@h",
      "password=xK9-mQ2_vL7w",
      "plain",
      `${TOKEN}x`,
      "\n",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(text, { maxLength: 5 }), fc.constantFrom("a", "token", TOKEN), async (parts, key) => {
        const once = await resultOf({ [key]: parts.join(" "), list: parts });
        expect(JSON.stringify(once)).not.toContain(TOKEN);
        expect(await resultOf(once)).toEqual(once);
      }),
      { numRuns: 60 },
    );
  });

  test("keeps what the rule allows, and any result without a secret", async () => {
    for (const kept of [
      `glpat-allowed0123456789ab`,
      "ls -la\ntotal 4",
      { stdout: "", code: 0 },
      null,
      5,
      ["a", { b: null }],
    ])
      expect(await resultOf(kept)).toEqual(kept);
  });

  test("of the usual greatest length is searched completely, and its end is not left out", async () => {
    const line = "drwxr-xr-x 2 user group 4096 Nov 28 10:22 some-folder/with_a_name.ts\n";
    const long = `${line.repeat(1_500)}${TOKEN}`;
    const clean = await resultOf(long);
    expect(clean === `${line.repeat(1_500)}[redacted]`).toBe(true);
  });

  test("that is too long for names is searched for tokens", async () => {
    const line = "drwxr-xr-x 2 user group 4096 Nov 28 10:22 some-folder/with_a_name.ts\n";
    const clean = String(await resultOf(`${line.repeat(5_000)}${TOKEN}\n${line}`));
    expect(clean).not.toContain(TOKEN);
    expect(clean.length).toBeGreaterThan(300_000);
  });

  test("keeps the text that an edit removes", async () => {
    const tool_input = { file_path: "a", old_string: `k = ${TOKEN}`, new_string: `k = ${TOKEN};` };
    const verdict = await engine.dispatch("PreToolUse", { tool_name: "Edit", tool_input });
    expect(verdict.updatedInput).toEqual({ ...tool_input, new_string: "k = [redacted];" });
  });

  test("an input with a secret as the name of a field is denied, because some agents would keep the field", async () => {
    const verdict = await engine.dispatch("PreToolUse", { tool_name: "Write", tool_input: { [TOKEN]: "x" } });
    expect(verdict.decision).toBe("deny");
  });
});
