/**
 * Lists of URLs that hooks may be sent to, as `allowedHttpHookUrls` has them. The parts of a pattern are compared with
 * the parts of the URL, so that a `*` for a host cannot be met by a path.
 */

/** Whether a URL fits a pattern of each list. No lists allow every URL, an empty list allows none. */
export function fitsUrlLists(url: URL, lists: readonly (readonly string[])[] = []): boolean {
  return lists.every((patterns) => patterns.some((pattern) => fitsUrlPattern(url, pattern)));
}

export function fitsUrlPattern(url: URL, pattern: string): boolean {
  if (/^\*+$/.test(pattern)) return true;
  const parts = /^([^:/?#]*):\/\/([^/?#]*)(.*)$/s.exec(pattern);
  if (parts === null) return false;
  const [, scheme = "", authority = "", path = ""] = parts;
  return (
    fitsWildcard(url.protocol.slice(0, -1), scheme.toLowerCase()) &&
    fitsWildcard(
      plainAuthority(url.host),
      plainAuthority(withoutDefaultPort(authority.toLowerCase(), scheme.toLowerCase())),
    ) &&
    // Without a path, a pattern means the root; one that ends in "*" means everything behind it.
    (path === "" && authority.endsWith("*")
      ? true
      : fitsWildcard(`${url.pathname}${url.search}`, path === "" ? "/" : path))
  );
}

/** `example.org.:8080` is `example.org:8080`. */
function plainAuthority(authority: string): string {
  return authority.replace(/\.(?=:\d|:\*|$)/, "");
}

function withoutDefaultPort(authority: string, scheme: string): string {
  if (scheme === "https") return authority.replace(/:443$/, "");
  return scheme === "http" ? authority.replace(/:80$/, "") : authority;
}

/** `*` stands for any characters, or none. Never more steps than both lengths multiplied. */
function fitsWildcard(text: string, pattern: string): boolean {
  let at = 0;
  let from = 0;
  let star = -1;
  let retry = 0;
  while (at < text.length) {
    if (pattern[from] === "*") {
      star = from++;
      retry = at;
    } else if (pattern[from] === text[at]) {
      from += 1;
      at += 1;
    } else if (star >= 0) {
      from = star + 1;
      at = ++retry;
    } else return false;
  }
  while (pattern[from] === "*") from += 1;
  return from === pattern.length;
}
