import { z } from "zod";
import { HTTP_LISTS } from "../handler-shapes.ts";
import { OWN_HTTP_SERVER, OWN_STDIO_SERVER } from "../mcp-servers.ts";
import { CONFIG_VERSION } from "./config-version.ts";

/** The settings of a `hookbox.json` other than hooks, with the limits of their numbers. Unknown keys are errors. */

const MAX_TIMEOUT_MS = 86_400_000;
export const milliseconds = z.number().int().positive().max(MAX_TIMEOUT_MS);
// Fractions are allowed, because a page of wasm memory is 64 KiB. No guard needs more than 1 GiB.
export const memoryMiB = z.number().min(1).max(1_024);
// The maximum fuel: one or two seconds of the most expensive work that V8 cannot interrupt.
const MAX_FUEL = 2_000_000_000;
// The minimum prevents a typing error from making every call of a guard fail.
export const fuel = z.number().int().min(10_000).max(MAX_FUEL);
export const fuelPerInputByte = z.number().int().min(0).max(100_000);

const MAX_EXCEPTIONS = 1_000;

const time = z.strictObject({ timeoutMs: milliseconds.exactOptional() }).exactOptional();

/** The name of a provider. A slash is not allowed, because it ends the provider's name in `NAME/MODEL`. */
const providerName = z.string().regex(/^[\w.-]+$/, 'a name has letters, digits, "_", "." and "-"');

const provider = z.strictObject({
  type: z.enum(["anthropic", "openai"]).exactOptional(),
  baseUrl: z
    .string()
    .regex(/^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/i, "must be an http: or https: URL without user and query")
    .exactOptional(),
  apiKeyEnv: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable, and not the key itself")
    .nullable()
    .exactOptional(),
  stream: z.boolean().exactOptional(),
  structured: z.boolean().exactOptional(),
});

const exception = z
  .strictObject({
    guard: z.string().min(1).exactOptional(),
    rule: z.string().min(1).exactOptional(),
    tool: z.string().min(1).exactOptional(),
    command: z.string().min(1).exactOptional(),
    input: z.record(z.string(), z.json()).exactOptional(),
    directory: z.string().min(1),
    reason: z.string().min(1),
    expires: z.iso.date("must be a day, such as 2026-12-31"),
  })
  .refine(
    ({ guard, rule }) => (guard === undefined) !== (rule === undefined),
    'an exception names a "guard" or a "rule"',
  )
  .refine(({ command, input }) => command === undefined || input === undefined, 'not "command" and "input" together')
  .refine(({ tool, input }) => input === undefined || tool !== undefined, '"input" needs "tool"');

const settings = {
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
      command: time,
      model: time,
      agent: time,
      event: z
        .strictObject({ patienceMs: milliseconds.exactOptional(), budgetMs: milliseconds.exactOptional() })
        .exactOptional(),
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
  defaultModel: z.string().min(1).exactOptional(),
  modelProviders: z.record(providerName, provider).exactOptional(),
  exceptions: z.array(exception).max(MAX_EXCEPTIONS).exactOptional(),
};

/** The file without its hooks and servers, which are checked one by one. */
export const SettingsSchema = z.strictObject({
  ...settings,
  mcpServers: z.record(z.string().min(1), z.unknown()).exactOptional(),
  hooks: z.unknown().exactOptional(),
});

export const STDIO = z.strictObject(OWN_STDIO_SERVER);
export const HTTP = z.strictObject(OWN_HTTP_SERVER);

/** The settings together with servers, for editors. */
export const settingsForEditors = z.strictObject({
  ...settings,
  mcpServers: z.record(z.string().min(1), z.union([STDIO, HTTP])).exactOptional(),
});
