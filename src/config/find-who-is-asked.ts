import { brokenRule } from "../dialects/broken-rule.ts";
import type { Problem } from "../errors.ts";
import { BUILTINS } from "../events/builtins.ts";
import { chooseModel, DEFAULT_MODEL } from "../models/providers.ts";
import type { Handler, Rule } from "../rule.ts";
import type { EffectiveSettings } from "./layers.ts";

/** Rules name a model, or a server of tools; which one that is, all layers together say. */

type Found = { readonly handler: Handler } | { readonly problem: Pick<Problem, "code" | "message" | "hint"> };

export function findWhoIsAsked(
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
    const { event, matcher, name, layer, baseDir } = rule;
    return brokenRule(rule, { layer, baseDir }, { event, matcher, name, declaredType: rule.handler.type }, problem);
  });
  return { rules: asked, problems };
}

/** What a rule says of the model that it asks, `null` when that is nothing; `undefined` when it asks none. */
function modelNamedBy(handler: Handler): string | null | undefined {
  if (handler.type === "model" || handler.type === "agent") return handler.model ?? null;
  if (handler.type !== "builtin" || !Object.hasOwn(BUILTINS, handler.name)) return undefined;
  return BUILTINS[handler.name]?.asksModel === true ? (handler.args[0] ?? null) : undefined;
}

function findFor(rule: Rule, settings: EffectiveSettings, modelFunctions: readonly string[]): Found | undefined {
  const { handler, layer } = rule;
  const named = modelNamedBy(handler);
  if (named !== undefined) {
    const specification = named ?? settings.defaultModelOf(layer) ?? DEFAULT_MODEL;
    const network = layer === "project" ? "public" : "private";
    const chosen = chooseModel(specification, settings.providersOf(layer), modelFunctions, network);
    if ("choice" in chosen) return { handler: { ...handler, choice: chosen.choice } as Handler };
    const message = `"${specification}": there is no model provider "${chosen.unknown}"`;
    return { problem: { code: "HOOK_MODEL_PROVIDER", message, hint: `providers: ${chosen.known.join(", ")}` } };
  }
  if (handler.type !== "mcp_tool") return undefined;
  const servers = settings.mcpServersOf(layer);
  const found = Object.hasOwn(servers, handler.server) ? servers[handler.server] : undefined;
  if (found !== undefined) return { handler: { ...handler, found } };
  const names = Object.keys(servers);
  const known = names.length === 0 ? "" : `servers: ${names.join(", ")}; `;
  const own = "name it under mcpServers";
  const elsewhere = `${own} of a hookbox.json, and read that file, too: --config hookbox.json; the agent's list of servers is not read`;
  const hint = `${known}${rule.dialect === "hookbox" ? own : elsewhere}`;
  return {
    problem: { code: "HOOK_MCP_SERVER", message: `there is no MCP server "${handler.server}"`, hint },
  };
}
