import type { HookEvent } from "../../event.ts";
import type { EventContract } from "../../events/contract.ts";
import { isJsonObject } from "../../json.ts";
import { Steps, UNBOUNDED } from "../steps.ts";
import { fileSpecifier } from "./path/file-specifier.ts";
import { readPaths } from "./path/read-paths.ts";
import { readRuleText } from "./rule-text.ts";
import { shellSpecifier } from "./shell/shell-specifier.ts";
import { type CompiledSpecifier, doubt, type Fit, type Specifier } from "./specifier.ts";
import { parameterSpecifier, textSpecifier } from "./text-specifier.ts";
import { kindOfTool, type ToolKind } from "./tool-kinds.ts";
import { toolPattern } from "./tool-pattern.ts";
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
