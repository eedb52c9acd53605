#include "hookbox.h"

/* The number of risky commands in the session: the state that the guard keeps between calls. */
#define USED HB("risky")

static bool find_word(hb_text text, const hb_json *words, hb_text *found) {
  for (hb_each(word, words)) {
    if (word->text.length > 0 && hb_contains(text, word->text)) return hb_as_text(word, found);
  }
  return false;
}

static hb_reply risky_limit(const hb_json *event) {
  if (!hb_is(hb_path(event, "hook_event_name"), "PreToolUse")) return hb_abstain();
  if (!hb_is(hb_path(event, "tool_name"), "Bash")) return hb_abstain();
  hb_text command;
  if (!hb_as_text(hb_path(event, "tool_input", "command"), &command)) {
    return hb_deny(HB("tool_input.command is not a string"));
  }
  hb_text word;
  const hb_json *words = hb_config_words("words", "[\"rm -rf\",\"--force\",\"reset --hard\"]");
  if (!find_word(command, words, &word)) return hb_abstain();

  int64_t limit = hb_config_integer("limit", 3);
  if (hb_state_increment(USED, 1) <= limit) return hb_abstain();
  return hb_deny(
      hb_join(HB("this session has used up its "), hb_decimal(limit), HB(" risky commands (\""), word, HB("\")")));
}

HB_GUARD(risky_limit)
