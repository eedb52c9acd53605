//! Random numbers. Needs the grant `random`, so the manifest says `"wants": ["random"]`.
//!
//! The grant selects them: `"real"`, which are unpredictable, or `"seeded"`, which are the same for
//! the same event. An attacker who chooses the event can try seeded numbers out in advance.

use crate::host::host_functions;

host_functions! {
    "hookbox:host/env" {
        random_bits() -> u64;
    }
}

/// Any number of 64 bits.
pub fn u64() -> u64 {
    // SAFETY: has no arguments and does not access memory.
    unsafe { abi::random_bits() }
}

/// Fills a buffer.
pub fn fill(bytes: &mut [u8]) {
    for eight in bytes.chunks_mut(8) {
        eight.copy_from_slice(&u64().to_le_bytes()[..eight.len()]);
    }
}

/// A number from 0 (included) to `limit` (excluded), all equally likely. Guards in other languages
/// draw the same number from the same bits. Panics if `limit` is 0.
pub fn below(limit: u32) -> u32 {
    assert!(limit > 0, "random::below(0): there is no such number");
    // 53 bits as a fraction of 1, as in JavaScript, multiplied by the limit and rounded down.
    let (fraction, limit) = (u64() >> 11, u64::from(limit));
    let high = (fraction >> 32) * limit;
    let low = (fraction & u64::from(u32::MAX)) * limit;
    ((high + (low >> 32)) >> 21) as u32
}
