//! Random numbers. Needs the grant `random`, so the manifest says `"wants": ["random"]`.
//!
//! The grant says which: `"real"`, which nobody can foresee, or `"seeded"`, which are the same for the same event. An
//! attacker who chooses the event can try seeded ones out beforehand.

use crate::host::host_functions;

host_functions! {
    "hookbox:host/env" {
        random_bits() -> u64;
    }
}

/// Any number of 64 bits.
pub fn u64() -> u64 {
    // SAFETY: it takes nothing and touches no memory.
    unsafe { abi::random_bits() }
}

/// Fills a buffer.
pub fn fill(bytes: &mut [u8]) {
    for eight in bytes.chunks_mut(8) {
        eight.copy_from_slice(&u64().to_le_bytes()[..eight.len()]);
    }
}

/// A number from 0 up to, and without, `limit`; each as likely as the others. Panics where `limit` is 0.
pub fn below(limit: u64) -> u64 {
    assert!(limit > 0, "random::below(0): there is no such number");
    // Of the last, incomplete round of remainders the small ones would come more often.
    let incomplete = (u64::MAX % limit + 1) % limit;
    loop {
        let bits = u64();
        if bits <= u64::MAX - incomplete {
            return bits % limit;
        }
    }
}
