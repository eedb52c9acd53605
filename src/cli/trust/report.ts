import { relative } from "node:path";
import type { Handler, McpServer, Rule } from "../../rule.ts";
import { cleanLine } from "../../text.ts";
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
  const { file, state, rules, settings, problems, content } = reviewed;
  const name = cleanLine(relative(cwd, file) || file, 200);
  const dialect = content?.dialect ?? "hookbox";
  const scripts = Object.entries(content?.scripts ?? {});
  return [
    `${paint("bold", name)}  ${paint(state === "approved" ? "green" : "yellow", LABELS[state])}`,
    ...rules.flatMap((rule) => [
      `  ${rule.event} ${cleanLine(rule.matcher || "*", 100)}  ${workOf(rule, content?.modules ?? {})}`,
      paint("dim", `    ${summaryOf(rule, dialect)}`),
    ]),
    ...scripts.map(([word, digests]) =>
      digests.length === 0
        ? paint("dim", `  the script ${clean(word)} is not a file of the project`)
        : `  pins the script ${clean(word)}  ${paint("dim", `sha256 ${digests.join(", ")}`)}`,
    ),
    ...(settings.length === 0 ? [] : [`  sets ${settings.map((one) => cleanLine(one, 100)).join(", ")}`]),
    ...(content?.lock ? ["  has a hookbox.lock, which is approved too"] : []),
    ...problems.map(
      ({ severity, message }) => `  ${paint(severity === "error" ? "red" : "yellow", severity)}  ${clean(message)}`,
    ),
  ];
}

const clean = (text: string): string => cleanLine(text, 2_000);

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
      const env = Object.keys(handler.env ?? {});
      return `runs ${clean(words.join(" "))}${env.length === 0 ? "" : ` with ${clean(env.join(", "))} set`}`;
    }
    case "http":
      return `sends the event to ${clean(handler.url)}`;
    case "model":
    case "agent":
      return `asks the model ${clean(handler.model ?? "that is the default")}${handler.type === "agent" ? ", which may read files" : ""}`;
    case "mcp_tool":
      return `calls ${clean(handler.tool)} of the MCP server ${clean(handler.server)}${serverWork(handler.found)}`;
    case "wasm": {
      const digest = Object.hasOwn(modules, handler.module) ? modules[handler.module] : undefined;
      return `loads ${clean(handler.module)}${digest === undefined ? "" : ` with sha256 ${digest}`}`;
    }
    case "builtin":
      return `runs the built-in hook ${clean([handler.name, ...handler.args].join(" "))}`;
    case "context":
      return "adds text for the model";
    case "function":
      return "calls a function";
    case "broken":
      return `cannot be loaded: ${clean(handler.problem.message)}`;
  }
}

function serverWork(server: McpServer | undefined): string {
  if (server === undefined) return "";
  return server.kind === "http"
    ? ` at ${clean(server.url)}`
    : `, which runs ${clean([server.command, ...server.args].join(" "))}`;
}
