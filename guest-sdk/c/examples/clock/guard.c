#include "hookbox.h"

#define MINUTE_MS 60000

/* 1970 began on a Thursday. */
enum { THURSDAY, FRIDAY, SATURDAY, SUNDAY, MONDAY, TUESDAY, WEDNESDAY };

static hb_text day_name(int day) {
  switch (day) {
    case THURSDAY: return HB("Thursday");
    case FRIDAY: return HB("Friday");
    case SATURDAY: return HB("Saturday");
    case SUNDAY: return HB("Sunday");
    case MONDAY: return HB("Monday");
    case TUESDAY: return HB("Tuesday");
    default: return HB("Wednesday");
  }
}

static int64_t last_hour(int day) {
  if (day == SATURDAY || day == SUNDAY) return 0;
  int64_t until = hb_config_integer("untilHour", 17);
  int64_t on_friday = hb_config_integer("fridayUntilHour", 14);
  return day == FRIDAY && on_friday < until ? on_friday : until;
}

static hb_reply deploy_hours(const hb_json *event) {
  if (!hb_is(hb_path(event, "hook_event_name"), "PreToolUse")) return hb_abstain();
  if (!hb_is(hb_path(event, "tool_name"), "Bash")) return hb_abstain();
  hb_text command;
  if (!hb_as_text(hb_path(event, "tool_input", "command"), &command)) {
    return hb_deny(HB("tool_input.command is not a string"));
  }
  hb_text word = HB("deploy");
  hb_config_text("word", &word);
  if (!hb_contains(command, word)) return hb_abstain();

  uint64_t minutes = hb_now_ms() / MINUTE_MS;
  int day = (int)(minutes / 60 / 24 % 7);
  int hour = (int)(minutes / 60 % 24);
  int minute = (int)(minutes % 60);
  if (hour >= hb_config_integer("fromHour", 8) && hour < last_hour(day)) return hb_abstain();
  return hb_deny(hb_join(HB("no deploys now: "), day_name(day), HB(", "), hb_decimal(hour), HB(":"),
                         minute < 10 ? HB("0") : HB(""), hb_decimal(minute), HB(" UTC")));
}

HB_GUARD(deploy_hours)
