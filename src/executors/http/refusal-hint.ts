import { mayComeWithRepository } from "../../layer-trust.ts";
import { LIFTABLE } from "../../net/allowed-addresses.ts";
import type { HandlerOf, Rule } from "../../rule.ts";

/** Returns a hint for a refused URL: the scheme is missing, or a setting could allow the address. */
export function hintForRefusal(refusal: string, rule: Rule, { network, url }: HandlerOf<"http">): string | undefined {
  const host = HOST_FIRST.exec(url)?.[1];
  if (host !== undefined) return `write ${LOOPBACK.test(host) ? "http" : "https"}://${url}`;
  if (!refusal.includes(LIFTABLE)) return undefined;
  if (network === "public" && mayComeWithRepository(rule.layer))
    return "a file that may come with a repository sends to the public internet only; for more, put the hook into your own configuration: ~/.config/hookbox/hookbox.json";
  if (network !== "loopback") return undefined;
  const needed = 'for addresses of a private network the hook needs "allowPrivate": true';
  return `${needed}, in a hookbox.json that is no project's`;
}

/** Matches a URL without a scheme, because a URL parser reads `localhost:` as a scheme. */
const HOST_FIRST = /^(?!https?:)(localhost(?=[:/]|$)|[\w-]+(?:\.[\w-]+)+|[\w-]+(?=:\d))(?::\d+)?(?:[/?#]|$)/i;
const LOOPBACK = /^(?:localhost$|127\.)/i;
