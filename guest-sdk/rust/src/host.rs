//! The host's functions, and copying bytes to and from the host: eight at a time, because each call
//! of the host costs fuel.

/// Imports of one namespace, as a module `abi`. Outside of a guard, where `cargo check` and unit
/// tests run, there is no host, and each function panics. Only the functions that a guard calls are
/// linked.
macro_rules! host_functions {
    ($namespace:literal { $($name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)* }) => {
        #[cfg(target_arch = "wasm32")]
        mod abi {
            #[link(wasm_import_module = $namespace)]
            extern "C" {
                $(pub fn $name($($argument: $type),*) $(-> $result)?;)*
            }
        }

        #[cfg(not(target_arch = "wasm32"))]
        #[allow(clippy::missing_safety_doc)]
        mod abi {
            $(pub unsafe fn $name($($argument: $type),*) $(-> $result)? {
                $(let _ = $argument;)*
                unimplemented!("{} is a function of the host's: build for wasm32-unknown-unknown", stringify!($name))
            })*
        }
    };
}
pub(crate) use host_functions;

host_functions! {
    "extism:host/env" {
        input_length() -> u64;
        input_load_u8(offset: u64) -> u32;
        input_load_u64(offset: u64) -> u64;
        alloc(length: u64) -> u64;
        length(handle: u64) -> u64;
        load_u8(address: u64) -> u32;
        load_u64(address: u64) -> u64;
        store_u8(address: u64, byte: u32);
        store_u64(address: u64, bytes: u64);
        output_set(handle: u64, length: u64);
        error_set(handle: u64);
        config_get(key: u64) -> u64;
        log_debug(handle: u64);
        log_info(handle: u64);
        log_warn(handle: u64);
        log_error(handle: u64);
    }
}

fn read(length: u64, eight: impl Fn(u64) -> u64, one: impl Fn(u64) -> u32) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(length as usize);
    let whole = length - length % 8;
    for at in (0..whole).step_by(8) {
        bytes.extend_from_slice(&eight(at).to_le_bytes());
    }
    for at in whole..length {
        bytes.push(one(at) as u8);
    }
    bytes
}

pub fn input() -> Vec<u8> {
    // SAFETY: all offsets are below the length; the host checks them too.
    unsafe {
        read(
            abi::input_length(),
            |at| abi::input_load_u64(at),
            |at| abi::input_load_u8(at),
        )
    }
}

/// A block of the host with exactly these bytes, because an output is always a whole block.
pub(crate) fn block(bytes: &[u8]) -> u64 {
    // SAFETY: all addresses are inside the block.
    unsafe {
        let handle = abi::alloc(bytes.len() as u64);
        let mut at = handle;
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            let mut eight = [0; 8];
            eight.copy_from_slice(word);
            abi::store_u64(at, u64::from_le_bytes(eight));
            at += 8;
        }
        for byte in words.remainder() {
            abi::store_u8(at, u32::from(*byte));
            at += 1;
        }
        handle
    }
}

pub fn put_out(bytes: &[u8]) {
    // SAFETY: the handle is of a block of this length.
    unsafe { abi::output_set(block(bytes), bytes.len() as u64) }
}

pub fn set_error(message: &str) {
    // SAFETY: the handle is of a block.
    unsafe { abi::error_set(block(message.as_bytes())) }
}

pub fn config(key: &str) -> Option<Vec<u8>> {
    // SAFETY: the handle is of a block.
    contents(unsafe { abi::config_get(block(key.as_bytes())) })
}

/// The bytes of a block from the host. `None` for 0, which is not a block.
pub(crate) fn contents(handle: u64) -> Option<Vec<u8>> {
    if handle == 0 {
        return None;
    }
    // SAFETY: all addresses are inside the block; the host checks them too.
    Some(unsafe {
        read(
            abi::length(handle),
            |at| abi::load_u64(handle + at),
            |at| abi::load_u8(handle + at),
        )
    })
}

#[derive(Clone, Copy)]
pub enum Level {
    Debug,
    Info,
    Warn,
    Error,
}

pub fn note(level: Level, line: &str) {
    let handle = block(line.as_bytes());
    // SAFETY: the handle is of a block.
    unsafe {
        match level {
            Level::Debug => abi::log_debug(handle),
            Level::Info => abi::log_info(handle),
            Level::Warn => abi::log_warn(handle),
            Level::Error => abi::log_error(handle),
        }
    }
}
