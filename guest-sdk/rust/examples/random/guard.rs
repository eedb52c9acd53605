use hookbox_guest::{guard, random, Context, Error, Event, Reply};
use std::num::NonZeroU32;

fn spot_check(event: Event, context: &Context) -> Result<Reply, Error> {
    if event.name() != "PreToolUse" || event.tool_name() != Some("Bash") {
        return Ok(Reply::abstain());
    }
    let command = match event.tool_text("command") {
        Some(command) => command,
        None => return Ok(Reply::deny("tool_input.command is not a string")),
    };
    let one_in = context
        .config::<NonZeroU32>("oneIn")?
        .map_or(20, NonZeroU32::get);
    Ok(if random::below(one_in) == 0 {
        Reply::ask(format!(
            "picked for review, as one in {one_in} is: {command}"
        ))
    } else {
        Reply::abstain()
    })
}

guard!(spot_check);
