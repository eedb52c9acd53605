import { checkTarget } from "../../net/target.ts";
import { cleanLine } from "../../text.ts";
import { type BuiltinHook, silent } from "./builtin.ts";

const MAX_NOTE = 200;

/**
 * Posts a text unchanged to an address. If the server cannot be reached, a note says so and the agent continues. An
 * address that the rule may not send to is a failure, because it will never be allowed.
 */
export const httpPost: BuiltinHook = {
  problemOf: ([url = ""], { network }) => {
    const check = checkTarget(url, { network });
    return check.ok ? undefined : check.message;
  },
  run: async ({ args: [url = "", body = ""], tools, stop }) => {
    const posted = await tools.post({ url, body });
    if (posted.ok) {
      const { status } = posted.answer;
      return status >= 200 && status <= 299 ? silent() : silent(`answered with status ${status}`);
    }
    if (stop.aborted || posted.failure.kind === "capability") return posted;
    return silent(cleanLine(posted.failure.message, MAX_NOTE));
  },
};
