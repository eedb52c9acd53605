import type { Consequence } from "../../dialects/writing.ts";
import { formatPlace } from "../../errors.ts";
import { cleanLine } from "../../text.ts";
import { painter, type Style } from "../paint.ts";
import type { FileConversion, PluginFolder } from "./convert-file.ts";
import type { Loss } from "./loss.ts";
import type { FileRules } from "./read-rules.ts";

/** Reports the result of a conversion as text or as JSON. */

interface Task {
  readonly file: string;
  readonly from: string;
  readonly to: string;
  readonly out: string | undefined;
}

export function reportAsData(
  task: Task,
  { rules }: FileRules,
  { text, losses, carried, plugin }: FileConversion,
): object {
  const { file, from, to, out } = task;
  const ok = losses.every(({ consequence }) => consequence !== "looser");
  return {
    ok,
    file,
    from,
    to,
    out: out ?? null,
    hooks: rules.length,
    carried,
    losses,
    result: out === undefined ? text : null,
    ...(plugin === undefined ? {} : { settings: plugin.settings ?? null, asked: plugin.hooks, proof: proofOf(plugin) }),
  };
}

/** Consequences, the worst first. */
const CONSEQUENCES: readonly Consequence[] = ["looser", "stricter", "gone", "changed", "other-words"];

const HEADS: Readonly<Record<Consequence, readonly [style: Style, text: string]>> = {
  looser: ["red", "looser: a gate lets more through than before"],
  stricter: ["yellow", "stricter: a gate refuses more than before"],
  gone: ["yellow", "gone: hooks that cannot refuse anything, and are not in the result"],
  changed: ["cyan", "changed"],
  "other-words": ["cyan", "other words: scripts that get another payload and must reply in another form"],
};

export function reportOn(
  task: Task,
  { rules }: FileRules,
  { losses, carried, plugin }: FileConversion,
  colour: boolean,
): string {
  const paint = painter(colour);
  const lines: string[] = [];
  for (const consequence of CONSEQUENCES) {
    const some = losses.filter((loss) => loss.consequence === consequence);
    if (some.length === 0) continue;
    const [style, head] = HEADS[consequence];
    lines.push("", `  ${paint(style, head)}`);
    for (const its of byRule(some)) {
      const { rule = null, event = null, place } = its[0] ?? {};
      const name = [event === null ? [] : [cleanLine(event)], paint("bold", cleanLine(rule ?? "the file"))]
        .flat()
        .join("  ");
      const where = place === null || place === undefined ? "" : paint("dim", `  ${cleanLine(formatPlace(place))}`);
      lines.push(`    ${name}${where}`);
      for (const { what, why } of its) lines.push(`      ${cleanLine(what)}: ${cleanLine(why)}`);
    }
  }
  const looser = new Set(losses.filter(({ consequence }) => consequence === "looser").map(ruleKey)).size;
  const hooks = `${carried} of ${rules.length} hook${rules.length === 1 ? "" : "s"}`;
  const into = task.out === undefined ? "" : `, in ${cleanLine(task.out)}`;
  const verdict =
    losses.length === 0
      ? paint("green", "nothing lost")
      : looser === 0
        ? "no gate is looser"
        : paint("red", `${looser === 1 ? "1 hook is" : `${looser} hooks are`} looser`);
  lines.push("", `  ${cleanLine(task.file)}: ${hooks} from ${task.from} to ${task.to}${into}; ${verdict}`);
  if (plugin !== undefined) lines.push(...stepsOf(plugin));
  return `${lines.slice(1).join("\n")}\n`;
}

/** Returns the command that lists the hooks that the agent has registered for the plugin. */
function proofOf({ id }: PluginFolder): string {
  return `openclaw plugins inspect ${id} --runtime`;
}

/** Returns the remaining steps until the agent asks the plugin, and how to check the result. */
function stepsOf(plugin: PluginFolder): readonly string[] {
  const { id, hooks, settings } = plugin;
  if (hooks.length === 0) return [];
  if (settings === undefined)
    return ["", "  This is only the module, which OpenClaw does not call. --out FOLDER writes the whole plugin."];
  const indented = JSON.stringify(settings, null, 2)
    .split("\n")
    .map((line) => `    ${line}`);
  return [
    "",
    "  Add this to OpenClaw's settings (~/.openclaw/openclaw.json):",
    ...indented,
    `  If plugins.allow is a list, it must contain ${id}. To check that OpenClaw calls the plugin:`,
    `    ${proofOf(plugin)}`,
    `  Under "Typed hooks" it must list ${hooks.join(", ")}.`,
    "  `openclaw agent exec` (2026.9.6) calls no plugin; the gateway and `openclaw agent --local` do.",
  ];
}

function ruleKey({ rule, place }: Loss): string {
  return `${rule}\n${place?.file}\n${place?.pointer}`;
}

function byRule(losses: readonly Loss[]): (readonly Loss[])[] {
  const groups = new Map<string, Loss[]>();
  for (const loss of losses) groups.set(ruleKey(loss), [...(groups.get(ruleKey(loss)) ?? []), loss]);
  return [...groups.values()];
}
