import { starPattern } from "../star-pattern.ts";

/**
 * Matches lists of URLs in the form of `allowedHttpHookUrls`. Each part of a pattern is compared with the same part of
 * the URL, so that a `*` in the host cannot match a path.
 */

/** Whether a URL matches a pattern of each list. Without lists every URL is allowed; an empty list allows none. */
export function fitsUrlLists(url: URL, lists: readonly (readonly string[])[] = []): boolean {
  return lists.every((patterns) => patterns.some((pattern) => fitsUrlPattern(url, pattern)));
}

export function fitsUrlPattern(url: URL, pattern: string): boolean {
  if (/^\*+$/.test(pattern)) return true;
  const parts = /^([^:/?#]*):\/\/([^/?#]*)(.*)$/s.exec(pattern);
  if (parts === null) return false;
  const [, scheme = "", authority = "", path = ""] = parts;
  return (
    starPattern(scheme.toLowerCase()).matches(url.protocol.slice(0, -1)) &&
    starPattern(plainAuthority(withoutDefaultPort(authority.toLowerCase(), scheme.toLowerCase()))).matches(
      plainAuthority(url.host),
    ) &&
    // A pattern without a path means the root, or every path if its host ends in "*".
    (path === "" && authority.endsWith("*")
      ? true
      : starPattern(path === "" ? "/" : path).matches(`${url.pathname}${url.search}`))
  );
}

/** Removes the dot at the end of the host: `example.org.:8080` becomes `example.org:8080`. */
function plainAuthority(authority: string): string {
  return authority.replace(/\.(?=:\d|:\*|$)/, "");
}

function withoutDefaultPort(authority: string, scheme: string): string {
  if (scheme === "https") return authority.replace(/:443$/, "");
  return scheme === "http" ? authority.replace(/:80$/, "") : authority;
}
