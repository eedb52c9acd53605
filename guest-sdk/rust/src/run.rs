use crate::{host, Context, Error, Event, FromEvent, IntoReply};

/// Runs one call. Returns the result of `handle`.
pub fn run<E: FromEvent, R: IntoReply>(handle: fn(E, &Context) -> R) -> i32 {
    // A panic traps, so its message must be passed to the host before.
    std::panic::set_hook(Box::new(|panic| host::set_error(&panic.to_string())));
    match judge(handle) {
        Ok(reply) => {
            host::put_out(reply.as_bytes());
            0
        }
        Err(error) => {
            host::set_error(&error.to_string());
            1
        }
    }
}

fn judge<E: FromEvent, R: IntoReply>(handle: fn(E, &Context) -> R) -> Result<String, Error> {
    let fields = serde_json::from_slice(&host::input())
        .map_err(|error| Error::new(format!("the event cannot be read: {}", error)))?;
    let event = Event { fields };
    let name = event.name().to_owned();
    let reply = handle(E::from_event(event)?, &Context(())).into_reply()?;
    Ok(reply.encode(&name))
}
