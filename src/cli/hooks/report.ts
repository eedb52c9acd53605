import { cleanLine } from "../../text.ts";
import { painter } from "../paint.ts";
import type { HooksFile } from "./hooks-file.ts";
import type { Listed } from "./listed-hooks.ts";
import { asideFileOf } from "./switched-off-hooks.ts";

/** Prints a file of hooks as text or as JSON. */

const WIDTH = 50;
const SHOWN_SUMMARY = 100;

export function hooksText(file: HooksFile, colour: boolean): string {
  const paint = painter(colour);
  const line = paint("dim", "─".repeat(WIDTH));
  const mode = file.isOff ? paint("yellow", "disabled") : paint("green", "enabled");
  const lines = [
    paint("bold", "Hooks"),
    line,
    `Mode: ${mode}`,
    paint("dim", `File: ${cleanLine(file.name)} (${file.dialect.name})`),
    "",
  ];
  for (const [event, hooks] of byEvent(file.hooks)) {
    const unknown = hooks.some(({ canonicalEvent }) => canonicalEvent === null);
    const remark = unknown ? paint("yellow", `  ${file.dialect.name} has no such event`) : "";
    lines.push(`${paint("bold", cleanLine(event))} (${hooks.filter(isOn).length}/${hooks.length} enabled)${remark}`);
    for (const hook of hooks) lines.push(`  ${hook.number}. ${hookText(hook, colour)}`);
    lines.push("");
  }
  if (file.hooks.length === 0) lines.push("No hooks. Add one with hookbox hooks add.", "");
  const on = file.hooks.filter(isOn).length;
  const total = `${file.hooks.length} hook${file.hooks.length === 1 ? "" : "s"}`;
  lines.push(line, `Total: ${total} (${on} enabled, ${file.hooks.length - on} disabled)`);
  if (file.aside.length > 0)
    lines.push(paint("dim", `Hooks that are off are kept in ${cleanLine(asideFileOf(file.name))}`));
  return `${lines.join("\n")}\n`;
}

function hookText(hook: Listed, colour: boolean): string {
  const paint = painter(colour);
  const state = hook.enabled ? paint("green", "[enabled]") : paint("yellow", "[disabled]");
  const type = hook.type === "command" ? "" : ` ${paint("cyan", cleanLine(hook.type))}`;
  const description = hook.description === null ? "" : ` - ${cleanLine(hook.description, SHOWN_SUMMARY)}`;
  const matcher = hook.matcher === null ? "" : paint("dim", ` (matcher: ${cleanLine(hook.matcher, SHOWN_SUMMARY)})`);
  return `${state}${type} ${cleanLine(hook.summary, SHOWN_SUMMARY)}${description}${matcher}`;
}

export function hooksData(file: HooksFile): object {
  const on = file.hooks.filter(isOn).length;
  return {
    file: file.name,
    format: file.dialect.name,
    enabled: !file.isOff,
    events: byEvent(file.hooks).map(([event, hooks]) => ({
      event,
      canonicalEvent: hooks[0]?.canonicalEvent ?? null,
      hooks: hooks.map(({ number, type, summary, description, matcher, enabled, entry }) => ({
        number,
        enabled,
        type,
        summary,
        description,
        matcher,
        pointer: entry === undefined ? null : `/${entry.path.join("/")}`,
      })),
    })),
    total: { hooks: file.hooks.length, enabled: on, disabled: file.hooks.length - on },
  };
}

function byEvent(hooks: readonly Listed[]): readonly (readonly [string, readonly Listed[]])[] {
  return [...new Set(hooks.map(({ event }) => event))].map((event) => [
    event,
    hooks.filter((hook) => hook.event === event),
  ]);
}

function isOn({ enabled }: Listed): boolean {
  return enabled;
}
