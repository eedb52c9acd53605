import { sha256 } from "../cache/cache-folder.ts";
import { homeFolder } from "../cache/home-folder.ts";
import { callersEnvironment } from "../caller.ts";
import { dialectNamed } from "../dialects/registry.ts";
import type { Rule } from "../rule.ts";
import type { LayeredSettings } from "./layered-settings.ts";
import type { LoadedConfig } from "./parse.ts";
import type { Source } from "./sources.ts";

/** Stores parsed rules as bytes, for the next process that reads the same files. */

/** Returns a key of all inputs of the rules; `undefined` if the rules depend on more than the text of files. */
export function cacheKeyOf(
  sources: readonly Source[],
  above: readonly LayeredSettings[] = [],
  modelFunctions: readonly string[] = [],
): unknown {
  const parts = sources.map(
    ({ dialect, layer, ranksAs, loweredBy, agent, compat, baseDir, name, content, lock, trust }) =>
      content.kind === "text" && lock.kind !== "unreadable"
        ? [
            ...[dialect.name, layer, ranksAs ?? layer, loweredBy ?? null, agent ?? null, compat ?? null],
            ...[baseDir, name, sha256(content.text)],
            (dialect.configVariables ?? []).map((variable) => callersEnvironment()[variable] ?? null),
            lock.kind === "text" ? sha256(lock.text) : null,
            // The digest covers the modules and scripts of an approval. The copies of modules are in a folder of the account.
            trust === undefined ? null : [trust.approval ?? "missing", trust.changes, trust.moduleFile(""), trust.cwd],
          ]
        : undefined,
  );
  return parts.includes(undefined) ? undefined : [above, modelFunctions, trustedHome(), parts];
}

/** Returns the folder for `~` in a grant, which also depends on the working directory. */
function trustedHome(): string | null {
  try {
    return homeFolder();
  } catch {
    return null;
  }
}

/** The maximum length of cached rules, in UTF-16 units. */
const MAX_LENGTH = 16 * 1_048_576;

/**
 * Encodes rules. The codec of a rule is stored as the name of its dialect; all other fields are plain data. A list or
 * server that several rules share is stored with each of these rules. Returns `undefined` if the rules are too large.
 */
export function encodeRules({ rules, ...rest }: LoadedConfig): Buffer | undefined {
  const texts: string[] = [];
  let length = 0;
  for (const { codec, ...rule } of rules) {
    const text = JSON.stringify({ ...rule, codec: codec.dialect });
    length += text.length;
    if (length > MAX_LENGTH) return undefined;
    texts.push(text);
  }
  return Buffer.from(`{"rules":[${texts.join(",")}],${JSON.stringify(rest).slice(1)}`);
}

/** Decodes rules. Returns `undefined` for an unknown dialect. The caller must check the digest of `content` first. */
export function decodeRules(content: Buffer): LoadedConfig | undefined {
  const { rules, ...rest } = JSON.parse(content.toString()) as Omit<LoadedConfig, "rules"> & {
    readonly rules: readonly (Omit<Rule, "codec"> & { readonly codec: string })[];
  };
  const revived: Rule[] = [];
  for (const rule of rules) {
    const codec = dialectNamed(rule.codec)?.codec;
    if (codec === undefined) return undefined;
    revived.push({ ...rule, codec });
  }
  return { ...rest, rules: revived };
}
