use crate::host;
use crate::Error;
use serde::de::DeserializeOwned;

/// What a guard can read in addition to the event.
pub struct Context(pub(crate) ());

impl Context {
    /// A value of the rule's `config` that is not a string: a list, a number, a struct of yours.
    /// `None` if the rule does not set it. A value of another type is an error that names it.
    pub fn config<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, Error> {
        let bytes = match host::config(name) {
            Some(bytes) => bytes,
            None => return Ok(None),
        };
        serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| Error::new(format!("config.{}: {}", name, error)))
    }

    /// A value of the rule's `config` that is a string. `None` if the rule does not set it.
    ///
    /// The host passes strings unchanged and all other values as JSON, and does not say which one
    /// it is.
    pub fn config_text(&self, name: &str) -> Result<Option<String>, Error> {
        let bytes = match host::config(name) {
            Some(bytes) => bytes,
            None => return Ok(None),
        };
        String::from_utf8(bytes)
            .map(Some)
            .map_err(|error| Error::new(format!("config.{}: {}", name, error)))
    }
}

/// Lines in the call's receipt. The host keeps 64 of them.
pub mod log {
    use crate::host::{note, Level};

    pub fn debug(line: impl AsRef<str>) {
        note(Level::Debug, line.as_ref());
    }

    pub fn info(line: impl AsRef<str>) {
        note(Level::Info, line.as_ref());
    }

    pub fn warn(line: impl AsRef<str>) {
        note(Level::Warn, line.as_ref());
    }

    pub fn error(line: impl AsRef<str>) {
        note(Level::Error, line.as_ref());
    }
}
