import type { Problem } from "../errors.ts";
import { inTheClear, mayBeThisMachine } from "../net/clear-text.ts";
import { checkTarget, type TargetCheck } from "../net/target.ts";
import type { RemoteProvider } from "./provider.ts";

/** Where a provider is, and the key to it. */

export type Environment = Readonly<Record<string, string | undefined>>;

export type AccessProblem = Pick<Problem, "code" | "message" | "hint">;

export type Access =
  | { readonly ok: true; readonly key: string | undefined; readonly baseUrl: string | undefined }
  | { readonly ok: false; readonly problem: AccessProblem };

/** Where each library looks itself; read here, so that an embedder's environment counts and no other. */
const ADDRESS_VARIABLES: Readonly<Record<RemoteProvider["kind"], string>> = {
  anthropic: "ANTHROPIC_BASE_URL",
  openai: "OPENAI_BASE_URL",
};

export function accessTo(provider: RemoteProvider, environment: Environment): Access {
  const { kind, name, keyVariable, network } = provider;
  const variable = ADDRESS_VARIABLES[kind];
  const baseUrl = provider.baseUrl ?? set(environment[variable])?.replace(/\/+$/, "");
  const address = baseUrl === undefined ? undefined : checkTarget(baseUrl, { network });
  const from = provider.baseUrl === undefined ? variable : "baseUrl";
  if (address?.ok === false) return refused(`the address of ${name} (${from}) cannot be used: ${address.message}`);
  if (keyVariable === null) return { ok: true, key: undefined, baseUrl };
  const key = set(environment[keyVariable]);
  if (key === undefined)
    return refused(
      `${keyVariable}, which holds the key of ${name}, is not set`,
      `set ${keyVariable} in the environment`,
    );
  // Whoever would say what is wrong with it would show it.
  if (!/^[\x21-\x7e]+$/.test(key)) return refused(`${keyVariable} holds what cannot be sent as a key of ${name}`);
  if (address !== undefined && leavesUnencrypted(address)) return refused(inTheClear(address.target.url.host));
  return { ok: true, key, baseUrl };
}

/** As far as it can be told without asking a name server; whoever connects looks again. */
function leavesUnencrypted({ target }: Extract<TargetCheck, { ok: true }>): boolean {
  return target.url.protocol === "http:" && !mayBeThisMachine(target.host);
}

function set(value: string | undefined): string | undefined {
  const trimmed = value?.trim();
  return trimmed === "" ? undefined : trimmed;
}

function refused(message: string, hint?: string): Access {
  return { ok: false, problem: { code: "HOOK_MODEL_PROVIDER", message, ...(hint === undefined ? {} : { hint }) } };
}
