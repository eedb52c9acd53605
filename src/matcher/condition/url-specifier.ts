import { starPattern } from "../../star-pattern.ts";
import { type Steps, UNBOUNDED } from "../steps.ts";
import { type CompiledSpecifier, doubt, shown, textsIn } from "./specifier.ts";

/** Compiles a pattern for the whole URL, or `domain:HOST`, which matches the host and all its subdomains. */
export function urlSpecifier(text: string): CompiledSpecifier {
  if (!text.startsWith("domain:")) {
    const pattern = starPattern(text);
    return {
      ok: true,
      specifier: (input, { fields }, steps) => {
        const urls = textsIn(input, fields);
        if (urls === undefined) return doubt("the payload has no address");
        const fits = urls.some((url) => pattern.matches(url, steps));
        return { fits, why: `${fits ? "matches" : "does not match"} the address "${shown(...urls)}"` };
      },
    };
  }
  const written = text.slice("domain:".length).trim();
  const host = written.includes("*") ? written.toLowerCase().replace(/\.$/, "") : hostOf(`http://${written}/`);
  if (host === undefined || host === "" || /[\s/@]/.test(written)) {
    return { ok: false, message: `"${written}" is not the name of a host`, hint: "write WebFetch(domain:example.com)" };
  }
  const exact = starPattern(host);
  const below = starPattern(`*.${host}`);
  return {
    ok: true,
    specifier: (input, { fields }, steps) => {
      const urls = textsIn(input, fields);
      if (urls === undefined) return doubt("the payload has no address");
      for (const url of urls) {
        const asked =
          hostOf(url.trim(), steps) ?? (url.includes("://") ? undefined : hostOf(`https://${url.trim()}`, steps));
        if (asked === undefined) return doubt(`"${shown(url)}" has no host`);
        if (exact.matches(asked, steps) || below.matches(asked, steps))
          return { fits: true, why: `matches the host "${asked}"` };
      }
      return { fits: false, why: `does not match the host of "${shown(...urls)}"` };
    },
  };
}

const STEPS_PER_URL = 1_000;
const STEPS_PER_CHARACTER = 20;

/** Returns the host as browsers read it: lower case, punycode, plain numbers; no port, user or final dot. */
function hostOf(url: string, steps: Steps = UNBOUNDED): string | undefined {
  steps.take(STEPS_PER_URL + STEPS_PER_CHARACTER * url.length);
  try {
    const { hostname } = new URL(url);
    return hostname === "" ? undefined : hostname.replace(/\.$/, "");
  } catch {
    return undefined;
  }
}
