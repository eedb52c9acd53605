/** A tool as an agent's loop calls it. */
export interface Tool {
  readonly name: string;
  execute(toolCallId: string, params: unknown, signal?: AbortSignal): unknown;
}

/** Copied along by whoever wraps a tool once more with `{...tool}`. */
const GUARDED = Symbol("hookbox.guarded");

/** The tool behind its hooks. One that is behind them already stays as it is, however often it has been wrapped since. */
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
