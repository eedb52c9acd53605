//! Values that a guard keeps between the calls of one session. Needs the grant `state`, so the
//! manifest says `"wants": ["state"]`.
//!
//! A call sees its own changes at once. They are saved only if the call answers in time; a call
//! that fails changes nothing. Calls of one rule in one session run one after another, so a value
//! may be read, changed and stored again. Another rule or another session never sees it, and it is
//! deleted when the session ends.
//!
//! Without the grant the guard does not load. Exceeding the grant's `maxKeys` (64) or `maxBytes`
//! (65,536, all keys and values together) fails the call, whatever the guard does afterwards.

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

/// A value that [`set`] stored, or that a guard in another language stored as JSON. `None` if there
/// is none. A value of another type is an error that names the key.
pub fn get<T: DeserializeOwned>(key: &str) -> Result<Option<T>, Error> {
    let bytes = match get_bytes(key) {
        Some(bytes) => bytes,
        None => return Ok(None),
    };
    serde_json::from_slice(&bytes)
        .map(Some)
        .map_err(|error| unreadable(key, error))
}

/// Stores a value as JSON. An error if serde cannot write it, such as a map whose keys are not
/// strings.
pub fn set<T: Serialize + ?Sized>(key: &str, value: &T) -> Result<(), Error> {
    let bytes = serde_json::to_vec(value).map_err(|error| unreadable(key, error))?;
    set_bytes(key, &bytes);
    Ok(())
}

/// Larger numbers in JSON are not exact in every language.
const LARGEST_COUNT: i64 = (1 << 53) - 1;

/// Adds to the stored whole number, or to 0, and returns the sum. An error if the stored value is
/// not a whole number, or if either number is more than 2^53 - 1 from 0.
pub fn increment(key: &str, by: i64) -> Result<i64, Error> {
    let count: i64 = get(key)?.unwrap_or(0);
    let sum = count
        .checked_add(by)
        .filter(|sum| fits(count) && fits(*sum))
        .ok_or_else(|| unreadable(key, "the count does not fit"))?;
    set(key, &sum)?;
    Ok(sum)
}

fn fits(count: i64) -> bool {
    (-LARGEST_COUNT..=LARGEST_COUNT).contains(&count)
}

/// A text as it is stored, without quotes: guards in TypeScript store their texts like this. An
/// error if it is not UTF-8.
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
    // SAFETY: the handle is of a block, and the result is a block of the host or 0.
    contents(unsafe { abi::var_get(block(key.as_bytes())) })
}

/// An empty value is stored too. It differs from no value.
pub fn set_bytes(key: &str, value: &[u8]) {
    // SAFETY: both handles are of blocks.
    unsafe { abi::var_set(block(key.as_bytes()), block(value)) }
}

/// Has no effect if there is no such key.
pub fn remove(key: &str) {
    // SAFETY: the handle is of a block, and a value of 0 removes the key.
    unsafe { abi::var_set(block(key.as_bytes()), 0) }
}

fn unreadable(key: &str, error: impl std::fmt::Display) -> Error {
    Error::new(format!("state {:?}: {}", key, error))
}
