import { z } from "zod";

/** Claude Code's five handler types, field by field (settings type of its agent SDK 0.3.329). Timeouts in seconds. */

/** Of names, paths or URLs in one list: what is done for each of them is done again for each hook. */
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
    // Anything but `continue` reads as `block`.
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

/** Lists of Claude Code's settings that bind web hooks. */
export const HTTP_LISTS = {
  // Each web hook has the whole list.
  allowedHttpHookUrls: z.array(z.string()).max(MAX_LISTED).exactOptional(),
  httpHookAllowedEnvVars: z.array(z.string()).max(MAX_LISTED).exactOptional(),
} as const;

/** The contract table's word for each type in a configuration file. */
export const CANONICAL_TYPE: Readonly<Record<string, string>> = { prompt: "model" };
