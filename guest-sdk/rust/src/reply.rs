use crate::Error;
use serde_json::{json, Value};
use std::fmt::Display;

/// The answer of a guard. It is converted to the event's own JSON when the call ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply(pub(crate) Kind);

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Abstain,
    Deny(String),
    Ask(String),
    Allow(String),
    Context(String),
    Rewrite(Value),
    Json(Value),
}

impl Reply {
    /// Denies, with a reason for the model.
    pub fn deny(reason: impl Into<String>) -> Self {
        Reply(Kind::Deny(reason.into()))
    }

    /// Asks the user. An event that cannot ask treats this as a denial.
    pub fn ask(reason: impl Into<String>) -> Self {
        Reply(Kind::Ask(reason.into()))
    }

    /// Permits, unless another hook denies. Counts only if the rule's `may` grants it.
    pub fn allow(reason: impl Into<String>) -> Self {
        Reply(Kind::Allow(reason.into()))
    }

    /// No opinion.
    pub fn abstain() -> Self {
        Reply(Kind::Abstain)
    }

    /// Adds text for the model. No opinion.
    pub fn context(text: impl Into<String>) -> Self {
        Reply(Kind::Context(text.into()))
    }

    /// Changes the tool's arguments. Counts only if the rule's `may` grants it.
    pub fn rewrite(updated_input: Value) -> Self {
        Reply(Kind::Rewrite(updated_input))
    }

    /// A reply from your own JSON, for anything that the functions above cannot express.
    pub fn json(reply: Value) -> Self {
        Reply(Kind::Json(reply))
    }

    /// In the form that hookbox, and Claude Code, read for this event.
    pub(crate) fn encode(self, event: &str) -> String {
        let permission = |decision: &str, reason: String| {
            specific(
                event,
                json!({ "permissionDecision": decision, "permissionDecisionReason": reason }),
            )
        };
        let json = match self.0 {
            Kind::Abstain => return "{}".to_owned(),
            Kind::Deny(reason) => match event {
                "PreToolUse" | "PreModelSwitch" => permission("deny", reason),
                "PermissionRequest" => specific(
                    event,
                    json!({ "decision": { "behavior": "deny", "message": reason } }),
                ),
                _ => json!({ "decision": "block", "reason": reason }),
            },
            Kind::Ask(reason) => permission("ask", reason),
            Kind::Allow(_) if event == "PermissionRequest" => {
                specific(event, json!({ "decision": { "behavior": "allow" } }))
            }
            Kind::Allow(reason) => permission("allow", reason),
            Kind::Context(text) => specific(event, json!({ "additionalContext": text })),
            Kind::Rewrite(input) => specific(event, json!({ "updatedInput": input })),
            Kind::Json(json) => json,
        };
        json.to_string()
    }
}

fn specific(event: &str, mut fields: Value) -> Value {
    fields["hookEventName"] = event.into();
    json!({ "hookSpecificOutput": fields })
}

/// What a guard's function may return.
pub trait IntoReply {
    fn into_reply(self) -> Result<Reply, Error>;
}

impl IntoReply for Reply {
    fn into_reply(self) -> Result<Reply, Error> {
        Ok(self)
    }
}

impl IntoReply for Option<Reply> {
    fn into_reply(self) -> Result<Reply, Error> {
        Ok(self.unwrap_or_else(Reply::abstain))
    }
}

impl<R: IntoReply, E: Display> IntoReply for Result<R, E> {
    fn into_reply(self) -> Result<Reply, Error> {
        self.map_err(|error| Error::new(error.to_string()))?
            .into_reply()
    }
}
