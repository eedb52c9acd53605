/** Milliseconds that all hooks at a session's end have together, where the user has said. */
export const SESSION_END_VARIABLE = "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS";
