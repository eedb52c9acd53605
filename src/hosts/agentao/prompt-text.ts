/** The texts in which hooks appear in a conversation of Agentao. */

export const BLOCKED_MARKER = "[Blocked by hook]";
export const STOPPED_MARKER = "[Hook stopped]";
export const STOPPED_REASON = "Hook prevented continuation";

/** Puts each context in its own pair of tags, before the user's message. */
export function promptWithContexts(contexts: readonly string[], message: string): string {
  return `${contexts.map((text) => `${tagged("user-prompt-submit-hook", text)}\n`).join("")}${message}`;
}

export function answerWithContexts(answer: string, contexts: readonly string[]): string {
  return [answer, ...contexts.map((text) => tagged("stop-hook", text))].join("\n");
}

function tagged(tag: string, text: string): string {
  return `<${tag}>\n${text}\n</${tag}>`;
}
