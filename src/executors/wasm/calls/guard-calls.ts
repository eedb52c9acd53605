import type { DecodedReply } from "../../../codec.ts";
import type { HookEvent } from "../../../event.ts";
import { contractOfEvent } from "../../../events/lookup.ts";
import { readReply } from "../../../events/reply.ts";
import type { JsonObject } from "../../../json.ts";
import { mayComeWithRepository } from "../../../layer-trust.ts";
import type { Receipt, RunResult } from "../../../outcome.ts";
import type { Rule } from "../../../rule.ts";
import type { AdmittedModule, Sandbox } from "../../../sandbox/index.ts";
import { cleanLine } from "../../../text.ts";
import type { CallSlots } from "../../call-slots.ts";
import type { RunOptions } from "../../executor.ts";
import type { Quarantine } from "../quarantine.ts";
import type { WasmRule } from "../wasm-rule.ts";
import { failureOfInput, inputOf } from "./event-input.ts";
import { epochMs, grantsOnReceipt, receiptOf } from "./receipts.ts";

type SandboxCall = Parameters<Sandbox["call"]>[2];
/** The world of a fixture, and the guard's variables. */
export type Given = NonNullable<SandboxCall["given"]>;
/** Changes that a guard makes to its world. */
export type Effects = NonNullable<Extract<Awaited<ReturnType<Sandbox["call"]>>, { readonly ok: true }>["effects"]>;

export interface WasmRunOptions extends RunOptions {
  /** The fuel limit in addition to the rule's limits. Default: no further limit. */
  readonly maxFuel?: number;
  /** A fixture's world, which replaces the rule's grants. Default: the guard gets what is granted. */
  readonly given?: Given;
  /** Called with the guard's changes to a fixture's world after it has answered. */
  readonly onEffects?: (effects: Effects) => void;
}

/** Asks guards about events. Counts the threads that each rule costs. */
export class GuardCalls {
  readonly sandbox: Sandbox;
  readonly #quarantine: Quarantine;
  readonly #projectSlots: CallSlots | undefined;

  /**
   * `projectSlots`: queue for calls of rules from project files, so that they do not delay calls of more trusted rules
   * in the sandbox's queue. Default: none.
   */
  constructor(sandbox: Sandbox, quarantine: Quarantine, projectSlots?: CallSlots) {
    this.sandbox = sandbox;
    this.#quarantine = quarantine;
    this.#projectSlots = projectSlots;
  }

  async ask(
    guard: WasmRule,
    admitted: AdmittedModule,
    event: HookEvent,
    { signal, maxFuel, given, onEffects }: WasmRunOptions,
    startedAtMs = epochMs(),
  ): Promise<RunResult> {
    const input = inputOf(event);
    const module = { module: `sha256:${admitted.digest}`, ...grantsOnReceipt(guard) };
    const receipt = (details: Partial<Receipt> = {}, endedAtMs?: number): Receipt =>
      receiptOf(startedAtMs, input, { ...module, ...details }, endedAtMs);
    const slots = mayComeWithRepository(guard.layer) ? this.#projectSlots : undefined;
    const refused = failureOfInput(input) ?? this.#quarantine.refusal(guard.id) ?? (await slots?.take(signal));
    if (refused !== undefined) return { ok: false, failure: refused, receipt: receipt() };

    const read = (output: string): DecodedReply => {
      const contract = contractOfEvent(event);
      return readReply(JSON.parse(output) as JsonObject, { eventName: event.name, contract, strict: true });
    };
    const result = await this.sandbox
      .call(guard.handler, admitted, { input, signal, maxFuel, given, owner: ownerOf(guard, event), read })
      .finally(() => slots?.giveBack());
    if (result.ok || result.isLost === undefined) this.#quarantine.returned(guard.id);
    // A cancelled call also ends its thread, but that is not the rule's fault.
    else if (result.isLost && result.failure.kind !== "cancelled") this.#quarantine.lost(guard.id);
    if (result.ok && result.effects !== undefined) onEffects?.(result.effects);
    const { requests } = result;
    const { log, doneAtMs, ...used } = result.usage ?? {};
    const details = {
      ...(requests === undefined ? {} : { requests }),
      ...used,
      ...(log === undefined ? {} : { log: log.map((line) => cleanLine(line)) }),
    };
    const answer = result.ok ? result.answer : { ok: false as const, failure: result.failure };
    return { ...answer, receipt: receipt(details, doneAtMs) };
  }
}

/** Returns the session of an event. Events without a session id belong to one session of the engine. */
export function sessionOf({ payload }: HookEvent): string {
  const id = payload["session_id"];
  return typeof id === "string" ? id : "";
}

/** Returns the layer, session and rule to which the guard's variables belong at the event. */
export function ownerOf(rule: WasmRule, event: HookEvent): SandboxCall["owner"] {
  return { layer: rule.layer, session: sessionOf(event), rule: identityOf(rule) };
}

const identities = new WeakMap<Rule, string>();

/** Returns a text of the rule's whole configuration, so a changed rule starts without variables. */
function identityOf(rule: WasmRule): string {
  if (rule.handler.grants?.state === undefined) return "";
  let text = identities.get(rule);
  if (text === undefined) {
    const { identity, event, matcher, condition, filter, handler, layer, baseDir, name } = rule;
    text = JSON.stringify([identity ?? null, event, matcher, condition, filter, handler, layer, baseDir, name]);
    identities.set(rule, text);
  }
  return text;
}
