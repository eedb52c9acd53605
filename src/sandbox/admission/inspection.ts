import type { Grants } from "../../grants.ts";
import type { ModuleOutline } from "../../wasm-binary/module-binary.ts";
import { formatSignature } from "../../wasm-binary/signature.ts";
import { ALWAYS_GRANTED, type Capability, capabilitiesOf, GRANTABLE } from "../grants/grants.ts";
import {
  ABSENT_NAMESPACE,
  COMMAND,
  capabilityOf,
  HOST_NAMESPACE,
  hostFunction,
  type ImportName,
  type Reach,
  WASI_NAMESPACE,
} from "../guest/guest-abi.ts";
import { startExportsOf } from "./entry-points.ts";
import { type Examination, examine, type ModuleRequirements } from "./examination.ts";
import type { Manifest } from "./manifest-schema.ts";
import { PAGE_BYTES } from "./module-limits.ts";
import { listed, reachWords } from "./reach-words.ts";

/** Facts for a user about a module before its use. Read from the module's bytes, without running it. */
export interface Inspection {
  /** SHA-256 of the file. */
  readonly digest: string;
  readonly bytes: number;
  /** Whether the module would load under the requirements of the inspection. */
  readonly admissible: boolean;
  readonly problems: readonly { readonly code: string; readonly message: string }[];
  readonly imports: readonly {
    readonly module: string;
    readonly name: string;
    readonly type: string;
    /** `absent`: an import that the guard did not ask for. It needs no grant, and a call of it fails. */
    readonly capability: Reach | "absent";
  }[];
  /** Capabilities that the module's imports use, beyond reading the event and answering it. */
  readonly capabilities: readonly Reach[];
  /** Grants without which the module does not load. */
  readonly needs: readonly Capability[];
  /** Grants under which `admissible` was decided. */
  readonly granted: readonly Capability[];
  readonly exports: readonly { readonly name: string; readonly kind: string; readonly type: string | null }[];
  /** The size of the memory. `maximumBytes` is the module's own maximum; the rule's limit applies too. */
  readonly memory: { readonly initialBytes: number; readonly maximumBytes: number | null } | null;
  readonly manifest: Manifest | null;
  /** What the module can and cannot do, in English sentences. */
  readonly summary: string;
}

/** Inspects a module under the grants of `requirements`. */
export async function inspectModule(
  file: Uint8Array<ArrayBuffer>,
  requirements: ModuleRequirements,
): Promise<Inspection> {
  const examination = await examine(file, requirements);
  const { digest, bytes, outline, manifest, problems } = examination;
  const capabilities = reachOf(outline);
  const needs = needsOf(outline, capabilities);
  const granted = capabilitiesOf(requirements.grants);
  const missing = needs.filter((one) => !granted.has(one));
  return {
    digest,
    bytes,
    admissible: problems.length === 0,
    problems: problems.map(({ code, message }) => ({ code, message })),
    imports: (outline?.imports ?? []).map((entry) => ({
      module: entry.module,
      name: entry.name,
      type: entry.kind === "function" ? formatSignature(entry.signature) : entry.kind,
      capability: isAbsent(entry) ? "absent" : capabilityOf(entry),
    })),
    capabilities: capabilities.filter((one) => one !== "core"),
    needs,
    granted: [...granted],
    exports: (outline?.exports ?? []).map(({ name, kind, signature }) => ({
      name,
      kind,
      type: kind === "function" ? formatSignature(signature) : null,
    })),
    memory: memoryOf(outline),
    manifest: manifest ?? null,
    summary: summaryOf(
      examination,
      capabilities,
      (await lacksOnly(file, requirements, missing)) ? missing : [],
      requirements.function === COMMAND,
    ),
  };
}

const REACHES: readonly Reach[] = ["core", "config", "log", ...GRANTABLE, "unknown"];

function reachOf(outline: ModuleOutline | undefined): readonly Reach[] {
  const reached = new Set((outline?.imports ?? []).map(capabilityOf));
  return REACHES.filter((one) => reached.has(one));
}

function isAbsent(entry: ImportName): boolean {
  return entry.module === ABSENT_NAMESPACE && hostFunction(entry) !== undefined;
}

function needsOf(outline: ModuleOutline | undefined, reached: readonly Reach[]): readonly Capability[] {
  const starts = outline === undefined ? [] : startExportsOf(outline);
  return REACHES.filter((one): one is Capability => {
    if (one === "unknown" || ALWAYS_GRANTED.includes(one)) return false;
    return reached.includes(one) || (one === "wasi" && starts.length > 0);
  });
}

/** Whether the module would load if the rule also gave the grants in `missing`. */
async function lacksOnly(
  file: Uint8Array<ArrayBuffer>,
  requirements: ModuleRequirements,
  missing: readonly Capability[],
): Promise<boolean> {
  if (missing.length === 0) return false;
  const grants = { ...grantsToLoad(missing), ...requirements.grants };
  return (await examine(file, { ...requirements, grants })).problems.length === 0;
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

function summaryOf(
  { outline, manifest, problems }: Examination,
  reached: readonly Reach[],
  missing: readonly Capability[],
  isCommand: boolean,
): string {
  const [problem] = problems;
  const why =
    missing.length > 0 ? `Loads only if its rule grants ${listed(missing)}.` : `Does not load: it ${problem?.message}.`;
  const loads = problem === undefined ? [] : [why];
  if (outline === undefined) return loads.join("");
  return [
    ...loads,
    reads(outline, manifest, reached),
    ...reachWords(outline.imports, reached),
    // Answers are described only if the module loads or lacks only grants, because other modules cannot answer.
    ...(problem === undefined || missing.length > 0 ? [answers(outline, isCommand)] : []),
  ].join(" ");
}

function reads(outline: ModuleOutline, manifest: Manifest | undefined, reached: readonly Reach[]): string {
  // A WASI guest reads the event from its standard input.
  const input = outline.imports.some((entry) =>
    capabilityOf(entry) === "wasi"
      ? entry.name === "fd_read"
      : capabilityOf(entry) === "core" && entry.name.startsWith("input_"),
  );
  const event = concernsTools(manifest) ? "the tool call" : "the event";
  const read = [...(input ? [event] : []), ...(reached.includes("config") ? ["its rule's configuration"] : [])];
  const log = reached.includes("log") ? " Writes log lines." : "";
  return `${read.length === 0 ? "Does not read the event" : `Reads ${read.join(" and ")}`}.${log}`;
}

/** Returns how the module can answer. A WASI command answers on its standard output. */
function answers({ imports }: ModuleOutline, isCommand: boolean): string {
  const [module, name] = isCommand ? [WASI_NAMESPACE, "fd_write"] : [HOST_NAMESPACE, "output_set"];
  const output = imports.some((entry) => entry.module === module && entry.name === name);
  return output ? "Can deny and ask; cannot allow unless a rule lets it." : `Cannot answer: it imports no ${name}.`;
}

const TOOL_EVENTS: ReadonlySet<string> = new Set(["PreToolUse", "PermissionRequest", "ToolGuard", "PostToolUse"]);

function concernsTools(manifest: Manifest | undefined): boolean {
  const events = manifest?.events ?? [];
  return events.length > 0 && events.every((event) => TOOL_EVENTS.has(event));
}

/** Returns grants under which a module with these capabilities loads, but which give access to nothing. */
export function grantsToLoad(capabilities: Iterable<Capability>): Grants {
  const every: Readonly<Partial<Record<Capability, Grants>>> = {
    hosts: { hosts: { allow: [], network: "public", maxCalls: 0, responseBytes: 0 } },
    paths: { paths: [] },
    state: { state: { maxKeys: 0, maxBytes: 0 } },
    clock: { clock: "fixed" },
    random: { random: "seeded" },
    wasi: { wasi: true },
  };
  return Object.assign({}, ...[...capabilities].map((one) => every[one])) as Grants;
}
