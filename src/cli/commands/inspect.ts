import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { BUILTIN_DEFAULTS } from "../../config/layered-settings.ts";
import { HookError } from "../../errors.ts";
import { abi, type admission, grants, loadAdmission, readModule } from "../../sandbox/index.ts";
import { cleanLine } from "../../text.ts";
import { asciiJson } from "../ascii-json.ts";
import { EXIT } from "../exit-codes.ts";
import { columns, formatBytes, type Paint, painter } from "../paint.ts";
import { type Console, parseVerbArgs, unknownWord, usageError, type Verb } from "../verb.ts";

export const inspect: Verb = {
  summary: "show what a guard's module can and cannot access, without running it",
  usage: `Usage: hookbox inspect FILE [--grant NAME]... [--function NAME] [--memory-mib N]
                       [--json]

  FILE             a .wasm file, or builtin:NAME
  --grant NAME     assume a rule that grants this: ${grants.GRANTABLE.join(", ")}.
                   Can be repeated. Default: no grants
  --function NAME  the export that a rule would call. Default: handle, or ${abi.COMMAND} if the module has only that
  --memory-mib N   the memory limit of a rule, in MiB. Default: ${BUILTIN_DEFAULTS.wasmMemoryBytes / 1_048_576}
  --json           print JSON

Exit codes: 0 the module would load   1 it would not   2 there is no such file, or a mistake on the command line`,
  options: () => OPTIONS,
  run: inspectVerb,
};

const OPTIONS = {
  grant: { type: "string", multiple: true, default: [] as string[] },
  function: { type: "string" },
  "memory-mib": { type: "string" },
  json: { type: "boolean", default: false },
} as const;

const MIB = 1_048_576;

async function inspectVerb(args: readonly string[], console: Console): Promise<number> {
  const { values, positionals } = parseVerbArgs(args, OPTIONS);
  const [name, another] = positionals;
  if (name === undefined || another !== undefined) throw usageError("inspect takes one file");
  const { grantsToLoad } = await loadAdmission();
  const requirements = {
    function: values.function ?? "handle",
    memoryBytes: memoryBytes(values["memory-mib"]),
    sha256: undefined,
    grants: grantsToLoad(values.grant.map(grantNamed)),
  };
  const asReactor = await inspectFile(name, requirements, console.cwd);
  const isCommand = values.function === undefined && isOnlyCommand(asReactor);
  const inspection = isCommand
    ? await inspectFile(name, { ...requirements, function: abi.COMMAND }, console.cwd)
    : asReactor;
  if (values.json) console.write(`${asciiJson(inspection)}\n`);
  else report(name, inspection, console);
  return inspection.admissible ? EXIT.done : EXIT.problems;
}

/** Whether the module exports `_start` and not `handle`. A rule for such a module must name `function`. */
function isOnlyCommand({ exports }: admission.Inspection): boolean {
  const has = (name: string): boolean => exports.some((one) => one.name === name);
  return has(abi.COMMAND) && !has("handle");
}

function grantNamed(text: string): grants.Capability {
  const name = grants.GRANTABLE.find((one) => one === text);
  if (name === undefined)
    throw unknownWord(`--grant must be one of ${grants.GRANTABLE.join(", ")}, not "${text}"`, text, grants.GRANTABLE);
  return name;
}

function memoryBytes(text: string | undefined): number {
  if (text === undefined) return BUILTIN_DEFAULTS.wasmMemoryBytes;
  const mib = Number(text);
  if (!(mib >= 1 && mib <= 1_024)) throw usageError(`--memory-mib must be a number from 1 to 1024, not "${text}"`);
  return mib * MIB;
}

type Requirements = Parameters<typeof admission.inspectModule>[1];

async function inspectFile(name: string, requirements: Requirements, cwd: string): Promise<admission.Inspection> {
  const file = await readModule(name, cwd);
  if ("bytes" in file) return (await loadAdmission()).inspectModule(file.bytes, requirements);
  const { code, message, value } = file.refused;
  if (code !== "HOOK_MODULE_LIMIT") throw new HookError(code, `${name} ${message}`);
  return {
    digest: await digestOf(resolve(cwd, name)),
    bytes: value ?? 0,
    admissible: false,
    problems: [{ code, message }],
    imports: [],
    capabilities: [],
    needs: [],
    granted: [...grants.capabilitiesOf(requirements.grants)],
    exports: [],
    memory: null,
    manifest: null,
    summary: `Does not load: it ${message}.`,
  };
}

/** Returns the digest of a file that is too large for memory. */
async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

function report(name: string, inspection: admission.Inspection, console: Console): void {
  const paint = painter(console.colour);
  const { manifest } = inspection;
  const title =
    manifest === null ? cleanLine(name, 400) : `${cleanLine(manifest.name, 100)} ${cleanLine(manifest.version, 100)}`;
  const lines = [
    paint("bold", title),
    ...(manifest?.description === undefined ? [] : [cleanLine(manifest.description, 400)]),
    "",
    paint(inspection.admissible ? "green" : "red", inspection.summary),
    "",
    ...facts(name, inspection, paint),
    ...problems(inspection, paint),
  ];
  console.write(`${lines.map((line) => (line === "" ? "" : `  ${line}`)).join("\n")}\n`);
}

function facts(name: string, inspection: admission.Inspection, paint: Paint): string[] {
  const { digest, bytes, memory, imports, exports, manifest, needs } = inspection;
  const own = memory?.maximumBytes === null || memory === null ? "" : `, at most ${formatBytes(memory.maximumBytes)}`;
  const byCapability = new Map<string, string[]>();
  for (const entry of imports) {
    // The guard cannot use this function, which the engine of the guard's language imports for all guards.
    if (entry.capability === "absent") continue;
    const label = entry.capability === "unknown" ? `${entry.module} ${entry.name}` : entry.name;
    const labels = byCapability.get(entry.capability) ?? [];
    byCapability.set(entry.capability, labels);
    labels.push(cleanLine(label, 80));
  }
  const limits = Object.entries(manifest?.limits ?? {}).map(([key, value]) => `${key} ${value}`);
  const file: [string, string][] = [
    ["file", cleanLine(name, 400)],
    ["sha256", digest],
    ["size", formatBytes(bytes)],
  ];
  const isRead = imports.length + exports.length > 0;
  const rows: [string, string][] = [
    ...file,
    ["ABI", manifest === null ? `${abi.GUEST_ABI_VERSION}, without a manifest` : String(manifest.abi)],
    ["memory", memory === null ? "none" : `starts with ${formatBytes(memory.initialBytes)}${own}`],
    [
      "exports",
      list(
        exports.map((entry) => `${cleanLine(entry.name, 80)}${entry.kind === "function" ? "" : ` (${entry.kind})`}`),
      ),
    ],
    ...[...byCapability].map(([capability, names]): [string, string] => [
      IMPORT_LABELS[capability] ?? capability,
      list(names),
    ]),
  ];
  if (needs.length > 0) rows.push(["needs", needsWords(inspection)]);
  if (manifest !== null) {
    rows.push(
      ["events", list(manifest.events?.map((event) => cleanLine(event, 80)) ?? [])],
      ["wants", list(manifest.wants ?? [])],
      ["limits", list(limits)],
      ["fixtures", String(manifest.fixtures?.length ?? 0)],
    );
  }
  return columns(isRead ? rows : file, (text, _, column) => (column === 0 ? paint("dim", text) : text));
}

const IMPORT_LABELS: Readonly<Record<string, string>> = {
  core: "input, output",
  config: "configuration",
  log: "log",
  state: "state",
  hosts: "network",
  paths: "files",
  clock: "clock",
  random: "randomness",
  wasi: "WASI",
  unknown: "unknown",
};

function needsWords(inspection: admission.Inspection): string {
  const { needs, granted } = inspection;
  const named = isOnlyCommand(inspection) ? `"function": "${abi.COMMAND}", ` : "";
  const missing = needs.filter((one) => !granted.includes(one));
  const way = missing.length === 0 ? "" : `; try it with ${missing.map((one) => `--grant ${one}`).join(" ")}`;
  return `${named}${grants.toWrite(needs)} in its rule${way}`;
}

const MAX_LISTED = 12;

function list(names: readonly string[]): string {
  if (names.length === 0) return "none";
  const more = names.length > MAX_LISTED ? `, and ${names.length - MAX_LISTED} more` : "";
  return `${names.slice(0, MAX_LISTED).join(", ")}${more}`;
}

function problems({ problems: all }: admission.Inspection, paint: Paint): string[] {
  if (all.length === 0) return [];
  const shown = all.slice(0, MAX_LISTED);
  const more = all.length - shown.length;
  return [
    "",
    ...shown.map(({ code, message }) => `${paint("red", "error")}  ${message}  ${paint("dim", code)}`),
    ...(more > 0 ? [`and ${more} more; see --json`] : []),
  ];
}
