import type { IncomingHttpHeaders } from "node:http";
import type { DispatchOptions, JsonObject } from "../../src/index.ts";
import type { ModelFunction } from "../../src/models/model.ts";
import type { HookFunction, Layer } from "../../src/rule.ts";
import type { StubAnswer, StubRequest } from "../helpers/stub-model.ts";

/**
 * What an agent's documentation says of its hooks, as data: a configuration in the agent's own format, hooks that
 * behave in some way, an event, and what has to come of it.
 */

/** Makes the hooks of one case. Each run of one is counted under its name. */
export interface Kit {
  /** The case's own folder: the payload's `cwd`, and where the configuration stands. */
  readonly folder: string;
  /** A command line (for `sh -c`) that runs this shell text. */
  script(name: string, text: string): string;
  /** The URL of a web hook on this machine. */
  server(name: string, answer: ServerAnswer | ((request: HookRequest) => ServerAnswer)): string;
  /** The specification of a model that answers so, whatever it is asked. */
  model(name: string, answer: string | ModelFunction): string;
  /**
   * The specification of a model of a provider with this name, which stands on this machine and is asked over a socket.
   * The name of a known provider takes that one's place; otherwise it speaks as `openai` does. Each request counts.
   */
  stubModel(provider: string, answer: ModelServerAnswer, settings?: JsonObject): string;
  /** The name of a server of MCP tools: the process in test/fixtures/mcp, in one of its modes. Its starts count. */
  mcp(name: string, mode?: string): string;
  /** The name of one behind an address, with the tool `judge` that denies. */
  httpMcp(name: string): string;
  /** A git repository in the case's folder, with one commit of these files. The same one each time. */
  repository(files?: Readonly<Record<string, string>>): Repository;
  /** A file in the case's folder, by its full path. */
  file(name: string, text: string): string;
  /** The function, counted. */
  function(name: string, run: HookFunction): HookFunction;
}

export interface Repository {
  readonly top: string;
  git(...args: string[]): string;
  write(path: string, text: string): void;
}

/** A text is all that it says. */
export type ModelServerAnswer = string | StubAnswer | ((request: StubRequest) => string | StubAnswer);

export interface HookRequest {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type ServerAnswer =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** An object is sent as JSON. */
      readonly body?: string | JsonObject;
    }
  /** Never answers. */
  | "hangs"
  /** Closes the connection without a word. */
  | "hangs up";

/** A part of what is compared. A pattern stands for a text that it matches; keys that are not named do not matter, but `{}` is empty. */
export type Expected =
  | null
  | boolean
  | number
  | string
  | RegExp
  | readonly Expected[]
  | { readonly [key: string]: Expected };

export interface Expectation {
  /** Fields of the verdict, or of the last one when there are several events. */
  readonly verdict?: { readonly [field: string]: Expected };
  /** What the agent reads: its exit code, and its standard output (parsed, where it is JSON). */
  readonly reply?: { readonly stdout?: Expected; readonly stderr?: Expected; readonly exitCode?: number };
  /** How often each hook ran, async ones to their ends. Hooks that are not named do not matter. */
  readonly runs?: Readonly<Record<string, number>>;
  /** Codes of what is wrong with the configuration, all of them. */
  readonly problems?: readonly string[];
  /** The code with which the dispatch is refused as misuse. */
  readonly throws?: string;
}

interface Named {
  /** Unique. `A10/guard-warn-exit1` is one row of the matrix `A10`. */
  readonly id: string;
  readonly title: string;
  /** Of a row of a matrix: the title of the whole. */
  readonly matrix?: string;
}

export interface RunCase extends Named {
  /** Default: its family's. */
  readonly dialect?: string;
  /** Text goes into the file as it is; an object as JSON. */
  readonly config?: (kit: Kit) => string | JsonObject;
  /** Further files, each of its own layer. */
  readonly moreFiles?: (kit: Kit) => readonly { readonly layer: Layer; readonly config: string | JsonObject }[];
  /** Rules of the embedder's, added with `register`. */
  readonly registers?: (
    kit: Kit,
  ) => readonly { readonly event: string; readonly type: string; readonly [key: string]: unknown }[];
  /** Whose file it is. Default `user`: a web hook of a project's file may not send to this machine. */
  readonly layer?: Layer;
  /** Default `PreToolUse`. */
  readonly event?: string;
  /** Added to what every event of that name has. */
  readonly payload?: JsonObject | ((kit: Kit) => JsonObject);
  readonly options?: Omit<DispatchOptions, "signal">;
  /** The caller gives up then. */
  readonly cancelAfterMs?: number;
  /** How often the event is dispatched, one after another. Default once. */
  readonly times?: number;
  /** How many events of it are dispatched side by side, each time. Default one. */
  readonly atOnce?: number;
  /** One expectation: the default. Two: what is safer where the agent's page and its safety differ, and the page. */
  readonly expect: Expectation | BothWays | EitherWay;
}

/** Run both ways, with the same to come of it. */
export interface EitherWay {
  readonly either: Expectation;
}

export interface BothWays {
  readonly default: Expectation;
  readonly faithful: Expectation;
}

/** Tested where it belongs; a test there names the id. */
export interface CoveredCase extends Named {
  readonly coveredBy: string;
}

export interface LaterCase extends Named {
  /** Why not yet. */
  readonly later: string;
}

export type ConformanceCase = RunCase | CoveredCase | LaterCase;

export interface CaseFamily {
  readonly title: string;
  /** The page, and the part of it. */
  readonly source: string;
  /** How the expectations stand for what the source says in terms of its own. */
  readonly note?: string;
  readonly dialect: string;
  readonly cases: readonly ConformanceCase[];
}

export type Compat = "default" | "faithful";

export function isRun(one: ConformanceCase): one is RunCase {
  return "expect" in one;
}

/** How a case is run, and with which expectation. */
export function waysOf({ expect }: RunCase): readonly (readonly [Compat, Expectation])[] {
  if ("either" in expect) return BOTH.map((compat) => [compat, (expect as EitherWay).either]);
  if ("default" in expect) return BOTH.map((compat) => [compat, (expect as BothWays)[compat]]);
  return [["default", expect]];
}

const BOTH: readonly Compat[] = ["default", "faithful"];

export type { JsonObject };
