//! Guards for hookbox in Rust.
//!
//! ```no_run
//! use hookbox_guest::{guard, Context, Event, Reply};
//!
//! fn handle(event: Event, _context: &Context) -> Reply {
//!     match event.text("/tool_input/command") {
//!         Some(command) if command.contains("production") => Reply::deny("not there"),
//!         Some(_) => Reply::abstain(),
//!         None => Reply::deny("no command"),
//!     }
//! }
//!
//! guard!(handle);
//! # fn main() {}
//! ```
//!
//! Malformed input, an `Err` or a panic fails the call, and the engine then denies the action. Memory is restored after
//! each call, so statics cannot keep data for the next one.
//!
//! Each capability beyond the event has its own module: [`state`], [`http`], [`files`], [`clock`] and [`random`]. Each
//! needs a grant of the rule. A guard imports only the functions that it calls, and its `manifest.json` lists the grants
//! that it needs: `"wants": ["state"]`.

#[cfg(all(feature = "allocator", target_arch = "wasm32"))]
mod allocator;
pub mod clock;
mod context;
mod error;
mod event;
pub mod files;
mod host;
pub mod http;
pub mod random;
mod reply;
mod run;
pub mod state;

pub use context::{log, Context};
pub use error::Error;
pub use event::{
    Event, FromEvent, HookEvent, Notification, PermissionRequest, PostToolUse, PostToolUseFailure,
    PreCompact, PreToolUse, Session, SessionEnd, SessionStart, Stop, SubagentStop,
    UserPromptSubmit,
};
pub use reply::{IntoReply, Reply};
#[doc(hidden)]
pub use run::run;

/// Exports `handle`, which passes each event to a function: `fn(event: E, context: &Context) -> R`.
///
/// `E` is [`Event`], one of the typed events, or any type that serde can read. `R` is a [`Reply`],
/// or an `Option` (`None` abstains) or a `Result` of one. An `Err` fails the call with its text,
/// and so does a panic.
#[macro_export]
macro_rules! guard {
    ($handle:path) => {
        // In its own scope, because the guard's function may be called `handle` too.
        const _: () = {
            #[export_name = "handle"]
            pub extern "C" fn hookbox_handle() -> i32 {
                $crate::run($handle)
            }
        };
    };
}
