import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { sha256 } from "../../cache/cache-folder.ts";
import { callersEnvironment } from "../../caller.ts";
import { describeThrown } from "../../errors.ts";
import { isJsonObject, type JsonObject, parseJsonObject } from "../../json.ts";
import { packageFolder } from "../../package-info.ts";
import { leadsIntoProject } from "../../project-folder.ts";
import { patienceMsOf } from "../patience.ts";
import { type Check, checksOf } from "./check.ts";
import { type AgentSettings, type Entry, optionOf } from "./entries.ts";

const { ok, warning, problem } = checksOf("settings");

/** Checks the settings that exist: which hooks start hookbox, and what switches hooks off or redirects them. */
export function checkSettings(all: readonly AgentSettings[], cwd: string): readonly Check[] {
  const entries = all.flatMap((one) => one.entries);
  const unread = all.filter(({ opened }) => opened === undefined);
  return [
    ...unread.map(({ file, title, error }) =>
      problem("file", `${file} of ${title} cannot be read: ${error}`, "correct the file"),
    ),
    ...all.flatMap((one) => foundIn(one)),
    ...(entries.length === 0
      ? [
          warning(
            "entry",
            "no settings file starts hookbox",
            "hookbox init AGENT, or hookbox init for a list of agents",
          ),
        ]
      : []),
    ...distinct(entries.flatMap(checkEntry)),
    ...all.filter(({ agent }) => agent === "claude-code").flatMap((one) => checkClaudeCode(one, all, cwd)),
    ...unseen(all),
  ];
}

function foundIn({ agent, file, title, entries, opened }: AgentSettings): readonly Check[] {
  if (opened === undefined) return [];
  // Claude Code's switch is reported with the other settings of that file.
  if (opened.isOff && agent !== "claude-code")
    return [problem("off", `${file}: all hooks are switched off`, `hookbox hooks on ${file}`)];
  if (entries.length === 0) return [];
  const others = opened.hooks.length - entries.length;
  const events = [...new Set(entries.map(({ hook }) => hook.event))];
  const names = events.length > 4 ? `${events[0]} and ${events.length - 1} other events` : events.join(", ");
  const more = others === 0 ? "" : `; other hooks in the file: ${others}`;
  return [ok("entry", `${title}: ${file} starts hookbox at ${names}${more}`)];
}

/** Entries of many events have the same command line, so the same text appears once. */
function distinct(checks: readonly Check[]): readonly Check[] {
  return checks.filter((one, at) => checks.findIndex(({ text }) => text === one.text) === at);
}

function checkEntry(entry: Entry): readonly Check[] {
  return [...filesOf(entry), ...digestOf(entry), ...timeOf(entry)];
}

function filesOf(entry: Entry): readonly Check[] {
  const { words, file, agent } = entry;
  const [program = "", ...rest] = words;
  const options = rest.findIndex((word) => word.startsWith("--"));
  const script = rest.slice(0, Math.max(0, options)).find((word) => /\.(cjs|sh)$/.test(word));
  const named: readonly (readonly [what: string, path: string | undefined, mode: number])[] = [
    ["program", program, constants.X_OK],
    ["script", script, constants.R_OK],
    ["--main", optionOf(entry, "--main"), constants.R_OK],
    ["--node", optionOf(entry, "--node"), constants.X_OK],
  ];
  return named.flatMap(([what, path, mode]): Check[] => {
    if (path === undefined) return [];
    const repair = `hookbox init ${agent} writes the entry again`;
    if (!path.startsWith("/"))
      return what === "program" && process.platform !== "win32"
        ? [
            warning(
              "path",
              `${file.name}: the agent looks for ${path} on PATH, which a repository's settings may change`,
              repair,
            ),
          ]
        : [];
    try {
      accessSync(path, mode);
      if (!statSync(path).isFile()) throw new Error("it is not a file");
      return [];
    } catch (error) {
      return [problem("path", `${file.name}: ${what} ${path} cannot be used: ${describeThrown(error)}`, repair)];
    }
  });
}

function digestOf({ words, file, agent }: Entry): readonly Check[] {
  const relay = words.find((word) => /relay-linux-\w+$/.test(word));
  if (relay === undefined) return [];
  try {
    const wanted = [join(packageFolder(), "relay"), dirname(relay)].flatMap(
      (folder) => parseJsonObject(readFileSync(join(folder, "digests.json"), "utf8"))?.[basename(relay)] ?? [],
    );
    const digest = sha256(readFileSync(relay));
    if (wanted[0] === digest) return [ok("relay", `the relay has the digest of this version: ${relay}`)];
    // The digests next to a relay say which version it is of. They are no evidence that the relay is genuine.
    return wanted.includes(digest)
      ? [warning("relay", `${relay} is of another version of hookbox`, `hookbox init ${agent} installs this version`)]
      : [
          problem(
            "relay",
            `${file.name}: ${relay} has the digest ${digest}, which no digests.json lists`,
            `hookbox init ${agent} installs it again`,
          ),
        ];
  } catch (error) {
    return [warning("relay", `${relay}: its digest cannot be compared: ${describeThrown(error)}`)];
  }
}

const DEFAULT_PATIENCE_MS = 60_000;

/** The agent must wait longer than hookbox, because agents go on with a call after their timeout. */
function timeOf(entry: Entry): readonly Check[] {
  const { file, hook, timeoutMs, agent } = entry;
  const said = optionOf(entry, "--patience");
  const usualMs = file.dialect.patienceMs?.(hook.canonicalEvent ?? undefined) ?? DEFAULT_PATIENCE_MS;
  const waitsMs = timeoutMs ?? usualMs;
  const place = `${file.name}: ${hook.event}`;
  const repair = `hookbox init ${agent} writes times that fit`;
  try {
    const patienceMs = patienceMsOf(said) ?? (timeoutMs === undefined ? waitsMs : DEFAULT_PATIENCE_MS);
    if (patienceMs <= waitsMs) return [];
    return [
      problem(
        "patience",
        `${place}: the agent waits ${waitsMs / 1_000} s and then goes on, but hookbox refuses only after ${patienceMs / 1_000} s`,
        repair,
      ),
    ];
  } catch (error) {
    return [problem("patience", `${place}: ${describeThrown(error)}`, repair)];
  }
}

/** Variables of settings that reach hooks or the agent, and what each one can do. */
const VARIABLES: readonly (readonly [pattern: RegExp, why: string])[] = [
  [/^CLAUDE_CODE_SIMPLE$/, "older versions of Claude Code run no hooks then"],
  [/^CLAUDE_CODE_SHELL_PREFIX$/, "it starts another program in place of hooks that use a shell"],
  [/^(LD_PRELOAD|LD_LIBRARY_PATH|DYLD_.*|NODE_OPTIONS|ENV|BASH_ENV)$/, "it loads other code into hooks"],
  [/^PATH$/, "it decides which program a name starts"],
  [/^(HOME|XDG_.*|TMPDIR|CLAUDE_CONFIG_DIR)$/, "it leads to other folders for settings and state"],
  [/^(HTTPS?_PROXY|ALL_PROXY|https?_proxy)$/, "it redirects web hooks, with their tokens"],
  [/^HOOKBOX_/, "only the user who starts the agent may set it"],
];

function checkClaudeCode(
  { file, opened }: AgentSettings,
  all: readonly AgentSettings[],
  cwd: string,
): readonly Check[] {
  const settings = opened?.value;
  if (!isJsonObject(settings)) return [];
  const isRepositorys = leadsIntoProject(file, cwd);
  const {
    disableAllHooks: isOff,
    env,
    allowedHttpHookUrls: urls,
    allowManagedHooksOnly: onlyManaged,
  } = settings as JsonObject;
  const undone = all.some(
    ({ file: other, opened: one }) =>
      basename(other) === "settings.local.json" && isJsonObject(one?.value) && one.value["disableAllHooks"] === false,
  );
  const off =
    isOff !== true
      ? []
      : [
          isRepositorys && undone
            ? warning("disableAllHooks", `${file} sets disableAllHooks, and settings.local.json undoes it`)
            : problem(
                "disableAllHooks",
                `${file} sets disableAllHooks: no hook runs`,
                'set "disableAllHooks": false in .claude/settings.local.json, or remove it',
              ),
        ];
  const managed =
    onlyManaged === true
      ? [problem("allowManagedHooksOnly", `${file} sets allowManagedHooksOnly: only hooks of managed settings run`)]
      : [];
  const web =
    isRepositorys && Array.isArray(urls)
      ? [
          warning(
            "allowedHttpHookUrls",
            `${file} sets allowedHttpHookUrls, which can stop your web hooks`,
            "use the relay: hookbox init claude-code",
          ),
        ]
      : [];
  const names = isRepositorys && isJsonObject(env) ? Object.keys(env) : [];
  const set = names.flatMap((name) => {
    const why = VARIABLES.find(([pattern]) => pattern.test(name))?.[1];
    return why === undefined
      ? []
      : [warning("env", `${file} sets ${name} for hooks: ${why}`, "remove it, unless you know why it is there")];
  });
  return [...off, ...managed, ...web, ...set];
}

/** What decides about hooks and is in no file. */
function unseen(all: readonly AgentSettings[]): readonly Check[] {
  if (!all.some(({ agent, entries }) => agent === "claude-code" && entries.length > 0)) return [];
  const folder = callersEnvironment()["CLAUDE_CONFIG_DIR"];
  const seen = folder === undefined ? "CLAUDE_CONFIG_DIR, " : "";
  const text = `not visible from here: ${seen}--bare, --setting-sources and --settings of the claude that you start; each can leave your hooks out`;
  return [
    ok("unseen", text),
    ...(folder === undefined
      ? []
      : [warning("unseen", `CLAUDE_CONFIG_DIR is set here: Claude Code reads its settings in ${folder}`)]),
  ];
}
