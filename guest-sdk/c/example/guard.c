#include "hookbox.h"

/* A reason quotes only the matching text; the model and the user know the rest. */
#define EXCERPT_CHARACTERS 60

static hb_text excerpt(hb_text text) {
  hb_text beginning = hb_first_characters(text, EXCERPT_CHARACTERS);
  return beginning.length == text.length ? text : hb_join(beginning, HB("…"));
}

/* The first of the words that the text contains. */
static bool find_word(hb_text text, const hb_json *words, hb_text *found) {
  for (hb_each(word, words)) {
    if (word->text.length > 0 && hb_contains(text, word->text)) return hb_as_text(word, found);
  }
  return false;
}

static hb_text names(hb_text word, hb_text text) {
  return hb_join(HB("names \""), word, HB("\": "), excerpt(text));
}

static hb_reply word_guard(const hb_json *event) {
  if (!hb_is(hb_path(event, "hook_event_name"), "PreToolUse")) return hb_abstain();
  const hb_json *tool = hb_path(event, "tool_name");
  const char *field;
  if (hb_is(tool, "Bash")) field = "command";
  else if (hb_is(tool, "Write") || hb_is(tool, "Edit")) field = "file_path";
  else return hb_abstain();

  hb_text text;
  if (!hb_as_text(hb_path(event, "tool_input", field), &text)) {
    return hb_deny(hb_join(HB("tool_input."), hb_text_of(field), HB(" is not a string")));
  }

  const hb_json *words = hb_config_words("words", "[\"production\"]");
  const hb_json *ask_words = hb_config_words("askWords", "[]");
  hb_text word;
  if (find_word(text, words, &word)) return hb_deny(names(word, text));
  if (find_word(text, ask_words, &word)) return hb_ask(names(word, text));
  return hb_abstain();
}

HB_GUARD(word_guard)
