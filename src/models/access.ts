import type { Problem } from "../errors.ts";
import { inTheClear, mayBeThisMachine } from "../net/clear-text.ts";
import { checkTarget, type TargetCheck } from "../net/target.ts";
import type { RemoteProvider } from "./provider.ts";

/** Finds the address of a provider and its key. */

export type Environment = Readonly<Record<string, string | undefined>>;

export type AccessProblem = Pick<Problem, "code" | "message" | "hint">;

type Access =
  | { readonly ok: true; readonly key: string | undefined; readonly baseUrl: string | undefined }
  | { readonly ok: false; readonly problem: AccessProblem };

/** The variables that each client library reads. hookbox reads them from the embedder's environment instead. */
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
  // The message does not say which character is wrong, because it must not quote the key.
  if (!/^[\x21-\x7e]+$/.test(key)) return refused(`the value of ${keyVariable} cannot be sent as a key of ${name}`);
  if (address !== undefined && leavesUnencrypted(address)) return refused(inTheClear(address.target.url.host));
  return { ok: true, key, baseUrl };
}

/** Whether a key would be sent unencrypted, judged without a lookup. The connection checks the addresses again. */
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
