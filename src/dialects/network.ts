import type { Layer, Network } from "../rule.ts";

/**
 * Which addresses a web hook may send to. A policy server on this machine is what most are for, but a configuration that
 * comes with a repository could as well be after whatever else listens here.
 */
export function networkFor(layer: Layer, allowPrivate: boolean): Network {
  if (layer === "project") return "public";
  return allowPrivate ? "private" : "loopback";
}
