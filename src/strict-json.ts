import { isJsonObject, type JsonObject } from "./json.ts";
import { excessOfText, JSON_BOUNDS } from "./json-bounds.ts";
import { lazyPackage } from "./lazy-package.ts";

/**
 * Reads the output of a guest. If two JSON readers could read one text differently, a guest could show one decision and
 * return another. Therefore invalid UTF-8, duplicate keys (also escaped ones), comments and deep nesting are refused.
 */

const jsonc = lazyPackage<typeof import("jsonc-parser")>("jsonc-parser");

/** Limits for a guest's output. Guards need less nesting than this, and all later readers can read this depth. */
const BOUNDS = { ...JSON_BOUNDS, depth: 32 };

type StrictJson =
  | { readonly ok: true; readonly value: JsonObject; readonly text: string }
  | { readonly ok: false; readonly message: string };

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const EMPTY = new Uint8Array([0x7b, 0x7d]);

/** Reads one JSON object. `what` names the text in messages. */
export function readStrictJson(bytes: Uint8Array, what = "output"): StrictJson {
  // The fast path for the most common answer, `{}`, which is no opinion.
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

/** Like {@link readStrictJson}, for decoded text. */
export function readStrictText(text: string, what = "output"): StrictJson {
  const excess = excessOfText(text, BOUNDS);
  if (excess !== undefined) return refuse(what, excess.message);
  const plain = readPlain(text);
  if (plain !== undefined) return { ok: true, value: plain, text };
  let value: unknown;
  try {
    const problem = findProblem(text);
    if (problem !== undefined) return refuse(what, problem);
    value = JSON.parse(text);
  } catch {
    // The visitor of jsonc-parser recurses even into values that it is told to skip.
    return refuse(what, "is not valid JSON, or is nested too deeply to read");
  }
  return isJsonObject(value) ? { ok: true, value, text } : refuse(what, "is not a JSON object");
}

function refuse(what: string, problem: string): StrictJson {
  return { ok: false, message: `${what} ${problem}` };
}

/**
 * The fast path for most answers. A text that `JSON.stringify` would write in the same way has no duplicate key, no
 * comment and no escaped key.
 */
function readPlain(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && JSON.stringify(value) === text ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the first duplicate key or comment, which `JSON.parse` does not report. */
function findProblem(text: string): string | undefined {
  let problem: string | undefined;
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
        if (seen?.has(name)) problem ??= `has the key ${JSON.stringify(name.slice(0, 80))} twice`;
        seen?.add(name);
      },
      onError: () => {
        problem ??= "is not valid JSON";
      },
    },
    { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false },
  );
  return problem;
}
