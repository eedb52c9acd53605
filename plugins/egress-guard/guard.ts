// egress-guard: decides which hosts tools and commands may reach.

import { ask, defineGuard, deny, type Reply } from "hookbox/guest";
import { isOpen, withoutMarks } from "../../src/shell/marks.ts";
import { type StarPattern, starPattern } from "../../src/star-pattern.ts";
import { visitCommand } from "../files/command-files.ts";
import { show } from "../shell-guard/paths/protected.ts";
import { type Host, hostOf } from "./host.ts";
import { type Target, targetsOf, urlsInCode } from "./programs.ts";

type Decision = "deny" | "ask" | "pass";

/** Schemes of protocols that only attacks on servers use. */
const OLD_SCHEMES = /^(?:gopher|dict|tftp|ldaps?):/i;

const HOSTS = {
  type: "array",
  items: { type: "string", minLength: 1 },
  default: [],
} as const;

export default defineGuard({
  name: "egress-guard",
  version: "0.1.0",
  description: "Decides which hosts tools and commands may reach, and denies addresses of cloud metadata.",
  events: ["PreToolUse", "PermissionRequest"],
  config: {
    type: "object",
    additionalProperties: false,
    properties: {
      allow: {
        ...HOSTS,
        description:
          "Hosts that may be reached, such as `github.com` and `*.example.com`. With an empty list, all public hosts may.",
      },
      deny: { ...HOSTS, description: "Hosts that must not be reached, whatever `allow` has." },
      local: {
        enum: ["pass", "ask", "deny"],
        default: "pass",
        description: "The decision for this machine and for private networks.",
      },
      ask: { type: "boolean", default: false, description: "Whether to ask about a host instead of denying it." },
    },
  },
  handle(event, { config }) {
    const allow = config.allow.map(patternOf);
    const denied = config.deny.map(patternOf);
    const cwd = typeof event.cwd === "string" ? withoutMarks(event.cwd) : "";
    let decision: Decision = "pass";
    let reason = "";
    const decide = (next: Decision, why: string): void => {
      if (next === "pass" || decision === "deny" || decision === next) return;
      decision = next;
      reason = why;
    };
    const refusal: Decision = config.ask ? "ask" : "deny";
    const unknown = (why: string): void => decide(allow.length > 0 ? "ask" : "pass", why);

    const judge = ({ text, isOpen: isUnknown }: Target): void => {
      if (isUnknown === true || isOpen(text)) unknown(`the host of ${show(text)} is not known`);
      else if (OLD_SCHEMES.test(text)) decide(refusal, `${show(text)} uses a protocol that only attacks need`);
      else {
        const host = hostOf(text);
        if (host === undefined) unknown(`${show(text)} has no host that can be read`);
        else judgeHost(host, text);
      }
    };
    const judgeHost = ({ name, kind, what, disguise }: Host, text: string): void => {
      const has = (patterns: readonly StarPattern[]): boolean => patterns.some((pattern) => pattern.matches(name));
      if (disguise !== undefined) decide("ask", `${show(text)}: ${disguise}`);
      if (has(denied)) decide(refusal, `${name} is a denied host`);
      else if (has(allow)) return;
      else if (kind === "never") decide(refusal, `${name} is ${what}`);
      else if (kind !== "public") decide(config.local, `${name} is ${what}`);
      else if (allow.length > 0) decide(refusal, `${name} is not a host that this rule allows`);
    };

    for (const action of event.actions) {
      if (action.kind === "request") judge({ text: action.url });
      else if (action.kind === "command") {
        const doubt = visitCommand(action, cwd, {
          file: () => {},
          call: (call) => {
            for (const target of targetsOf(call)) judge(target);
          },
          code: (text) => {
            for (const target of urlsInCode(text)) judge(target);
          },
        });
        if (doubt !== undefined) unknown(doubt);
      } else if (action.kind === "unread" && (action.of === "request" || action.of === "command"))
        unknown(`this call could not be checked: ${action.why} (${show(action.at)})`);
    }
    return replyOf(decision, reason);
  },
});

function replyOf(decision: Decision, reason: string): Reply<"ask" | "deny", never> | undefined {
  if (decision === "deny") return deny(reason);
  return decision === "ask" ? ask(reason) : undefined;
}

function patternOf(host: string): StarPattern {
  return starPattern(host.toLowerCase().replace(/\.$/, ""));
}
