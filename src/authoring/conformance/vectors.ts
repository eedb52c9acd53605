import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "../../json.ts";
import { packageFolder } from "../../package-info.ts";

/** Reads the test vectors for all guards: `guest-sdk/conformance/*.json`. */
export interface ConformanceVector {
  readonly id: string;
  /** The requirement, for the report. */
  readonly why: string;
  /** An event, encoded as this host does. A vector has `event`, `input` or `ownTests`. */
  readonly event?: JsonObject;
  readonly input?: readonly InputPart[];
  /** A change to `given` in the guard's own tests. Skipped if no test has `given`. */
  readonly ownTests?: WorldChange;
  /** A text for each key of the guard's config schema. Skipped if the guard has no keys. */
  readonly everyConfigKey?: string;
  readonly expect: Expectation;
  /** The vector that must have the same answer. */
  readonly sameAs?: string;
}

/** Changes to the `given` of a test. */
export interface WorldChange {
  /** Set if `given` is empty. */
  readonly given?: "nothing";
  /** The text of every file, every HTTP answer and every value of the state. */
  readonly everyText?: readonly InputPart[];
  readonly everyStatus?: number;
  readonly nowMs?: number;
}

type InputPart = string | { readonly base64: string } | { readonly repeat: string; readonly times: number };

/**
 * `answer`: a valid answer. `answer-or-failure`: a valid answer or a failure. `no-permission`: a valid answer other
 * than "allow", or a failure. `refusal`: a failure, or an answer that denies, blocks or asks.
 */
type Expectation = "answer" | "answer-or-failure" | "no-permission" | "refusal";

export async function readVectors(): Promise<readonly ConformanceVector[]> {
  const folder = join(packageFolder(), "guest-sdk/conformance");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json")).sort();
  const files = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  return files.flatMap((text) => (JSON.parse(text) as { readonly vectors: ConformanceVector[] }).vectors);
}

/** Returns the bytes that the guard reads. */
export function inputOf({ event, input = [] }: Pick<ConformanceVector, "event" | "input">): Uint8Array {
  if (event !== undefined) return new TextEncoder().encode(JSON.stringify(event));
  return joined(input);
}

export function joined(parts: readonly InputPart[]): Uint8Array {
  return Buffer.concat(parts.map(bytesOf));
}

function bytesOf(part: InputPart): Buffer {
  if (typeof part === "string") return Buffer.from(part);
  return "base64" in part ? Buffer.from(part.base64, "base64") : Buffer.from(part.repeat.repeat(part.times));
}
