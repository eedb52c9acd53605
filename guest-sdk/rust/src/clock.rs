//! The time. Needs the grant `clock`, so the manifest says `"wants": ["clock"]`.
//!
//! The grant selects the time: `"real"`, or `"fixed"`. With `"fixed"`, each call begins at the same
//! time (2000-01-01, 0:00 UTC), and each reading is a millisecond later.

use crate::host::host_functions;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

host_functions! {
    "hookbox:host/env" {
        clock_now() -> u64;
    }
}

/// Milliseconds since 1970-01-01, 0:00 UTC.
pub fn now_ms() -> u64 {
    // SAFETY: has no arguments and does not access memory.
    unsafe { abi::clock_now() }
}

/// Like [`now_ms`], as the standard library's type. Its own `SystemTime::now()` panics in a guard.
pub fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(now_ms())
}
