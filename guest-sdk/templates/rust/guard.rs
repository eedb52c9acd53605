use hookbox_guest::{guard, Context, Error, Event, Reply};

fn my_guard(event: Event, context: &Context) -> Result<Reply, Error> {
    let words: Vec<String> = context
        .config("words")?
        .unwrap_or_else(|| vec!["production".to_owned()]);

    if event.tool_name() != Some("Bash") {
        return Ok(Reply::abstain());
    }
    // A command that cannot be read is denied.
    let command = match event.tool_text("command") {
        Some(command) => command,
        None => return Ok(Reply::deny("tool_input.command is not a string")),
    };
    Ok(match words.iter().find(|word| command.contains(word.as_str())) {
        Some(word) => Reply::deny(format!("names \"{word}\": {command}")),
        None => Reply::abstain(),
    })
}

guard!(my_guard);
