import { contractOf, denialWord } from "../events/lookup.ts";
import type { JsonObject } from "../json.ts";
import type { Handler, HandlerOf, Rule } from "../rule.ts";
import { type Remark, shellLine, withoutUndefined } from "./writing.ts";

/** Functions that the writers of several dialects share. */

/**
 * Whether the written hook must say that it refuses when it fails. A hook of hookbox's own format refuses by default,
 * while some agents continue after a failure.
 */
export function closesOnFailure(rule: Rule, dialect: string): boolean {
  const contract = contractOf(rule.event, dialect);
  if (rule.onFailure === "block") return true;
  if (rule.dialect !== "hookbox" || rule.onFailure !== undefined || rule.async || contract === undefined) return false;
  const isGate = contract.kind === "gate" && !contract.blockMeansGoOn && denialWord(contract) !== undefined;
  return isGate && contract.onFailure === "deny";
}

/** Returns the command for an agent that runs every command in its shell, or why there is none. */
export function asShellLine(
  handler: HandlerOf<"command">,
  dialect: string,
): { readonly command: string; readonly remarks: readonly Remark[] } | { readonly refused: string } {
  if (handler.shell === "powershell") return { refused: `${dialect} has no setting to run a command in PowerShell` };
  const command = shellLine(handler.command, handler.args);
  if (handler.args === undefined) return { command, remarks: [] };
  const why = `${dialect} runs every command in a shell; program and arguments were written as one line`;
  return { command, remarks: [{ what: "args", why, consequence: "changed" }] };
}

/** Returns a web hook in Claude Code's format, which other agents share. */
export function httpFields(handler: HandlerOf<"http">): JsonObject {
  return withoutUndefined({
    type: "http",
    url: handler.url,
    headers: Object.keys(handler.headers).length === 0 ? undefined : handler.headers,
    allowedEnvVars: handler.allowedEnvVars.length === 0 ? undefined : handler.allowedEnvVars,
  });
}

const KINDS: Readonly<Record<Handler["type"], string>> = {
  command: "command hooks",
  http: "web hooks",
  wasm: "guards; use a command hook that runs `hookbox run --config FILE`",
  context: "hooks that only add text",
  function: "functions in a file",
  model: "hooks that ask a model in this way",
  agent: "hooks that ask an agent",
  mcp_tool: "hooks that call an MCP tool",
  builtin: "built-in hooks of hookbox",
  broken: "hooks that cannot be read",
};

export function noSuchKind(dialect: string, { type }: Handler): string {
  return `${dialect} has no ${KINDS[type]}`;
}

/** Returns why a broken rule is not converted. */
export function unreadable({ handler }: Rule): string | undefined {
  return handler.type === "broken" ? `it could not be read: ${handler.problem.message}` : undefined;
}
