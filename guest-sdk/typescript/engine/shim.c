/*
 * The layer between hookbox and QuickJS in a guard that is written in JavaScript.
 *
 * At build time the packer (src/authoring/typescript/snapshot.ts) compiles the bundle to bytecode in one instance. In a
 * second instance, the packer calls `hookbox_start`, `hookbox_load` with the bytecode, and `hookbox_finish`, and saves the
 * resulting memory as the guard's first memory. All guards have most of the memory after `hookbox_start` in common, and
 * the compiler leaves no gaps in it. At run time the host calls `handle` repeatedly and restores memory after each call.
 * So `handle` never frees anything, and no call sees data of another call.
 *
 * QuickJS is included and not linked, because three of its fields have no function that sets them.
 */

#include <stdio.h>
#include "allocator.c"

/* QuickJS's debug output. A guard has no output for it. */
#define printf(...) ((void)0)
#define fprintf(...) ((void)0)
#define putchar(...) ((void)0)

/*
 * QuickJS measures its depth by the stack in memory. Recursive functions that keep little there would exhaust
 * WebAssembly's own stack first, so this macro makes them use more. build.mjs lists these functions.
 */
#define ROOM_ON_THE_STACK      \
    char room_on_the_stack[128]; \
    __asm__ volatile("" : : "r"(room_on_the_stack))

/* Defined below; QuickJS calls it for Math.random. */
struct JSContext;
static uint64_t chance(struct JSContext *ctx);

#include "quickjs.c"

/* ---- Functions of the host ---- */

/*
 * All functions that a guard can use. The packer moves the ones that a guard does not want to a namespace that needs no
 * grant; calling a function there fails.
 */
#define HOST(name) __attribute__((import_module("extism:host/env"), import_name(#name))) extern
#define OWN_HOST(name) __attribute__((import_module("hookbox:host/env"), import_name(#name))) extern

HOST(input_length) int64_t host_input_length(void);
HOST(alloc) int64_t host_alloc(int64_t bytes);
HOST(length) int64_t host_length(int64_t block);
HOST(load_u8) int32_t host_load_u8(int64_t address);
HOST(load_u64) int64_t host_load_u64(int64_t address);
HOST(store_u8) void host_store_u8(int64_t address, int32_t value);
HOST(store_u64) void host_store_u64(int64_t address, int64_t value);
HOST(output_set) void host_output_set(int64_t block, int64_t bytes);
HOST(error_set) void host_error_set(int64_t block);
HOST(config_get) int64_t host_config_get(int64_t key);
HOST(log_trace) void host_log_trace(int64_t block);
HOST(log_debug) void host_log_debug(int64_t block);
HOST(log_info) void host_log_info(int64_t block);
HOST(log_warn) void host_log_warn(int64_t block);
HOST(log_error) void host_log_error(int64_t block);
HOST(var_get) int64_t host_var_get(int64_t key);
HOST(var_set) void host_var_set(int64_t key, int64_t value);
HOST(http_request) int64_t host_http_request(int64_t request, int64_t body);
HOST(http_status_code) int32_t host_http_status_code(void);
HOST(http_headers) int64_t host_http_headers(void);
OWN_HOST(input_read) void host_input_read(int64_t address);
OWN_HOST(file_read) int64_t host_file_read(int64_t path);
OWN_HOST(file_write) void host_file_write(int64_t path, int64_t content);
OWN_HOST(clock_now) int64_t host_clock_now(void);
OWN_HOST(random_bits) int64_t host_random_bits(void);

#define EXPORT(name) __attribute__((export_name(#name))) name

/* ---- Limits ---- */

/* STACK_BYTES is the linker's stack, set in build.mjs. The remaining 32 KiB are for C code between two stack checks. */
#define JS_STACK_BYTES (STACK_BYTES - 32 * 1024)
/* Limits while a guard is built: memory, and steps of ten thousand branches, which take a few seconds in total. */
#define BUILD_MEMORY_BYTES (64u * 1024 * 1024)
#define BUILD_TURNS 60000
/* Garbage in cycles that a call may create before the collector runs. It disappears with the call. */
#define GARBAGE_BYTES (4u * 1024 * 1024)

/* Free memory at the end of the snapshot, a third of it in reserve. A call that needs more costs its instance. */
#define ROOM_BYTES (96u * 1024)

/* ---- State, all of it in the snapshot ---- */

static JSRuntime *runtime;
static JSContext *context;
static JSValue guard = JS_UNDEFINED;
static JSValue guard_handle = JS_UNDEFINED;
static JSValue guard_describe = JS_UNDEFINED;
static BOOL is_building;
static int turns_left;

/* Whether the guard wants a clock and random numbers, so that Date and Math.random have them too. */
static BOOL has_clock;
static BOOL has_random;
/* The first use of Date and of Math.random during the build, before the guard's grants are known. */
static JSValue early_clock = JS_UNDEFINED;
static JSValue early_random = JS_UNDEFINED;

/* Read by the packer after `hookbox_compile` and `hookbox_load`: the bytecode, the manifest, or the error. */
static char *text;
static size_t text_bytes;

/* ---- Memory ---- */

/* During the build there is a limit below that of memory itself, so that enough memory is left for the error. */
static BOOL is_over_limit(JSMallocState *state, size_t bytes)
{
    if (likely(bytes <= state->malloc_limit - state->malloc_size))
        return FALSE;
    if (state->malloc_limit == BUILD_MEMORY_BYTES)
        state->malloc_limit += BUILD_MEMORY_BYTES / 64;
    return TRUE;
}

static void *engine_malloc(JSMallocState *state, size_t bytes)
{
    void *block;

    if (is_over_limit(state, bytes))
        return NULL;
    block = allocate(bytes);
    if (!block)
        return NULL;
    state->malloc_count++;
    state->malloc_size += capacity_of(block);
    return block;
}

static void engine_free(JSMallocState *state, void *block)
{
    if (!block)
        return;
    state->malloc_count--;
    state->malloc_size -= capacity_of(block);
    release(block);
}

static void *engine_realloc(JSMallocState *state, void *block, size_t bytes)
{
    size_t old_bytes;
    void *moved;

    if (!block)
        return bytes == 0 ? NULL : engine_malloc(state, bytes);
    if (bytes == 0) {
        engine_free(state, block);
        return NULL;
    }
    old_bytes = capacity_of(block);
    if (bytes > old_bytes && is_over_limit(state, bytes - old_bytes))
        return NULL;
    moved = reallocate(block, bytes);
    if (moved)
        state->malloc_size += capacity_of(moved) - old_bytes;
    return moved;
}

static const JSMallocFunctions ENGINE_MEMORY = { engine_malloc, engine_free, engine_realloc, capacity_of };

/* ---- Bytes from and to the host ---- */

static int64_t give(const char *bytes, size_t count)
{
    int64_t block = host_alloc((int64_t)count);
    size_t at = 0;
    uint64_t word;

    for (; at + 8 <= count; at += 8) {
        memcpy(&word, bytes + at, 8);
        host_store_u64(block + (int64_t)at, (int64_t)word);
    }
    for (; at < count; at++)
        host_store_u8(block + (int64_t)at, (uint8_t)bytes[at]);
    return block;
}

/* Reads the event. The result ends with a zero byte, which the JSON parser requires. NULL: out of memory. */
static char *take_input(size_t *count)
{
    size_t bytes = (size_t)host_input_length();
    char *input = allocate(bytes + 1);

    if (!input)
        return NULL;
    host_input_read((int64_t)(uintptr_t)input);
    input[bytes] = 0;
    *count = bytes;
    return input;
}

static JSValue take_block(JSContext *ctx, int64_t block)
{
    size_t bytes = (size_t)host_length(block);
    char *taken = js_malloc(ctx, bytes + 1);
    size_t at = 0;
    uint64_t word;
    JSValue string;

    if (!taken)
        return JS_EXCEPTION;
    for (; at + 8 <= bytes; at += 8) {
        word = (uint64_t)host_load_u64(block + (int64_t)at);
        memcpy(taken + at, &word, 8);
    }
    for (; at < bytes; at++)
        taken[at] = (char)host_load_u8(block + (int64_t)at);
    string = JS_NewStringLen(ctx, taken, bytes);
    js_free(ctx, taken);
    return string;
}

/* Returns a block with the string, or 0 with an exception. */
static int64_t give_string(JSContext *ctx, JSValueConst value)
{
    size_t count;
    const char *bytes = JS_ToCStringLen(ctx, &count, value);
    int64_t block;

    if (!bytes)
        return 0;
    block = give(bytes, count);
    JS_FreeCString(ctx, bytes);
    return block;
}

/* ---- `__hookbox_host` of the bundle ---- */

static JSValue early_error(JSContext *ctx, const char *what)
{
    JSValue error = JS_NewError(ctx);
    char message[96];

    snprintf(message, sizeof(message), "%s in handle, not while the guard is built", what);
    JS_DefinePropertyValueStr(ctx, error, "message", JS_NewString(ctx, message), JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
    return error;
}

static JSValue not_while_building(JSContext *ctx, const char *what)
{
    return JS_Throw(ctx, early_error(ctx, what));
}

/* Remembers a use that is an error only if the guard turns out to want the grant. Out of memory, it is forgotten. */
static void remember_early(JSValue *place, const char *what)
{
    JSValue error;

    if (!JS_IsUndefined(*place))
        return;
    error = early_error(context, what);
    if (JS_IsException(error)) {
        JS_FreeValue(context, JS_GetException(context));
        return;
    }
    build_backtrace(context, error, NULL, 0, 0, 0);
    *place = error;
}

static JSValue host_config(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv)
{
    int64_t key, block;

    if (is_building)
        return not_while_building(ctx, "config is read");
    key = give_string(ctx, argv[0]);
    if (key == 0)
        return JS_EXCEPTION;
    block = host_config_get(key);
    return block == 0 ? JS_UNDEFINED : take_block(ctx, block);
}

static JSValue host_log(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv)
{
    int32_t level;
    int64_t block;

    if (is_building)
        return not_while_building(ctx, "logs are written");
    if (JS_ToInt32(ctx, &level, argv[0]))
        return JS_EXCEPTION;
    block = give_string(ctx, argv[1]);
    if (block == 0)
        return JS_EXCEPTION;
    switch (level) {
    case 0: host_log_trace(block); break;
    case 1: host_log_debug(block); break;
    case 2: host_log_info(block); break;
    case 3: host_log_warn(block); break;
    default: host_log_error(block); break;
    }
    return JS_UNDEFINED;
}

static JSValue host_get_var(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv)
{
    int64_t key, block;

    if (is_building)
        return not_while_building(ctx, "state is read");
    key = give_string(ctx, argv[0]);
    if (key == 0)
        return JS_EXCEPTION;
    block = host_var_get(key);
    return block == 0 ? JS_UNDEFINED : take_block(ctx, block);
}

static JSValue host_set_var(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv)
{
    int64_t key, block = 0;

    if (is_building)
        return not_while_building(ctx, "state is written");
    key = give_string(ctx, argv[0]);
    if (key == 0)
        return JS_EXCEPTION;
    if (!JS_IsUndefined(argv[1])) {
        block = give_string(ctx, argv[1]);
        if (block == 0)
            return JS_EXCEPTION;
    }
    host_var_set(key, block);
    return JS_UNDEFINED;
}

static JSValue host_read_file(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv)
{
    int64_t path, block;

    if (is_building)
        return not_while_building(ctx, "files are read");
    path = give_string(ctx, argv[0]);
    if (path == 0)
        return JS_EXCEPTION;
    block = host_file_read(path);
    return block == 0 ? JS_UNDEFINED : take_block(ctx, block);
}

static JSValue host_write_file(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv)
{
    int64_t path, content;

    if (is_building)
        return not_while_building(ctx, "files are written");
    path = give_string(ctx, argv[0]);
    if (path == 0)
        return JS_EXCEPTION;
    content = give_string(ctx, argv[1]);
    if (content == 0)
        return JS_EXCEPTION;
    host_file_write(path, content);
    return JS_UNDEFINED;
}

/* Returns `false` with an exception. Frees the value. */
static BOOL put(JSContext *ctx, JSValueConst object, const char *name, JSValue value)
{
    return !JS_IsException(value) && JS_DefinePropertyValueStr(ctx, object, name, value, JS_PROP_C_W_E) >= 0;
}

/* Takes a request as JSON, and its body or undefined. Returns the answer, or undefined if there was none. */
static JSValue host_request(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv)
{
    int64_t request, answer, headers, body = 0;
    int32_t status;
    JSValue response;

    if (is_building)
        return not_while_building(ctx, "requests are made");
    request = give_string(ctx, argv[0]);
    if (request == 0)
        return JS_EXCEPTION;
    if (!JS_IsUndefined(argv[1])) {
        body = give_string(ctx, argv[1]);
        if (body == 0)
            return JS_EXCEPTION;
    }
    answer = host_http_request(request, body);
    status = host_http_status_code();
    if (status == 0)
        return JS_UNDEFINED;
    headers = host_http_headers();
    response = JS_NewObject(ctx);
    if (JS_IsException(response))
        return response;
    if (put(ctx, response, "status", JS_NewInt32(ctx, status)) &&
        put(ctx, response, "headers", headers == 0 ? JS_NewString(ctx, "{}") : take_block(ctx, headers)) &&
        put(ctx, response, "body", answer == 0 ? JS_NewString(ctx, "") : take_block(ctx, answer)))
        return response;
    JS_FreeValue(ctx, response);
    return JS_EXCEPTION;
}

static JSValue host_now(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv)
{
    if (is_building)
        return not_while_building(ctx, "the clock is read");
    return JS_NewInt64(ctx, host_clock_now());
}

static JSValue host_random(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv)
{
    if (is_building)
        return not_while_building(ctx, "random numbers are drawn");
    return JS_NewFloat64(ctx, (double)((uint64_t)host_random_bits() >> 11) / 9007199254740992.0);
}

static JSValue run_microtask(JSContext *ctx, int argc, JSValueConst *argv)
{
    return JS_Call(ctx, argv[0], JS_UNDEFINED, 0, NULL);
}

static JSValue queue_microtask(JSContext *ctx, JSValueConst self, int argc, JSValueConst *argv)
{
    if (!JS_IsFunction(ctx, argv[0]))
        return JS_ThrowTypeError(ctx, "queueMicrotask needs a function");
    return JS_EnqueueJob(ctx, run_microtask, 1, argv) < 0 ? JS_EXCEPTION : JS_UNDEFINED;
}

static void offer(JSValueConst object, const char *name, JSCFunction *function, int arguments, int flags)
{
    JS_DefinePropertyValueStr(context, object, name, JS_NewCFunction(context, function, name, arguments), flags);
}

static void offer_host(JSValueConst global)
{
    JSValue host = JS_NewObject(context);

    offer(host, "config", host_config, 1, JS_PROP_ENUMERABLE);
    offer(host, "log", host_log, 2, JS_PROP_ENUMERABLE);
    offer(host, "getVar", host_get_var, 1, JS_PROP_ENUMERABLE);
    offer(host, "setVar", host_set_var, 2, JS_PROP_ENUMERABLE);
    offer(host, "readFile", host_read_file, 1, JS_PROP_ENUMERABLE);
    offer(host, "writeFile", host_write_file, 2, JS_PROP_ENUMERABLE);
    offer(host, "request", host_request, 2, JS_PROP_ENUMERABLE);
    offer(host, "now", host_now, 0, JS_PROP_ENUMERABLE);
    offer(host, "random", host_random, 0, JS_PROP_ENUMERABLE);
    JS_PreventExtensions(context, host);
    JS_DefinePropertyValueStr(context, global, "__hookbox_host", host, JS_PROP_CONFIGURABLE);
    /* Removed, because a guard has only one thread. */
    JS_DeleteProperty(context, global, JS_ATOM_SharedArrayBuffer, 0);
    offer(global, "queueMicrotask", queue_microtask, 1, JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
}

/* ---- Rejected promises without a handler ---- */

typedef struct {
    JSValue promise;
    JSValue reason;
} Rejection;

static Rejection *rejections;
static size_t rejection_count;
static size_t rejection_room;
/* A rejection could not be stored because memory ran out. Counts as a rejection without a handler. */
static BOOL lost_rejection;

static void track_rejection(JSContext *ctx, JSValueConst promise, JSValueConst reason, BOOL is_handled, void *opaque)
{
    size_t at;
    Rejection *moved;

    if (is_handled) {
        for (at = rejection_count; at-- > 0;) {
            if (JS_VALUE_GET_PTR(rejections[at].promise) != JS_VALUE_GET_PTR(promise))
                continue;
            JS_FreeValue(ctx, rejections[at].promise);
            JS_FreeValue(ctx, rejections[at].reason);
            memmove(rejections + at, rejections + at + 1, (--rejection_count - at) * sizeof(*rejections));
            return;
        }
        return;
    }
    if (rejection_count == rejection_room) {
        moved = js_realloc_rt(runtime, rejections, (rejection_room * 2 + 4) * sizeof(*rejections));
        if (!moved) {
            lost_rejection = TRUE;
            return;
        }
        rejections = moved;
        rejection_room = rejection_room * 2 + 4;
    }
    rejections[rejection_count].promise = JS_DupValue(ctx, promise);
    rejections[rejection_count].reason = JS_DupValue(ctx, reason);
    rejection_count++;
}

/* ---- Running ---- */

/* Runs all pending jobs. Returns `false` if a job threw; the exception is pending. */
static BOOL drain_jobs(void)
{
    JSContext *ctx;
    int did;

    while ((did = JS_ExecutePendingJob(runtime, &ctx)) > 0)
        ;
    return did == 0;
}

/* Returns a copy, or NULL if memory ran out or the value cannot be converted to a string. */
static char *copy_of(JSValueConst value, size_t *count)
{
    const char *bytes = JS_ToCStringLen(context, count, value);
    char *copy;

    if (!bytes) {
        JS_FreeValue(context, JS_GetException(context));
        return NULL;
    }
    copy = allocate(*count + 1);
    if (copy)
        memcpy(copy, bytes, *count + 1);
    JS_FreeCString(context, bytes);
    return copy;
}

/* Returns `false` with an exception if a promise other than `result` was rejected without a handler. */
static BOOL nobody_was_rejected(JSValueConst result)
{
    JSValue reason, error;
    size_t at, count;
    char *name;

    for (at = 0; at < rejection_count; at++) {
        if (JS_IsObject(result) && JS_VALUE_GET_PTR(rejections[at].promise) == JS_VALUE_GET_PTR(result))
            continue;
        reason = JS_DupValue(context, rejections[at].reason);
        name = copy_of(reason, &count);
        JS_ThrowTypeError(context, "a promise was rejected without a handler: %.200s", name ? name : "no text");
        release(name);
        error = JS_GetException(context);
        JS_DefinePropertyValueStr(context, error, "cause", reason, JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
        JS_Throw(context, error);
        return FALSE;
    }
    if (!lost_rejection)
        return TRUE;
    JS_ThrowOutOfMemory(context);
    return FALSE;
}

/* Runs all jobs, and returns the value of a promise, or any other value unchanged. Frees its argument. */
static JSValue settled(JSValue result)
{
    JSValue value;

    if (!drain_jobs() || !nobody_was_rejected(result)) {
        JS_FreeValue(context, result);
        return JS_EXCEPTION;
    }
    if (!JS_IsObject(result) || JS_VALUE_GET_OBJ(result)->class_id != JS_CLASS_PROMISE)
        return result;
    switch (JS_PromiseState(context, result)) {
    case JS_PROMISE_FULFILLED:
        value = JS_PromiseResult(context, result);
        break;
    case JS_PROMISE_REJECTED:
        value = JS_Throw(context, JS_PromiseResult(context, result));
        break;
    default:
        value = JS_ThrowTypeError(context, "handle returned a promise that never settles");
        break;
    }
    JS_FreeValue(context, result);
    return value;
}

/* ---- Errors as text ---- */

static char *grown(char *bytes, size_t wanted)
{
    return bytes ? reallocate(bytes, wanted) : allocate(wanted);
}

/* Message and stack of an error and of its causes, as much of them as can be read. NULL: none. */
static char *render(JSValueConst error, size_t *count)
{
    JSValueConst links[4] = { error };
    size_t used = 0, bytes;
    char *all = NULL, *more, *part;
    JSValue stack, cause;
    int link;

    for (link = 0; link < 4; link++) {
        part = copy_of(links[link], &bytes);
        more = part ? grown(all, used + bytes + 32) : NULL;
        if (!more) {
            release(part);
            break;
        }
        all = more;
        if (link > 0) {
            memcpy(all + used, "caused by: ", 11);
            used += 11;
        }
        memcpy(all + used, part, bytes);
        used += bytes;
        all[used++] = '\n';
        release(part);
        if (!JS_IsError(context, links[link]))
            break;
        stack = JS_GetPropertyStr(context, links[link], "stack");
        part = JS_IsString(stack) ? copy_of(stack, &bytes) : NULL;
        JS_FreeValue(context, stack);
        more = part ? grown(all, used + bytes + 32) : NULL;
        if (more) {
            all = more;
            memcpy(all + used, part, bytes);
            used += bytes;
        }
        release(part);
        cause = link < 3 ? JS_GetPropertyStr(context, links[link], "cause") : JS_UNDEFINED;
        if (!JS_IsObject(cause)) {
            JS_FreeValue(context, cause);
            break;
        }
        /* If `cause` is an ordinary property, the error keeps it alive. Otherwise it is never freed here. */
        links[link + 1] = cause;
    }
    while (used > 0 && all[used - 1] == '\n')
        used--;
    *count = used;
    return all;
}

static char *describe(JSValueConst error, size_t *count)
{
    JSValue described;
    char *bytes = NULL;

    if (!JS_IsUndefined(guard_describe)) {
        described = JS_Call(context, guard_describe, guard, 1, &error);
        if (JS_IsException(described))
            JS_FreeValue(context, JS_GetException(context));
        else if (JS_IsString(described))
            bytes = copy_of(described, count);
        JS_FreeValue(context, described);
    }
    return bytes ? bytes : render(error, count);
}

static int fail_with(const char *bytes, size_t count)
{
    host_error_set(give(bytes, count));
    return 1;
}

static int fail(void)
{
    static const char NOTHING[] = "InternalError: out of memory, even for the error's text";
    JSValue error = JS_GetException(context);
    size_t count;
    char *bytes = describe(error, &count);

    return bytes ? fail_with(bytes, count) : fail_with(NOTHING, sizeof(NOTHING) - 1);
}

/* ---- A call ---- */

int EXPORT(handle)(void)
{
    size_t count;
    const char *output;
    char *input;
    JSValue event, result, json;

    /* Without a build there is no runtime: the engine alone is not a guard. */
    if (!runtime || is_building)
        __builtin_trap();
    JS_UpdateStackTop(runtime);
    input = take_input(&count);
    if (!input) {
        JS_ThrowOutOfMemory(context);
        return fail();
    }
    event = JS_ParseJSON(context, input, count, "event");
    release(input);
    if (JS_IsException(event))
        return fail();
    result = settled(JS_Call(context, guard_handle, guard, 1, (JSValueConst *)&event));
    if (JS_IsException(result))
        return fail();
    if (!JS_IsObject(result)) {
        JS_ThrowTypeError(context, "handle returned something that is not an object");
        return fail();
    }
    json = JS_JSONStringify(context, result, JS_UNDEFINED, JS_UNDEFINED);
    if (JS_IsException(json))
        return fail();
    if (!JS_IsString(json)) {
        JS_ThrowTypeError(context, "handle returned a value which has no JSON form");
        return fail();
    }
    output = JS_ToCStringLen(context, &count, json);
    if (!output)
        return fail();
    host_output_set(give(output, count), (int64_t)count);
    return 0;
}

/* ---- Building ---- */

static int is_out_of_turns(JSRuntime *rt, void *opaque)
{
    return --turns_left <= 0;
}

static int build_failed(void)
{
    JSValue error = JS_GetException(context);

    guard_describe = JS_UNDEFINED;
    if (turns_left <= 0) {
        static const char TURNS[] = "InternalError: the guard's top level takes too long, or for ever";
        text = allocate(sizeof(TURNS));
        if (text)
            memcpy(text, TURNS, sizeof(TURNS));
        text_bytes = sizeof(TURNS) - 1;
    } else
        text = render(error, &text_bytes);
    if (!text)
        text_bytes = 0;
    return 1;
}

static BOOL take_guard(JSValueConst global)
{
    JSValue manifest;
    JSAtom name;
    BOOL is_guard;

    guard = JS_GetPropertyStr(context, global, "__hookbox_guard");
    if (JS_IsException(guard))
        return FALSE;
    if (!JS_IsObject(guard)) {
        JS_ThrowTypeError(context, "the script did not define a guard");
        return FALSE;
    }
    guard_handle = JS_GetPropertyStr(context, guard, "handle");
    guard_describe = JS_GetPropertyStr(context, guard, "describeError");
    manifest = JS_GetPropertyStr(context, guard, "manifest");
    is_guard = JS_IsFunction(context, guard_handle) && JS_IsFunction(context, guard_describe) && JS_IsString(manifest);
    if (is_guard)
        text = copy_of(manifest, &text_bytes);
    JS_FreeValue(context, manifest);
    if (!is_guard) {
        JS_ThrowTypeError(context, "the script's guard lacks handle, describeError or manifest");
        return FALSE;
    }
    if (!text) {
        JS_ThrowOutOfMemory(context);
        return FALSE;
    }
    name = JS_NewAtom(context, "__hookbox_guard");
    JS_DeleteProperty(context, global, name, 0);
    JS_FreeAtom(context, name);
    name = JS_NewAtom(context, "__hookbox_host");
    JS_DeleteProperty(context, global, name, 0);
    JS_FreeAtom(context, name);
    return TRUE;
}

extern void __wasm_call_ctors(void);

/* Creates the memory that all guards have in common. The packer calls this function first. Returns 0 for success. */
int EXPORT(hookbox_start)(void)
{
    JSValue global;

    __wasm_call_ctors();
    allocator_start();
    is_building = TRUE;
    runtime = JS_NewRuntime2(&ENGINE_MEMORY, NULL);
    if (!runtime)
        return 1;
    turns_left = BUILD_TURNS;
    JS_SetMemoryLimit(runtime, BUILD_MEMORY_BYTES);
    JS_SetGCThreshold(runtime, BUILD_MEMORY_BYTES / 4);
    JS_SetMaxStackSize(runtime, JS_STACK_BYTES);
    JS_SetInterruptHandler(runtime, is_out_of_turns, NULL);
    JS_SetHostPromiseRejectionTracker(runtime, track_rejection, NULL);
    /* The source is only needed for `Function.prototype.toString`. */
    JS_SetStripInfo(runtime, JS_STRIP_SOURCE);
    context = JS_NewContext(runtime);
    if (!context)
        return 1;
    global = JS_GetGlobalObject(context);
    offer_host(global);
    JS_FreeValue(context, global);
    return 0;
}

/* Allocates memory for the arguments of `hookbox_compile`. */
void *EXPORT(hookbox_allocate)(size_t bytes)
{
    return allocate(bytes);
}

/*
 * Both texts end with a zero byte, which `script_bytes` does not count. Returns 0 if `hookbox_text` is the bytecode, 1
 * if it is an error.
 */
int EXPORT(hookbox_compile)(char *script, size_t script_bytes, char *file_name)
{
    JSValue function;

    function = JS_Eval(context, script, script_bytes, file_name, JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_COMPILE_ONLY);
    if (JS_IsException(function))
        return build_failed();
    text = (char *)JS_WriteObject(context, &text_bytes, function, JS_WRITE_OBJ_BYTECODE);
    return text ? 0 : build_failed();
}

/*
 * Runs bytecode, which the packer puts behind the heap. Returns 0 if `hookbox_text` is the manifest, 1 if it is an error.
 */
int EXPORT(hookbox_load)(const uint8_t *bytecode, size_t bytes)
{
    JSValue global, result;

    result = JS_ReadObject(context, bytecode, bytes, JS_READ_OBJ_BYTECODE);
    if (!JS_IsException(result))
        result = JS_EvalFunction(context, result);
    if (JS_IsException(result))
        return build_failed();
    JS_FreeValue(context, result);
    global = JS_GetGlobalObject(context);
    if (!drain_jobs() || !nobody_was_rejected(JS_UNDEFINED) || !take_guard(global))
        return build_failed();
    JS_FreeValue(context, global);
    return 0;
}

const char *EXPORT(hookbox_text)(void)
{
    return text;
}

size_t EXPORT(hookbox_text_bytes)(void)
{
    return text_bytes;
}

/* The grants in the manifest that change built-in functions of JavaScript. */
#define WANTS_CLOCK 1
#define WANTS_RANDOM 2

/*
 * Whether a grant that the guard wants was used during the build. If so, `hookbox_text` is the error. Otherwise forgets
 * both uses.
 */
static BOOL was_early(uint32_t wants)
{
    JSValue error = wants & WANTS_CLOCK ? early_clock : JS_UNDEFINED;

    if (JS_IsUndefined(error) && wants & WANTS_RANDOM)
        error = early_random;
    if (!JS_IsUndefined(error)) {
        text = render(error, &text_bytes);
        if (!text)
            text_bytes = 0;
        return TRUE;
    }
    JS_FreeValue(context, early_clock);
    JS_FreeValue(context, early_random);
    early_clock = early_random = JS_UNDEFINED;
    return FALSE;
}

/*
 * Called after the manifest was read. Creates the state with which every call starts. Returns its size in pages, or 0
 * if `hookbox_text` is an error.
 */
size_t EXPORT(hookbox_finish)(uint32_t wants)
{
    release(text);
    text = NULL;
    text_bytes = 0;
    if (was_early(wants))
        return 0;
    has_clock = (wants & WANTS_CLOCK) != 0;
    has_random = (wants & WANTS_RANDOM) != 0;
    JS_RunGC(runtime);
    js_free_rt(runtime, rejections);
    rejections = NULL;
    rejection_room = 0;
    JS_SetInterruptHandler(runtime, NULL, NULL);
    JS_SetMemoryLimit(runtime, (size_t)-1);
    JS_SetGCThreshold(runtime, runtime->malloc_state.malloc_size + GARBAGE_BYTES);
    context->interrupt_counter = JS_INTERRUPT_COUNTER_INIT;
    /* `eval` and `new Function` are disabled in calls, because code from an event would not have been reviewed. */
    context->eval_internal = NULL;
    turns_left = 0;
    is_building = FALSE;
    return allocator_finish(ROOM_BYTES);
}

/* ---- Functions that QuickJS would get from an operating system ---- */

/* For Date. QuickJS also calls it for the seed of Math.random, before there is a context. */
int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
    int64_t now_ms = 0;

    if (is_building && context)
        remember_early(&early_clock, "the clock is read");
    if (has_clock)
        now_ms = host_clock_now();
    now->tv_sec = now_ms / 1000;
    now->tv_usec = now_ms % 1000 * 1000;
    return 0;
}

static uint64_t chance(JSContext *ctx)
{
    if (is_building)
        remember_early(&early_random, "random numbers are drawn");
    return has_random ? (uint64_t)host_random_bits() : xorshift64star(&ctx->random_state);
}

/* `snprintf` links the file functions of the C library. No file is ever open. */
#define EBADF_OF_WASI 8
int __imported_wasi_snapshot_preview1_fd_close(int file)
{
    return EBADF_OF_WASI;
}

int __imported_wasi_snapshot_preview1_fd_seek(int file, int64_t offset, int whence, int position)
{
    return EBADF_OF_WASI;
}

int __imported_wasi_snapshot_preview1_fd_write(int file, int parts, int count, int written)
{
    return EBADF_OF_WASI;
}
