import { type HookEvent, isJsonObject } from "../../event.ts";
import type { EventContract } from "../../events/contract.ts";
import { fileSpecifier } from "./path/file-specifier.ts";
import { agentsDirectory, workingDirectories } from "./path/place.ts";
import { readRuleText } from "./rule-text.ts";
import { shellSpecifier } from "./shell/shell-specifier.ts";
import { type CompiledSpecifier, doubt, type Fit, type Specifier } from "./specifier.ts";
import { parameterSpecifier, textSpecifier } from "./text-specifier.ts";
import { kindOfTool, type ToolKind } from "./tool-kinds.ts";
import { toolPattern } from "./tool-pattern.ts";
import { urlSpecifier } from "./url-specifier.ts";

/** A permission rule, `Tool` or `Tool(specifier)`, that a call of a tool has to fit before a hook runs. */
export interface Condition {
  readonly text: string;
  /** Whether some call of a tool of this name could fit. */
  concerns(tool: string): boolean;
  /** Fits whenever it cannot be told: a guard that is not asked cannot say no. Never throws. */
  test(event: HookEvent): Fit;
}

export type CompiledCondition =
  | { readonly ok: true; readonly condition: Condition }
  | { readonly ok: false; readonly message: string; readonly hint?: string };

/** Whether conditions mean something at an event: it has to be about the call of a tool. */
export function takesConditions(contract: EventContract): boolean {
  return contract.subject === "tool_name";
}

export function compileCondition(text: string): CompiledCondition {
  const rule = readRuleText(text);
  if (!rule.ok) return rule;
  const { tool, specifier } = rule;
  const concerns = toolPattern(tool);
  if (specifier === undefined || /^\*+$/.test(specifier)) {
    return { ok: true, condition: { text, concerns, test: (event) => testTool(concerns, event, tool) } };
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
  // A tool name with `*` may turn out to be of any kind; what is wrong for all of them is known by its own.
  const own = compiledFor(kindOfTool(tool).kind);
  if (!own.ok) return { ...own, message: `condition "${text}": ${own.message}` };
  const parameter = parameterSpecifier(specifier);

  const test = (event: HookEvent): Fit => {
    const named = testTool(concerns, event, tool);
    const names = namesOf(event);
    if (!named.fits || names === undefined) return named;
    const input = event.payload["tool_input"];
    if (!isJsonObject(input)) return doubt("the payload has no tool_input");
    const { kind, fields } = kindOfTool(...names);
    const compiled = compiledFor(kind);
    if (!compiled.ok) return doubt(compiled.message);
    const byParameter = parameter?.(input, { fields, cwd: undefined });
    if (byParameter !== undefined && (byParameter.fits || (kind === "text" && fields.length === 0))) return byParameter;
    const from = kind === "file" || kind === "search" ? workingDirectories(event.payload, fields) : [];
    return compiled.specifier(input, { fields, cwd: agentsDirectory(event.payload), from });
  };
  const safely = (event: HookEvent): Fit => {
    try {
      return test(event);
    } catch (error) {
      return doubt(`the condition failed (${error instanceof Error ? error.message : String(error)})`);
    }
  };
  return { ok: true, condition: { text, concerns, test: safely } };
}

/** A tool's name in the payload, and whatever else its agent calls it: a condition may say any of them, as a matcher may. */
function namesOf({ payload, toolNames = [] }: HookEvent): readonly [string, ...string[]] | undefined {
  const name = payload["tool_name"];
  return typeof name === "string" ? [name, ...toolNames] : undefined;
}

function testTool(concerns: (name: string) => boolean, event: HookEvent, tool: string): Fit {
  const names = namesOf(event);
  if (names === undefined) return doubt("the payload has no tool_name");
  const [name] = names;
  const fits = names.some(concerns);
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
