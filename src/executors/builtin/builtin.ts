import type { HookEvent, JsonObject } from "../../event.ts";
import type { Models } from "../../models/models.ts";
import type { PostRequest, PostResult } from "../../net/http-client.ts";
import type { Failure, FailureKind } from "../../outcome.ts";
import type { Variables } from "../../processes/environment.ts";
import type { Program, ProgramEnding } from "../../processes/run-program.ts";
import type { Layer, ModelChoice, Network } from "../../rule.ts";
import type { StopSignal } from "../../stop-signal.ts";
import type { SpillFolder } from "./spill-folders.ts";

/** A hook of our own: what it is asked, what it may use, and what it may say. */

export interface BuiltinHook {
  /** Why it cannot do anything with these args; asked before the first event, and never for the wrong number of them. */
  problemOf?(args: readonly string[], terms: BuiltinTerms): string | undefined;
  readonly run: BuiltinFunction;
}

export type BuiltinFunction = (call: BuiltinCall) => Promise<BuiltinAnswer>;

/** What a rule says besides its args. */
export interface BuiltinTerms {
  /** A rule of the layer `project` may come with a repository. */
  readonly layer: Layer;
  /** Where it may send something. */
  readonly network: Network;
}

export interface BuiltinCall extends BuiltinTerms {
  /** In canonical words. */
  readonly event: HookEvent;
  /** The event as a command hook of the rule would read it; `undefined` when no JSON can hold it. */
  hookInput(): JsonObject | undefined;
  readonly args: readonly string[];
  /** An absolute path. Not certain to be a folder. */
  readonly workingDir: string;
  /**
   * What may be read of our environment, with what the rule adds. For a rule that may come with a repository it is the
   * short list that every child process gets.
   */
  readonly env: Variables;
  /** The user's home folder. */
  readonly home: string;
  /** Empty when the event names none. */
  readonly sessionId: string;
  /** Fires at the deadline, when the caller gives up and when the engine closes; `reason` is a `Failure`. */
  readonly stop: StopSignal;
  /** Milliseconds until that deadline, as the call begins. */
  readonly timeLeftMs: number;
  /** Of a hook that asks a model: which one. */
  readonly choice: ModelChoice | undefined;
  readonly tools: BuiltinTools;
}

export interface BuiltinTools {
  /** Runs a program without a shell, in the working directory if nothing else is said. It ends with the call. */
  run(file: string, args: readonly string[], options?: RunOptions): Promise<ProgramEnding>;
  /** Posts JSON to where the rule may send something. */
  post(request: PostOptions): Promise<PostResult>;
  readonly models: Models;
  now(): Date;
  /** A folder of the session's own for what is too long to be shown; `undefined` when there can be none. */
  spillFolder(sessionId: string): Promise<SpillFolder | undefined>;
  /** Where things are kept from one session to the next. May not exist yet. */
  readonly dataFolder: string;
}

export type RunOptions = Partial<Pick<Program, "cwd" | "env" | "input" | "stdoutBytes">>;

export interface PostOptions extends Pick<PostRequest, "url" | "body" | "allowedUrls"> {
  readonly headers?: Readonly<Record<string, string>>;
  /** In the place of the rule's. */
  readonly network?: Network;
  /** Less than what is left of the rule's own time. */
  readonly timeoutMs?: number;
}

export type BuiltinAnswer =
  | {
      readonly ok: true;
      /** As a command hook would print it. `hookSpecificOutput` need not name its event. */
      readonly reply?: JsonObject;
      /** What went wrong without being a failure, one line each, for the receipt. */
      readonly notes?: readonly string[];
    }
  | { readonly ok: false; readonly failure: Failure };

/** No opinion, and why if somebody asks. */
export function silent(...notes: readonly string[]): BuiltinAnswer {
  return { ok: true, notes };
}

/** Text for the agent; nothing when it is blank. */
export function addText(text: string, ...notes: readonly string[]): BuiltinAnswer {
  if (text.trim() === "") return silent(...notes);
  return { ok: true, reply: { hookSpecificOutput: { additionalContext: text } }, notes };
}

export function failed(kind: FailureKind, message: string): BuiltinAnswer {
  return { ok: false, failure: { kind, message } };
}
