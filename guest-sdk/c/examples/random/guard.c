#include "hookbox.h"

static hb_reply spot_check(const hb_json *event) {
  if (!hb_is(hb_path(event, "hook_event_name"), "PreToolUse")) return hb_abstain();
  if (!hb_is(hb_path(event, "tool_name"), "Bash")) return hb_abstain();
  hb_text command;
  if (!hb_as_text(hb_path(event, "tool_input", "command"), &command)) {
    return hb_deny(HB("tool_input.command is not a string"));
  }
  int64_t one_in = hb_config_integer("oneIn", 20);
  if (one_in < 1 || one_in > UINT32_MAX) return hb_fail(HB("config.oneIn: not from 1 to 4294967295"));
  if (hb_random_below((uint32_t)one_in) != 0) return hb_abstain();
  return hb_ask(hb_join(HB("picked for review, as one in "), hb_decimal(one_in), HB(" is: "), command));
}

HB_GUARD(spot_check)
