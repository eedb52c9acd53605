import { z } from "zod";

/** Claude Code's five handler types, as in the settings type of its agent SDK 0.3.329. Timeouts are in seconds. */

/** The maximum number of names, paths or URLs in one list. Each entry costs work for each hook. */
export const MAX_LISTED = 1_000;

const seconds = z.number().positive().max(86_400);
const onFailure = z.enum(["continue", "block"]).exactOptional();

const common = {
  if: z.string().exactOptional(),
  timeout: seconds.exactOptional(),
  statusMessage: z.string().exactOptional(),
  once: z.boolean().exactOptional(),
};

export const CLAUDE_HANDLERS = {
  command: {
    type: z.literal("command"),
    ...common,
    command: z.string().min(1),
    args: z.array(z.string()).exactOptional(),
    shell: z.enum(["bash", "powershell"]).exactOptional(),
    async: z.boolean().exactOptional(),
    asyncRewake: z.boolean().exactOptional(),
    onFailure,
  },
  http: {
    type: z.literal("http"),
    ...common,
    url: z.string().min(1),
    headers: z.record(z.string(), z.string()).exactOptional(),
    allowedEnvVars: z.array(z.string()).exactOptional(),
    onFailure,
  },
  mcp_tool: {
    type: z.literal("mcp_tool"),
    ...common,
    server: z.string().min(1),
    tool: z.string().min(1),
    input: z.record(z.string(), z.json()).exactOptional(),
    // Any value other than `continue` means `block`.
    onFailure: z.unknown().exactOptional(),
  },
  prompt: {
    type: z.literal("prompt"),
    ...common,
    prompt: z.string().min(1),
    model: z.string().min(1).exactOptional(),
    continueOnBlock: z.boolean().exactOptional(),
  },
  agent: {
    type: z.literal("agent"),
    ...common,
    prompt: z.string().min(1),
    model: z.string().min(1).exactOptional(),
  },
} as const;

/** Lists in Claude Code's settings that restrict web hooks. */
export const HTTP_LISTS = {
  // The list is limited, because each web hook gets the whole list.
  allowedHttpHookUrls: z.array(z.string()).max(MAX_LISTED).exactOptional(),
  httpHookAllowedEnvVars: z.array(z.string()).max(MAX_LISTED).exactOptional(),
} as const;

/** Types whose name in the contract table differs from their name in a configuration file. */
export const CANONICAL_TYPE: Readonly<Record<string, string>> = { prompt: "model" };
