import { z } from "zod";
import { EVENT_NAMES } from "../../events/lookup.ts";
import { EVENTS, type EventName } from "../../events/table.ts";
import { ANSWERS, type HookFunction } from "../../rule.ts";
import { CANONICAL_TYPE, CLAUDE_HANDLERS, HTTP_LISTS } from "../handler-shapes.ts";
import { CONFIG_VERSION } from "./config-version.ts";

/** hookbox's own configuration format: Claude Code's `hooks` object, and more. Unknown keys are errors. */

/** Agents whose hooks are programs and servers. A test holds the list to the registry. */
export const SPOKEN = ["claude-code", "docker-agent", "agentao", "autohand", "patterns"] as const;

const MAX_TIMEOUT_MS = 86_400_000;
const milliseconds = z.number().int().positive().max(MAX_TIMEOUT_MS);
// A page is the unit of wasm memory; beyond a gibibyte a "guard" is something else.
const memoryMiB = z.number().min(1).max(1_024);
// A second or two of the dearest work that V8 does not interrupt.
const MAX_FUEL = 2_000_000_000;
// A floor, so that no module can be starved into always failing by a slip of the keyboard.
const fuel = z.number().int().min(10_000).max(MAX_FUEL);
const fuelPerInputByte = z.number().int().min(0).max(100_000);
const environment = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string());

const own = {
  name: z.string().min(1).max(100).exactOptional(),
  description: z.string().exactOptional(),
  enabled: z.boolean().exactOptional(),
  timeoutMs: milliseconds.exactOptional(),
  onFailure: z.enum(["block", "continue", "ignore"]).exactOptional(),
  mode: z.enum(["enforce", "monitor"]).exactOptional(),
  async: z.boolean().exactOptional(),
  priority: z.number().int().exactOptional(),
  may: z.array(z.enum(ANSWERS)).exactOptional(),
  filter: z
    .strictObject({
      tools: z.array(z.string().min(1)).exactOptional(),
      paths: z.array(z.string().min(1)).exactOptional(),
    })
    .exactOptional(),
  lane: z.literal("preempt").exactOptional(),
  once: z.union([z.boolean(), z.enum(["session", "forever"])]).exactOptional(),
};

/** For hooks that were written for an agent, and keep speaking its language. */
const spoken = {
  speaks: z.enum(SPOKEN).exactOptional(),
  strict: z.boolean().exactOptional(),
};

/** What Claude Code's handlers have in common, for types that it does not have. */
const { if: condition, timeout, statusMessage } = CLAUDE_HANDLERS.command;
const shared = { if: condition, timeout, statusMessage };

export const HOOKBOX_HANDLERS = {
  command: {
    ...CLAUDE_HANDLERS.command,
    ...own,
    ...spoken,
    shell: z.enum(["sh", "bash", "powershell"]).exactOptional(),
    env: environment.exactOptional(),
    workingDir: z.string().min(1).exactOptional(),
  },
  wasm: {
    type: z.literal("wasm"),
    ...shared,
    ...own,
    module: z.string().min(1),
    sha256: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/, "must be 64 hexadecimal digits")
      .exactOptional(),
    function: z.string().min(1).exactOptional(),
    config: z.record(z.string(), z.json()).exactOptional(),
    limits: z
      .strictObject({
        memoryMiB: memoryMiB.exactOptional(),
        timeoutMs: milliseconds.exactOptional(),
        outputBytes: z.number().int().min(2).max(1_048_576).exactOptional(),
        fuel: fuel.exactOptional(),
        fuelPerInputByte: fuelPerInputByte.exactOptional(),
        // More than this and V8's own stack limit could come first, at a depth that differs from run to run.
        depth: z.number().int().positive().max(1_048_576).exactOptional(),
      })
      .exactOptional(),
  },
  http: { ...CLAUDE_HANDLERS.http, ...own, ...spoken, allowPrivate: z.boolean().exactOptional() },
  context: {
    type: z.literal("context"),
    ...shared,
    ...own,
    text: z.string().min(1),
    fillsUserMessage: z.boolean().exactOptional(),
  },
  function: {
    type: z.literal("function"),
    ...shared,
    ...own,
    run: z.custom<HookFunction>(
      (value) => typeof value === "function",
      "must be a function, and a function comes from code, not from a file",
    ),
  },
  mcp_tool: { ...CLAUDE_HANDLERS.mcp_tool, ...own },
  prompt: { ...CLAUDE_HANDLERS.prompt, ...own },
  agent: { ...CLAUDE_HANDLERS.agent, ...own },
} as const;

/** The rest is Claude Code's, and known so that its hooks are refused by name. */
export const AVAILABLE_TYPES: readonly string[] = ["command", "wasm", "http", "context", "function"];

/** The file without its hooks, which are judged one by one. */
export const SettingsSchema = z.strictObject({
  $schema: z.string().exactOptional(),
  version: z.literal(CONFIG_VERSION).exactOptional(),
  description: z.string().exactOptional(),
  disableAllHooks: z.boolean().exactOptional(),
  allowManagedHooksOnly: z.boolean().exactOptional(),
  compat: z.enum(["safer", "faithful"]).exactOptional(),
  claudeContract: z.enum(["2.1.240", "2.1.295"]).exactOptional(),
  ...HTTP_LISTS,
  defaults: z
    .strictObject({
      command: z.strictObject({ timeoutMs: milliseconds.exactOptional() }).exactOptional(),
      event: z.strictObject({ budgetMs: milliseconds.exactOptional() }).exactOptional(),
      wasm: z
        .strictObject({
          timeoutMs: milliseconds.exactOptional(),
          memoryMiB: memoryMiB.exactOptional(),
          fuel: fuel.exactOptional(),
          fuelPerInputByte: fuelPerInputByte.exactOptional(),
        })
        .exactOptional(),
    })
    .exactOptional(),
  hooks: z.unknown().exactOptional(),
});

/** The whole file, for editors: published as `hookbox/schema`. Each event takes the types of hooks that can serve it. */
export function configJsonSchema(): unknown {
  const named = z.registry<{ id: string }>();
  const { function: _, ...shapes } = HOOKBOX_HANDLERS;
  const available = Object.entries(shapes).filter(([type]) => AVAILABLE_TYPES.includes(type));
  const hooksOfType = available.map(([type, shape]) => {
    const hook = z.strictObject(shape as z.ZodRawShape).register(named, { id: `${type}-hook` });
    return { canonicalType: CANONICAL_TYPE[type] ?? type, hook };
  });
  const groupsFor = new Map<string, z.ZodType>();
  const groupsOf = (event: EventName): z.ZodType => {
    const serving = hooksOfType.filter(({ canonicalType }) =>
      EVENTS[event].handlers.some((one) => one === canonicalType),
    );
    const key = serving.map(({ canonicalType }) => canonicalType).join();
    let groups = groupsFor.get(key);
    if (groups === undefined) {
      groups = z.array(
        z.strictObject({
          matcher: z.string().exactOptional(),
          description: z.string().exactOptional(),
          hooks: z.array(z.union(serving.map(({ hook }) => hook))),
        }),
      );
      groupsFor.set(key, groups);
    }
    return groups;
  };
  const hooks = z.strictObject(Object.fromEntries(EVENT_NAMES.map((name) => [name, groupsOf(name).exactOptional()])));
  return z.toJSONSchema(SettingsSchema.extend({ hooks: hooks.exactOptional() }), {
    io: "input",
    metadata: named,
    reused: "ref",
  });
}
