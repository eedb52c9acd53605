import { LIFTABLE } from "../../net/network-policy.ts";
import type { Handler, Rule } from "../../rule.ts";

/** What a user can do about a refused address, if it is one that could be allowed. */
export function wayToAllow(
  refusal: string,
  rule: Rule,
  { network }: Extract<Handler, { type: "http" }>,
): string | undefined {
  if (!refusal.includes(LIFTABLE)) return undefined;
  if (network === "public" && rule.layer === "project")
    return "a file that may come with a repository sends to the public internet only; for more, put the hook into your own configuration, or name the file with --config";
  if (network !== "loopback") return undefined;
  const needed = 'for addresses of a private network the hook needs "allowPrivate": true';
  return `${needed}, in a hookbox.json that is no project's`;
}
