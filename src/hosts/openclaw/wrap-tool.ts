/** A tool as the agent's loop calls it. */
export interface Tool {
  readonly name: string;
  execute(toolCallId: string, params: unknown, signal?: AbortSignal): unknown;
}

/** The mark of a wrapped tool. A property is copied when a tool is wrapped again with `{...tool}`. */
const GUARDED = Symbol("hookbox.guarded");

/** Wraps a tool so that its hooks run. Returns a tool that is already wrapped unchanged. */
export function guarded<T extends Tool>(
  tool: T,
  execute: (tool: T, toolCallId: string, params: unknown, signal?: AbortSignal) => unknown,
): T {
  if (Object.hasOwn(tool, GUARDED)) return tool;
  return {
    ...tool,
    [GUARDED]: true,
    execute: (toolCallId: string, params: unknown, signal?: AbortSignal) => execute(tool, toolCallId, params, signal),
  };
}
