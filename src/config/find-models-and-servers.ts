import type { Problem } from "../errors.ts";
import { builtinNamed } from "../events/builtins.ts";
import { mayComeWithRepository } from "../layer-trust.ts";
import { chooseModel, DEFAULT_MODEL } from "../models/providers.ts";
import type { Handler, Rule } from "../rule.ts";
import { cleanLine } from "../text.ts";
import type { EffectiveSettings } from "./layered-settings.ts";

/** Finds the model or MCP server that each rule names, in the settings of all layers together. */

const CANNOT_BE_ASKED = "cannot be asked while the settings have errors";
const FIX_FIRST = "fix the errors in the settings first";

/** The maximum number of known servers in a hint. */
const MAX_SHOWN = 20;
const MAX_SHOWN_LENGTH = 60;

type Found = { readonly handler: Handler } | { readonly problem: Pick<Problem, "code" | "message" | "hint"> };

export function findModelsAndServers(
  rules: readonly Rule[],
  settings: EffectiveSettings,
  modelFunctions: readonly string[],
): { readonly rules: readonly Rule[]; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const asked = rules.map((rule) => {
    const found = findFor(rule, settings, modelFunctions);
    if (found === undefined) return rule;
    if ("handler" in found) return { ...rule, handler: found.handler };
    const problem: Problem = {
      severity: "error",
      ...found.problem,
      ...(rule.place === undefined ? {} : { place: rule.place }),
    };
    problems.push(problem);
    return broken(rule, problem);
  });
  return { rules: asked, problems };
}

/**
 * Turns a rule into a broken rule. Event, matcher, mode and `async` are known, so the broken rule keeps them; in
 * monitor mode or with `async` it refuses nothing. `onFailure` is dropped, because it is about failures of the rule's
 * own run.
 */
function broken({ once: _, ...rule }: Rule, problem: Problem): Rule {
  const { handler } = rule;
  const isJudge = handler.type === "model" && handler.template === "arguments";
  const declaredType = isJudge ? "prompt" : handler.type;
  return { ...rule, handler: { type: "broken", declaredType, problem }, onFailure: undefined, may: ["deny"] };
}

/** Returns the model that a rule names; `null` if the rule names none, `undefined` if the rule asks no model. */
function modelNamedBy(handler: Handler): string | null | undefined {
  if (handler.type === "model" || handler.type === "agent") return handler.model ?? null;
  if (handler.type !== "builtin") return undefined;
  return builtinNamed(handler.name)?.asksModel === true ? (handler.args[0] ?? null) : undefined;
}

function findFor(rule: Rule, settings: EffectiveSettings, modelFunctions: readonly string[]): Found | undefined {
  const { handler, layer } = rule;
  const named = modelNamedBy(handler);
  if (named !== undefined) {
    const specification = named ?? settings.defaultModelOf(layer) ?? DEFAULT_MODEL;
    const network = mayComeWithRepository(layer) ? "public" : "private";
    const chosen = chooseModel(specification, settings.providersOf(layer), modelFunctions, network);
    // The settings with errors may have selected a model on this machine, so no event is sent to another model.
    const isFunction = "choice" in chosen && chosen.choice.provider.kind === "function";
    if (settings.hasUnread(layer) && !isFunction)
      return {
        problem: { code: "HOOK_MODEL_PROVIDER", message: `"${specification}" ${CANNOT_BE_ASKED}`, hint: FIX_FIRST },
      };
    if ("choice" in chosen) return { handler: { ...handler, choice: chosen.choice } as Handler };
    const message = `"${specification}": there is no model provider "${chosen.unknown}"`;
    return { problem: { code: "HOOK_MODEL_PROVIDER", message, hint: `providers: ${chosen.known.join(", ")}` } };
  }
  if (handler.type !== "mcp_tool") return undefined;
  const servers = settings.mcpServersOf(layer);
  const found = Object.hasOwn(servers, handler.server) ? servers[handler.server] : undefined;
  if (found !== undefined) return { handler: { ...handler, found } };
  if (settings.hasUnread(layer))
    return {
      problem: {
        code: "HOOK_MCP_SERVER",
        message: `MCP server "${handler.server}" ${CANNOT_BE_ASKED}`,
        hint: FIX_FIRST,
      },
    };
  const names = Object.keys(servers);
  const listed = names.slice(0, MAX_SHOWN).map((name) => cleanLine(name.slice(0, MAX_SHOWN_LENGTH)));
  const more = names.length > MAX_SHOWN ? `, and ${names.length - MAX_SHOWN} more` : "";
  const known = names.length === 0 ? "" : `servers: ${listed.join(", ")}${more}; `;
  const own = "add it under mcpServers";
  const elsewhere = `${own} of a hookbox.json and pass that file too: --config hookbox.json. The agent's own list of servers is not read`;
  const hint = `${known}${rule.dialect === "hookbox" ? own : elsewhere}`;
  return {
    problem: { code: "HOOK_MCP_SERVER", message: `there is no MCP server "${handler.server}"`, hint },
  };
}
