use crate::Error;
use serde::de::DeserializeOwned;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Any event, as its JSON object. Reading it cannot fail: a field that is missing, or has another
/// type than requested, is `None`, and the guard decides what that means. If a name occurs several
/// times, the last member counts.
///
/// The typed events below are stricter: an event in which a required field is missing, or a field
/// has another type, fails the call.
#[derive(Clone, Debug)]
pub struct Event {
    pub fields: Map<String, Value>,
}

impl Event {
    /// `hook_event_name`, or "" if it is not a string.
    pub fn name(&self) -> &str {
        self.field("hook_event_name")
            .and_then(Value::as_str)
            .unwrap_or("")
    }

    pub fn tool_name(&self) -> Option<&str> {
        self.field("tool_name")?.as_str()
    }

    /// One argument of the tool, if it is a string.
    pub fn tool_text(&self, name: &str) -> Option<&str> {
        self.field("tool_input")?.get(name)?.as_str()
    }

    pub fn field(&self, name: &str) -> Option<&Value> {
        self.fields.get(name)
    }

    /// The string at a JSON pointer (RFC 6901), such as `/tool_input/command`.
    pub fn text(&self, pointer: &str) -> Option<&str> {
        self.value(pointer)?.as_str()
    }

    /// The value at a JSON pointer (RFC 6901) with at least one level.
    pub fn value(&self, pointer: &str) -> Option<&Value> {
        let path = pointer.strip_prefix('/')?;
        let (first, rest) = match path.find('/') {
            Some(at) => path.split_at(at),
            None => (path, ""),
        };
        let name = first.replace("~1", "/").replace("~0", "~");
        self.fields.get(&name)?.pointer(rest)
    }

    /// The event as one of the typed events, or as your own type.
    pub fn typed<T: DeserializeOwned>(self) -> Result<T, Error> {
        serde_json::from_value(Value::Object(self.fields))
            .map_err(|error| Error::new(format!("the event is not as expected: {}", error)))
    }
}

/// What a guard's function may take: an [`Event`], or any type that serde can read from one.
pub trait FromEvent: Sized {
    fn from_event(event: Event) -> Result<Self, Error>;
}

impl FromEvent for Event {
    fn from_event(event: Event) -> Result<Self, Error> {
        Ok(event)
    }
}

impl<T: DeserializeOwned> FromEvent for T {
    fn from_event(event: Event) -> Result<Self, Error> {
        event.typed()
    }
}

/// Fields that most events have. All are optional, because agents differ in what they send.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Session {
    pub session_id: Option<String>,
    pub transcript_path: Option<String>,
    pub cwd: Option<String>,
    pub permission_mode: Option<String>,
    /// The agent family that sent the event, e.g. `claude-code`.
    pub dialect: Option<String>,
}

macro_rules! typed_events {
    ($($(#[$about:meta])* $name:ident { $($(#[$field_about:meta])* $field:ident: $type:ty,)* })*) => {
        $(
            $(#[$about])*
            #[derive(Clone, Debug, Deserialize)]
            pub struct $name {
                $($(#[$field_about])* pub $field: $type,)*
                #[serde(flatten)]
                pub session: Session,
            }
        )*

        /// The typed events by name, for guards that judge several events.
        #[derive(Clone, Debug, Deserialize)]
        #[serde(tag = "hook_event_name")]
        pub enum HookEvent {
            $($name($name),)*
            /// An event without a type here. Read it as an [`Event`].
            #[serde(other)]
            Other,
        }
    };
}

typed_events! {
    /// Before a tool runs.
    PreToolUse {
        tool_name: String,
        /// The tool's arguments, of any form.
        #[serde(default)] tool_input: Value,
        tool_use_id: Option<String>,
    }
    /// Before the user is asked for a permission.
    PermissionRequest {
        tool_name: String,
        #[serde(default)] tool_input: Value,
    }
    /// After a tool has run.
    PostToolUse {
        tool_name: String,
        #[serde(default)] tool_input: Value,
        #[serde(default)] tool_response: Value,
        tool_use_id: Option<String>,
    }
    /// After a tool has failed.
    PostToolUseFailure {
        tool_name: String,
        #[serde(default)] tool_input: Value,
        error: Option<String>,
        tool_use_id: Option<String>,
    }
    /// Before the model sees the user's message.
    UserPromptSubmit {
        prompt: String,
    }
    /// Before the agent ends its turn.
    Stop {
        #[serde(default)] stop_hook_active: bool,
        last_assistant_message: Option<String>,
    }
    /// Before a subagent ends.
    SubagentStop {
        #[serde(default)] stop_hook_active: bool,
        agent_id: Option<String>,
        agent_type: Option<String>,
        last_assistant_message: Option<String>,
    }
    /// When a session begins.
    SessionStart {
        source: Option<String>,
        model: Option<String>,
    }
    /// When a session ends.
    SessionEnd {
        reason: Option<String>,
    }
    /// When the agent tells the user something.
    Notification {
        message: Option<String>,
        title: Option<String>,
        notification_type: Option<String>,
    }
    /// Before the conversation is compacted.
    PreCompact {
        trigger: Option<String>,
        custom_instructions: Option<String>,
    }
}

impl PreToolUse {
    /// One argument of the tool, if it is a string.
    pub fn tool_text(&self, name: &str) -> Option<&str> {
        self.tool_input.get(name)?.as_str()
    }
}
