import type { Network } from "../grants.ts";
import type { ModelChoice, ModelProvider } from "../rule.ts";

/** The known providers, and the settings of a configuration for these and other providers. */

/** The settings of a provider in a configuration. */
export interface ProviderSettings {
  /** The protocol. Default: the protocol of the known provider with that name. */
  readonly type?: "anthropic" | "openai";
  readonly baseUrl?: string;
  /** The variable with the key. `null`: no key is sent. */
  readonly apiKeyEnv?: string | null;
  readonly stream?: boolean;
  readonly structured?: boolean;
}

type Remote = Exclude<ModelProvider, { readonly kind: "function" }>;

/** A known provider. `structured` tells whether its models accept a schema. Default: all models accept or ignore it. */
type Known = Pick<Remote, "kind" | "baseUrl" | "keyVariable"> & Partial<Pick<Remote, "structured">>;

/** Known providers. Without `baseUrl`, the address comes from the provider's client or its usual variable. */
export const KNOWN_PROVIDERS: Readonly<Record<string, Known>> = {
  anthropic: { kind: "anthropic", keyVariable: "ANTHROPIC_API_KEY" },
  openai: { kind: "openai", keyVariable: "OPENAI_API_KEY" },
  google: {
    kind: "openai",
    baseUrl: "https://generativelanguage.googleapis.com/v1beta/openai",
    keyVariable: "GEMINI_API_KEY",
  },
  mistral: { kind: "openai", baseUrl: "https://api.mistral.ai/v1", keyVariable: "MISTRAL_API_KEY" },
  xai: { kind: "openai", baseUrl: "https://api.x.ai/v1", keyVariable: "XAI_API_KEY" },
  /** Some Groq models reject a request with a schema. */
  groq: { kind: "openai", baseUrl: "https://api.groq.com/openai/v1", keyVariable: "GROQ_API_KEY", structured: false },
  /** All DeepSeek models reject a request with a schema. */
  deepseek: {
    kind: "openai",
    baseUrl: "https://api.deepseek.com",
    keyVariable: "DEEPSEEK_API_KEY",
    structured: false,
  },
  openrouter: { kind: "openai", baseUrl: "https://openrouter.ai/api/v1", keyVariable: "OPENROUTER_API_KEY" },
  /** Docker Model Runner and Ollama run on this machine and need no key. */
  dmr: { kind: "openai", baseUrl: "http://localhost:12434/engines/v1", keyVariable: null },
  ollama: { kind: "openai", baseUrl: "http://localhost:11434/v1", keyVariable: null },
};

/** The default model of rules, which is small and fast. */
export const DEFAULT_MODEL = "anthropic/claude-haiku-4-5";

/** Short names that Claude Code's hooks may use. */
const CLAUDE_ALIASES: Readonly<Record<string, string>> = {
  haiku: "claude-haiku-4-5",
  sonnet: "claude-sonnet-5-5",
  opus: "claude-opus-5-5",
};

type Chosen = { readonly choice: ModelChoice } | { readonly unknown: string; readonly known: readonly string[] };

/**
 * Finds the provider and the model of `NAME/MODEL`. A name without a provider is a Claude model. `network` limits the
 * addresses in a configuration, but not known providers and addresses from the environment.
 */
export function chooseModel(
  specification: string,
  settings: Readonly<Record<string, ProviderSettings>>,
  functions: readonly string[],
  network: Network,
): Chosen {
  const slash = specification.indexOf("/");
  const name = slash < 0 ? "anthropic" : specification.slice(0, slash);
  const model = slash < 0 ? modelOfClaude(specification) : specification.slice(slash + 1);
  const all = [...new Set([...functions, ...Object.keys(settings), ...Object.keys(KNOWN_PROVIDERS)])];
  if (model === "") return { unknown: specification, known: all };
  if (functions.includes(name)) return { choice: { provider: { kind: "function", name }, model } };
  const provider = providerOf(name, ownValue(settings, name), ownValue(KNOWN_PROVIDERS, name), network);
  return provider === undefined ? { unknown: name, known: all } : { choice: { model, provider } };
}

/** Returns the provider. Returns `undefined` if the protocol or the address of the provider is unknown. */
function providerOf(
  name: string,
  said: ProviderSettings | undefined,
  known: Known | undefined,
  network: Network,
): Remote | undefined {
  const kind = said?.type ?? known?.kind;
  // With another protocol, a known provider's name means another server, which must not receive the key.
  const isWhereKnown = said?.baseUrl === undefined && kind === known?.kind;
  if (kind === undefined || (said?.baseUrl === undefined && !isWhereKnown)) return undefined;
  const baseUrl = (said?.baseUrl ?? known?.baseUrl)?.replace(/\/+$/, "");
  return {
    kind,
    name,
    ...(baseUrl === undefined ? {} : { baseUrl }),
    keyVariable: said?.apiKeyEnv === undefined ? (known?.keyVariable ?? null) : said.apiKeyEnv,
    streams: said?.stream ?? false,
    structured: said?.structured ?? (isWhereKnown ? known?.structured : undefined) ?? true,
    network: isWhereKnown ? "private" : network,
  };
}

function modelOfClaude(name: string): string {
  return ownValue(CLAUDE_ALIASES, name) ?? name;
}

function ownValue<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
