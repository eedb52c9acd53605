use hookbox_guest::{files, guard, Context, Error, Event, Reply};

/// The name that the rule's grant gives the file. The rule decides where the file is.
const LIST: &str = "deny-list.txt";

fn team_deny_list(event: Event, _context: &Context) -> Result<Reply, Error> {
    if event.name() != "PreToolUse" || event.tool_name() != Some("Bash") {
        return Ok(Reply::abstain());
    }
    let command = match event.tool_text("command") {
        Some(command) => command,
        None => return Ok(Reply::deny("tool_input.command is not a string")),
    };
    // A missing list must not count as a list that denies nothing.
    let list = match files::read_to_string(LIST)? {
        Some(list) => list,
        None => return Ok(Reply::deny(format!("there is no {LIST}"))),
    };
    let found = entries(&list).find(|entry| command.contains(entry));
    Ok(match found {
        Some(entry) => Reply::deny(format!("{LIST} has \"{entry}\"")),
        None => Reply::abstain(),
    })
}

/// The lines that are not blank and not comments.
fn entries(list: &str) -> impl Iterator<Item = &str> {
    list.lines()
        .map(|line| line.trim_matches(|one| matches!(one, ' ' | '\t' | '\r')))
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
}

guard!(team_deny_list);
