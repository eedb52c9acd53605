use hookbox_guest::http::Request;
use hookbox_guest::{guard, Context, Error, Event, Reply};
use serde::Deserialize;
use serde_json::json;

const DEFAULT_URL: &str = "https://policy.example.com/deploys";

/// The answer of the policy server.
#[derive(Deserialize)]
struct Policy {
    allow: bool,
    reason: Option<String>,
}

fn deploy_policy(event: Event, context: &Context) -> Result<Reply, Error> {
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

    let url = context.config_text("url")?;
    let request = Request::post(url.as_deref().unwrap_or(DEFAULT_URL));
    let response = match request.json(&json!({ "command": command }))?.send() {
        Ok(response) => response,
        Err(_) => return Ok(Reply::deny("the policy server does not answer")),
    };
    if !response.is_success() {
        let status = response.status;
        return Ok(Reply::deny(format!(
            "the policy server answered with status {status}"
        )));
    }
    Ok(match response.json::<Policy>() {
        Ok(Policy { allow: true, .. }) => Reply::abstain(),
        Ok(Policy { reason, .. }) => {
            let reason = reason.as_deref().unwrap_or("it gives no reason");
            Reply::deny(format!("the policy server says no: {reason}"))
        }
        Err(_) => Reply::deny("the policy server's answer cannot be read"),
    })
}

guard!(deploy_policy);
