import { z } from "zod";
import { BUILTIN_NAMES } from "../../events/builtins.ts";
import { EVENT_NAMES } from "../../events/lookup.ts";
import { EVENTS, type EventName } from "../../events/table.ts";
import { ANSWERS, type HookFunction } from "../../rule.ts";
import { AGENT_TOKENS, MODEL_TOKENS, MOST_TURNS } from "../asking-handlers.ts";
import { CANONICAL_TYPE, CLAUDE_HANDLERS, MAX_LISTED } from "../handler-shapes.ts";
import { GRANTS_FOR_EDITORS } from "./grants/editor-schema.ts";
import { fuel, fuelPerInputByte, memoryMiB, milliseconds, settingsForEditors } from "./settings-schema.ts";

/**
 * The schemas of hookbox's own configuration format: Claude Code's `hooks` object with extensions. Unknown keys are
 * errors.
 */

/** Agents whose hooks are programs and servers. A test compares this list with the registry. */
export const SPOKEN = ["claude-code", "docker-agent", "agentao", "autohand", "patterns"] as const;

const filterList = z.array(z.string().min(1)).max(MAX_LISTED).exactOptional();
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
      tools: filterList,
      paths: filterList,
    })
    .exactOptional(),
  lane: z.literal("preempt").exactOptional(),
  once: z.union([z.boolean(), z.enum(["session", "forever"])]).exactOptional(),
};

/** Keys of hooks that were written for an agent and use its format. */
const spoken = {
  speaks: z.enum(SPOKEN).exactOptional(),
  strict: z.boolean().exactOptional(),
};

/** Keys that all of Claude Code's handlers share, for the types that Claude Code does not have. */
const { if: condition, timeout, statusMessage } = CLAUDE_HANDLERS.command;
const shared = { if: condition, timeout, statusMessage };

const RUN = 'must be "builtin:NAME". Only code can pass a function';

/** Keys of hooks that ask a model, in addition to Claude Code's keys. */
const asking = { speaks: spoken.speaks, redact: z.boolean().exactOptional() };
const answerTokens = z.number().int().min(1).max(MODEL_TOKENS.most).exactOptional();

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
    // Checked by `readGrants`, which knows hosts and paths.
    grants: z.unknown().exactOptional(),
    limits: z
      .strictObject({
        memoryMiB: memoryMiB.exactOptional(),
        timeoutMs: milliseconds.exactOptional(),
        outputBytes: z.number().int().min(2).max(1_048_576).exactOptional(),
        fuel: fuel.exactOptional(),
        fuelPerInputByte: fuelPerInputByte.exactOptional(),
        // A greater depth could reach V8's own stack limit first, at a depth that differs from run to run.
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
    run: z.union(
      [z.custom<HookFunction>((value) => typeof value === "function"), z.string().regex(/^builtin:./, RUN)],
      RUN,
    ),
    args: z.array(z.string()).exactOptional(),
    speaks: spoken.speaks,
    env: environment.exactOptional(),
    workingDir: z.string().min(1).exactOptional(),
    allowPrivate: z.boolean().exactOptional(),
  },
  mcp_tool: { ...CLAUDE_HANDLERS.mcp_tool, ...own, ...spoken },
  prompt: { ...CLAUDE_HANDLERS.prompt, ...own, ...asking, maxTokens: answerTokens },
  model: {
    type: z.literal("model"),
    ...shared,
    ...own,
    ...asking,
    model: z.string().min(1).exactOptional(),
    prompt: z.string().min(1),
    schema: z.enum(["pre_tool_use_decision", "ok"]).exactOptional(),
    continueOnBlock: z.boolean().exactOptional(),
    maxTokens: answerTokens,
  },
  agent: {
    ...CLAUDE_HANDLERS.agent,
    ...own,
    ...asking,
    maxTokens: z.number().int().min(1).max(AGENT_TOKENS.most).exactOptional(),
    maxTurns: z.number().int().min(1).max(MOST_TURNS).exactOptional(),
  },
} as const;

/**
 * Returns the JSON Schema of the whole file for editors, published as `hookbox/schema`. Each event accepts the types of
 * hooks that can serve it.
 */
export function configJsonSchema(): unknown {
  const named = z.registry<{ id: string }>();
  const run = z.enum(BUILTIN_NAMES.map((name) => `builtin:${name}`));
  const { wasm, function: ofCode } = HOOKBOX_HANDLERS;
  const grants = GRANTS_FOR_EDITORS.exactOptional();
  const shapes = { ...HOOKBOX_HANDLERS, wasm: { ...wasm, grants }, function: { ...ofCode, run } };
  const hooksOfType = Object.entries(shapes).map(([type, shape]) => {
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
  return z.toJSONSchema(settingsForEditors.extend({ hooks: hooks.exactOptional() }), {
    io: "input",
    metadata: named,
    reused: "ref",
  });
}
