import { contractOf } from "../../events/lookup.ts";
import { readReply } from "../../events/reply.ts";
import { DEFAULT_WASM_LIMITS } from "../../executors/wasm/module-rule.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import type { Failure, Reply } from "../../outcome.ts";
import { type admission, loadAdmission } from "../../sandbox/index.ts";
import { cleanLine } from "../../text.ts";
import { grantsForTrial } from "../trial-grants.ts";
import { type Ask, asksOf, textsOf } from "./own-tests.ts";
import { openGuest, type SandboxedGuest } from "./sandboxed-guest.ts";
import { type ConformanceVector, inputOf, readVectors } from "./vectors.ts";

/** Tests whether a module, written in any language, behaves as guest ABI 1 requires. */
interface ConformanceResult {
  /** The stable id of the vector: `GROUP/NAME`, as in `guest-sdk/conformance`. */
  readonly id: string;
  readonly passed: boolean;
  /** The requirement. */
  readonly why: string;
  /** The beginning of the guard's input. `sent` and the other texts are safe to print on a terminal. */
  readonly sent: string;
  readonly came: string;
  /** The problem with `came`. `undefined`: there is none. */
  readonly message?: string;
  /** The fuel that the call used. */
  readonly fuel: number;
}

/**
 * Runs all vectors against a module under the default limits and with the grants that its manifest wants. The grants
 * reach nothing on this machine. The config is that of the module's first fixture with a config, because a guard may
 * require config keys. Takes some seconds. A module that does not load has one result with the reason. Never rejects
 * because of the module.
 */
export async function runConformance(wasm: Uint8Array): Promise<readonly ConformanceResult[]> {
  const manifest = await manifestOf(wasm);
  const guest = await openGuest(wasm, grantsForTrial(manifest ?? {}));
  if ("ok" in guest) {
    return [
      {
        id: "module/loads",
        passed: false,
        why: "the module loads under the usual limits, with nothing but the imports of the ABI that its manifest wants",
        sent: "",
        came: `${guest.code}: ${guest.message}`,
        message: "it does not load",
        fuel: 0,
      },
    ];
  }
  try {
    const own = ownOf(manifest);
    const asked = (await readVectors()).filter((vector) => callsFor(vector, own).length > 0);
    return await holdAgainst(guest, asked, own);
  } finally {
    await guest.close();
  }
}

/** A guard's answer to one input. */
interface Reaction {
  readonly input: Uint8Array;
  readonly said: Said;
  /** The exact text of the answer. `undefined`: there is none. */
  readonly text: string | undefined;
  readonly fuel: number;
}

type Said =
  | { readonly kind: "reply"; readonly reply: Reply }
  | { readonly kind: "invalid"; readonly failure: Failure }
  | { readonly kind: "failure"; readonly failure: Failure };

async function holdAgainst(
  guest: SandboxedGuest,
  vectors: readonly ConformanceVector[],
  own: GuardFacts,
): Promise<readonly ConformanceResult[]> {
  const reactions = new Map<string, Reaction>();
  const results: ConformanceResult[] = [];
  for (const vector of vectors) {
    const reaction = await react(guest, vector, own);
    reactions.set(vector.id, reaction);
    const model = vector.sameAs === undefined ? undefined : reactions.get(vector.sameAs);
    const message = problemOf(vector, reaction, model);
    results.push(resultOf(vector, reaction, message));
  }
  // Calls are repeated in another order and after all failures, because earlier calls must not affect the answer.
  for (const vector of [...vectors].reverse().filter(({ expect }) => expect === "answer")) {
    const before = reactions.get(vector.id);
    const again = await react(guest, vector, own);
    if (before === undefined || (before.text === again.text && before.fuel === again.fuel)) continue;
    const why = "the same input has the same answer, byte for byte, for the same fuel, whatever was asked before";
    const came = `${describe(before)}, ${before.fuel} fuel; then ${describe(again)}, ${again.fuel} fuel`;
    results.push({
      ...resultOf(vector, again, "its second answer differs from the first"),
      id: "state/same-again",
      why,
      came,
    });
    return results;
  }
  return [
    ...results,
    {
      id: "state/same-again",
      passed: true,
      why: "the same input has the same answer, byte for byte, for the same fuel, whatever was asked before",
      sent: "every event that has an answer, a second time",
      came: "the same",
      fuel: 0,
    },
  ];
}

/** Makes the calls of a vector until one is wrong. Returns the last reaction. */
async function react(guest: SandboxedGuest, vector: ConformanceVector, own: GuardFacts): Promise<Reaction> {
  let reaction: Reaction | undefined;
  for (const ask of callsFor(vector, own)) {
    reaction = await reactTo(guest, ask);
    if (vector.ownTests !== undefined && problemOf(vector, reaction, undefined) !== undefined) break;
  }
  if (reaction === undefined) throw new Error(`nothing was asked for ${vector.id}`);
  return reaction;
}

function callsFor(vector: ConformanceVector, { keys, usual, fixtures }: GuardFacts): readonly Ask[] {
  const { everyConfigKey, ownTests } = vector;
  if (ownTests !== undefined) return asksOf(vector, fixtures);
  if (everyConfigKey !== undefined && keys.length === 0) return [];
  const asked = everyConfigKey === undefined ? {} : Object.fromEntries(keys.map((key) => [key, everyConfigKey]));
  return [{ eventName: eventNameOf(vector), input: inputOf(vector), config: { ...usual, ...asked }, given: {} }];
}

function eventNameOf({ event }: ConformanceVector): string {
  const named = event?.["hook_event_name"];
  return typeof named === "string" ? named : "PreToolUse";
}

async function reactTo(guest: SandboxedGuest, ask: Ask): Promise<Reaction> {
  const { input, eventName } = ask;
  const result = await guest.ask(ask);
  const { fuel = 0 } = result.usage ?? {};
  if (result.ok) return { input, said: read(result.answer.text, eventName), text: result.answer.text, fuel };
  const { failure } = result;
  const kind = INVALID.has(failure.kind) ? "invalid" : "failure";
  return { input, said: { kind, failure }, text: undefined, fuel };
}

/** Kinds of failure that are never a deliberate refusal. */
const INVALID: ReadonlySet<Failure["kind"]> = new Set([
  "no-output",
  "invalid-output",
  "output-too-large",
  "capability",
  "timeout",
  "unavailable",
]);

const DIALECT = "claude-code";

function read(text: string, eventName: string): Said {
  const contract = contractOf(eventName, DIALECT) ?? contractOf("PreToolUse", DIALECT);
  if (contract === undefined) throw new Error("there is no PreToolUse");
  const result = readReply(JSON.parse(text) as JsonObject, { eventName, contract, strict: true });
  return result.ok ? { kind: "reply", reply: result.reply } : { kind: "invalid", failure: result.failure };
}

function problemOf(
  { expect, sameAs }: ConformanceVector,
  reaction: Reaction,
  model: Reaction | undefined,
): string | undefined {
  const { said, text } = reaction;
  const isReply = said.kind === "reply";
  // An invalid answer to bad input is allowed, because it counts as a failure.
  if (said.kind === "invalid" && expect !== "refusal" && expect !== "no-permission")
    return "the answer is not valid for this event";
  if (expect === "answer" && !isReply) return "it failed, but must answer";
  if (isReply && said.reply.decision === "allow" && expect !== "answer" && expect !== "answer-or-failure")
    return "it allowed an input that it cannot understand";
  if (expect === "refusal" && isReply && !refuses(said.reply))
    return "it did not refuse an input that it cannot read; it must fail or deny";
  return sameAs === undefined || model?.text === text ? undefined : `its answer differs from that to ${sameAs}`;
}

function refuses({ decision, continue: goesOn }: Reply): boolean {
  return goesOn === false || (decision !== undefined && decision !== "allow");
}

const MAX_SHOWN = 160;

function resultOf(vector: ConformanceVector, reaction: Reaction, message: string | undefined): ConformanceResult {
  const bytes = reaction.input;
  const text = new TextDecoder().decode(bytes.subarray(0, 4 * MAX_SHOWN));
  const config = vector.everyConfigKey === undefined ? "" : `, and as each config value ${vector.everyConfigKey}`;
  return {
    id: vector.id,
    passed: message === undefined,
    why: vector.why,
    sent: cleanLine(`${bytes.byteLength} bytes: ${text}${config}`, MAX_SHOWN),
    came: describe(reaction),
    ...(message === undefined ? {} : { message }),
    fuel: reaction.fuel,
  };
}

function describe({ said, text }: Reaction): string {
  if (said.kind === "reply") return cleanLine(text ?? "", MAX_SHOWN);
  const { kind, message } = said.failure;
  return cleanLine(`${kind}: ${message}${text === undefined ? "" : `, from ${text}`}`, 2 * MAX_SHOWN);
}

/** The parts of a guard's manifest that vectors use. */
interface GuardFacts {
  /** The keys in the config schema. */
  readonly keys: readonly string[];
  /** The config of the guard's own tests, as the texts that the guard reads. */
  readonly usual: Readonly<Record<string, string>>;
  readonly fixtures: readonly admission.Fixture[];
}

function ownOf(manifest: admission.Manifest | undefined): GuardFacts {
  const properties = (manifest?.config as JsonObject | undefined)?.["properties"];
  const fixtures = manifest?.fixtures ?? [];
  const { config = {} } = fixtures.find((fixture) => fixture.config !== undefined) ?? {};
  return { keys: isJsonObject(properties) ? Object.keys(properties) : [], usual: textsOf(config), fixtures };
}

async function manifestOf(wasm: Uint8Array): Promise<admission.Manifest | undefined> {
  const { memoryBytes } = DEFAULT_WASM_LIMITS;
  const requirements = { function: "handle", memoryBytes, sha256: undefined };
  const { inspectModule } = await loadAdmission();
  return (await inspectModule(Uint8Array.from(wasm), requirements)).manifest ?? undefined;
}
