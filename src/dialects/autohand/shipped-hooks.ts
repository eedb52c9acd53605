import { BUILTINS } from "../../events/builtins.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { GUARD_OF_JUDGE } from "../shipped-guards.ts";

/** The hooks that Autohand installs on its first run, all disabled. Built-in hooks of hookbox replace their scripts. */

const SOURCES = ["src/**/*", "lib/**/*"];

const off = (event: string, name: string, description: string, more: JsonObject = {}): JsonObject => ({
  event,
  command: `builtin:${name}`,
  description,
  enabled: false,
  ...more,
});

export const SHIPPED_HOOKS: readonly JsonObject[] = [
  off("session-start", "log-session-start", "Log when a session starts"),
  off("session-end", "log-session-end", "Log when a session ends"),
  off("stop", "log-stop", "Log when the agent stops"),
  off("file-modified", "log-file-modified", "Log changed files", { filter: { path: SOURCES } }),
  off("stop", "sound-alert", "Play a sound when a task is done", { async: true }),
  off("file-modified", "auto-format", "Format changed files", {
    timeout: 30_000,
    filter: { path: ["ts", "tsx", "js", "jsx", "json", "css", "scss", "md"].map((ending) => `**/*.${ending}`) },
  }),
  off("stop", "slack-notify", "Tell a Slack channel when a task is done", { timeout: 10_000, async: true }),
  off("file-modified", "git-auto-stage", "Stage changed files", { filter: { path: [...SOURCES, "tests/**/*"] } }),
  off("pre-tool", "security-guard", "Refuse dangerous commands and files with secrets", {
    matcher: "^(run_command|delete_path|write_file)$",
  }),
  // This hook is async, because linting and tests take long.
  off("stop", "smart-commit", "Lint, test, and commit with a message by a model", { timeout: 600_000, async: true }),
];

/** Matches a script of Autohand's own folder anywhere in a command, with slashes or backslashes. */
const SCRIPT = /(?:^|[/\\])\.autohand[/\\]hooks[/\\]([\w-]+)\.(?:sh|ps1)(?![\w.-])/;

/** Returns the built-in command that replaces one of Autohand's scripts. Returns `undefined` for other commands. */
export function ownCommandFor(command: string): string | undefined {
  const name = SCRIPT.exec(command)?.[1];
  return name !== undefined && (Object.hasOwn(BUILTINS, name) || Object.hasOwn(GUARD_OF_JUDGE, name))
    ? `builtin:${name}`
    : undefined;
}

/**
 * Returns the shipped hooks that a list does not contain. A list contains a shipped hook if a hook of the list has the
 * same script or built-in, or the same description or command at the same event. Hooks that the user has changed do not
 * change.
 */
export function missingHooks(hooks: readonly unknown[]): readonly JsonObject[] {
  const known = new Set(hooks.filter(isJsonObject).flatMap(marksOf));
  return SHIPPED_HOOKS.filter((hook) => !marksOf(hook).some((mark) => known.has(mark)));
}

function marksOf({ event, command, description }: JsonObject): string[] {
  const text = typeof command === "string" ? command.trim() : "";
  const name = SCRIPT.exec(text)?.[1] ?? /^builtin:(\S+)/.exec(text)?.[1];
  return [
    ...(name === undefined ? [] : [`name ${name}`]),
    ...(typeof description === "string" ? [JSON.stringify([event, "is", description])] : []),
    JSON.stringify([event, "runs", text]),
  ];
}
