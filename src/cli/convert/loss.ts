import type { Remark } from "../../dialects/writing.ts";
import type { Place } from "../../errors.ts";

/** Something that the new file cannot express, or expresses differently. */
export interface Loss extends Remark {
  /** The rule's name. `null` for a setting of the whole file. */
  readonly rule: string | null;
  readonly event: string | null;
  /** The place of the rule in the file that was read. */
  readonly place: Place | null;
}
