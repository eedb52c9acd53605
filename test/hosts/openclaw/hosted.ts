import { createPluginHost, type PluginHost, type PluginHostOptions } from "../../../src/hosts/openclaw/index.ts";

/** A host with a readable log. */
interface Hosted {
  readonly host: PluginHost;
  readonly errors: string[];
  readonly warnings: string[];
}

export function hosted(options: Omit<PluginHostOptions, "log"> = {}): Hosted {
  const errors: string[] = [];
  const warnings: string[] = [];
  const log = {
    error: (message: string) => void errors.push(message),
    warn: (message: string) => void warnings.push(message),
  };
  return { host: createPluginHost({ ...options, log }), errors, warnings };
}

/** Settings for one plugin's hooks. */
export const settingsOf = (id: string, hooks: unknown) => ({ plugins: { entries: { [id]: { hooks } } } });

/** A handler that records its arguments. */
export function recording(answer: () => unknown = () => undefined) {
  const events: Record<string, unknown>[] = [];
  const handler = (event: Record<string, unknown>): unknown => {
    events.push(event);
    return answer();
  };
  return { handler, events };
}

export const call = { toolName: "exec", params: { cmd: "ls" }, toolCallId: "c1", runId: "r1" } as const;

/** An approval that counts its answers. */
export const question = (onResolution?: (decision: string) => unknown, fields: object = {}) => ({
  requireApproval: {
    title: "Deploy",
    description: "to the test stage",
    ...fields,
    ...(onResolution ? { onResolution } : {}),
  },
});
