import { randomUUID } from "node:crypto";
import { sha256 } from "../../cache/cache-folder.ts";
import type { HookEvent } from "../../event.ts";
import type { StateScope } from "../../state/state-store.ts";
import type { WasmRule } from "../modules/module-store.ts";

/** Computes the scope of variables that a rule's guard sees at an event. */
export class StateScopes {
  /** Session of events without a session id. Unique to this engine. */
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

  /** Returns a digest, because an agent's session id may be any text of any length. */
  sessionOf(event: HookEvent): string {
    if (this.isNameless(event)) return this.#nameless;
    const id = event.payload["session_id"] as string;
    // Hashed as JSON, which differs for all texts. As UTF-8, all unpaired surrogates would become the same bytes.
    if (this.#latest?.id !== id) this.#latest = { id, session: sha256(`session ${JSON.stringify(id)}`) };
    return this.#latest.session;
  }

  /** Returns a digest of the rule's whole configuration, so a changed rule starts without variables. */
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
