import { readdir, readFile } from "node:fs/promises";
import type { JsonObject } from "../../event.ts";

/** What any guard is asked, whatever it guards: `guest-sdk/conformance/*.json`. */
export interface ConformanceVector {
  readonly id: string;
  /** What is demanded, for whoever reads that it was not met. */
  readonly why: string;
  /** An event, written as this host writes it; or bytes, piece by piece. */
  readonly event?: JsonObject;
  readonly input?: readonly InputPart[];
  /** The guard's own tests, in another world. Guards without a test that gives them one are not asked. */
  readonly ownTests?: WorldChange;
  /** This text under each key of the guard's config schema. Guards without one are not asked. */
  readonly everyConfigKey?: string;
  readonly expect: Expectation;
  /** The vector that must have the same answer. */
  readonly sameAs?: string;
}

/** What is different from the world that a test gives. */
export interface WorldChange {
  /** There is nothing. */
  readonly given?: "nothing";
  /** This stands in every file and in every answer, and under every key that is kept. */
  readonly everyText?: readonly InputPart[];
  readonly everyStatus?: number;
  readonly nowMs?: number;
}

type InputPart = string | { readonly base64: string } | { readonly repeat: string; readonly times: number };

/**
 * `answer`: a valid one. `answer-or-failure`: that, or a failure by name. `no-permission`: anything valid but "allow",
 * or a failure. `refusal`: a failure, or an answer that denies, blocks or asks.
 */
export type Expectation = "answer" | "answer-or-failure" | "no-permission" | "refusal";

// As far up from where this stands in src/ as from where it stands in dist/.
const FOLDER = new URL("../../../guest-sdk/conformance/", import.meta.url);

export async function readVectors(): Promise<readonly ConformanceVector[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith(".json")).sort();
  const files = await Promise.all(names.map((name) => readFile(new URL(name, FOLDER), "utf8")));
  return files.flatMap((text) => (JSON.parse(text) as { readonly vectors: ConformanceVector[] }).vectors);
}

/** The bytes that the guard reads. */
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
