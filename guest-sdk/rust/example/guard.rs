use hookbox_guest::{guard, Context, Error, Event, Reply};

/// A reason quotes only the matching text; the model and the user know the rest.
const EXCERPT_CHARACTERS: usize = 60;

fn word_guard(event: Event, context: &Context) -> Result<Reply, Error> {
    if event.name() != "PreToolUse" {
        return Ok(Reply::abstain());
    }
    let field = match event.tool_name() {
        Some("Bash") => "command",
        Some("Write" | "Edit") => "file_path",
        _ => return Ok(Reply::abstain()),
    };
    let text = match event.tool_text(field) {
        Some(text) => text,
        None => return Ok(Reply::deny(format!("tool_input.{field} is not a string"))),
    };

    let words: Vec<String> = context
        .config("words")?
        .unwrap_or_else(|| vec!["production".to_owned()]);
    let ask_words: Vec<String> = context.config("askWords")?.unwrap_or_default();
    Ok(if let Some(word) = find_word(text, &words) {
        Reply::deny(names(word, text))
    } else if let Some(word) = find_word(text, &ask_words) {
        Reply::ask(names(word, text))
    } else {
        Reply::abstain()
    })
}

/// The first of the words that the text contains.
fn find_word<'words>(text: &str, words: &'words [String]) -> Option<&'words String> {
    words
        .iter()
        .find(|word| !word.is_empty() && text.contains(word.as_str()))
}

fn names(word: &str, text: &str) -> String {
    match text.char_indices().nth(EXCERPT_CHARACTERS) {
        Some((end, _)) => format!("names \"{word}\": {}…", &text[..end]),
        None => format!("names \"{word}\": {text}"),
    }
}

guard!(word_guard);
