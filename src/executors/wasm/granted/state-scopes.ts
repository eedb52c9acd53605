import { randomUUID } from "node:crypto";
import { sha256 } from "../../../cache/cache-folder.ts";
import type { HookEvent } from "../../../event.ts";
import type { WasmRule } from "../modules/module-store.ts";
import type { StateScope } from "./state-store.ts";

/** Which variables a rule's guard sees at an event. */
export class StateScopes {
  /** Of events that name none: a session of this engine's own, which no other one has. */
  readonly #nameless = sha256(`engine ${randomUUID()}`);
  readonly #rules = new WeakMap<WasmRule, string>();
  #latest: { readonly id: string; readonly session: string } | undefined;

  of(rule: WasmRule, event: HookEvent): StateScope {
    return { layer: rule.layer, session: this.sessionOf(event), rule: this.#ruleOf(rule) };
  }

  isNameless({ payload }: HookEvent): boolean {
    const id = payload["session_id"];
    return typeof id !== "string" || id === "";
  }

  /** A digest, as an agent's id may be of any length and form. */
  sessionOf(event: HookEvent): string {
    if (this.isNameless(event)) return this.#nameless;
    const id = event.payload["session_id"] as string;
    // JSON tells all texts apart; UTF-8 has one spelling for all halves of surrogate pairs.
    if (this.#latest?.id !== id) this.#latest = { id, session: sha256(`session ${JSON.stringify(id)}`) };
    return this.#latest.session;
  }

  /** Everything that was configured is part of it: a rule that has been changed starts with nothing. */
  #ruleOf(rule: WasmRule): string {
    let digest = this.#rules.get(rule);
    if (digest === undefined) {
      const { identity, event, matcher, condition, filter, handler, layer, baseDir, name } = rule;
      digest = sha256(
        JSON.stringify([identity ?? null, event, matcher, condition, filter, handler, layer, baseDir, name]),
      );
      this.#rules.set(rule, digest);
    }
    return digest;
  }
}
