import { z } from "zod";
import { GUEST_ABI_VERSION } from "./guest-abi.ts";

/** The custom section `hookbox:manifest`, guest ABI 1. Unknown keys are errors: a misspelt fixture tests nothing. */

/** Each costs a call of a thread before the first event is judged. */
const MAX_FIXTURES = 1_000;

const FixtureSchema = z.strictObject({
  name: z.string().min(1).max(200),
  event: z.looseObject({ hook_event_name: z.string() }),
  config: z.record(z.string(), z.json()).optional(),
  decision: z.enum(["allow", "deny", "ask", "none"]),
  /** What the reason must contain. */
  reason: z.string().optional(),
});

export const FixturesSchema = z.array(FixtureSchema).max(MAX_FIXTURES);

export type Fixture = z.infer<typeof FixtureSchema>;

/** What the author suggests. The rule's own limits win. */
const LimitsSchema = z.strictObject({
  fuel: z.number().int().positive().optional(),
  fuelPerInputByte: z.number().int().min(0).optional(),
  depth: z.number().int().positive().optional(),
  memoryMiB: z.number().positive().optional(),
  outputBytes: z.number().int().positive().optional(),
  timeoutMs: z.number().int().positive().optional(),
});

export const ManifestSchema = z.strictObject({
  name: z.string().min(1).max(100),
  version: z.string().min(1).max(100),
  abi: z.literal(GUEST_ABI_VERSION),
  description: z.string().max(1_000).optional(),
  /** Events that the guard judges. */
  events: z.array(z.string()).optional(),
  /** Grants that it cannot do without. */
  wants: z.array(z.enum(["hosts", "paths", "state", "clock", "random", "wasi"])).optional(),
  /** JSON schema of the rule's `config`. */
  config: z.record(z.string(), z.json()).optional(),
  limits: LimitsSchema.optional(),
  fixtures: FixturesSchema.optional(),
});
