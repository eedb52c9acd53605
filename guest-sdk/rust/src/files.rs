//! Files and folders that the rule names. Needs the grant `paths`, so the manifest says `"wants":
//! ["paths"]`.
//!
//! A path is the grant's name for a file, or for a folder followed by a path in it: `policy.json`,
//! `cache/seen.txt`. The rule decides where that is on the machine. A path that no grant covers
//! fails the call, whatever the guard does afterwards. So do `..`, a leading `/`, and writing with
//! a grant that is only for reading.
//!
//! A call reads at most 64 files of at most 1 MiB each, and writes at most 1 MiB. Each 8 bytes cost
//! one call of the host, so keep files short.

use crate::host::{block, contents, host_functions};
use crate::Error;

host_functions! {
    "hookbox:host/env" {
        file_read(path: u64) -> u64;
        file_write(path: u64, bytes: u64);
    }
}

/// Reads a whole file. `None` if the grant covers the path but the file does not exist.
pub fn read(path: &str) -> Option<Vec<u8>> {
    // SAFETY: the handle is of a block, and the result is a block of the host or 0.
    contents(unsafe { abi::file_read(block(path.as_bytes())) })
}

/// Like [`read`], as text. An error if the file is not UTF-8.
pub fn read_to_string(path: &str) -> Result<Option<String>, Error> {
    let bytes = match read(path) {
        Some(bytes) => bytes,
        None => return Ok(None),
    };
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|error| Error::new(format!("{}: {}", path, error)))
}

/// Replaces or creates a whole file, after the guard has answered in time. If the call fails,
/// nothing is written.
pub fn write(path: &str, contents: impl AsRef<[u8]>) {
    // SAFETY: both handles are of blocks.
    unsafe { abi::file_write(block(path.as_bytes()), block(contents.as_ref())) }
}
