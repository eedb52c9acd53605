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
    fitsStars(url.protocol.slice(0, -1), scheme.toLowerCase()) &&
    fitsStars(
      plainAuthority(url.host),
      plainAuthority(withoutDefaultPort(authority.toLowerCase(), scheme.toLowerCase())),
    ) &&
    // A pattern without a path means the root, or every path if its host ends in "*".
    (path === "" && authority.endsWith("*")
      ? true
      : fitsStars(`${url.pathname}${url.search}`, path === "" ? "/" : path))
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

/**
 * Whether `text` fits a pattern in which `*` matches any characters or none. Takes at most as many steps as both
 * lengths multiplied.
 */
function fitsStars(text: string, pattern: string): boolean {
  const [first = "", ...others] = pattern.split("*");
  const last = others.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  // Each piece is taken at its first match, because with `*` alone no other choice leaves more text.
  let at = first.length;
  for (const piece of others) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
