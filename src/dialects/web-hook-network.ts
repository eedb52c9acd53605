import type { Network } from "../grants.ts";
import { type Layer, mayComeWithRepository } from "../layer-trust.ts";
import type { HandlerOf } from "../rule.ts";
import type { HandlerProblem } from "./handler-format.ts";

/**
 * Returns the addresses that a web hook may send to. Most web hooks call a policy server on this machine. A
 * configuration that comes with a repository gets public addresses only, because it could target any other service on
 * this machine.
 */
export function networkFor(layer: Layer, allowPrivate: boolean): Network {
  if (mayComeWithRepository(layer)) return "public";
  return allowPrivate ? "private" : "loopback";
}

const WAY_OUT = "put the hook into your own configuration: ~/.config/hookbox/hookbox.json";

/** Refuses settings of a web hook that give a file from a repository the user's networks or secrets. */
export function askedTooMuch(
  layer: Layer,
  { allowPrivate, allowedEnvVars }: { readonly allowPrivate?: boolean; readonly allowedEnvVars?: readonly string[] },
): HandlerProblem | undefined {
  if (!mayComeWithRepository(layer)) return undefined;
  const refused = (key: string, message: string): HandlerProblem => ({
    refused: { code: "HOOK_CONFIG_TRUST", key, message, hint: WAY_OUT },
  });
  if (allowPrivate === true)
    return refused("allowPrivate", "a file that may come with a repository cannot open private networks to its hooks");
  if (allowedEnvVars !== undefined && allowedEnvVars.length > 0)
    return refused("allowedEnvVars", "a file that may come with a repository cannot send your environment variables");
  return undefined;
}

/** Returns the handler of a web hook in Claude Code's format, which other formats share. */
export function webHook(
  { url, headers = {}, allowedEnvVars = [] }: Pick<HandlerOf<"http">, "url"> & Partial<HandlerOf<"http">>,
  network: Network,
): HandlerOf<"http"> {
  return { type: "http", url, headers, allowedEnvVars, network };
}
