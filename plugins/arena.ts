// The memory of a guard: one arena that is emptied at the start of each call, so its size depends on one input only.
//
// It stands in for AssemblyScript's own `rt/stub`, which finds its first free byte in a start function. Hosts refuse
// start functions (code that runs before anybody set a limit), so here `__reset()` does it, and the guard calls it.

const ALIGN: usize = 7;
// The compiler finds the class and the size of an object in the words before it.
const OBJECT_HEADER: usize = 20;
const ID_BEFORE: usize = 8;
// A plain block keeps its size in the same place.
const SIZE_BEFORE: usize = 4;

// Readers and writers of text take eight bytes at a time and may go past the end of the last object by that much.
const MARGIN: u64 = 8;

let next: usize = 0;
// Up to where blocks may reach without growing the memory.
let limit: usize = 0;

// @ts-ignore: decorator
@global @unsafe
export function __reset(): void {
  next = (__heap_base + ALIGN) & ~ALIGN;
  provide(0);
}

function take(size: usize): usize {
  const block = next;
  const room = (size + ALIGN) & ~ALIGN;
  if (room > limit - block) provide(<u64>block + <u64>room);
  next = block + room;
  return block;
}

/** Apart from take(), which is run for every object: fuel is paid for all of a function, whether it runs or not. */
function provide(end: u64): void {
  const missing = <i64>(end + MARGIN) - ((<i64>memory.size()) << 16);
  // 4 GiB and more is a length that nobody can have asked for in earnest; such a growth fails.
  if (missing > 0 && memory.grow(<i32>((missing + 0xffff) >> 16)) < 0) unreachable();
  limit = ((<usize>memory.size()) << 16) - <usize>MARGIN;
}

// @ts-ignore: decorator
@global @unsafe
export function __alloc(size: usize): usize {
  const block = take(size + 8) + 8;
  store<u32>(block - SIZE_BEFORE, <u32>size);
  return block;
}

// @ts-ignore: decorator
@global @unsafe
export function __realloc(old: usize, size: usize): usize {
  const fresh = __alloc(size);
  memory.copy(fresh, old, min(size, <usize>load<u32>(old - SIZE_BEFORE)));
  return fresh;
}

// @ts-ignore: decorator
@global @unsafe
export function __free(_block: usize): void {}

// @ts-ignore: decorator
@global @unsafe
export function __new(size: usize, id: u32): usize {
  const object = take(OBJECT_HEADER + size) + OBJECT_HEADER;
  store<u32>(object - ID_BEFORE, id);
  store<u32>(object - SIZE_BEFORE, <u32>size);
  return object;
}

// @ts-ignore: decorator
@global @unsafe
export function __renew(old: usize, size: usize): usize {
  const had = <usize>load<u32>(old - SIZE_BEFORE);
  // The newest object grows where it is: so does a list that is being filled.
  if (((old + had + ALIGN) & ~ALIGN) === next && size > had) {
    next = old - OBJECT_HEADER;
    take(OBJECT_HEADER + size);
    store<u32>(old - SIZE_BEFORE, <u32>size);
    return old;
  }
  const fresh = __new(size, load<u32>(old - ID_BEFORE));
  memory.copy(fresh, old, min(size, had));
  return fresh;
}

// @ts-ignore: decorator
@global @unsafe
export function __link(_parent: usize, _child: usize, _many: bool): void {}

// @ts-ignore: decorator
@global @unsafe
export function __pin(object: usize): usize {
  return object;
}

// @ts-ignore: decorator
@global @unsafe
export function __unpin(_object: usize): void {}

// @ts-ignore: decorator
@global @unsafe
export function __visit(_object: usize, _cookie: u32): void {}

// @ts-ignore: decorator
@global @unsafe
export function __collect(): void {}
