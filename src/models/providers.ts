import type { ModelChoice, ModelProvider, Network } from "../rule.ts";

/** Providers that are known by name, and what a configuration may say of them and of others. */

/** What a configuration says of a provider. */
export interface ProviderSettings {
  /** The protocol. Default: that of the known provider of that name. */
  readonly type?: "anthropic" | "openai";
  readonly baseUrl?: string;
  /** `null`: no key is sent. */
  readonly apiKeyEnv?: string | null;
  readonly stream?: boolean;
  readonly structured?: boolean;
}

type Known = Pick<ModelProvider & { kind: "anthropic" | "openai" }, "kind" | "baseUrl" | "keyVariable">;

/** Without an address: what the provider's own client takes, or its usual variable says. */
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
  groq: { kind: "openai", baseUrl: "https://api.groq.com/openai/v1", keyVariable: "GROQ_API_KEY" },
  deepseek: { kind: "openai", baseUrl: "https://api.deepseek.com", keyVariable: "DEEPSEEK_API_KEY" },
  openrouter: { kind: "openai", baseUrl: "https://openrouter.ai/api/v1", keyVariable: "OPENROUTER_API_KEY" },
  /** Docker Model Runner, and Ollama: on this machine, without a key. */
  dmr: { kind: "openai", baseUrl: "http://localhost:12434/engines/v1", keyVariable: null },
  ollama: { kind: "openai", baseUrl: "http://localhost:11434/v1", keyVariable: null },
};

/** Small and fast: what a rule is asked by that names no model. */
export const DEFAULT_MODEL = "anthropic/claude-haiku-4-5";

/** One-word names that Claude Code's hooks may use. */
const CLAUDE_ALIASES: Readonly<Record<string, string>> = {
  haiku: "claude-haiku-4-5",
  sonnet: "claude-sonnet-4-5",
  opus: "claude-opus-4-5",
};

export type Chosen = { readonly choice: ModelChoice } | { readonly unknown: string; readonly known: readonly string[] };

/**
 * `NAME/MODEL` -> who is asked for what. A name without a provider is one of Claude's. `network` bounds the providers of
 * the configuration; the known ones are where they are.
 */
export function chooseModel(
  specification: string,
  settings: Readonly<Record<string, ProviderSettings>>,
  functions: readonly string[],
  network: Network,
): Chosen {
  const slash = specification.indexOf("/");
  const name = slash < 0 ? "anthropic" : specification.slice(0, slash);
  const model = slash < 0 ? (CLAUDE_ALIASES[specification] ?? specification) : specification.slice(slash + 1);
  if (functions.includes(name)) return { choice: { provider: { kind: "function", name }, model } };
  const known = Object.hasOwn(KNOWN_PROVIDERS, name) ? KNOWN_PROVIDERS[name] : undefined;
  const said = Object.hasOwn(settings, name) ? settings[name] : undefined;
  const kind = said?.type ?? known?.kind;
  if (kind === undefined || (known === undefined && said?.baseUrl === undefined)) {
    const all = [...new Set([...functions, ...Object.keys(settings), ...Object.keys(KNOWN_PROVIDERS)])];
    return { unknown: name, known: all };
  }
  const baseUrl = (said?.baseUrl ?? known?.baseUrl)?.replace(/\/+$/, "");
  const keyVariable = said?.apiKeyEnv === undefined ? (known?.keyVariable ?? null) : said.apiKeyEnv;
  return {
    choice: {
      model,
      provider: {
        kind,
        name,
        ...(baseUrl === undefined ? {} : { baseUrl }),
        keyVariable,
        streams: said?.stream ?? false,
        structured: said?.structured ?? true,
        network,
      },
    },
  };
}
