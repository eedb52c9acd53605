/*
 * Memory for the engine. It serves one call, after which the host restores the whole memory, and one build, whose
 * memory becomes the guard's first memory. So it prefers low addresses and zeros: free blocks at the end are returned,
 * and memory that is freed during a build is wiped. The allocators of C libraries do neither and take twice as long.
 *
 * A block has a header of 8 bytes with its capacity. Freed small blocks go to a list for their size. Freed large blocks
 * go to one list, sorted by address, in which neighbours are merged.
 */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define UNIT 16u
#define HEADER 8u
#define SMALL_BYTES 1024u
#define SMALL_SIZES (SMALL_BYTES / UNIT + 2)
#define PAGE 65536u

/*
 * The header before the caller's memory. `next` is used while the block is free; otherwise this memory is the caller's.
 */
typedef struct Block {
    uint32_t bytes; /* including the header */
    uint32_t is_free; /* set only in `drop_free_blocks` */
    struct Block *next;
} Block;

extern char __heap_base;

static Block *small_blocks[SMALL_SIZES];
static Block *large_blocks;
static uintptr_t heap_start;
static uintptr_t heap_top;
static uintptr_t heap_end;
static int wipes_what_is_freed;
/* Reserved until memory has run out once, so that the error and its stack can be reported. */
static size_t kept_back = 32 * 1024;

static Block *block_of(void *memory)
{
    return (Block *)((char *)memory - HEADER);
}

static void *memory_of(Block *block)
{
    return (char *)block + HEADER;
}

static void allocator_start(void)
{
    heap_start = ((uintptr_t)&__heap_base + UNIT - 1) & ~(uintptr_t)(UNIT - 1);
    heap_top = heap_start;
    heap_end = __builtin_wasm_memory_size(0) * PAGE;
    wipes_what_is_freed = 1;
}

/* Makes sure that the heap has this many more bytes. Returns 0 if memory ran out. */
static int reserve(size_t bytes)
{
    size_t pages;

    if (bytes > (size_t)1 << 30)
        return 0;
    bytes += kept_back;
    if (bytes <= heap_end - heap_top)
        return 1;
    pages = (bytes - (heap_end - heap_top) + PAGE - 1) / PAGE;
    if (__builtin_wasm_memory_grow(0, pages) == (size_t)-1) {
        kept_back = 0;
        return 0;
    }
    heap_end += pages * PAGE;
    return 1;
}

static void free_small(Block *block)
{
    Block **list = &small_blocks[block->bytes / UNIT];

    block->next = *list;
    *list = block;
}

static void free_large(Block *block)
{
    Block **link = &large_blocks, *before = NULL;

    while (*link && *link < block) {
        before = *link;
        link = &before->next;
    }
    block->next = *link;
    *link = block;
    if (block->next && (char *)block + block->bytes == (char *)block->next) {
        Block *after = block->next;
        block->bytes += after->bytes;
        block->next = after->next;
        if (wipes_what_is_freed)
            memset(after, 0, sizeof(Block));
    }
    if (before && (char *)before + before->bytes == (char *)block) {
        before->bytes += block->bytes;
        before->next = block->next;
        if (wipes_what_is_freed)
            memset(block, 0, sizeof(Block));
    }
}

static void free_bytes(Block *block, uint32_t bytes)
{
    block->bytes = bytes;
    if (bytes <= SMALL_BYTES + UNIT - 1)
        free_small(block);
    else
        free_large(block);
}

/*
 * Drops all free blocks, which a build leaves everywhere, and returns the ones at the end. So the memory that a call
 * allocates is in one place, and the host restores few pages.
 */
static void drop_free_blocks(void)
{
    Block *block, *next, *last = NULL;
    uintptr_t at;
    size_t size;

    for (size = 0; size < SMALL_SIZES; size++) {
        for (block = small_blocks[size]; block; block = block->next)
            block->is_free = 1;
        small_blocks[size] = NULL;
    }
    for (block = large_blocks; block; block = block->next)
        block->is_free = 1;
    large_blocks = NULL;
    for (at = heap_start; at < heap_top; at = (uintptr_t)next) {
        block = (Block *)at;
        next = (Block *)((char *)block + block->bytes);
        if (block->is_free)
            memset(block, 0, sizeof(Block));
        else
            last = next;
    }
    heap_top = last ? (uintptr_t)last : heap_start;
}

/* Ends the heap `room` bytes after its last block. Returns the heap's end, in pages. */
static size_t allocator_finish(size_t room)
{
    drop_free_blocks();
    heap_end = (heap_top + room + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    wipes_what_is_freed = 0;
    return heap_end / PAGE;
}

/* Removes the large block at the end of the heap, if it is free. */
static void lower_top(void)
{
    Block **link = &large_blocks;

    while (*link && (*link)->next)
        link = &(*link)->next;
    if (*link && (uintptr_t)*link + (*link)->bytes == heap_top) {
        heap_top = (uintptr_t)*link;
        *link = NULL;
        if (wipes_what_is_freed)
            memset((void *)heap_top, 0, sizeof(Block));
    }
}

/* Takes the front part of a free block that is large enough. */
static Block *carve(Block **link, uint32_t bytes)
{
    Block *block = *link, *rest, *next = block->next;
    uint32_t left = block->bytes - bytes;

    if (left == 0) {
        *link = next;
        return block;
    }
    rest = (Block *)((char *)block + bytes);
    if (left > SMALL_BYTES + UNIT - 1) {
        rest->bytes = left;
        rest->next = next;
        *link = rest;
    } else {
        *link = next;
        free_bytes(rest, left);
    }
    return block;
}

static void *allocate(size_t wanted)
{
    uint32_t bytes;
    Block *block, **link;

    if (wanted > (size_t)1 << 30)
        return NULL;
    bytes = (uint32_t)(wanted + HEADER + UNIT - 1) & ~(UNIT - 1);
    if (bytes <= SMALL_BYTES) {
        link = &small_blocks[bytes / UNIT];
        block = *link;
        if (block) {
            *link = block->next;
            return memory_of(block);
        }
    }
    for (link = &large_blocks; *link; link = &(*link)->next) {
        if ((*link)->bytes < bytes)
            continue;
        block = carve(link, bytes);
        block->bytes = bytes;
        return memory_of(block);
    }
    if (!reserve(bytes))
        return NULL;
    block = (Block *)heap_top;
    heap_top += bytes;
    block->bytes = bytes;
    return memory_of(block);
}

static size_t capacity_of(const void *memory)
{
    return ((const Block *)((const char *)memory - HEADER))->bytes - HEADER;
}

static void release(void *memory)
{
    Block *block;

    if (!memory)
        return;
    block = block_of(memory);
    if (wipes_what_is_freed)
        memset(memory, 0, block->bytes - HEADER);
    if ((uintptr_t)block + block->bytes == heap_top) {
        heap_top = (uintptr_t)block;
        block->bytes = 0;
        if (large_blocks)
            lower_top();
        return;
    }
    free_bytes(block, block->bytes);
}

static void *reallocate(void *memory, size_t wanted)
{
    Block *block = block_of(memory), *rest;
    uint32_t bytes;
    void *moved;

    if (wanted > (size_t)1 << 30)
        return NULL;
    bytes = (uint32_t)(wanted + HEADER + UNIT - 1) & ~(UNIT - 1);
    if (bytes <= block->bytes) {
        if (block->bytes - bytes <= SMALL_BYTES)
            return memory;
        rest = (Block *)((char *)block + bytes);
        rest->bytes = block->bytes - bytes;
        block->bytes = bytes;
        release(memory_of(rest));
        return memory;
    }
    if ((uintptr_t)block + block->bytes == heap_top) {
        if (!reserve(bytes - block->bytes))
            return NULL;
        heap_top += bytes - block->bytes;
        block->bytes = bytes;
        return memory;
    }
    moved = allocate(wanted);
    if (!moved)
        return NULL;
    memcpy(moved, memory, block->bytes - HEADER);
    release(memory);
    return moved;
}

/* For the parts of QuickJS and of the C library that call these functions. */
void *malloc(size_t wanted)
{
    return allocate(wanted);
}

void free(void *memory)
{
    release(memory);
}

void *realloc(void *memory, size_t wanted)
{
    return memory ? reallocate(memory, wanted) : allocate(wanted);
}

size_t malloc_usable_size(void *memory)
{
    return memory ? capacity_of(memory) : 0;
}

void *calloc(size_t count, size_t wanted)
{
    size_t bytes;
    void *memory;

    if (__builtin_mul_overflow(count, wanted, &bytes))
        return NULL;
    memory = allocate(bytes);
    if (memory)
        memset(memory, 0, bytes);
    return memory;
}
