import { posix } from "node:path";
import type { HookEvent } from "../../event.ts";
import type { EventContract } from "../../events/contract.ts";
import { isJsonObject } from "../../json.ts";
import { starPattern } from "../../star-pattern.ts";
import { Steps, UNBOUNDED } from "../steps.ts";
import { fileSpecifier } from "./path/file-specifier.ts";
import { MAX_PATH_LENGTH } from "./path/glob.ts";
import { agentsDirectory, folder, placesOf, workingDirectories } from "./path/place.ts";
import { readRuleText } from "./rule-text.ts";
import { shellSpecifier } from "./shell/shell-specifier.ts";
import { type CompiledSpecifier, doubt, type Fit, type ReadPath, type Specifier, textsIn } from "./specifier.ts";
import { parameterSpecifier, textSpecifier } from "./text-specifier.ts";
import { descendantsOf, kindOfTool, type ToolKind } from "./tool-kinds.ts";
import { urlSpecifier } from "./url-specifier.ts";

/** A permission rule, `Tool` or `Tool(specifier)`. The hook runs only for tool calls that fit the condition. */
export interface Condition {
  readonly text: string;
  /** Whether a call of a tool with this name could fit. */
  concerns(tool: string): boolean;
  /**
   * Whether an event fits. An undecidable condition fits, because a guard that does not run cannot refuse. `steps` is
   * unbounded by default. Never throws.
   */
  test(event: HookEvent, steps?: Steps): Fit;
}

type CompiledCondition =
  | { readonly ok: true; readonly condition: Condition }
  | { readonly ok: false; readonly message: string; readonly hint?: string };

/** Whether rules of an event may have conditions. Only events about a tool call may. */
export function takesConditions(contract: EventContract): boolean {
  return contract.subject === "tool_name";
}

export function compileCondition(text: string): CompiledCondition {
  const rule = readRuleText(text);
  if (!rule.ok) return rule;
  const { tool, specifier } = rule;
  const concerns = toolPattern(tool);
  if (specifier === undefined || /^\*+$/.test(specifier)) {
    return {
      ok: true,
      condition: { text, concerns, test: safely((event, steps) => testTool(concerns, event, tool, steps)) },
    };
  }
  const byKind = new Map<ToolKind["kind"], CompiledSpecifier>();
  const compiledFor = (kind: ToolKind["kind"]): CompiledSpecifier => {
    let compiled = byKind.get(kind);
    if (compiled === undefined) {
      compiled = compileSpecifier(kind, specifier);
      byKind.set(kind, compiled);
    }
    return compiled;
  };
  // A tool name with `*` may match tools of any kind. A specifier that is invalid for every kind is also invalid for
  // the name's own kind.
  const own = compiledFor(kindOfTool(tool).kind);
  if (!own.ok) return { ...own, message: `condition "${text}": ${own.message}` };
  const parameter = parameterSpecifier(specifier);

  const test = (event: HookEvent, steps: Steps): Fit => {
    const named = testTool(concerns, event, tool, steps);
    const names = namesOf(event);
    if (!named.fits || names === undefined) return named;
    const input = event.payload["tool_input"];
    if (!isJsonObject(input)) return doubt("the payload has no tool_input");
    const { kind, fields } = kindOfTool(...names);
    const compiled = compiledFor(kind);
    if (!compiled.ok) return doubt(compiled.message);
    const about = { fields, paths: () => readPaths(event, fields) };
    const byParameter = parameter?.(input, about, steps);
    if (byParameter !== undefined && (byParameter.fits || (kind === "text" && fields.length === 0))) return byParameter;
    return compiled.specifier(input, about, steps);
  };
  return { ok: true, condition: { text, concerns, test: safely(test) } };
}

function safely(test: (event: HookEvent, steps: Steps) => Fit): Condition["test"] {
  return (event, steps = UNBOUNDED) => {
    try {
      return Steps.orDoubt(() => test(event, steps), OUT_OF_STEPS);
    } catch (error) {
      return doubt(`the condition failed (${error instanceof Error ? error.message : String(error)})`);
    }
  };
}

const OUT_OF_STEPS = doubt("matching the rules takes too many steps");

/** Returns the tool's name in the payload and the agent's other names for it. A condition may use any name. */
function namesOf({ payload, toolNames = [] }: HookEvent): readonly [string, ...string[]] | undefined {
  const name = payload["tool_name"];
  return typeof name === "string" ? [name, ...toolNames] : undefined;
}

function testTool(
  concerns: (name: string, steps: Steps) => boolean,
  event: HookEvent,
  tool: string,
  steps: Steps,
): Fit {
  const names = namesOf(event);
  if (names === undefined) return doubt("the payload has no tool_name");
  const [name] = names;
  const fits = names.some((one) => concerns(one, steps));
  return { fits, why: fits ? `matches the tool "${name}"` : `is for the tool "${tool}", not "${name}"` };
}

const OPAQUE: Specifier = () => doubt("commands of this shell cannot be read");

function compileSpecifier(kind: ToolKind["kind"], text: string): CompiledSpecifier {
  switch (kind) {
    case "shell":
      return shellSpecifier(text);
    case "opaque-shell":
      return { ok: true, specifier: OPAQUE };
    case "file":
      return fileSpecifier(text, false);
    case "search":
      return fileSpecifier(text, true);
    case "url":
      return urlSpecifier(text);
    default:
      return textSpecifier(text);
  }
}

/**
 * Returns a test for the tools that a rule names: the tool and its family, all tools of an MCP server, or tools that
 * match a `*`.
 */
function toolPattern(name: string): (tool: string, steps?: Steps) => boolean {
  if (name.includes("*")) {
    const pattern = starPattern(name);
    return (tool, steps) => pattern.matches(tool, steps);
  }
  const family = descendantsOf(name);
  const server = name.startsWith("mcp__") ? `${name}__` : undefined;
  return (tool) => family.includes(tool) || (server !== undefined && tool.startsWith(server));
}

const remembered = new WeakMap<HookEvent, Map<readonly string[], readonly ReadPath[] | undefined>>();

/**
 * Returns the paths in the given fields of the tool's input. Returns `undefined` if the paths cannot be read. All rules
 * of an event share the result.
 */
function readPaths(event: HookEvent, fields: readonly string[]): readonly ReadPath[] | undefined {
  const known = remembered.get(event) ?? new Map<readonly string[], readonly ReadPath[] | undefined>();
  remembered.set(event, known);
  if (!known.has(fields)) known.set(fields, read(event, fields));
  return known.get(fields);
}

function read({ payload }: HookEvent, fields: readonly string[]): readonly ReadPath[] | undefined {
  const input = payload["tool_input"];
  const paths = isJsonObject(input) ? textsIn(input, fields) : undefined;
  const cwd = agentsDirectory(payload);
  const home = cwd === undefined ? undefined : folder(cwd);
  const from = workingDirectories(payload, fields);
  const relativeTo = (place: string): string | undefined =>
    home === undefined || !place.startsWith("/") ? undefined : posix.relative(home, place);
  return paths?.map((path) => {
    const isUsual = path.length <= MAX_PATH_LENGTH && !path.includes("\u0000");
    const places = isUsual ? new Set(from.flatMap((directory) => placesOf(path, directory))) : [];
    return { path, places: [...places].map((place) => ({ place, relative: relativeTo(place) })) };
  });
}
