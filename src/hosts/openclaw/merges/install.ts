import { isolatedCopy } from "../isolation.ts";
import { flag, MalformedResult, type Merge, text } from "./merge.ts";

export interface BeforeInstallResult {
  readonly findings?: readonly unknown[];
  readonly block?: true;
  readonly blockReason?: string;
}

/** Collects the findings of all handlers. A block ends the sequence of handlers. */
export class InstallMerge implements Merge<BeforeInstallResult> {
  #result: BeforeInstallResult | undefined;

  get result(): BeforeInstallResult | undefined {
    return this.#result;
  }

  take(said: Readonly<Record<string, unknown>>): boolean {
    const blocks = flag(said, "block");
    const blockReason = text(said, "blockReason");
    const { findings = [] } = said;
    if (!Array.isArray(findings)) throw new MalformedResult("findings must be a list");
    const all = [...(this.#result?.findings ?? []), ...isolatedCopy(findings as unknown[], "findings")];
    if (!blocks && all.length === 0) return false;
    this.#result = {
      ...this.#result,
      ...(all.length === 0 ? {} : { findings: all }),
      ...(blocks ? { block: true as const } : {}),
      ...(blocks && blockReason !== undefined ? { blockReason } : {}),
    };
    return blocks;
  }
}
