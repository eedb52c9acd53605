/** The variable with the time that all hooks at a session's end share, in milliseconds. */
export const SESSION_END_VARIABLE = "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS";
