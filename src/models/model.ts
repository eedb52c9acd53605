import type { JsonObject, JsonValue } from "../json.ts";
import type { Failure } from "../outcome.ts";

/** A question to a model and its answer, independent of the provider. */

export interface ToolCallOfModel {
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
}

export type ModelMessage =
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly ToolCallOfModel[] }
  /** The results of the previous answer's calls, one for each call. */
  | {
      readonly role: "results";
      readonly results: readonly { readonly id: string; readonly text: string; readonly isError: boolean }[];
    };

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of the tool's input, which must be an object. */
  readonly schema: JsonObject;
}

export interface ModelRequest {
  /** The provider's own name of the model. */
  readonly model: string;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly ModelTool[];
  /** Whether the model must call a tool. Default: a call is optional. */
  readonly mustCall?: boolean;
  /** The schema of the answer's text. Providers without this feature ignore it. */
  readonly schema?: { readonly name: string; readonly schema: JsonObject };
  /** The maximum length of the answer in tokens. */
  readonly maxTokens: number;
}

export interface ModelAnswer {
  readonly text: string;
  readonly calls: readonly ToolCallOfModel[];
  /** Why the answer ended. `length`: cut off at `maxTokens`. `refusal`: the provider or the model refused to answer. */
  readonly end: "done" | "calls" | "length" | "refusal";
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export type ModelResult =
  | { readonly ok: true; readonly answer: ModelAnswer }
  | { readonly ok: false; readonly failure: Failure };

/**
 * A model of the embedder, for rules that name it `NAME/MODEL`. A text is an answer without calls. An error becomes the
 * rule's failure. An answer after `signal` fired is ignored.
 */
export type ModelFunction = (
  request: ModelRequest,
  context: { readonly signal: AbortSignal },
) => Promise<ModelAnswer | string>;
