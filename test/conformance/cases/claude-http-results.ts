import type { CaseFamily, ConformanceCase, Expectation, HookRequest, JsonObject, ServerAnswer } from "../case.ts";
import { at, decision } from "../claude-hooks.ts";

const none: Expectation = { verdict: { decision: "none" }, runs: { hook: 1 } };
const denies: Expectation = { verdict: { decision: "deny" }, runs: { hook: 1 } };
const closesUnlessFaithful = { default: denies, faithful: none };

function answers(
  id: string,
  title: string,
  answer: ServerAnswer | ((request: HookRequest) => ServerAnswer),
  expect: Expectation | { default: Expectation; faithful: Expectation },
  hook: JsonObject = {},
  matrix?: string,
): ConformanceCase {
  return {
    id,
    title,
    config: (kit) => at("PreToolUse", { type: "http", url: kit.server("hook", answer), ...hook }),
    expect,
    ...(matrix === undefined ? {} : { matrix }),
  };
}

const NO_STATUS_BLOCKS = "no HTTP status alone blocks";

export const httpResults: CaseFamily = {
  title: "Claude Code: what a web hook's answer means",
  source: "Hooks reference (2.1.295), HTTP hooks",
  dialect: "claude-code",
  cases: [
    answers("HR1", "a 2xx answer without a body is no opinion", { status: 200 }, none),
    answers("HR2", "a 204 answer is no opinion", { status: 204 }, none),
    answers(
      "HR3",
      "a 2xx answer with a JSON object is a reply",
      { body: decision("deny", "because") },
      {
        verdict: { decision: "deny", reason: /: because$/ },
      },
    ),
    answers(
      "HR4",
      "a 201 answer with a JSON object is a reply",
      { status: 201, body: decision("allow") },
      {
        verdict: { decision: "allow" },
      },
    ),
    answers("HR5", "a 2xx answer with plain text is a failure", { body: "looks fine" }, closesUnlessFaithful),
    answers("HR6", "a 2xx answer with a JSON array is a failure", { body: "[]" }, closesUnlessFaithful),
    ...[301, 400, 401, 403, 404, 409, 500, 503].map((status) =>
      answers(
        `HR7/${status}`,
        `${status}`,
        { status, body: decision("allow") },
        closesUnlessFaithful,
        {},
        NO_STATUS_BLOCKS,
      ),
    ),
    answers(
      "HR8",
      "a connection that the server closes without an answer is a failure",
      "hangs up",
      closesUnlessFaithful,
    ),
    answers("HR9", "a missing answer at the timeout is a failure", "hangs", closesUnlessFaithful, { timeout: 0.15 }),
    {
      id: "HR10",
      title: "an unreachable server is a failure",
      config: () => at("PreToolUse", { type: "http", url: "http://127.0.0.1:1/" }),
      expect: { default: { verdict: { decision: "deny" } }, faithful: { verdict: { decision: "none" } } },
    },
    answers("HR11", "with onFailure: block, an HTTP status of 500 denies", { status: 500 }, denies, {
      onFailure: "block",
    }),
    answers(
      "HR12",
      "hookbox posts the event as JSON",
      ({ method, headers, body }) => {
        const { tool_name } = JSON.parse(body) as JsonObject;
        const isRight = method === "POST" && headers["content-type"] === "application/json" && tool_name === "Bash";
        return { body: decision(isRight ? "allow" : "deny") };
      },
      { verdict: { decision: "allow" } },
    ),
    answers(
      "HR13",
      "variables outside of the list are empty in headers",
      ({ headers }) => ({ body: decision(headers["x-secret"] === "key=" ? "allow" : "deny") }),
      { verdict: { decision: "allow" } },
      { headers: { "X-Secret": "key=$PATH" } },
    ),
    answers(
      "HR14",
      "headers contain the values of listed variables",
      ({ headers }) => ({ body: decision(headers["x-path"] === process.env["PATH"] ? "allow" : "deny") }),
      { verdict: { decision: "allow" } },
      { headers: { "X-Path": "${PATH}" }, allowedEnvVars: ["PATH"] },
    ),
    answers("HR15", "an unknown decision is a failure", { body: decision("alow") }, closesUnlessFaithful),
    {
      id: "HR16",
      title: "hookbox sends nothing to a URL outside of the list of allowed URLs",
      config: (kit) => ({
        allowedHttpHookUrls: ["https://*.example.com/*"],
        ...at("PreToolUse", { type: "http", url: kit.server("hook", {}) }),
      }),
      expect: { verdict: { decision: "deny" }, runs: { hook: 0 }, problems: ["HOOK_HTTP_URL"] },
    },
    {
      id: "HR17",
      title: "an empty list of allowed URLs allows no URL",
      config: (kit) => ({
        allowedHttpHookUrls: [],
        ...at("PreToolUse", { type: "http", url: kit.server("hook", {}) }),
      }),
      expect: { verdict: { decision: "deny" }, runs: { hook: 0 }, problems: ["HOOK_HTTP_URL"] },
    },
    {
      id: "HR18",
      title: "a list of variables for all hooks narrows each hook's own list",
      config: (kit) => ({
        httpHookAllowedEnvVars: ["HOME"],
        ...at("PreToolUse", {
          type: "http",
          url: kit.server("hook", ({ headers }) => ({ body: decision(headers["x-path"] === "" ? "allow" : "deny") })),
          headers: { "X-Path": "$PATH" },
          allowedEnvVars: ["PATH"],
        }),
      }),
      expect: { verdict: { decision: "allow" } },
    },
  ],
};
