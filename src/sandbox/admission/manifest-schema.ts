import { z } from "zod";
import { describeIssue } from "../../schema-issue.ts";
import { GUEST_ABI_VERSION } from "../guest/guest-abi.ts";

/** The custom section `hookbox:manifest`, guest ABI 1. Unknown keys are errors, because a misspelling tests nothing. */

/** The maximum number of fixtures. Each fixture costs a call before the first event is judged. */
const MAX_FIXTURES = 1_000;

/** The surroundings that a guard can see during a fixture. See `GivenWorld`. */
const GivenSchema = z.strictObject({
  state: z.record(z.string(), z.string()).describe("The guard's variables in the session before the call.").optional(),
  files: z.record(z.string(), z.string()).describe("Contents of files, by the path that the guard uses.").optional(),
  http: z
    .array(
      z.strictObject({
        method: z.string().min(1).describe("Default: GET.").optional(),
        url: z.url({ protocol: /^https?$/ }),
        status: z.number().int().min(100).max(599),
        headers: z.record(z.string(), z.string()).optional(),
        body: z.string().optional(),
      }),
    )
    .describe("Responses of the network. Requests to other URLs get no response.")
    .optional(),
  nowMs: z.number().int().describe("Milliseconds since 1970. Default: 2000-01-01.").optional(),
});

const AfterSchema = z.strictObject({
  state: z.record(z.string(), z.string().nullable()).optional(),
  files: z.record(z.string(), z.string().nullable()).optional(),
});

const FixtureSchema = z.strictObject({
  name: z.string().min(1).max(200),
  event: z.looseObject({ hook_event_name: z.string() }),
  config: z.record(z.string(), z.json()).describe("The rule's config. Default: none.").optional(),
  given: GivenSchema.describe(
    "What the guard sees outside of the event: state, files, network and time. Default: nothing.",
  ).optional(),
  // Outcomes say `deny` for every refusal, so the expected decision becomes `deny` too.
  decision: z
    .enum(["allow", "deny", "ask", "defer", "block", "none"])
    .transform((decision) => (decision === "block" ? "deny" : decision)),
  reason: z.string().describe("Text that the guard's reason must contain.").optional(),
  after: AfterSchema.describe("Expected state and files after the call. null: must not exist.").optional(),
});

/** The fixtures. Their names must differ, because reports name the fixture that failed. */
export const FixturesSchema = z
  .array(FixtureSchema)
  .max(MAX_FIXTURES)
  .superRefine((fixtures, context) => {
    const numbers = new Map<string, number>();
    for (const [index, { name }] of fixtures.entries()) {
      const earlier = numbers.get(name);
      if (earlier === undefined) numbers.set(name, index + 1);
      else context.addIssue({ code: "custom", path: [index, "name"], message: `number ${earlier} has the same name` });
    }
  });

export type Fixture = z.infer<typeof FixtureSchema>;

/** Limits that the author suggests. The rule's own limits apply. */
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
  events: z.array(z.string()).describe("Events that the guard judges.").optional(),
  wants: z
    .array(z.enum(["hosts", "paths", "state", "clock", "random", "wasi"]))
    .describe("Grants that the guard requires.")
    .optional(),
  config: z.record(z.string(), z.json()).describe("JSON schema of the rule's config.").optional(),
  limits: LimitsSchema.describe("Limits that the author suggests. The rule's own limits apply.").optional(),
  fixtures: FixturesSchema.describe("The guard's own tests. A module that fails one does not load.").optional(),
});

/** A guard's description of itself. Its capabilities are read from its imports, never from the manifest. */
export type Manifest = z.infer<typeof ManifestSchema>;

export function parseManifest(
  value: unknown,
):
  | { readonly ok: true; readonly manifest: z.infer<typeof ManifestSchema> }
  | { readonly ok: false; readonly message: string } {
  const { success, data, error } = ManifestSchema.safeParse(value);
  if (success) return { ok: true, manifest: data };
  const [issue] = error.issues;
  return { ok: false, message: issue === undefined ? "" : describeIssue(issue, value) };
}

/** Returns the JSON schema of the section, for tools that write manifests. */
export function manifestJsonSchema(): object {
  return {
    title: "hookbox:manifest, guest ABI 1",
    description: "The description of a guard: JSON in the custom section hookbox:manifest of its module.",
    ...z.toJSONSchema(ManifestSchema, { io: "input" }),
  };
}
