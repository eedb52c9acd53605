import { defineGuard, deny, HttpError, type HttpResponse } from "hookbox/guest";

export default defineGuard({
  name: "deploy-policy",
  version: "1.0.0",
  description: "Asks a policy server before each deploy, and denies what it does not allow",
  events: ["PreToolUse"],
  wants: ["hosts"],
  config: {
    type: "object",
    additionalProperties: false,
    properties: {
      url: { type: "string", default: "https://policy.example.com/deploys" },
      word: { type: "string", default: "deploy" },
    },
  },
  handle(event, { config, http, log }) {
    if (event.tool_name !== "Bash") return;
    const { command } = event.tool_input;
    if (typeof command !== "string") return deny("tool_input.command is not a string");
    if (!command.includes(config.word)) return;

    let answer: HttpResponse;
    try {
      answer = http.request({
        method: "POST",
        url: config.url,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ command }),
      });
    } catch (error) {
      // Any other error is a bug in this guard and fails the call.
      if (!(error instanceof HttpError)) throw error;
      log.warn(error.message);
      return deny("the policy server does not answer");
    }
    if (!answer.ok) return deny(`the policy server answered with status ${answer.status}`);
    const policy = policyIn(answer);
    if (policy === undefined) return deny("the policy server's answer cannot be read");
    if (!policy.allow) return deny(`the policy server says no: ${policy.reason}`);
  },
});

interface Policy {
  readonly allow: boolean;
  readonly reason: string;
}

/** Returns `undefined` unless the answer is a clear yes or no. A server's answer is as untrusted as an event. */
function policyIn(answer: HttpResponse): Policy | undefined {
  try {
    const { allow, reason } = answer.json() as { readonly allow?: unknown; readonly reason?: unknown };
    if (typeof allow !== "boolean") return undefined;
    return { allow, reason: typeof reason === "string" ? reason : "it gives no reason" };
  } catch {
    return undefined;
  }
}
