import type { AgentContract, Codec, Compat, RuleOrigin } from "./codec.ts";
import type { Problem } from "./errors.ts";
import type { RuleException } from "./exception.ts";
import type { Grants, Network, WasmLimits, WasmLock } from "./grants.ts";
import type { JsonObject } from "./json.ts";
import type { Layer } from "./layer-trust.ts";

/** A rule: one configured hook with its source, conditions, handler, limits and the meaning of a failure. */

/** The kinds of answers that a rule may give. */
export const ANSWERS = Object.freeze(["deny", "ask", "allow", "rewrite", "context"] as const);
export type Answer = (typeof ANSWERS)[number];

/** `block`: a failure closes the gate. `continue`: the agent goes on, with a message. `ignore`: without a message. */
export type OnFailure = "block" | "continue" | "ignore";
export type Mode = "enforce" | "monitor";
/**
 * Judges an event in the embedder's own process. Receives its own copy of the event. Returns the JSON that a command
 * hook would print, or nothing for "no opinion".
 */
export type HookFunction = (
  event: JsonObject,
  context: { readonly signal: AbortSignal },
) => JsonObject | null | undefined | Promise<JsonObject | null | undefined>;

/** The provider of a model. A rule names the variable that holds a key, never the key itself. */
export type ModelProvider =
  | {
      /** The protocol: Anthropic's Messages, or Chat Completions of OpenAI and compatible providers. */
      readonly kind: "anthropic" | "openai";
      /** The provider's part of a model name: NAME in `NAME/MODEL`. */
      readonly name: string;
      /** The base URL without a slash at the end. Default: the URL in the environment or in the client library. */
      readonly baseUrl?: string;
      /** The variable that holds the key. `null`: no key is sent. */
      readonly keyVariable: string | null;
      /** Whether the answer is streamed. */
      readonly streams: boolean;
      /** Whether the model accepts a JSON schema for its answer. */
      readonly structured: boolean;
      readonly network: Network;
    }
  /** A function of the embedder that answers instead of a provider. */
  | { readonly kind: "function"; readonly name: string };

export interface ModelChoice {
  readonly provider: ModelProvider;
  /** The provider's own name of the model. */
  readonly model: string;
}

/** How a model's answer is read: `ok` is a yes or no, `decision` a permission, `text` adds to the context. */
export type ModelAnswerForm = "ok" | "decision" | "text";

/** A server of MCP tools: a child process with standard streams, or a URL. */
export type McpServer =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** The working directory of the server. */
      readonly workingDir: string;
      /** Environment variables that the server does not inherit. */
      readonly withheld?: readonly string[];
    }
  | {
      readonly kind: "http";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly network: Network;
    };

/** What the user has approved of the files that a rule loads or runs. */
interface ApprovedParts {
  /** The copy of the module, which runs instead of the file in the project. */
  readonly module?: { readonly file: string; readonly sha256: string };
  /** The scripts of a command. */
  readonly scripts?: ApprovedScripts;
}

export interface ApprovedScripts {
  /** The project folder. Files outside of this folder are the user's own. */
  readonly project: string;
  /** The SHA-256 digests of the files that each word of the command may name in the project. */
  readonly digests: Readonly<Record<string, readonly string[]>>;
  /** The digests of the files that the script of a word loads, by their paths in the project. `null`: no such file. */
  readonly loads: Readonly<Record<string, Readonly<Record<string, string | null>>>>;
}

export type Handler =
  | {
      readonly type: "command";
      readonly command: string;
      /** If `args` is present, even empty, the program starts without a shell. */
      readonly args?: readonly string[];
      readonly shell?: "sh" | "bash" | "powershell";
      /** Variables that are added to the environment of the rule's dialect. */
      readonly env?: Readonly<Record<string, string>>;
      /** The working directory, relative to `baseDir`. Default: the codec's `startsAt`. */
      readonly workingDir?: string;
    }
  | {
      readonly type: "http";
      readonly url: string;
      /** `allowedEnvVars` lists the variables that replace `$NAME` and `${NAME}` in values. Others become empty. */
      readonly headers: Readonly<Record<string, string>>;
      readonly allowedEnvVars: readonly string[];
      readonly network: Network;
      /** Lists of URL patterns. The URL must match a pattern of each list. Default: no list. */
      readonly allowedUrls?: readonly (readonly string[])[];
    }
  /** Adds text and decides nothing. */
  | {
      readonly type: "context";
      readonly text: string;
      /** Whether the user's prompt replaces `{userMessage}` in the text. */
      readonly fillsUserMessage: boolean;
    }
  /** A function of the embedder. A file cannot contain such a rule. */
  | { readonly type: "function"; readonly run: HookFunction }
  | {
      readonly type: "wasm";
      /** A path relative to `baseDir`, or `builtin:NAME`. */
      readonly module: string;
      readonly sha256?: string;
      readonly function: string;
      readonly config: JsonObject;
      readonly limits: WasmLimits;
      /** The grants of the guard. Default: none. */
      readonly grants?: Grants;
      /** The module's entry in the lock file next to the rule's file. Absent if there is no lock file. */
      readonly locked?: WasmLock;
    }
  /** Asks a model one question. */
  | {
      readonly type: "model";
      /** The model as written in the configuration. `undefined`: the default model. */
      readonly model: string | undefined;
      /** The provider and model, determined after all layers are read. */
      readonly choice?: ModelChoice;
      readonly prompt: string;
      /** The language of the prompt: `$ARGUMENTS`, or Go's `text/template`. */
      readonly template: "arguments" | "go";
      readonly answer: ModelAnswerForm;
      /** Whether the agent may go on with another call after a "no". */
      readonly continueOnBlock: boolean;
      /** Whether secrets are removed from the prompt. */
      readonly redacts: boolean;
      /** The maximum length of the answer. */
      readonly maxTokens: number;
    }
  /** Asks a model that may read files in the working directory before it answers. */
  | {
      readonly type: "agent";
      readonly model: string | undefined;
      readonly choice?: ModelChoice;
      /** The prompt, which may contain `$ARGUMENTS`. */
      readonly prompt: string;
      readonly redacts: boolean;
      readonly maxTurns: number;
      /** The maximum number of tokens of all turns together, input and output. */
      readonly maxTokens: number;
    }
  /** Calls a tool of an MCP server. The tool's text is read like a command's output. */
  | {
      readonly type: "mcp_tool";
      readonly server: string;
      /** The server named `server`, determined after all layers are read. */
      readonly found?: McpServer;
      readonly tool: string;
      /** The tool's input. In its texts, a field of the event replaces `${PATH}`. */
      readonly input: JsonObject;
    }
  /** Runs a built-in hook; see `events/builtins.ts`. */
  | {
      readonly type: "builtin";
      readonly name: string;
      readonly args: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      /** The working directory, relative to the event's `cwd`. */
      readonly workingDir?: string;
      /** The addresses that a built-in hook may send to. */
      readonly network: Network;
      /** The provider and model of a built-in hook that asks one, determined after all layers are read. */
      readonly choice?: ModelChoice;
    }
  /**
   * A configured rule that could not be loaded. A broken rule still matches events and then fails, because a missing
   * guard must not open its gate.
   */
  | { readonly type: "broken"; readonly declaredType: string; readonly problem: Problem };

export type HandlerType = Handler["type"];
export type HandlerOf<Type extends HandlerType> = Extract<Handler, { readonly type: Type }>;

export interface AgentOfRule {
  readonly name: string;
  /** Whether the rule also applies to events without an agent, or with one that no equally trusted file defines. */
  readonly isDefault: boolean;
}

export interface Rule extends RuleOrigin {
  /** The rule's id, unique within an engine. */
  readonly id: string;
  /** The rule's name, shown in reasons, receipts and logs. */
  readonly name: string;
  /** Set if neither the rule nor its handler has a name. `name` is then the rule's place in its file. */
  readonly unnamed?: true;
  /** The canonical event, or `*` for a broken rule whose event is unknown. */
  readonly event: string;
  /** The matcher as written in the configuration. `undefined` matches everything. */
  readonly matcher: string | undefined;
  readonly handler: Handler;
  /** How many milliseconds the handler may work. Loading and waiting count only against the event's patience. */
  readonly timeoutMs: number;
  readonly onFailure: OnFailure | undefined;
  readonly mode: Mode;
  readonly may: readonly Answer[];
  readonly priority: number;
  /** Whether the rule runs in the background. The event does not wait for an async rule, which decides nothing. */
  readonly async: boolean;
  /** Whether exit code 2 of an async rule wakes the agent. */
  readonly rewakes?: boolean;
  /** The rule's `if`: a permission rule such as `Bash(git push *)` that the event must also match. */
  readonly condition?: string;
  /** The tools and the files that the event must be about. Both lists must match. */
  readonly filter?: { readonly tools?: readonly string[]; readonly paths?: readonly string[] };
  /** Set if the rule runs until it has succeeded once: in each session, or ever. */
  readonly once?: "session" | "forever";
  /** `preempt`: the rule is asked before permissions are checked; see `engine.toolCall`. */
  readonly lane?: "preempt";
  /** Whether unknown fields make the hook's reply invalid. */
  readonly strict?: boolean;
  /** The agent whose events the rule is for, in a file with several agents. */
  readonly agent?: AgentOfRule;
  /** Set if the rule is not in the file, because the agent adds the rule to each of its files. */
  readonly implied?: boolean;
  /** All configured fields as one text. An event runs only the first of several rules with the same identity. */
  readonly identity?: string;
  /** The dialect of the rule's file. */
  readonly dialect: string;
  readonly codec: Codec;
  readonly compat: Compat;
  /** The contract of the agent's version. Default: the newest. */
  readonly contract?: AgentContract;
  readonly layer: Layer;
  /** The exceptions from this rule, from files that are at least as trusted as the rule. Default: none. */
  readonly exceptions?: readonly RuleException[];
  /** The variables in which the configuration keeps keys of model providers. Default: none. */
  readonly keyVariables?: readonly string[];
  /** Set for rules of a repository's file, if the caller requires the user's approval of these files. */
  readonly approved?: ApprovedParts;
}
