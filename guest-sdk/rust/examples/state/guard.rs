use hookbox_guest::{guard, state, Context, Error, Event, Reply};

/// The number of risky commands in the session: the state that the guard keeps between calls.
const USED: &str = "risky";
const DEFAULT_WORDS: [&str; 3] = ["rm -rf", "--force", "reset --hard"];

fn risky_limit(event: Event, context: &Context) -> Result<Reply, Error> {
    if event.name() != "PreToolUse" || event.tool_name() != Some("Bash") {
        return Ok(Reply::abstain());
    }
    let command = match event.tool_text("command") {
        Some(command) => command,
        None => return Ok(Reply::deny("tool_input.command is not a string")),
    };
    let words: Vec<String> = context
        .config("words")?
        .unwrap_or_else(|| DEFAULT_WORDS.map(str::to_owned).to_vec());
    let word = match words
        .iter()
        .find(|word| !word.is_empty() && command.contains(word.as_str()))
    {
        Some(word) => word,
        None => return Ok(Reply::abstain()),
    };

    let limit: i64 = context.config("limit")?.unwrap_or(3);
    if state::increment(USED, 1)? <= limit {
        return Ok(Reply::abstain());
    }
    Ok(Reply::deny(format!(
        "this session has used up its {limit} risky commands (\"{word}\")"
    )))
}

guard!(risky_limit);
