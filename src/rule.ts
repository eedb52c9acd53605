import type { Codec } from "./codec.ts";
import type { Place, Problem } from "./errors.ts";
import type { JsonObject } from "./event.ts";

/** One configured hook: where it comes from, when it applies, what runs, its limits and what its failure means. */

/** In the order in which their rules count. How far each is trusted is another matter: see {@link trustOf}. */
export const LAYERS = ["managed", "user", "project", "local", "session", "command-line"] as const;
export type Layer = (typeof LAYERS)[number];

const TRUST: Readonly<Record<Layer, number>> = {
  managed: 2,
  // What a program registers, or its command line names, ranks with the user's own files.
  ...{ user: 1, session: 1, "command-line": 1 },
  ...{ project: 0, local: 0 },
};

/**
 * Higher is more trusted. Nothing in a file of lower trust weakens, silences or starves a rule of higher trust: not a
 * setting, not a rule, not the room and the time that its rules take.
 */
export function trustOf(layer: Layer): number {
  return TRUST[layer];
}

/** A copy of the rules, in their order within each degree of trust. */
export function mostTrustedFirst(rules: readonly Rule[]): readonly Rule[] {
  return [...rules].sort((one, other) => trustOf(other.layer) - trustOf(one.layer));
}

export type Side = "own" | "project";

/** Which of two limits a rule counts against: rules of project files have one limit together, and all other rules another. */
export function sideOf({ layer }: { readonly layer: Layer }): Side {
  return mayComeWithRepository(layer) ? "project" : "own";
}

/** Whether files of the layer may come with a repository. Their rules must not reach the user's private networks and secrets. */
export function mayComeWithRepository(layer: Layer): boolean {
  return trustOf(layer) === 0;
}

/** The kinds of answer that a rule may give. */
export const ANSWERS = Object.freeze(["deny", "ask", "allow", "rewrite", "context"] as const);
export type Answer = (typeof ANSWERS)[number];

/** `ignore` goes on like `continue`, without a word. */
export type OnFailure = "block" | "continue" | "ignore";
export type Mode = "enforce" | "monitor";
/** Where an agent's failure rules leave a gate open: `safer` closes it, `faithful` does as the agent's own page says. */
export type Compat = "safer" | "faithful";

/** Which of an agent's contracts its hooks were written for, where the agent has changed it: the first version that had it. */
export type AgentContract = "2.1.240" | "2.1.295";

export interface WasmLimits {
  /** Most that the guest's linear memory may grow to. */
  readonly memoryBytes: number;
  /** Work that a call may do, in units of the cost model; more for longer events. */
  readonly fuel: number;
  readonly fuelPerInputByte: number;
  /** Room on the stack for nested calls, in 8-byte slots as the cost model counts them. */
  readonly depth: number;
  /** Most that an answer may be long. */
  readonly outputBytes: number;
}

/** What a rule's author gives a guard beyond reading the event and its `config`, answering and logging. */
export interface Grants {
  readonly hosts?: HostsGrant;
  readonly paths?: readonly PathGrant[];
  readonly state?: StateGrant;
  /** `fixed`: the same moment in every call. */
  readonly clock?: "fixed" | "real";
  /** `seeded`: the same numbers for the same event. */
  readonly random?: "seeded" | "real";
  /** The system interface of WASI toolchains: streams, arguments, and whatever the other grants give. */
  readonly wasi?: boolean;
}

/** Whom a guard may send requests to. */
export interface HostsGrant {
  /** `https://NAME`, `https://NAME:PORT` or with `http:`; a NAME may begin with `*.`, for all names that end so. */
  readonly allow: readonly string[];
  readonly network: Network;
  /** Most requests of one call, redirects included. */
  readonly maxCalls: number;
  /** Most that all answers of one call may be long, together. */
  readonly responseBytes: number;
}

/** A file, or a folder with all that is in it. */
export interface PathGrant {
  /** As the guard names it. */
  readonly name: string;
  /** Where that is: absolute. */
  readonly path: string;
  /** As its configuration has it, from the folder of the file on: the same on every machine that has the file. */
  readonly written?: string;
  readonly access: "read" | "write";
  /**
   * The folder, absolute and without links, that `path` must lie in when it is opened: of a configuration that may come
   * with a repository, whose links can be exchanged after it was read.
   */
  readonly within?: string;
  /** For writing: where `path` led when its rule was read, without links. Nothing is written where it leads elsewhere. */
  readonly location?: string;
  /** For writing: the folder of the file that grants it, and that file, which must not lie in what is granted. */
  readonly apart?: readonly string[];
}

/** Variables of one rule in one session. */
export interface StateGrant {
  readonly maxKeys: number;
  /** Of all keys and values together. */
  readonly maxBytes: number;
}

/** The part of a lock file's entry that a module is held to. */
export interface LockedModule {
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string;
  /** `MODULE NAME` of each import. */
  readonly imports: readonly string[];
  /** All that any rule granted it, a line each. Default: nothing. */
  readonly grants?: readonly string[];
}

/** `missing`: there is a lock file, and the module is not in it. */
export type WasmLock = LockedModule | "missing" | "unreadable";

/**
 * Which addresses a rule may send to. `public`: the internet only. `loopback`: this machine, too. `private`: any address
 * but those of cloud metadata.
 */
export type Network = "public" | "loopback" | "private";

/**
 * Judges an event in the embedder's own process. Gets a copy of the event of its own, and gives what a command hook
 * would print, or nothing for "no opinion".
 */
export type HookFunction = (
  event: JsonObject,
  context: { readonly signal: AbortSignal },
) => JsonObject | null | undefined | Promise<JsonObject | null | undefined>;

/** Who answers for a model. A rule names the variable that holds a key, and never the key. */
export type ModelProvider =
  | {
      /** The protocol that is spoken: Anthropic's Messages, or Chat Completions as OpenAI and many others have them. */
      readonly kind: "anthropic" | "openai";
      /** As specifications name it: `NAME/MODEL`. */
      readonly name: string;
      /** Without a final slash. `undefined`: what the environment or the client library says. */
      readonly baseUrl?: string;
      /** The variable that holds the key; `null`: none is sent. */
      readonly keyVariable: string | null;
      /** Whether the answer is read as it is made. */
      readonly streams: boolean;
      /** Whether the model can be held to a JSON schema. */
      readonly structured: boolean;
      readonly network: Network;
    }
  /** A function of the embedder's, by its name. */
  | { readonly kind: "function"; readonly name: string };

export interface ModelChoice {
  readonly provider: ModelProvider;
  /** The provider's own name for the model. */
  readonly model: string;
}

/** How a model's answer is read: a judge's yes or no, a permission, or text for the agent's context. */
export type ModelAnswerForm = "ok" | "decision" | "text";

/** A server of MCP tools: a process of ours that speaks over its standard streams, or an address. */
export type McpServer =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** Where it starts. */
      readonly workingDir: string;
      /** Variables that it does not inherit, though it inherits others. */
      readonly withheld?: readonly string[];
    }
  | {
      readonly kind: "http";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly network: Network;
    };

export type Handler =
  | {
      readonly type: "command";
      readonly command: string;
      /** Present (even empty) selects the exec form: no shell. */
      readonly args?: readonly string[];
      readonly shell?: "sh" | "bash" | "powershell";
      /** Added to the environment that the rule's dialect gives. */
      readonly env?: Readonly<Record<string, string>>;
      /** Relative to `baseDir`. Default: as the rule's codec says. */
      readonly workingDir?: string;
    }
  | {
      readonly type: "http";
      readonly url: string;
      /** `$NAME` and `${NAME}` in values stand for the variables that `allowedEnvVars` lists; others for nothing. */
      readonly headers: Readonly<Record<string, string>>;
      readonly allowedEnvVars: readonly string[];
      readonly network: Network;
      /** Lists of patterns: the URL must fit one of each list. `undefined`: no list was set. */
      readonly allowedUrls?: readonly (readonly string[])[];
    }
  /** Adds text, and decides nothing. */
  | {
      readonly type: "context";
      readonly text: string;
      /** Whether `{userMessage}` in the text stands for the user's prompt. */
      readonly fillsUserMessage: boolean;
    }
  /** Code of the embedder's. Such a rule cannot come from a file. */
  | { readonly type: "function"; readonly run: HookFunction }
  | {
      readonly type: "wasm";
      /** A path relative to `baseDir`, or `builtin:NAME`. */
      readonly module: string;
      readonly sha256?: string;
      readonly function: string;
      readonly config: JsonObject;
      readonly limits: WasmLimits;
      /** Default: none. */
      readonly grants?: Grants;
      /** What was reviewed of the module, if a lock file stands beside the rule's own. */
      readonly locked?: WasmLock;
    }
  /** One question to a model. */
  | {
      readonly type: "model";
      /** As written; `undefined`: the default. */
      readonly model: string | undefined;
      /** Who is asked; found when all layers are known. */
      readonly choice?: ModelChoice;
      readonly prompt: string;
      /** What the prompt is written in: `$ARGUMENTS`, or Go's `text/template`. */
      readonly template: "arguments" | "go";
      readonly answer: ModelAnswerForm;
      /** Whether a "no" leaves the agent to go on with another call. */
      readonly continueOnBlock: boolean;
      /** Whether secrets are taken out of what is sent. */
      readonly redacts: boolean;
      /** Most that the answer may be long. */
      readonly maxTokens: number;
    }
  /** A model that may look around in the working directory before it answers. */
  | {
      readonly type: "agent";
      readonly model: string | undefined;
      readonly choice?: ModelChoice;
      /** With `$ARGUMENTS`. */
      readonly prompt: string;
      readonly redacts: boolean;
      readonly maxTurns: number;
      /** Of all turns together, in and out. */
      readonly maxTokens: number;
    }
  /** A tool of an MCP server, whose text is read as a command's output. */
  | {
      readonly type: "mcp_tool";
      readonly server: string;
      /** What that name stands for; found when all layers are known. */
      readonly found?: McpServer;
      readonly tool: string;
      /** `${PATH}` in its texts stands for a field of the event. */
      readonly input: JsonObject;
    }
  /** A function of our own; see `events/builtins.ts`. */
  | {
      readonly type: "builtin";
      readonly name: string;
      readonly args: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
      /** Relative to the event's `cwd`. */
      readonly workingDir?: string;
      /** Where those that send something may send it. */
      readonly network: Network;
      /** Whom those ask that ask a model; found when all layers are known. */
      readonly choice?: ModelChoice;
    }
  /**
   * A configured rule that could not be loaded. It still matches, and fails by name when it does: a guard that is
   * configured and missing is not the same as no guard.
   */
  | { readonly type: "broken"; readonly declaredType: string; readonly problem: Problem };

export type HandlerType = Handler["type"];

export interface AgentOfRule {
  readonly name: string;
  /** The rule is also for events that name no agent, or one that no file as trusted as the rule's has. */
  readonly isDefault: boolean;
}

export interface Rule {
  /** Unique within an engine. */
  readonly id: string;
  /** Shown in reasons, receipts and logs. */
  readonly name: string;
  /** Nobody gave the rule a name, nor does its handler have one: `name` says where it stands. */
  readonly unnamed?: true;
  /** Canonical event, or `*` for a broken rule whose event cannot be known. */
  readonly event: string;
  /** The matcher as written; `undefined` matches everything. */
  readonly matcher: string | undefined;
  readonly handler: Handler;
  /**
   * Milliseconds that the handler may work. Loading and waiting for a turn do not count; they are bounded by the event's
   * patience.
   */
  readonly timeoutMs: number;
  readonly onFailure: OnFailure | undefined;
  readonly mode: Mode;
  readonly may: readonly Answer[];
  readonly priority: number;
  /** Starts and is not waited for; never carries a decision. */
  readonly async: boolean;
  /** An async rule whose exit code 2 wakes the agent up. */
  readonly rewakes?: boolean;
  /** A permission rule that the event must fit as well, such as `Bash(git push *)`. */
  readonly condition?: string;
  /** Which tools and files the event must be about; both must fit. */
  readonly filter?: { readonly tools?: readonly string[]; readonly paths?: readonly string[] };
  /** Runs until it has succeeded once: in a session, or ever. */
  readonly once?: "session" | "forever";
  /** `preempt`: asked before permissions are looked at; see `engine.toolCall`. */
  readonly lane?: "preempt";
  /** The hook's own replies are read strictly. */
  readonly strict?: boolean;
  /** In a file with several agents: the one whose events the rule is for. */
  readonly agent?: AgentOfRule;
  /** Nobody wrote it: the agent adds it to each of its files. */
  readonly implied?: boolean;
  /** Everything that was configured, as one text: of rules with the same one, an event runs the first. */
  readonly identity?: string;
  /** The dialect whose file the rule was written in. Rules of `hookbox` are the engine's own. */
  readonly dialect: string;
  readonly codec: Codec;
  readonly compat: Compat;
  /** Default: the newest. */
  readonly contract?: AgentContract;
  readonly layer: Layer;
  /** Variables that hold keys to model providers, by what the configuration says. Default: none that it names. */
  readonly keyVariables?: readonly string[];
  readonly place: Place | undefined;
  /** Relative paths and commands are resolved against this folder. */
  readonly baseDir: string;
}
