//! Files and folders that the rule names. Needs the grant `paths`, so the manifest says `"wants": ["paths"]`.
//!
//! A path is the name that the grant gives a file, or the name of a folder and what is in it: `policy.json`,
//! `cache/seen.txt`. Where that is on the machine is the rule's business. A path that no grant covers fails the call,
//! whatever the guard goes on to do; so do `..`, a leading `/` and writing where the grant is to read.
//!
//! A call reads at most 64 files of at most 1 MiB each, and writes at most 1 MiB. Each 8 bytes cost a call of the host:
//! keep them short.

use crate::host::{block, contents, host_functions};
use crate::Error;

host_functions! {
    "hookbox:host/env" {
        file_read(path: u64) -> u64;
        file_write(path: u64, bytes: u64);
    }
}

/// The whole file, or `None` where the grant covers the path and there is no such file.
pub fn read(path: &str) -> Option<Vec<u8>> {
    // SAFETY: the handle is of a block, and what comes back is one of the host's or 0.
    contents(unsafe { abi::file_read(block(path.as_bytes())) })
}

/// The same as text. An error where it is not UTF-8.
pub fn read_to_string(path: &str) -> Result<Option<String>, Error> {
    let bytes = match read(path) {
        Some(bytes) => bytes,
        None => return Ok(None),
    };
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|error| Error::new(format!("{}: {}", path, error)))
}

/// Puts a whole file in place of the one that is there, if any. It happens when the guard has answered in time, and not
/// at all if the call fails.
pub fn write(path: &str, contents: impl AsRef<[u8]>) {
    // SAFETY: both handles are of blocks.
    unsafe { abi::file_write(block(path.as_bytes()), block(contents.as_ref())) }
}
