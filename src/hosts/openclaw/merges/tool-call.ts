import { type ApprovalRequest, readApproval } from "../approval-request.ts";
import { isolatedCopy } from "../isolation.ts";
import type { HookEventData } from "../plugin-entry.ts";
import { flag, isObject, MalformedResult, type Merge, text } from "./merge.ts";

export interface BeforeToolCallResult {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly block?: true;
  readonly blockReason?: string;
  readonly requireApproval?: ApprovalRequest;
}

/**
 * Merges rewrites field by field until a handler asks for approval. Later handlers cannot change `params`, because the
 * question is about these values. Only the first question counts. A later block still counts, and a block ends the
 * sequence of handlers.
 */
export class ToolCallMerge implements Merge<BeforeToolCallResult> {
  #result: BeforeToolCallResult | undefined;

  get result(): BeforeToolCallResult | undefined {
    return this.#result;
  }

  /**
   * Returns the event with the parameters as they would run. Otherwise no handler would judge a rewrite by a handler
   * with a higher priority.
   */
  shown(original: HookEventData): HookEventData {
    const params = this.#result?.params;
    return params === undefined ? original : { ...original, params: { ...(original["params"] as object), ...params } };
  }

  take(result: Readonly<Record<string, unknown>>, pluginId: string): boolean {
    return this.#take(result, pluginId, this.#result?.requireApproval !== undefined);
  }

  /**
   * Takes the operator's own rules. They may still change the call, because the user has not been asked yet and will
   * see the changed call.
   */
  takeLast(result: Readonly<Record<string, unknown>>, pluginId: string): boolean {
    return this.#take(result, pluginId, false);
  }

  #take(result: Readonly<Record<string, unknown>>, pluginId: string, isFrozen: boolean): boolean {
    const blocks = flag(result, "block");
    const blockReason = text(result, "blockReason");
    const { params, requireApproval } = result;
    if (params !== undefined && !isObject(params)) throw new MalformedResult("params must be an object");
    const asked = requireApproval === undefined ? undefined : readApproval(requireApproval, pluginId);
    const before = this.#result ?? {};
    const rest = {
      // The parameters are copied, because the handler may change the object that it returned.
      ...(params === undefined || isFrozen ? {} : { params: { ...before.params, ...isolatedCopy(params, "params") } }),
      ...(asked === undefined || before.requireApproval !== undefined ? {} : { requireApproval: asked }),
      ...(blocks ? { block: true as const } : {}),
      ...(blocks && blockReason !== undefined ? { blockReason } : {}),
    };
    if (Object.keys(rest).length > 0) this.#result = { ...before, ...rest };
    return blocks;
  }
}
