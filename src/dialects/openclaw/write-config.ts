import { contractOf } from "../../events/lookup.ts";
import type { JsonObject } from "../../json.ts";
import { packageInfo } from "../../package-info.ts";
import type { Rule } from "../../rule.ts";
import { OPENCLAW_EVENTS } from "./event-names.ts";
import { CONVERSATION_HOOKS } from "./plugin-leave.ts";
import { refusalAt } from "./result-object.ts";

/**
 * Writes an OpenClaw plugin that asks hookbox. OpenClaw's hooks are functions of a plugin and not in any file. hookbox
 * reads the original file, so the hooks keep their format and settings. OpenClaw takes the id of a single module from
 * the module's name and ignores a module with another id. Therefore the plugin is a folder with the id in its manifest.
 */

/** The plugin's id in its manifest, its module and OpenClaw's settings. */
export const PLUGIN_ID = "hookbox";

interface PluginSource {
  /** The file with the hooks. The path is absolute, because OpenClaw runs a copy of the plugin in another folder. */
  readonly config: string;
  readonly format: string;
}

interface WrittenPlugin {
  /** The source text of the module. */
  readonly text: string;
  /** The contents of the plugin's folder, by file name. */
  readonly files: Readonly<Record<string, string>>;
  /** OpenClaw's names of the hooks at which the plugin asks hookbox. */
  readonly hooks: readonly string[];
  /** The rules whose event OpenClaw has. */
  readonly asked: readonly Rule[];
}

interface Registration {
  readonly hook: string;
  readonly deadlineMs: number;
  /** The hook's result if hookbox cannot be asked. An empty object is not a result. */
  readonly refusal: JsonObject;
  readonly sync: boolean;
}

const AGENT_EVENT: ReadonlyMap<string, string> = new Map(
  Object.entries(OPENCLAW_EVENTS).map(([agent, canonical]) => [canonical as string, agent]),
);

/** Hooks at which OpenClaw does not wait for a promise. */
const SYNC_HOOKS: readonly string[] = ["tool_result_persist", "before_message_write"];
const REASON = "hookbox could not be asked";
/** Time to start hookbox and to read its answer, in milliseconds. */
const STARTING_MS = 3_000;
/** The part of the waiting time that the rules get. hookbox keeps a tenth for delivering its answer. */
const ANSWER_PART = 0.9;
/**
 * The maximum time for hookbox, in milliseconds. OpenClaw allows a hook at most ten minutes, and the plugin waits one
 * second longer than hookbox.
 */
const MOST_MS = 590_000;

export function writePlugin(rules: readonly Rule[], source: PluginSource): WrittenPlugin {
  const asked: Rule[] = [];
  const byHook = new Map<string, Rule[]>();
  for (const rule of rules) {
    const hook = hookOf(rule);
    if (hook === undefined) continue;
    asked.push(rule);
    byHook.set(hook, [...(byHook.get(hook) ?? []), rule]);
  }
  const registrations = [...byHook].map(([hook, its]) => registrationOf(hook, its));
  const text = pluginText(registrations, source);
  return { text, files: folderWith(text), hooks: registrations.map(({ hook }) => hook), asked };
}

const MODULE = "index.js";

function folderWith(text: string): Readonly<Record<string, string>> {
  const description = "Asks hookbox before OpenClaw acts";
  const json = (value: JsonObject): string => `${JSON.stringify(value, null, 2)}\n`;
  return {
    [MODULE]: text,
    "package.json": json({
      name: `openclaw-plugin-${PLUGIN_ID}`,
      version: packageInfo().version,
      description,
      private: true,
      type: "module",
      openclaw: { extensions: [`./${MODULE}`] },
    }),
    "openclaw.plugin.json": json({
      id: PLUGIN_ID,
      name: PLUGIN_ID,
      description,
      activation: { onStartup: true },
      configSchema: { type: "object", additionalProperties: false },
    }),
  };
}

/** Returns the settings that an operator has to add to OpenClaw's configuration. */
export function settingsFor(
  folder: string,
  hooks: readonly string[],
  allowed: readonly string[] | undefined,
): JsonObject {
  const seesConversations = hooks.some((hook) => Object.hasOwn(CONVERSATION_HOOKS, hook));
  const leave = seesConversations ? { hooks: { allowConversationAccess: true } } : {};
  return {
    plugins: {
      ...(allowed === undefined ? {} : { allow: [...new Set([...allowed, PLUGIN_ID])] }),
      load: { paths: [folder] },
      entries: { [PLUGIN_ID]: { enabled: true, ...leave } },
    },
  };
}

/** Returns the hook at which a rule is asked. Returns `undefined` if OpenClaw has none. */
export function hookOf({ event }: Rule): string | undefined {
  // The gate of an unreadable part is unknown, so the most important gate is asked.
  return AGENT_EVENT.get(event === "*" ? "PreToolUse" : event);
}

function registrationOf(hook: string, rules: readonly Rule[]): Registration {
  const contract = contractOf(OPENCLAW_EVENTS[hook] as string, "openclaw");
  const times = rules.filter(({ async }) => !async).map(({ timeoutMs }) => timeoutMs);
  const waited = contract?.order === "sequential" ? times.reduce((sum, one) => sum + one, 0) : Math.max(0, ...times);
  const event = OPENCLAW_EVENTS[hook] as string;
  const shuts = contract?.failsClosed === true || (contract?.onFailure === "deny" && rules.some(shutsOnFailure));
  return {
    hook,
    deadlineMs: Math.min(Math.ceil((waited + STARTING_MS) / ANSWER_PART), MOST_MS),
    refusal: shuts ? refusalAt(event, REASON) : {},
    sync: SYNC_HOOKS.includes(hook),
  };
}

/** Whether a failure of the rule keeps the gate shut. Hooks in an agent's own format let the agent continue. */
function shutsOnFailure({ onFailure, dialect, handler }: Rule): boolean {
  if (onFailure !== undefined) return onFailure === "block";
  return dialect === "hookbox" || handler.type === "wasm" || handler.type === "broken";
}

function pluginText(registrations: readonly Registration[], { config, format }: PluginSource): string {
  const list = registrations.map(
    ({ hook, deadlineMs, refusal, sync }) =>
      `  { hook: ${JSON.stringify(hook)}, deadlineMs: ${deadlineMs}, refusal: ${JSON.stringify(refusal)}, sync: ${sync} },`,
  );
  return `// Written by "hookbox convert --to openclaw". Asks hookbox at each of these events. The hooks themselves stay in their
// own file, which is read again each time.
import { spawn, spawnSync } from "node:child_process";
import { definePluginEntry } from "openclaw/plugin-sdk/plugin-entry";

const PROGRAM = process.env.HOOKBOX_PROGRAM ?? "hookbox";
const ARGS = ["run", "--dialect", "openclaw", "--config", ${JSON.stringify(config)}, "--format", ${JSON.stringify(format)}];
const argsFor = (deadlineMs) => [...ARGS, "--patience", \`\${deadlineMs}ms\`];
const TOOL_HOOKS = ["before_tool_call", "after_tool_call"];
const MOST_OUTPUT = 4_194_304;
const REASON = ${JSON.stringify(REASON)};

const HOOKS = [
${list.join("\n")}
];

export default definePluginEntry({
  id: ${JSON.stringify(PLUGIN_ID)},
  name: ${JSON.stringify(PLUGIN_ID)},
  register(api) {
    // OpenClaw does not say where a tool call runs. It runs in the workspace of its agent, unless the call is for
    // another machine.
    const inWorkspace = (event, ctx) => {
      if (ctx?.workspaceDir !== undefined || ctx?.agentId === undefined || event.params?.host === "node") return ctx;
      try {
        const workspaceDir = api.runtime.agent.resolveAgentWorkspaceDir(api.config, ctx.agentId);
        return typeof workspaceDir === "string" ? { ...ctx, workspaceDir } : ctx;
      } catch {
        return ctx;
      }
    };
    for (const { hook, deadlineMs, refusal, sync } of HOOKS) {
      const failed = (error) => {
        const why = error instanceof Error ? error.message : String(error);
        console.error(\`hookbox: \${hook}: \${why}\`);
        if (Object.keys(refusal).length === 0) return undefined;
        const fields = Object.entries(refusal).map(([key, value]) => [key, value === REASON ? \`\${REASON}: \${why}\` : value]);
        return Object.fromEntries(fields);
      };
      const handler = sync
        ? (event, ctx) => {
            try {
              return askAndWait(hook, event, ctx, deadlineMs);
            } catch (error) {
              return failed(error);
            }
          }
        : async (event, ctx) => {
            try {
              return await ask(hook, event, TOOL_HOOKS.includes(hook) ? inWorkspace(event, ctx) : ctx, deadlineMs);
            } catch (error) {
              return failed(error);
            }
          };
      api.on(hook, handler, { timeoutMs: deadlineMs + 1_000 });
    }
  },
});

// An event that cannot be serialized completely is a failure. Its context may contain functions, which are left out.
function question(hook, event, ctx) {
  const text = JSON.stringify(event, (key, value) => {
    if (typeof value === "function") throw new Error(\`\${key} is a function\`);
    return typeof value === "bigint" ? String(value) : value;
  });
  let around = "";
  try {
    const context = JSON.stringify(ctx);
    if (context !== undefined) around = \`,"ctx":\${context}\`;
  } catch {
    // A context that contains itself is left out.
  }
  return \`{"hook":\${JSON.stringify(hook)},"event":\${text}\${around}}\\n\`;
}

// A refusal counts as an answer even if hookbox could not do its work.
function endedWith(status, signal, stdout, stderr) {
  if (status === 0) return answerFrom(stdout);
  const refusal = status === 2 && stdout.trim() !== "" ? answerFrom(stdout) : undefined;
  if (refusal === undefined) throw ended(status, signal, stderr);
  return refusal;
}

function answerFrom(text) {
  const answer = JSON.parse(text);
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) throw new Error("the answer is not an object");
  return Object.keys(answer).length === 0 ? undefined : answer;
}

function ended(status, signal, stderr) {
  const said = stderr.trim().split("\\n", 1)[0].slice(0, 300);
  const how = signal === null ? \`ended with exit code \${status}\` : \`was ended by \${signal}\`;
  return new Error(said === "" ? how : \`\${how}: \${said}\`);
}

function ask(hook, event, ctx, deadlineMs) {
  const text = question(hook, event, ctx);
  return new Promise((resolve, reject) => {
    const child = spawn(PROGRAM, argsFor(deadlineMs), { stdio: ["pipe", "pipe", "pipe"] });
    const output = { stdout: "", stderr: "" };
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(\`no answer within \${deadlineMs} ms\`));
    }, deadlineMs);
    for (const name of ["stdout", "stderr"]) {
      child[name].setEncoding("utf8");
      child[name].on("data", (part) => {
        if (output[name].length + part.length <= MOST_OUTPUT) output[name] += part;
        else {
          child.kill("SIGKILL");
          reject(new Error(\`more than \${MOST_OUTPUT} characters on \${name}\`));
        }
      });
    }
    child.on("error", reject);
    child.stdin.on("error", () => {});
    child.on("close", (status, signal) => {
      clearTimeout(timer);
      try {
        resolve(endedWith(status, signal, output.stdout, output.stderr));
      } catch (error) {
        reject(error);
      }
    });
    child.stdin.end(text);
  });
}

function askAndWait(hook, event, ctx, deadlineMs) {
  const input = question(hook, event, ctx);
  const options = { input, encoding: "utf8", timeout: deadlineMs, killSignal: "SIGKILL", maxBuffer: MOST_OUTPUT };
  const { status, signal, stdout, stderr, error } = spawnSync(PROGRAM, argsFor(deadlineMs), options);
  if (error !== undefined) throw error;
  return endedWith(status, signal, stdout, stderr);
}
`;
}
