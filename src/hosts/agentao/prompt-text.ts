/** The texts by which hooks show in a conversation of Agentao's. */

export const BLOCKED_MARKER = "[Blocked by hook]";
export const STOPPED_MARKER = "[Hook stopped]";
export const STOPPED_REASON = "Hook prevented continuation";

/** Each context in a pair of tags of its own, ahead of what the user wrote. */
export function promptWithContexts(contexts: readonly string[], message: string): string {
  return `${contexts.map((text) => `${tagged("user-prompt-submit-hook", text)}\n`).join("")}${message}`;
}

export function answerWithContexts(answer: string, contexts: readonly string[]): string {
  return [answer, ...contexts.map((text) => tagged("stop-hook", text))].join("\n");
}

function tagged(tag: string, text: string): string {
  return `<${tag}>\n${text}\n</${tag}>`;
}
