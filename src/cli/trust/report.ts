import { relative } from "node:path";
import { isDecidedLater } from "../../config/script-words.ts";
import { UNREADABLE } from "../../files/file-digest.ts";
import type { Handler, McpServer, Rule } from "../../rule.ts";
import { visibleText } from "../../text.ts";
import type { Paint } from "../paint.ts";
import { summaryOf } from "../rule-summary.ts";
import type { ReviewedFile } from "./review.ts";

/** Describes to the user what a file of a repository would run and give. */

const LABELS: Readonly<Record<ReviewedFile["state"], string>> = {
  new: "not approved",
  changed: "changed since you approved it; the approved content is in force",
  removed: "gone from the disk; the approved content is in force",
  approved: "approved",
};

export function describeFile(reviewed: ReviewedFile, cwd: string, paint: Paint): readonly string[] {
  const { file, state, rules, settings, problems, content, notPinned } = reviewed;
  const name = visibleText(relative(cwd, file) || file);
  const dialect = content?.dialect ?? "hookbox";
  const scripts = Object.entries(content?.scripts ?? {});
  return [
    `${paint("bold", name)}  ${paint(state === "approved" ? "green" : "yellow", LABELS[state])}`,
    ...rules.flatMap((rule) => [
      `  ${rule.event} ${visibleText(rule.matcher || "*")}  ${workOf(rule, content?.modules ?? {})}`,
      paint("dim", `    ${summaryOf(rule, dialect)}`),
    ]),
    ...scripts.flatMap(([word, digests]) => [
      ...scriptLines(word, digests, paint),
      ...loadedLines(content?.loads?.[word] ?? {}, paint),
    ]),
    ...(notPinned.packages.length === 0
      ? []
      : [
          paint(
            "yellow",
            `  not pinned: the packages ${notPinned.packages.map(visibleText).join(", ")}, which the scripts load`,
          ),
        ]),
    ...notPinned.cut.map((word) =>
      paint("yellow", `  not pinned: some of the many files that ${visibleText(word)} loads`),
    ),
    ...settings.map(({ name: key, value }) => `  sets ${visibleText(key)} = ${visibleText(JSON.stringify(value))}`),
    ...(content?.lock ? ["  has a hookbox.lock, which is approved too"] : []),
    ...problems.map(
      ({ severity, message }) =>
        `  ${paint(severity === "error" ? "red" : "yellow", severity)}  ${visibleText(message)}`,
    ),
  ];
}

function scriptLines(word: string, digests: readonly string[], paint: Paint): readonly string[] {
  const name = visibleText(word);
  if (digests.includes(UNREADABLE)) return [paint("yellow", `  the script ${name} cannot be read, so its rule fails`)];
  if (digests.length > 0) return [`  pins the script ${name}  ${paint("dim", `sha256 ${digests.join(", ")}`)}`];
  if (isDecidedLater(word))
    return [paint("yellow", `  not pinned: ${name}, because the shell finds the file only at the start`)];
  // The files of make and of Python modules have several possible names.
  return /\/|#/.test(word) ? [paint("dim", `  the script ${name} is not a file of the project`)] : [];
}

function loadedLines(loads: Readonly<Record<string, string | null>>, paint: Paint): readonly string[] {
  const files = Object.entries(loads).flatMap(([file, digest]) => (digest === null ? [] : [{ file, digest }]));
  return files.map(({ file, digest }) => `    which loads ${visibleText(file)}  ${paint("dim", `sha256 ${digest}`)}`);
}

/** Returns how many rules of each type the files have, because a long review may have scrolled away. */
export function countOf(files: readonly ReviewedFile[]): string {
  const counts = new Map<string, number>();
  for (const { handler } of files.flatMap(({ rules }) => rules))
    counts.set(handler.type, (counts.get(handler.type) ?? 0) + 1);
  const parts = [...counts].map(([type, count]) => `${count} ${type}`);
  return `${parts.length === 0 ? "no" : parts.join(", ")} hook${parts.length === 1 && counts.values().next().value === 1 ? "" : "s"}`;
}

/** Returns what a rule does with the user's rights. */
export function workOf(
  { handler, async: isAsync }: Pick<Rule, "handler" | "async">,
  modules: Readonly<Record<string, string>>,
): string {
  return `${isAsync ? "in the background, " : ""}${handlerWork(handler, modules)}`;
}

function handlerWork(handler: Handler, modules: Readonly<Record<string, string>>): string {
  switch (handler.type) {
    case "command": {
      const words = [handler.command, ...(handler.args ?? [])];
      const env = Object.entries(handler.env ?? {}).map(([name, value]) => `${name}=${value}`);
      return `runs ${visibleText(words.join(" "))}${env.length === 0 ? "" : ` with ${visibleText(env.join(", "))}`}`;
    }
    case "http":
      return `sends the event to ${visibleText(handler.url)}`;
    case "model":
    case "agent":
      return `asks the model ${visibleText(handler.model ?? "that is the default")}${handler.type === "agent" ? ", which may read files" : ""}: ${visibleText(handler.prompt)}`;
    case "mcp_tool":
      return `calls ${visibleText(handler.tool)} of the MCP server ${visibleText(handler.server)}${serverWork(handler.found)}`;
    case "wasm": {
      const digest = Object.hasOwn(modules, handler.module) ? modules[handler.module] : undefined;
      return `loads ${visibleText(handler.module)}${digest === undefined ? "" : ` with sha256 ${digest}`}`;
    }
    case "builtin":
      return `runs the built-in hook ${visibleText([handler.name, ...handler.args].join(" "))}`;
    case "context":
      return `adds text for the model: ${visibleText(handler.text)}`;
    case "function":
      return "calls a function";
    case "broken":
      return `cannot be loaded: ${visibleText(handler.problem.message)}`;
  }
}

function serverWork(server: McpServer | undefined): string {
  if (server === undefined) return "";
  return server.kind === "http"
    ? ` at ${visibleText(server.url)}`
    : `, which runs ${visibleText([server.command, ...server.args].join(" "))}`;
}
