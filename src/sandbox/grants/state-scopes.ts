import { randomUUID } from "node:crypto";
import { sha256 } from "../../cache/cache-folder.ts";
import type { StateScope } from "../../state/state-store.ts";

/** Whose variables a call uses. */
export interface StateOwner {
  readonly layer: StateScope["layer"];
  /** The session's id. Empty: the session has no id, and its variables belong to this engine. */
  readonly session: string;
  /** Identifies the caller's rule in every process. A changed rule has another text, and starts without variables. */
  readonly rule: string;
}

/** Computes the scope of an owner's variables. */
export class StateScopes {
  /** Session of calls without a session id. Unique to this engine. */
  readonly #nameless = sha256(`engine ${randomUUID()}`);
  #latest: { readonly id: string; readonly session: string } | undefined;

  of({ layer, session, rule }: StateOwner): StateScope {
    return { layer, session: this.sessionOf(session), rule: sha256(rule) };
  }

  /** Returns a digest, because an agent's session id may be any text of any length. */
  sessionOf(id: string): string {
    if (id === "") return this.#nameless;
    // The id is hashed as JSON, which differs for all texts. In UTF-8, all unpaired surrogates are the same.
    if (this.#latest?.id !== id) this.#latest = { id, session: sha256(`session ${JSON.stringify(id)}`) };
    return this.#latest.session;
  }
}
