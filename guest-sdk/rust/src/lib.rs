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
//! What goes wrong fails the call, and the engine then refuses the action: malformed input, an `Err`, a panic. Memory is
//! put back after each call, so a guard keeps nothing in a static for the next one.
//!
//! What reaches beyond the event is a module of its own: [`state`], [`http`], [`files`], [`clock`] and [`random`]. Each
//! needs a grant of the rule's. A guard imports what it calls and nothing else, and its `manifest.json` names the grants
//! that it cannot do without: `"wants": ["state"]`.

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

/// Exports `handle`, which shows each event to a function:
/// `fn(event: E, context: &Context) -> R`.
///
/// `E` is [`Event`], one of the typed events, or anything of yours that serde can read. `R` is a [`Reply`], or an
/// `Option` (`None` abstains) or a `Result` of one; an `Err` fails the call with its text, and so does a panic.
#[macro_export]
macro_rules! guard {
    ($handle:path) => {
        // In a scope of its own: the guard's function may be called `handle`, too.
        const _: () = {
            #[export_name = "handle"]
            pub extern "C" fn hookbox_handle() -> i32 {
                $crate::run($handle)
            }
        };
    };
}
