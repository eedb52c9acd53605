import type { IncomingHttpHeaders } from "node:http";
import type { DispatchOptions, JsonObject } from "../../src/index.ts";
import type { Layer } from "../../src/layer-trust.ts";
import type { ModelFunction } from "../../src/models/model.ts";
import type { HookFunction } from "../../src/rule.ts";
import type { StubAnswer, StubRequest } from "../helpers/stub-model.ts";

/**
 * What an agent's documentation says about its hooks, as data: a configuration in the agent's own format, hooks with
 * some behaviour, an event, and the expected result.
 */

/** Creates the hooks of one case. Each run of a hook is counted under its name. */
export interface Kit {
  /** The case's own folder: the payload's `cwd`, which also contains the configuration. */
  readonly folder: string;
  /** A command line (for `sh -c`) that runs this shell text. */
  script(name: string, text: string): string;
  /** The URL of a web hook on this machine. */
  server(name: string, answer: ServerAnswer | ((request: HookRequest) => ServerAnswer)): string;
  /** Returns the specification of a model with this answer to every request. */
  model(name: string, answer: string | ModelFunction): string;
  /**
   * Returns the specification of a model of a provider with this name on this machine, which is asked over a socket.
   * The name of a known provider replaces that provider; otherwise it uses the protocol of `openai`. Each request
   * counts.
   */
  stubModel(provider: string, answer: ModelServerAnswer, settings?: JsonObject): string;
  /** Returns the name of an MCP server: the process in test/fixtures/mcp, in one of its modes. Its starts count. */
  mcp(name: string, mode?: string): string;
  /** Returns the name of an MCP server behind an address, with the tool `judge` that denies. */
  httpMcp(name: string): string;
  /** Returns a git repository in the case's folder, with one commit of these files. The same one each time. */
  repository(files?: Readonly<Record<string, string>>): Repository;
  /** Writes a file in the case's folder, and returns its full path. */
  file(name: string, text: string): string;
  /** Returns the function, with its calls counted. */
  function(name: string, run: HookFunction): HookFunction;
}

export interface Repository {
  readonly top: string;
  git(...args: string[]): string;
  write(path: string, text: string): void;
}

/** A text is the whole answer. */
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

/**
 * A partial expectation. A pattern stands for a text that it matches; keys that are not named are ignored, but `{}`
 * means empty.
 */
export type Expected =
  | null
  | boolean
  | number
  | string
  | RegExp
  | readonly Expected[]
  | { readonly [key: string]: Expected };

export interface Expectation {
  /** Fields of the verdict, or of the last one if there are several events. */
  readonly verdict?: { readonly [field: string]: Expected };
  /** What the agent reads: exit code and standard output (parsed if it is JSON). */
  readonly reply?: { readonly stdout?: Expected; readonly stderr?: Expected; readonly exitCode?: number };
  /** How often each hook ran, including async ones. Hooks that are not named are ignored. */
  readonly runs?: Readonly<Record<string, number>>;
  /** Codes of all problems of the configuration. */
  readonly problems?: readonly string[];
  /** The error code with which the dispatch throws. */
  readonly throws?: string;
}

interface Named {
  /** Unique. `A10/guard-warn-exit1` is one row of the matrix `A10`. */
  readonly id: string;
  readonly title: string;
  /** For a row of a matrix: the title of the whole matrix. */
  readonly matrix?: string;
}

export interface RunCase extends Named {
  /** Default: its family's. */
  readonly dialect?: string;
  /** Text is written to the file unchanged; an object as JSON. */
  readonly config?: (kit: Kit) => string | JsonObject;
  /** Further files, each in its own layer. */
  readonly moreFiles?: (kit: Kit) => readonly { readonly layer: Layer; readonly config: string | JsonObject }[];
  /** Rules of the embedder's, added with `register`. */
  readonly registers?: (
    kit: Kit,
  ) => readonly { readonly event: string; readonly type: string; readonly [key: string]: unknown }[];
  /** The layer of the file. Default `user`, because a web hook of a project's file may not send to this machine. */
  readonly layer?: Layer;
  /** Default `PreToolUse`. */
  readonly event?: string;
  /** Added to the payload that every event of that name has. */
  readonly payload?: JsonObject | ((kit: Kit) => JsonObject);
  readonly options?: Omit<DispatchOptions, "signal">;
  /** The caller cancels after this time. */
  readonly cancelAfterMs?: number;
  /** How often the event is dispatched, one after another. Default: once. */
  readonly times?: number;
  /** How many events are dispatched at the same time, each time. Default: one. */
  readonly atOnce?: number;
  /** One expectation: for the default. Two: the safer default, and the page, if they differ. */
  readonly expect: Expectation | BothWays | EitherWay;
}

/** Runs both ways, with the same expected result. */
export interface EitherWay {
  readonly either: Expectation;
}

export interface BothWays {
  readonly default: Expectation;
  readonly faithful: Expectation;
}

/** A case that another test covers; that test names the id. */
export interface CoveredCase extends Named {
  readonly coveredBy: string;
}

interface LaterCase extends Named {
  /** Why the case does not run yet. */
  readonly later: string;
}

export type ConformanceCase = RunCase | CoveredCase | LaterCase;

export interface CaseFamily {
  readonly title: string;
  /** The page, and the section. */
  readonly source: string;
  /** How the expectations express what the source says in its own terms. */
  readonly note?: string;
  readonly dialect: string;
  readonly cases: readonly ConformanceCase[];
}

export type Compat = "default" | "faithful";

export function isRun(one: ConformanceCase): one is RunCase {
  return "expect" in one;
}

/** Returns the ways in which a case runs, each with its expectation. */
export function waysOf({ expect }: RunCase): readonly (readonly [Compat, Expectation])[] {
  if ("either" in expect) return BOTH.map((compat) => [compat, (expect as EitherWay).either]);
  if ("default" in expect) return BOTH.map((compat) => [compat, (expect as BothWays)[compat]]);
  return [["default", expect]];
}

const BOTH: readonly Compat[] = ["default", "faithful"];

export type { JsonObject };
