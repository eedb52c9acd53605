import type { AgentReply } from "../../src/dialects/dialect.ts";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../src/json.ts";

/**
 * How each client reads a hook's reply before a tool call, as measured by test/agents. Written by hand without code of
 * hookbox: `true` if the tool does not run.
 */

type Reader = (reply: AgentReply) => boolean;

const CODEX_FIELDS = [
  "continue",
  "stopReason",
  "suppressOutput",
  "systemMessage",
  "decision",
  "reason",
  "hookSpecificOutput",
];
const CODEX_SPECIFIC = [
  "hookEventName",
  "permissionDecision",
  "permissionDecisionReason",
  "updatedInput",
  "additionalContext",
];

const objectIn = ({ stdout }: AgentReply): JsonObject | undefined => parseJsonObject(stdout.trim());
const specificOf = (said: JsonObject): JsonObject => {
  const specific = said["hookSpecificOutput"];
  return isJsonObject(specific) ? specific : {};
};
const saysWhy = ({ exitCode, stderr }: AgentReply): boolean => exitCode === 2 && stderr.trim() !== "";

/** Reads standard error only at exit code 2, and no JSON with a field that its schema does not have. */
const codex: Reader = (reply) => {
  if (reply.exitCode === 2) return saysWhy(reply);
  const said = objectIn(reply);
  if (reply.exitCode !== 0 || said === undefined) return false;
  const specific = specificOf(said);
  if (Object.keys(said).some((field) => !CODEX_FIELDS.includes(field))) return false;
  if (Object.keys(specific).some((field) => !CODEX_SPECIFIC.includes(field))) return false;
  if (said["continue"] === false || "stopReason" in said || said["suppressOutput"] === true) return false;
  if ("updatedInput" in specific) return false;
  if (specific["permissionDecision"] === "deny") return specific["permissionDecisionReason"] !== "";
  return !("permissionDecision" in specific) && said["decision"] === "block";
};

/** In 2.1.197, a reply that the schema rejects overrides exit code 2; not in 2.1.330. */
const claude =
  (schemaBeatsExitCode: boolean): Reader =>
  (reply) => {
    const said = objectIn(reply);
    const specific = specificOf(said ?? {});
    const { hookEventName: event = "PreToolUse", permissionDecision: word = "allow" } = specific;
    const isValid =
      ["approve", "block"].includes(String(said?.["decision"] ?? "approve")) &&
      ["allow", "deny", "ask", "defer"].includes(String(word)) &&
      event === "PreToolUse";
    if (!isValid) return reply.exitCode === 2 && !schemaBeatsExitCode;
    return (
      reply.exitCode === 2 || said?.["decision"] === "block" || word === "deny" || word === "ask" || word === "defer"
    );
  };

/** JSON overrides the exit code; in it, a `decision` or `continue: false` refuses. */
const gemini: Reader = (reply) => {
  const said = objectIn(reply);
  if (said === undefined) return reply.exitCode >= 2 && reply.stdout.trim() + reply.stderr.trim() !== "";
  return said["continue"] === false || said["decision"] === "deny" || said["decision"] === "block";
};

const byWord =
  (words: readonly unknown[]): Reader =>
  (reply) => {
    const said = objectIn(reply) ?? {};
    return words.includes(specificOf(said)["permissionDecision"]) || said["decision"] === "block";
  };

const qwen: Reader = (reply) =>
  saysWhy(reply) || byWord(["deny", "ask"])(reply) || objectIn(reply)?.["continue"] === false;
const kimi: Reader = (reply) => reply.exitCode === 2 || byWord(["deny"])(reply);
const copilot: Reader = (reply) => reply.exitCode !== 0 || byWord(["deny", "ask"])(reply);

/** Agents that send a tool call in Claude Code's form. */
export const CLAUDE_FORM: Readonly<Record<string, Reader>> = {
  "Claude Code 2.1.197": claude(true),
  "Claude Code 2.1.330": claude(false),
  Codex: codex,
  "Qwen Code": qwen,
  "Kimi Code": kimi,
  "Copilot CLI in Claude Code's form": copilot,
};

/** Every client that was measured, and the agents of dialects that ignore exit codes. */
export const ANY_READER: Readonly<Record<string, Reader>> = {
  ...CLAUDE_FORM,
  "Gemini CLI": gemini,
  Agentao: (reply) => specificOf(objectIn(reply) ?? {})["permissionDecision"] === "deny",
  OpenClaw: (reply) => objectIn(reply)?.["block"] === true,
  "docker-agent": ({ exitCode }) => exitCode === 2,
  Autohand: ({ exitCode }) => exitCode === 2,
};
