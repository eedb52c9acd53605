//! An allocator for calls that last microseconds: a free list for each size, and new memory after
//! the existing blocks.
//!
//! The standard library's allocator takes every byte from `memory.grow`, and an instance whose
//! memory has grown cannot be restored for the next call. This allocator begins with the memory
//! that the module has, and is a few hundred bytes of code.

use std::alloc::{GlobalAlloc, Layout};
use std::arch::wasm32::{memory_grow, memory_size};
use std::cell::UnsafeCell;
use std::ptr::null_mut;

const PAGE_BYTES: usize = 65_536;
/// The alignment of all blocks, enough for every type.
const ALIGNMENT: usize = 16;
/// The number of sizes from one power of two to the next. At most a fifth of a block is unused.
const STEPS: usize = 4;

extern "C" {
    /// Set by the linker: the end of static data and the stack.
    static __heap_base: u8;
}

struct Heap {
    /// The end of the allocated memory. 0 before the first block.
    top: usize,
    /// The first free block of each size. It contains the address of the next one.
    free: [usize; 32 * STEPS],
}

struct Allocator(UnsafeCell<Heap>);

// SAFETY: a guest has one thread.
unsafe impl Sync for Allocator {}

#[global_allocator]
static ALLOCATOR: Allocator = Allocator(UnsafeCell::new(Heap {
    top: 0,
    free: [0; 32 * STEPS],
}));

/// The size of a block for at least `size` bytes, and the list for it. All blocks in a list have
/// the same size.
fn class(size: usize) -> (usize, usize) {
    let size = size.max(ALIGNMENT);
    let step = (power_below(size) / STEPS).max(ALIGNMENT);
    let taken = (size + step - 1) / step * step;
    // Rounding up may have reached the next power of two.
    let power = power_below(taken);
    let list = power.trailing_zeros() as usize * STEPS + (taken - power) / (power / STEPS);
    (taken, list)
}

/// The largest power of two that is at most `size`.
fn power_below(size: usize) -> usize {
    1 << (usize::BITS - 1 - size.leading_zeros())
}

unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // No guard has half of the address space. Below that, no calculation here can overflow.
        if layout.align() > ALIGNMENT || layout.size() > usize::MAX / 2 {
            return null_mut();
        }
        let heap = &mut *self.0.get();
        let (size, list) = class(layout.size());
        let freed = heap.free[list];
        if freed != 0 {
            heap.free[list] = *(freed as *const usize);
            return freed as *mut u8;
        }
        if heap.top == 0 {
            let base = &__heap_base as *const u8 as usize;
            heap.top = (base + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        }
        let start = heap.top;
        if !reserve(start + size) {
            return null_mut();
        }
        heap.top = start + size;
        start as *mut u8
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let heap = &mut *self.0.get();
        let (size, list) = class(layout.size());
        if block as usize + size == heap.top {
            heap.top = block as usize;
        } else {
            *(block as *mut usize) = heap.free[list];
            heap.free[list] = block as usize;
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        let (size, _) = class(layout.size());
        if new_size <= usize::MAX / 2 {
            let (new, _) = class(new_size);
            if new == size {
                return block;
            }
            // A growing text is usually the last block, which can grow without a copy.
            let heap = &mut *self.0.get();
            let start = block as usize;
            if start + size == heap.top && reserve(start + new) {
                heap.top = start + new;
                return block;
            }
        }
        let moved = self.alloc(Layout::from_size_align_unchecked(new_size, layout.align()));
        if !moved.is_null() {
            std::ptr::copy_nonoverlapping(block, moved, layout.size().min(new_size));
            self.dealloc(block, layout);
        }
        moved
    }
}

fn reserve(end: usize) -> bool {
    let size = memory_size(0) * PAGE_BYTES;
    end <= size || memory_grow(0, (end - size + PAGE_BYTES - 1) / PAGE_BYTES) != usize::MAX
}
