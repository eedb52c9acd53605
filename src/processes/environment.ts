import { cleanSearchPath } from "./search-path.ts";

/** Builds the environment of a command hook. */

export type Variables = Readonly<Record<string, string | undefined>>;

export interface EnvironmentSources {
  /** `listed`: only the variables on the list below. `most`: all variables except keys of model providers. */
  readonly inherit: "listed" | "most";
  /** Further names of keys, from the configuration. */
  readonly withheld?: readonly string[] | undefined;
  readonly parent: Variables;
  /** Variables that the rule's dialect adds or, with `undefined`, removes. The rule's own variables come later. */
  readonly dialect: Variables;
  readonly handler: Variables;
  readonly platform: NodeJS.Platform;
}

// In both tables a `*` at the end matches any ending.
const LISTED = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TZ", "TMPDIR", "TERM"];

// Most Windows programs do not start without these variables.
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

// A hook does not need the agent's keys for a model provider, or the destination of its traces.
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

/** Returns the name of a provider's key that is on no list, if the agent's own setting names the provider. */
function providerKey(parent: Variables): string | undefined {
  const { LLM_PROVIDER: provider = "" } = parent;
  return provider === "" ? undefined : `${provider.toUpperCase().replace(/[^A-Z0-9]/g, "_")}_API_KEY`;
}

function isIn(table: readonly string[], name: string): boolean {
  return table.some((entry) => (entry.endsWith("*") ? name.startsWith(entry.slice(0, -1)) : name === entry));
}

/** Whether a hook inherits a variable. `keys` are names of keys that are not in `WITHHELD`. */
function isInherited(
  name: string,
  { inherit, platform }: EnvironmentSources,
  keys: readonly (string | undefined)[],
): boolean {
  // `LISTED` comes first, because a configuration cannot withhold variables that every program needs.
  if (isIn(LISTED, name) || (platform === "win32" && isIn(LISTED_ON_WINDOWS, name))) return true;
  return inherit === "most" && !isIn(WITHHELD, name) && !keys.includes(name);
}

const NO_CWD_SEARCH = "NoDefaultCurrentDirectoryInExePath";

interface ChildEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  /** The value of PATH. On Windows the name may be `Path`. */
  readonly searchPath: string;
}

export function childEnvironment(sources: EnvironmentSources): ChildEnvironment {
  const { parent, dialect, handler, platform } = sources;
  // On Windows `Path` and `PATH` are one variable. Without folding, an inherited variable would override the rule's
  // own, and a key in another case would pass the table.
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

  // PATH is cleaned last, so that neither a dialect nor a rule adds the working directory to it again.
  const [pathName, pathValue] = variables.get("PATH") ?? ["PATH", undefined];
  const searchPath = cleanSearchPath(pathValue, platform);
  variables.set("PATH", [pathName, searchPath]);
  // Without this variable, Windows looks for a program in the working directory before PATH.
  if (platform === "win32") variables.set(NO_CWD_SEARCH.toUpperCase(), [NO_CWD_SEARCH, "1"]);
  return { variables: Object.fromEntries(variables.values()), searchPath };
}
