#include "hookbox.h"

/* The name that the rule's grant gives the file. The rule decides where the file is. */
#define LIST HB("deny-list.txt")

static hb_reply team_deny_list(const hb_json *event) {
  if (!hb_is(hb_path(event, "hook_event_name"), "PreToolUse")) return hb_abstain();
  if (!hb_is(hb_path(event, "tool_name"), "Bash")) return hb_abstain();
  hb_text command;
  if (!hb_as_text(hb_path(event, "tool_input", "command"), &command)) {
    return hb_deny(HB("tool_input.command is not a string"));
  }
  /* A missing list must not count as a list that denies nothing. */
  hb_text list;
  if (!hb_file_read(LIST, &list)) return hb_deny(hb_join(HB("there is no "), LIST));
  if (!hb_is_utf8(list)) return hb_fail(hb_join(LIST, HB(": not UTF-8")));
  hb_text line;
  while (hb_next_line(&list, &line)) {
    hb_text entry = hb_trim(line);
    if (entry.length == 0 || hb_starts_with(entry, HB("#"))) continue;
    if (hb_contains(command, entry)) return hb_deny(hb_join(LIST, HB(" has \""), entry, HB("\"")));
  }
  return hb_abstain();
}

HB_GUARD(team_deny_list)
