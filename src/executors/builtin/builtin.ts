import type { HookEvent } from "../../event.ts";
import type { Network } from "../../grants.ts";
import type { JsonObject } from "../../json.ts";
import type { Layer } from "../../layer-trust.ts";
import type { Models } from "../../models/models.ts";
import type { PostRequest, PostResult } from "../../net/http-client.ts";
import type { Failure, FailureKind } from "../../outcome.ts";
import type { Variables } from "../../processes/environment.ts";
import type { Program, ProgramEnding } from "../../processes/run-program.ts";
import type { ModelChoice } from "../../rule.ts";
import type { StopSignal } from "../../stop-signal.ts";
import type { SpillFolder } from "./spill-folders.ts";

/** The interface of a built-in hook: its call, its tools and its answer. */

export interface BuiltinHook {
  /**
   * Returns why the hook cannot work with these arguments. Called before the first event, and only with an allowed
   * number of arguments.
   */
  problemOf?(args: readonly string[], context: BuiltinContext): string | undefined;
  readonly run: BuiltinFunction;
}

export type BuiltinFunction = (call: BuiltinCall) => Promise<BuiltinAnswer>;

/** Settings of a rule other than the arguments. */
interface BuiltinContext {
  /** The layer of the rule. A rule of the layer `project` may come with a repository. */
  readonly layer: Layer;
  /** The addresses to which the rule may send data. */
  readonly network: Network;
}

export interface BuiltinCall extends BuiltinContext {
  /** The event with canonical names. */
  readonly event: HookEvent;
  /** Returns the event as a command hook would read it. `undefined`: JSON cannot express the event. */
  hookInput(): JsonObject | undefined;
  readonly args: readonly string[];
  /** The working directory as an absolute path, which may not exist. */
  readonly workingDir: string;
  /**
   * The readable variables of hookbox's environment, and the variables that the rule sets. A rule that may come with a
   * repository gets only the short list that every child process gets.
   */
  readonly env: Variables;
  /** The user's home folder. */
  readonly home: string;
  /** The id of the session. Empty if the event has none. */
  readonly sessionId: string;
  /** Fires at the timeout, when the caller cancels, and when the engine closes. `reason` is a `Failure`. */
  readonly stop: StopSignal;
  /** Milliseconds from the start of the call to the timeout. */
  readonly timeLeftMs: number;
  /** The model, for a hook that asks one. */
  readonly choice: ModelChoice | undefined;
  readonly tools: BuiltinTools;
}

export interface BuiltinTools {
  /** Runs a program without a shell. Default folder: the working directory. The program ends with the call. */
  run(file: string, args: readonly string[], options?: RunOptions): Promise<ProgramEnding>;
  /** Posts JSON to an address to which the rule may send data. */
  post(request: PostOptions): Promise<PostResult>;
  readonly models: Models;
  now(): Date;
  /** Returns a folder of the session for long texts. `undefined`: the folder cannot be created. */
  spillFolder(sessionId: string): Promise<SpillFolder | undefined>;
  /** The folder for data that is kept between sessions. The folder may not exist yet. */
  readonly dataFolder: string;
}

type RunOptions = Partial<Pick<Program, "cwd" | "env" | "input" | "stdoutBytes">>;

export interface PostOptions extends Pick<PostRequest, "url" | "body" | "allowedUrls"> {
  readonly headers?: Readonly<Record<string, string>>;
  /** The network of the request. Overrides the rule's own setting. */
  readonly network?: Network;
  /** The timeout in milliseconds. Default: the rest of the rule's timeout. */
  readonly timeoutMs?: number;
}

export type BuiltinAnswer =
  | {
      readonly ok: true;
      /** The reply, like the output of a command hook. `hookSpecificOutput` need not name its event. */
      readonly reply?: JsonObject;
      /** Problems that are not failures, one line each, for the receipt. */
      readonly notes?: readonly string[];
    }
  | { readonly ok: false; readonly failure: Failure };

/** Returns no opinion. `notes` are for the receipt. */
export function silent(...notes: readonly string[]): BuiltinAnswer {
  return { ok: true, notes };
}

/** Adds text for the agent. A blank text adds nothing. */
export function addText(text: string, ...notes: readonly string[]): BuiltinAnswer {
  if (text.trim() === "") return silent(...notes);
  return { ok: true, reply: { hookSpecificOutput: { additionalContext: text } }, notes };
}

export function failed(kind: FailureKind, message: string): BuiltinAnswer {
  return { ok: false, failure: { kind, message } };
}
