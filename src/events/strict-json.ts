import { isJsonObject, type JsonObject } from "../event.ts";
import { excessOfText, JSON_BOUNDS } from "../json-bounds.ts";
import { lazyPackage } from "../lazy-package.ts";

/**
 * Reads what a guest put out. A guest is somebody else's code, and two readers that take one text for two decisions
 * are a hole: so bad UTF-8, duplicate keys (escaped spellings too), comments and deep nesting are all refused.
 */

const jsonc = lazyPackage<typeof import("jsonc-parser")>("jsonc-parser");

/** Deeper than any answer of a guard's and shallow enough for every reader after this one. */
const BOUNDS = { ...JSON_BOUNDS, depth: 32 };

export type StrictJson =
  | { readonly ok: true; readonly value: JsonObject; readonly text: string }
  | { readonly ok: false; readonly message: string };

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const EMPTY = new Uint8Array([0x7b, 0x7d]);

/** `what` is the text's name in messages. */
export function readStrictJson(bytes: Uint8Array, what = "output"): StrictJson {
  // The common answer, "no opinion", without the cost of a parse.
  if (bytes.byteLength === 2 && bytes[0] === EMPTY[0] && bytes[1] === EMPTY[1])
    return { ok: true, value: {}, text: "{}" };
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    return refuse(what, "is not valid UTF-8");
  }
  return readStrictText(text, what);
}

/** The same for text that was UTF-8 and has been decoded. */
export function readStrictText(text: string, what = "output"): StrictJson {
  const excess = excessOfText(text, BOUNDS);
  if (excess !== undefined) return refuse(what, excess.message);
  const plain = readPlain(text);
  if (plain !== undefined) return { ok: true, value: plain, text };
  let value: unknown;
  try {
    const flaw = findFlaw(text);
    if (flaw !== undefined) return refuse(what, flaw);
    value = JSON.parse(text);
  } catch {
    // The visitor's own recursion, too: it goes on into what it was told to skip.
    return refuse(what, "is not valid JSON, or is nested too deeply to read");
  }
  return isJsonObject(value) ? { ok: true, value, text } : refuse(what, "is not a JSON object");
}

function refuse(what: string, flaw: string): StrictJson {
  return { ok: false, message: `${what} ${flaw}` };
}

/**
 * A text that is written as `JSON.stringify` writes what it says has no key twice, no comment and no second spelling of
 * anything. Most answers are, and need no second reader.
 */
function readPlain(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What `JSON.parse` would take without a word. */
function findFlaw(text: string): string | undefined {
  let flaw: string | undefined;
  const keys: Set<string>[] = [];
  jsonc().visit(
    text,
    {
      onObjectBegin: () => {
        keys.push(new Set());
      },
      onObjectEnd: () => {
        keys.pop();
      },
      onObjectProperty: (name) => {
        const seen = keys.at(-1);
        if (seen?.has(name)) flaw ??= `has the key ${JSON.stringify(name.slice(0, 80))} twice`;
        seen?.add(name);
      },
      onError: () => {
        flaw ??= "is not valid JSON";
      },
    },
    { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false },
  );
  return flaw;
}
