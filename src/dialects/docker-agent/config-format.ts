import { contractOf } from "../../events/lookup.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { kindOf } from "../../schema-issue.ts";
import { nearest, suggest } from "../../suggest.ts";
import type { ConfigDocument, ConfigFormat, ParseContext, ParsedConfig } from "../dialect.ts";
import { parseNoSettings } from "../no-settings.ts";
import { type Path, RuleCollector } from "../rule-collector.ts";
import { dockerAgentCodec } from "./codec.ts";
import { HookLists } from "./hook-lists.ts";
import { isDropInFolder } from "./places.ts";
import {
  AGENT_SHORTHANDS,
  ALWAYS_ON,
  isDepth,
  PROMPT_FILES_DEPTH,
  SETTINGS_SHORTHANDS,
  type ShorthandHook,
  TOOLSET_SHORTHANDS,
} from "./shorthands.ts";
import { AGENT_EVENTS, canonicalEvent } from "./spelling.ts";

/**
 * Reads docker-agent's formats: an agent's YAML with `hooks:` in an agent, the user's own file with `settings:`, or a
 * file with only hooks.
 */
export const dockerAgentFormat: ConfigFormat = { parseSettings: parseNoSettings, parseRules };

/** The agent that docker-agent starts if a file has several agents. */
const FIRST_AGENT = "root";

function parseRules(document: ConfigDocument, context: ParseContext): ParsedConfig {
  const { value } = document;
  if (!isJsonObject(value)) return { rules: [], problems: [] };
  const collector = new RuleCollector(document, context, { dialect: "docker-agent", codec: dockerAgentCodec });
  const lists = new HookLists(collector);
  const reader = new FileReader(collector, lists);
  readAgents(value["agents"], collector);
  reader.settings(value["settings"]);
  lists.section(value["hooks"], ["hooks"]);
  // A drop-in file may be the `hooks` section itself.
  const isSection = isDropInFolder(context.baseDir) && value["hooks"] === undefined;
  if (!isSection) reader.reportMisplacedHooks(value, []);
  else for (const name of AGENT_EVENTS) if (Object.hasOwn(value, name)) lists.section({ [name]: value[name] }, []);
  return collector.all;
}

/**
 * Reads the hooks of each agent. An event's `agent_name` selects the agent. If the command line names an agent, only
 * this agent's hooks are read, for every event.
 */
function readAgents(agents: unknown, collector: RuleCollector): void {
  if (agents === undefined || agents === null) return;
  if (!isJsonObject(agents)) {
    const message = `"agents" must be a mapping, not ${kindOf(agents)}`;
    collector.lose({ event: "*" }, "HOOK_CONFIG_TYPE", ["agents"], message);
    return;
  }
  const names = Object.keys(agents);
  const { agent: wanted } = collector.context;
  if (wanted !== undefined) {
    if (!names.includes(wanted)) {
      const hint = suggest(wanted, names) ?? `agents: ${names.join(", ")}`;
      collector.lose({ event: "*" }, "HOOK_CONFIG_TYPE", ["agents"], `there is no agent "${wanted}"`, { hint });
      return;
    }
    new FileReader(collector).agent(wanted, agents[wanted]);
    for (const name of names) {
      if (name === wanted || !hasHooks(agents[name])) continue;
      const message = `only the hooks of agent "${wanted}" are read; those of "${name}" are ignored`;
      collector.warn("HOOK_CONFIG_INERT", ["agents", name, "hooks"], message, { part: "key" });
    }
    return;
  }
  const usual = names.includes(FIRST_AGENT) ? FIRST_AGENT : names.length === 1 ? names[0] : undefined;
  if (usual === undefined && names.some((name) => needsAgentName(agents[name]) || hasGuardSettings(agents[name]))) {
    const message = `none of ${names.length} agents is called "${FIRST_AGENT}": the agent of an event without agent_name is not known`;
    const hint = "name the agent with --agent NAME, or put the hooks at the top of a separate file";
    const noAgent = collector.ofAgent({ name: "", isDefault: true });
    noAgent.lose({ event: "*" }, "HOOK_CONFIG_TYPE", ["agents"], message, { hint });
  }
  for (const name of names)
    new FileReader(collector.ofAgent({ name, isDefault: name === usual })).agent(name, agents[name]);
}

class FileReader {
  readonly #collector: RuleCollector;
  readonly #lists: HookLists;

  constructor(collector: RuleCollector, lists: HookLists = new HookLists(collector)) {
    this.#collector = collector;
    this.#lists = lists;
  }

  agent(name: string, agent: unknown): void {
    if (agent === undefined || agent === null) return;
    if (!isJsonObject(agent)) {
      const message = `an agent must be a mapping, not ${kindOf(agent)}`;
      this.#collector.lose({ event: "*" }, "HOOK_CONFIG_TYPE", ["agents", name], message);
      return;
    }
    this.#lists.section(agent["hooks"], ["agents", name, "hooks"]);
    this.reportMisplacedHooks(agent, ["agents", name]);
    this.#expand(agent, AGENT_SHORTHANDS, ["agents", name]);
    this.#checkDepth(agent, ["agents", name, PROMPT_FILES_DEPTH]);
    this.#toolsets(agent["toolsets"], ["agents", name, "toolsets"]);
    for (const hook of ALWAYS_ON) this.#lists.expansion(hook, ["agents", name], "agent");
  }

  /** Reads the user's own settings, which apply to every agent. */
  settings(settings: unknown): void {
    if (settings === undefined || settings === null) return;
    if (!isJsonObject(settings)) {
      const message = `"settings" must be a mapping, not ${kindOf(settings)}`;
      this.#collector.lose({ event: "*" }, "HOOK_CONFIG_TYPE", ["settings"], message);
      return;
    }
    this.#lists.section(settings["hooks"], ["settings", "hooks"]);
    this.reportMisplacedHooks(settings, ["settings"]);
    this.#expand(settings, SETTINGS_SHORTHANDS, ["settings"]);
  }

  /** Reports hooks outside of `hooks:`, caused by a misspelling or indentation. They would guard nothing. */
  reportMisplacedHooks(mapping: JsonObject, path: Path): void {
    for (const key of Object.keys(mapping)) {
      const event = canonicalEvent(key);
      if (event !== undefined) {
        const hint = 'move it into "hooks:"';
        const message = `"${key}" is outside of "hooks"`;
        this.#collector.lose({ event }, "HOOK_CONFIG_UNKNOWN_KEY", [...path, key], message, { hint, part: "key" });
      } else if (key !== "hooks" && nearest(key, ["hooks"]) !== undefined) {
        const options = { hint: 'did you mean "hooks"?', part: "key" } as const;
        this.#collector.lose(
          { event: "*" },
          "HOOK_CONFIG_UNKNOWN_KEY",
          [...path, key],
          `unknown key "${key}"`,
          options,
        );
      }
    }
  }

  /** Warns of a depth that has no effect. docker-agent ignores an invalid depth and still adds the files. */
  #checkDepth(agent: JsonObject, path: Path): void {
    const depth = agent[PROMPT_FILES_DEPTH] ?? undefined;
    const hasFiles = Array.isArray(agent["add_prompt_files"]) && agent["add_prompt_files"].length > 0;
    if (depth === undefined || (isDepth(depth) && (depth === 0 || hasFiles))) return;
    const message = isDepth(depth)
      ? `${PROMPT_FILES_DEPTH} has no effect without add_prompt_files`
      : `${PROMPT_FILES_DEPTH} must be a whole number of at least 0, and is ignored`;
    this.#collector.warn("HOOK_CONFIG_INERT", path, message);
  }

  #toolsets(toolsets: unknown, path: Path): void {
    if (!Array.isArray(toolsets)) return;
    for (const [index, toolset] of toolsets.entries()) {
      if (isJsonObject(toolset)) this.#expand(toolset, TOOLSET_SHORTHANDS, [...path, index]);
    }
  }

  /** Reads each setting that is a shorthand for hooks. */
  #expand(from: JsonObject, shorthands: typeof AGENT_SHORTHANDS, path: Path): void {
    const { compat = "safer" } = this.#collector.context;
    for (const [key, expand] of Object.entries(shorthands)) {
      const hooks = expand(from[key], compat, from);
      const where = [...path, key];
      if (hooks !== undefined) for (const hook of hooks) this.#lists.expansion(hook, where);
      // The gate of an invalid value is unknown, so the rule concerns every event.
      else this.#collector.lose({ event: "*" }, "HOOK_CONFIG_TYPE", where, `"${key}" cannot be ${kindOf(from[key])}`);
    }
  }
}

/** Whether a setting of the agent or of its toolsets is a shorthand for a built-in hook at a gate. */
function hasGuardSettings(agent: unknown): boolean {
  if (!isJsonObject(agent)) return false;
  const { toolsets } = agent;
  const sets = Array.isArray(toolsets) ? toolsets.filter(isJsonObject) : [];
  const parts = [[agent, AGENT_SHORTHANDS] as const, ...sets.map((set) => [set, TOOLSET_SHORTHANDS] as const)];
  return parts.some(([from, shorthands]) =>
    Object.entries(shorthands).some(([key, expand]) => expand(from[key], "safer")?.some(isAtGate) ?? true),
  );
}

function isAtGate({ event }: ShorthandHook): boolean {
  const name = canonicalEvent(event);
  return name !== undefined && contractOf(name, "docker-agent")?.kind === "gate";
}

/** Whether the agent has hooks at an event that can occur without `agent_name`. A switch always names two agents. */
function needsAgentName(agent: unknown): boolean {
  if (!isJsonObject(agent) || !hasHooks(agent)) return false;
  const { hooks } = agent;
  return !isJsonObject(hooks) || Object.keys(hooks).some((event) => event !== "on_agent_switch");
}

function hasHooks(agent: unknown): boolean {
  return isJsonObject(agent) && agent["hooks"] !== undefined && agent["hooks"] !== null;
}
