import { defineGuard, deny, HttpError, type HttpResponse } from "hookbox/guest";

/** `hosts`: asks a server of the team's before anything is deployed. */

const DEPLOYS = /\b(kubectl\s+(apply|rollout)|terraform\s+apply|helm\s+(install|upgrade)|(npm|pnpm|yarn)\s+publish)\b/;

export default defineGuard({
  name: "deploy-approval",
  version: "1.0.0",
  description: "Asks a policy server before a command that deploys something, and denies unless it says yes.",
  events: ["PreToolUse"],
  wants: ["hosts"],
  config: {
    type: "object",
    additionalProperties: false,
    properties: {
      url: {
        type: "string",
        pattern: "^https?://",
        description: 'Takes {"command", "cwd"} and answers {"allow": true} or {"allow": false, "reason": "…"}.',
      },
    },
    required: ["url"],
  },
  handle(event, { config, http, log }) {
    if (event.tool_name !== "Bash") return;
    const { command } = event.tool_input;
    if (typeof command !== "string") return deny("tool_input.command is not a string");
    if (!DEPLOYS.test(command)) return;

    let answer: HttpResponse;
    let said: unknown;
    try {
      answer = http.request({
        url: config.url,
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ command, cwd: event.cwd }),
      });
      if (!answer.ok) return deny(`the policy server answered with status ${answer.status}`);
      said = answer.json();
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      return deny(`nobody can approve this now: ${error.message}`);
    }
    // Only this is a yes, whatever else a server may answer.
    const { allow, reason } = Object(said) as { allow?: unknown; reason?: unknown };
    log.info("%s: %j", command, said);
    if (allow !== true) return deny(typeof reason === "string" ? reason : "the policy server does not approve this");
  },
});
