import type { JsonObject, JsonValue } from "../event.ts";
import type { Failure } from "../outcome.ts";

/** A question to a model, and its answer, in no provider's words. */

export interface ToolCallOfModel {
  readonly id: string;
  readonly name: string;
  readonly input: JsonValue;
}

export type ModelMessage =
  | { readonly role: "user"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly ToolCallOfModel[] }
  /** What the calls of the answer before it came to, one for each. */
  | {
      readonly role: "results";
      readonly results: readonly { readonly id: string; readonly text: string; readonly isError: boolean }[];
    };

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its input: an object's. */
  readonly schema: JsonObject;
}

export interface ModelRequest {
  /** The provider's own name for it. */
  readonly model: string;
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools?: readonly ModelTool[];
  /** Whether it must call a tool. Default: it may. */
  readonly mustCall?: boolean;
  /** What the text of the answer is to fit. Providers that cannot be held to it ignore it. */
  readonly schema?: { readonly name: string; readonly schema: JsonObject };
  /** Most that the answer may be long. */
  readonly maxTokens: number;
}

export interface ModelAnswer {
  readonly text: string;
  readonly calls: readonly ToolCallOfModel[];
  /** `length`: cut off at `maxTokens`. `refusal`: the provider or the model would not answer. */
  readonly end: "done" | "calls" | "length" | "refusal";
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export type ModelResult =
  | { readonly ok: true; readonly answer: ModelAnswer }
  | { readonly ok: false; readonly failure: Failure };

/**
 * A model of the embedder's, for rules that name it `NAME/MODEL`. A text is an answer without calls. What it throws is
 * the rule's failure; an answer after `signal` counts for nothing.
 */
export type ModelFunction = (
  request: ModelRequest,
  context: { readonly signal: AbortSignal },
) => Promise<ModelAnswer | string>;
