import { cleanSearchPath } from "./search-path.ts";

/** The environment of a command hook. */

export type Variables = Readonly<Record<string, string | undefined>>;

export interface EnvironmentSources {
  /** `listed`: only what is on the list below. `most`: everything but the keys that pay for a model. */
  readonly inherit: "listed" | "most";
  /** Names under which the configuration keeps further such keys. */
  readonly withheld?: readonly string[] | undefined;
  readonly parent: Variables;
  /** What the rule's dialect adds, or takes away (`undefined`); then what the rule itself adds. */
  readonly dialect: Variables;
  readonly handler: Variables;
  readonly platform: NodeJS.Platform;
}

// In both tables a final `*` stands for any ending.
const LISTED = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TZ", "TMPDIR", "TERM"];

// Without these most Windows programs do not even start.
const LISTED_ON_WINDOWS = [
  "SYSTEMROOT",
  "SYSTEMDRIVE",
  "WINDIR",
  "COMSPEC",
  "PATHEXT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
  "PROGRAMDATA",
  "PROGRAMFILES*",
];

// A hook has no business with the agent's account at a model provider, or with where its traces go.
const WITHHELD = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_AUTH_TOKEN",
  "AZURE_API_KEY",
  "AZURE_OPENAI_API_KEY",
  "CLAUDE_CODE_OAUTH_TOKEN",
  "DEEPSEEK_API_KEY",
  "GEMINI_API_KEY",
  "GOOGLE_API_KEY",
  "GROQ_API_KEY",
  "LLM_API_KEY",
  "LLM_EXTRA_BODY",
  "MISTRAL_API_KEY",
  "MOONSHOT_API_KEY",
  "OPENAI_API_KEY",
  "OPENROUTER_API_KEY",
  "XAI_API_KEY",
  "OTEL_*",
];

/** The key of a provider that is on no list, where the agent's own setting names it. */
function providerKey(parent: Variables): string | undefined {
  const { LLM_PROVIDER: provider = "" } = parent;
  return provider === "" ? undefined : `${provider.toUpperCase().replace(/[^A-Z0-9]/g, "_")}_API_KEY`;
}

function isIn(table: readonly string[], name: string): boolean {
  return table.some((entry) => (entry.endsWith("*") ? name.startsWith(entry.slice(0, -1)) : name === entry));
}

/** `keys`: names under which there are keys that are on no list of ours. */
function isInherited(
  name: string,
  { inherit, platform }: EnvironmentSources,
  keys: readonly (string | undefined)[],
): boolean {
  // First: nobody's key is what no program does without, whatever a configuration calls it.
  if (isIn(LISTED, name) || (platform === "win32" && isIn(LISTED_ON_WINDOWS, name))) return true;
  return inherit === "most" && !isIn(WITHHELD, name) && !keys.includes(name);
}

const NO_CWD_SEARCH = "NoDefaultCurrentDirectoryInExePath";

export interface ChildEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  /** The value of PATH in there, under whatever spelling. */
  readonly searchPath: string;
}

export function childEnvironment(sources: EnvironmentSources): ChildEnvironment {
  const { parent, dialect, handler, platform } = sources;
  // Windows takes `Path` and `PATH` for one variable. Kept apart, the first would win over the rule's own, and a
  // key in another spelling would slip through the table.
  const fold = (name: string) => (platform === "win32" ? name.toUpperCase() : name);

  const variables = new Map<string, readonly [name: string, value: string]>();
  const add = (source: Variables, isWanted: (folded: string) => boolean) => {
    for (const [name, value] of Object.entries(source)) {
      if (value !== undefined && isWanted(fold(name))) variables.set(fold(name), [name, value]);
    }
  };
  const keys = [...(sources.withheld ?? []).map(fold), providerKey(parent)];
  add(parent, (folded) => isInherited(folded, sources, keys));
  for (const [name, value] of Object.entries(dialect)) if (value === undefined) variables.delete(fold(name));
  add(dialect, () => true);
  add(handler, () => true);

  // Last, so that nobody brings the working directory back in.
  const [pathName, pathValue] = variables.get("PATH") ?? ["PATH", undefined];
  const searchPath = cleanSearchPath(pathValue, platform);
  variables.set("PATH", [pathName, searchPath]);
  // Without it, Windows looks for a program in the working directory before it looks on PATH.
  if (platform === "win32") variables.set(NO_CWD_SEARCH.toUpperCase(), [NO_CWD_SEARCH, "1"]);
  return { variables: Object.fromEntries(variables.values()), searchPath };
}
