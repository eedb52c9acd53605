import { capabilityOf, HOST_NAMESPACE, type Reach } from "../guest/guest-abi.ts";
import { type AdmissionTerms, type Examination, examine } from "./examination.ts";
import type { Manifest } from "./manifest.ts";
import type { ModuleOutline } from "./module-binary.ts";
import { PAGE_BYTES } from "./module-checks.ts";
import { formatSignature } from "./signature.ts";

/** What a person should know of a module before it guards anything. Read from its bytes; nothing of it is run. */
export interface Inspection {
  /** SHA-256 of the file. */
  readonly digest: string;
  readonly bytes: number;
  /** Whether it would load under the terms of the inspection. */
  readonly admissible: boolean;
  readonly problems: readonly { readonly code: string; readonly message: string }[];
  readonly imports: readonly {
    readonly module: string;
    readonly name: string;
    readonly type: string;
    readonly capability: Reach;
  }[];
  /** What its imports reach for beyond reading the event and answering it. */
  readonly capabilities: readonly Reach[];
  readonly exports: readonly { readonly name: string; readonly kind: string; readonly type: string | null }[];
  /** `maximumBytes` is its own wish; the rule's limit holds as well. */
  readonly memory: { readonly initialBytes: number; readonly maximumBytes: number | null } | null;
  readonly manifest: Manifest | null;
  /** What it can and cannot do, in plain words. */
  readonly summary: string;
}

export async function inspectModule(file: Uint8Array<ArrayBuffer>, terms: AdmissionTerms): Promise<Inspection> {
  const examination = await examine(file, terms);
  const { digest, bytes, outline, manifest, problems } = examination;
  const capabilities = reachOf(outline);
  return {
    digest,
    bytes,
    admissible: problems.length === 0,
    problems: problems.map(({ code, message }) => ({ code, message })),
    imports: (outline?.imports ?? []).map((entry) => ({
      module: entry.module,
      name: entry.name,
      type: entry.kind === "function" ? formatSignature(entry.signature) : entry.kind,
      capability: capabilityOf(entry),
    })),
    capabilities: capabilities.filter((one) => one !== "core"),
    exports: (outline?.exports ?? []).map(({ name, kind, signature }) => ({
      name,
      kind,
      type: kind === "function" ? formatSignature(signature) : null,
    })),
    memory: memoryOf(outline),
    manifest: manifest ?? null,
    summary: summaryOf(examination, capabilities),
  };
}

const REACHES: readonly Reach[] = ["core", "config", "log", "state", "hosts", "wasi", "unknown"];

function reachOf(outline: ModuleOutline | undefined): readonly Reach[] {
  const reached = new Set((outline?.imports ?? []).map(capabilityOf));
  return REACHES.filter((one) => reached.has(one));
}

function memoryOf(outline: ModuleOutline | undefined): Inspection["memory"] {
  const memory = outline?.memory;
  if (memory === undefined) return null;
  const { initialPages, maximumPages } = memory;
  return {
    initialBytes: initialPages * PAGE_BYTES,
    maximumBytes: maximumPages === undefined ? null : maximumPages * PAGE_BYTES,
  };
}

const WANTS: Partial<Record<Reach, string>> = {
  state: "state that is kept between calls",
  hosts: "the network",
  wasi: "WASI (files, clock, randomness, environment)",
  unknown: "functions that this host does not have",
};

function summaryOf({ outline, manifest, problems }: Examination, reached: readonly Reach[]): string {
  const [flaw] = problems;
  const loads = flaw === undefined ? [] : [`Does not load: it ${flaw.message}.`];
  if (outline === undefined) return loads.join("");
  const wants = reached.flatMap((one) => WANTS[one] ?? []);
  const without = [
    ...(reached.includes("wasi") ? [] : ["no files"]),
    ...(reached.includes("hosts") ? [] : ["no network"]),
    ...(reached.includes("wasi") ? [] : ["no clock"]),
  ];
  return [
    ...loads,
    reads(outline, manifest, reached),
    ...(wants.length === 0 ? [] : [`Wants ${wants.join(", ")}.`]),
    ...(without.length === 0 ? [] : [`${capitalised(without.join(", "))}.`]),
    // Reading is done and wishing is not: what does not load can do nothing.
    ...(flaw === undefined ? [answers(outline)] : []),
  ].join(" ");
}

function reads(outline: ModuleOutline, manifest: Manifest | undefined, reached: readonly Reach[]): string {
  const input = outline.imports.some(({ module, name }) => module === HOST_NAMESPACE && name.startsWith("input_"));
  const event = concernsTools(manifest) ? "the tool call" : "the event";
  const read = [...(input ? [event] : []), ...(reached.includes("config") ? ["its rule's configuration"] : [])];
  const log = reached.includes("log") ? " Writes log lines." : "";
  return `${read.length === 0 ? "Reads nothing of the event" : `Reads ${read.join(" and ")}`}.${log}`;
}

function answers(outline: ModuleOutline): string {
  const output = outline.imports.some(({ module, name }) => module === HOST_NAMESPACE && name === "output_set");
  return output ? "Can deny and ask; cannot allow unless a rule lets it." : "Cannot answer: it imports no output_set.";
}

const TOOL_EVENTS: ReadonlySet<string> = new Set(["PreToolUse", "PermissionRequest", "ToolGuard", "PostToolUse"]);

function concernsTools(manifest: Manifest | undefined): boolean {
  const events = manifest?.events ?? [];
  return events.length > 0 && events.every((event) => TOOL_EVENTS.has(event));
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
