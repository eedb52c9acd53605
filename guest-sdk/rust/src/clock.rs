//! What time it is. Needs the grant `clock`, so the manifest says `"wants": ["clock"]`.
//!
//! The grant says which time: `"real"`, or `"fixed"`, with which each call begins at the same moment (2000-01-01, 0:00
//! UTC) and each reading is a millisecond after the one before it.

use crate::host::host_functions;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

host_functions! {
    "hookbox:host/env" {
        clock_now() -> u64;
    }
}

/// Milliseconds since 1970-01-01, 0:00 UTC.
pub fn now_ms() -> u64 {
    // SAFETY: it takes nothing and touches no memory.
    unsafe { abi::clock_now() }
}

/// The same for what takes the standard library's type, whose own `SystemTime::now()` panics in a guard.
pub fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(now_ms())
}
