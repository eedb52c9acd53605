use hookbox_guest::{clock, guard, Context, Error, Event, Reply};

/// 1970 began on a Thursday.
const DAYS: [&str; 7] = [
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
];
const MINUTE_MS: u64 = 60_000;

fn deploy_hours(event: Event, context: &Context) -> Result<Reply, Error> {
    if event.name() != "PreToolUse" || event.tool_name() != Some("Bash") {
        return Ok(Reply::abstain());
    }
    let command = match event.tool_text("command") {
        Some(command) => command,
        None => return Ok(Reply::deny("tool_input.command is not a string")),
    };
    let word = context.config_text("word")?;
    if !command.contains(word.as_deref().unwrap_or("deploy")) {
        return Ok(Reply::abstain());
    }

    let minutes = clock::now_ms() / MINUTE_MS;
    let (day, hour, minute) = (minutes / 60 / 24 % 7, minutes / 60 % 24, minutes % 60);
    let day = DAYS[day as usize];
    let from: u64 = context.config("fromHour")?.unwrap_or(8);
    let until: u64 = context.config("untilHour")?.unwrap_or(17);
    let until = match day {
        "Friday" => until.min(context.config("fridayUntilHour")?.unwrap_or(14)),
        "Saturday" | "Sunday" => 0,
        _ => until,
    };
    if (from..until).contains(&hour) {
        return Ok(Reply::abstain());
    }
    Ok(Reply::deny(format!(
        "no deploys now: {day}, {hour}:{minute:02} UTC"
    )))
}

guard!(deploy_hours);
