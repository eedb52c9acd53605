//! What a guard keeps from call to call of one session. Needs the grant `state`, so the manifest says
//! `"wants": ["state"]`.
//!
//! A call sees its own changes at once. They count for later calls only if this one answers in time: a call that fails
//! has changed nothing. Calls of one rule in one session run one after the other, so a value may be read, changed and
//! set again. Another rule or another session never sees it, and it is gone when the session ends.
//!
//! Without the grant the guard does not load. More than the grant's `maxKeys` (64) or `maxBytes` (65,536, all keys and
//! values together) fails the call, whatever the guard goes on to do.

use crate::host::{block, contents, host_functions};
use crate::Error;
use serde::de::DeserializeOwned;
use serde::Serialize;

host_functions! {
    "extism:host/env" {
        var_get(key: u64) -> u64;
        var_set(key: u64, value: u64);
    }
}

/// A value that [`set`] has kept, or that another language's guard would read as JSON. `None` where there is none. A
/// value of another type is an error that names the key.
pub fn get<T: DeserializeOwned>(key: &str) -> Result<Option<T>, Error> {
    let bytes = match get_bytes(key) {
        Some(bytes) => bytes,
        None => return Ok(None),
    };
    serde_json::from_slice(&bytes)
        .map(Some)
        .map_err(|error| unreadable(key, error))
}

/// Keeps a value as JSON. An error where serde cannot write it: a map whose keys are no strings, for one.
pub fn set<T: Serialize + ?Sized>(key: &str, value: &T) -> Result<(), Error> {
    let bytes = serde_json::to_vec(value).map_err(|error| unreadable(key, error))?;
    set_bytes(key, &bytes);
    Ok(())
}

/// Counts: adds to the whole number that is kept, or to 0, and returns the sum. An error where something else is kept, or
/// the sum does not fit.
pub fn increment(key: &str, by: i64) -> Result<i64, Error> {
    let count: i64 = get(key)?.unwrap_or(0);
    let sum = count
        .checked_add(by)
        .ok_or_else(|| unreadable(key, "the count does not fit"))?;
    set(key, &sum)?;
    Ok(sum)
}

/// A text as it is, without quotes, which is how guards in TypeScript keep theirs. An error where it is not UTF-8.
pub fn get_text(key: &str) -> Result<Option<String>, Error> {
    let bytes = match get_bytes(key) {
        Some(bytes) => bytes,
        None => return Ok(None),
    };
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|error| unreadable(key, error))
}

pub fn set_text(key: &str, text: &str) {
    set_bytes(key, text.as_bytes());
}

pub fn get_bytes(key: &str) -> Option<Vec<u8>> {
    // SAFETY: the handle is of a block, and what comes back is one of the host's or 0.
    contents(unsafe { abi::var_get(block(key.as_bytes())) })
}

/// An empty value is kept, too: it is not the same as none.
pub fn set_bytes(key: &str, value: &[u8]) {
    // SAFETY: both handles are of blocks.
    unsafe { abi::var_set(block(key.as_bytes()), block(value)) }
}

/// What is not there is removed already.
pub fn remove(key: &str) {
    // SAFETY: the handle is of a block, and a value of 0 is none.
    unsafe { abi::var_set(block(key.as_bytes()), 0) }
}

fn unreadable(key: &str, error: impl std::fmt::Display) -> Error {
    Error::new(format!("state {:?}: {}", key, error))
}
