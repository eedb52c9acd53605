import type { Capability } from "../grants/grants.ts";
import { capabilityOf, type ImportName, type Reach, THROUGH_WASI } from "../guest/guest-abi.ts";

/** Describes what a module can access, one sentence for each capability, from its imports and not from its manifest. */

export function reachWords(imports: readonly ImportName[], reached: readonly Reach[]): readonly string[] {
  const names = new Set(imports.map(({ name }) => name));
  const words: Partial<Record<Reach, string>> = {
    state: "Keeps variables between calls of a session.",
    hosts: "Sends requests to the hosts that its rule grants.",
    paths: `${names.has("file_write") ? "Reads and writes" : "Reads"} the files that its rule grants.`,
    clock: "Reads the clock.",
    random: "Uses random numbers.",
    wasi: throughWasi(imports),
    unknown: "Imports functions that hookbox does not have.",
  };
  const without = [
    ...(reached.includes("paths") || reached.includes("wasi") ? [] : ["no files"]),
    ...(reached.includes("hosts") ? [] : ["no network"]),
    ...(reached.includes("clock") || reached.includes("wasi") ? [] : ["no clock"]),
  ];
  return [
    ...reached.flatMap((one) => words[one] ?? []),
    ...(without.length === 0 ? [] : [capitalised(`${without.join(", ")}.`)]),
  ];
}

const WASI_WORDS: Partial<Record<Capability, string>> = {
  paths: "files",
  clock: "the clock",
  random: "random numbers",
};

function throughWasi(imports: readonly ImportName[]): string {
  const wasi = imports.filter((entry) => capabilityOf(entry) === "wasi");
  const ways = THROUGH_WASI.filter(([, way]) => wasi.some(({ name }) => way.test(name)));
  const words = ways.flatMap(([one]) => WASI_WORDS[one] ?? []);
  return words.length === 0 ? "Uses WASI." : `Uses WASI for ${listed(words, "")}, if its rule grants them.`;
}

/** Joins words as `"a", "b" and "c"`. */
export function listed(words: readonly string[], quote = '"'): string {
  const all = words.map((word) => `${quote}${word}${quote}`);
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
