#include "hookbox.h"

static hb_reply my_guard(const hb_json *event) {
  const hb_json *words = hb_config_words("words", "[\"production\"]");

  if (!hb_is(hb_path(event, "tool_name"), "Bash")) return hb_abstain();
  hb_text command;
  /* A command that cannot be read is denied. */
  if (!hb_as_text(hb_path(event, "tool_input", "command"), &command)) {
    return hb_deny(HB("tool_input.command is not a string"));
  }
  for (hb_each(word, words)) {
    if (hb_contains(command, word->text)) return hb_deny(hb_join(HB("names \""), word->text, HB("\": "), command));
  }
  return hb_abstain();
}

HB_GUARD(my_guard)
