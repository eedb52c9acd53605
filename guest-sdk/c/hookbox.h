/*
 * hookbox.h: the library for guards in C, in one header and without a C library.
 *
 *   #include "hookbox.h"
 *
 *   static hb_reply guard(const hb_json *event) {
 *     hb_text command;
 *     if (!hb_as_text(hb_path(event, "tool_input", "command"), &command)) return hb_deny(HB("no command"));
 *     return hb_contains(command, HB("production")) ? hb_deny(HB("not there")) : hb_abstain();
 *   }
 *
 *   HB_GUARD(guard)
 *
 * Compile: hookbox build DIR, or
 *   clang --target=wasm32-unknown-unknown -Oz -ffreestanding -mbulk-memory -nostdlib -Wl,--no-entry -Wl,--strip-all \
 *     -I DIR_OF_THIS_FILE guard.c -o guard.wasm
 * A guard is one translation unit, because the state in this header is static. Use #include for more files.
 *
 * An error fails the call, and the engine then denies the action. After malformed JSON, a config value of the wrong type
 * or hb_fail(), the result of the guard is ignored.
 *
 * Memory comes from an arena that is empty at the start of each call. Nothing is freed, and static variables must not keep
 * data for the next call. Allocation never returns NULL.
 *
 * A module imports only the host functions that it calls, so including this header needs no grant.
 *
 * Guest ABI 1. MIT licence.
 */
#ifndef HOOKBOX_H
#define HOOKBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- The host's functions, as in the ABI. Handles, addresses and lengths are 64 bits wide. ---- */

#define HB_IMPORT_FROM(space, name) __attribute__((import_module(space), import_name(#name))) extern
#define HB_IMPORT(name) HB_IMPORT_FROM("extism:host/env", name)
#define HB_OWN_IMPORT(name) HB_IMPORT_FROM("hookbox:host/env", name)

HB_IMPORT(input_length) uint64_t hb_host_input_length(void);
HB_IMPORT(input_load_u8) uint32_t hb_host_input_load_u8(uint64_t offset);
HB_IMPORT(input_load_u64) uint64_t hb_host_input_load_u64(uint64_t offset);
HB_IMPORT(alloc) uint64_t hb_host_alloc(uint64_t length);
HB_IMPORT(free) void hb_host_free(uint64_t handle);
HB_IMPORT(length) uint64_t hb_host_length(uint64_t handle);
HB_IMPORT(load_u8) uint32_t hb_host_load_u8(uint64_t address);
HB_IMPORT(load_u64) uint64_t hb_host_load_u64(uint64_t address);
HB_IMPORT(store_u8) void hb_host_store_u8(uint64_t address, uint32_t byte);
HB_IMPORT(store_u64) void hb_host_store_u64(uint64_t address, uint64_t bytes);
HB_IMPORT(output_set) void hb_host_output_set(uint64_t handle, uint64_t length);
HB_IMPORT(error_set) void hb_host_error_set(uint64_t handle);
HB_IMPORT(config_get) uint64_t hb_host_config_get(uint64_t key);
HB_IMPORT(log_debug) void hb_host_log_debug(uint64_t handle);
HB_IMPORT(log_info) void hb_host_log_info(uint64_t handle);
HB_IMPORT(log_warn) void hb_host_log_warn(uint64_t handle);
HB_IMPORT(log_error) void hb_host_log_error(uint64_t handle);

/* Functions that need a grant of the rule. A module imports only the functions that it calls. */
HB_IMPORT(var_get) uint64_t hb_host_var_get(uint64_t key);
HB_IMPORT(var_set) void hb_host_var_set(uint64_t key, uint64_t value);
HB_IMPORT(http_request) uint64_t hb_host_http_request(uint64_t request, uint64_t body);
HB_IMPORT(http_status_code) uint32_t hb_host_http_status_code(void);
HB_IMPORT(http_headers) uint64_t hb_host_http_headers(void);
HB_OWN_IMPORT(file_read) uint64_t hb_host_file_read(uint64_t path);
HB_OWN_IMPORT(file_write) void hb_host_file_write(uint64_t path, uint64_t bytes);
HB_OWN_IMPORT(clock_now) uint64_t hb_host_clock_now(void);
HB_OWN_IMPORT(random_bits) uint64_t hb_host_random_bits(void);

/* A loop costs the fuel of its whole body, including branches that are not taken. So rare code and loops over texts
 * have their own functions. clang would move code after a loop into the loop. */
#define HB_APART __attribute__((noinline))

/* ---- Functions that clang calls by name, even in freestanding code. Weak, so that those of a C library take
 * precedence. ---- */

/* no_builtin, because clang would otherwise compile the loop in memset as a call of memset. */
#define HB_LIBCALL(name) __attribute__((weak, no_builtin(name)))

HB_LIBCALL("memcpy") void *memcpy(void *restrict to, const void *restrict from, size_t length) {
  for (size_t at = 0; at < length; at += 1) ((char *)to)[at] = ((const char *)from)[at];
  return to;
}

HB_LIBCALL("memmove") void *memmove(void *to, const void *from, size_t length) {
  if ((uintptr_t)to <= (uintptr_t)from) {
    for (size_t at = 0; at < length; at += 1) ((char *)to)[at] = ((const char *)from)[at];
  } else {
    for (size_t at = length; at > 0; at -= 1) ((char *)to)[at - 1] = ((const char *)from)[at - 1];
  }
  return to;
}

HB_LIBCALL("memset") void *memset(void *to, int byte, size_t length) {
  for (size_t at = 0; at < length; at += 1) ((unsigned char *)to)[at] = (unsigned char)byte;
  return to;
}

HB_LIBCALL("memcmp") int memcmp(const void *left, const void *right, size_t length) {
  for (size_t at = 0; at < length; at += 1) {
    int difference = ((const unsigned char *)left)[at] - ((const unsigned char *)right)[at];
    if (difference != 0) return difference;
  }
  return 0;
}

HB_LIBCALL("strlen") size_t strlen(const char *text) {
  size_t length = 0;
  while (text[length] != '\0') length += 1;
  return length;
}

/* ---- Text: UTF-8 with a length. It may contain any character, also U+0000. ---- */

typedef struct hb_text {
  const char *at;
  size_t length;
} hb_text;

/* A text from a string literal. */
#define HB(literal) ((hb_text){"" literal, sizeof(literal) - 1})

static inline hb_text hb_text_of(const char *terminated) { return (hb_text){terminated, strlen(terminated)}; }

HB_APART static inline bool hb_equal(hb_text left, hb_text right) {
  return left.length == right.length && memcmp(left.at, right.at, left.length) == 0;
}

/* Whether `text` contains `part`. Every text contains the empty part. Worst case: the product of the lengths. */
HB_APART static inline bool hb_contains(hb_text text, hb_text part) {
  if (part.length == 0) return true;
  if (part.length > text.length) return false;
  const char *last = text.at + (text.length - part.length);
  for (const char *at = text.at;; at += 1) {
    while (at < last && *at != *part.at) at += 1;
    if (memcmp(at, part.at, part.length) == 0) return true;
    if (at == last) return false;
  }
}

static inline bool hb_starts_with(hb_text text, hb_text part) {
  return part.length <= text.length && memcmp(text.at, part.at, part.length) == 0;
}

/* Returns at most this many characters (code points) of a text, never a part of one. */
HB_APART static inline hb_text hb_first_characters(hb_text text, size_t count) {
  size_t at = 0;
  for (; at < text.length; at += 1) {
    /* All bytes of a character except the first have the form 10xxxxxx. */
    if (((unsigned char)text.at[at] & 0xc0) == 0x80) continue;
    if (count == 0) break;
    count -= 1;
  }
  return (hb_text){text.at, at};
}

/* Reads the next line, without its end, and leaves the lines after it in `rest`: while (hb_next_line(&rest, &line))
 * ... */
HB_APART static inline bool hb_next_line(hb_text *rest, hb_text *line) {
  if (rest->length == 0) return false;
  size_t end = 0;
  while (end < rest->length && rest->at[end] != '\n') end += 1;
  size_t taken = end < rest->length ? end + 1 : end;
  if (end > 0 && rest->at[end - 1] == '\r') end -= 1;
  *line = (hb_text){rest->at, end};
  *rest = (hb_text){rest->at + taken, rest->length - taken};
  return true;
}

static inline bool hb_is_blank(char byte) { return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n'; }

/* Returns the text without blanks at its beginning and end. */
HB_APART static inline hb_text hb_trim(hb_text text) {
  while (text.length > 0 && hb_is_blank(*text.at)) text = (hb_text){text.at + 1, text.length - 1};
  while (text.length > 0 && hb_is_blank(text.at[text.length - 1])) text.length -= 1;
  return text;
}

/* ---- Failures ---- */

/* State that the guard's functions share in one call. Reset at its start, because a host may reuse an instance. */
static struct {
  char *free;
  bool has_failed;
  hb_text event_name;
} hb_call;

HB_APART static inline uint64_t hb_to_host(hb_text text) {
  uint64_t handle = hb_host_alloc(text.length);
  size_t at = 0;
  for (; at + 8 <= text.length; at += 8) {
    uint64_t bytes;
    __builtin_memcpy(&bytes, text.at + at, 8);
    hb_host_store_u64(handle + at, bytes);
  }
  for (; at < text.length; at += 1) hb_host_store_u8(handle + at, (unsigned char)text.at[at]);
  return handle;
}

/* Keeps the first failure, because later ones are only its consequences. */
HB_APART static inline void hb_note_failure(hb_text message) {
  if (hb_call.has_failed) return;
  hb_call.has_failed = true;
  hb_host_error_set(hb_to_host(message));
}

/* Ends the call at once, for failures after which the guard cannot continue. */
HB_APART _Noreturn static inline void hb_die(hb_text message) {
  hb_note_failure(message);
  __builtin_trap();
}

/* ---- Memory ---- */

/* Set by the linker: the end of static data and the stack. */
extern char __heap_base;

#define HB_PAGE_BYTES 65536u

HB_APART static inline void hb_grow(uintptr_t bytes) {
  uintptr_t pages = bytes / HB_PAGE_BYTES + (bytes % HB_PAGE_BYTES != 0);
  if (__builtin_wasm_memory_grow(0, pages) == SIZE_MAX) hb_die(HB("out of memory"));
}

/* Allocates memory for the rest of the call, aligned for all types, not zeroed. Traps if the guard's limit is
 * reached. */
static inline void *hb_alloc(size_t length) {
  uintptr_t start = ((uintptr_t)hb_call.free + 7) & ~(uintptr_t)7;
  uintptr_t size = (uintptr_t)__builtin_wasm_memory_size(0) * HB_PAGE_BYTES;
  uintptr_t end = start + length;
  if (end < start) hb_die(HB("out of memory"));
  if (end > size) hb_grow(end - size);
  hb_call.free = (char *)end;
  return (char *)start;
}

/* ---- Writing text ---- */

/* A text that grows. Begin with `hb_writer text = {0};`. */
typedef struct hb_writer {
  char *at;
  size_t length;
  size_t capacity;
} hb_writer;

HB_APART static inline void hb_write(hb_writer *writer, hb_text text) {
  if (text.length == 0) return;
  if (text.length > SIZE_MAX / 4 - writer->length) hb_die(HB("out of memory"));
  if (writer->length + text.length > writer->capacity) {
    /* Doubles the capacity, so that the copies cost no more than the writing. */
    size_t capacity = (writer->length + text.length) * 2;
    char *at = hb_alloc(capacity);
    if (writer->length > 0) __builtin_memcpy(at, writer->at, writer->length);
    writer->at = at;
    writer->capacity = capacity;
  }
  __builtin_memcpy(writer->at + writer->length, text.at, text.length);
  writer->length += text.length;
}

static inline hb_text hb_written(const hb_writer *writer) { return (hb_text){writer->at, writer->length}; }

/* Whether a byte needs no escape in a JSON string. */
static inline bool hb_is_plain(unsigned char byte) { return byte >= 0x20 && byte != '"' && byte != '\\'; }

HB_APART static inline void hb_write_escape(hb_writer *writer, unsigned char byte) {
  if (byte >= 0x20) {
    hb_write(writer, (hb_text){(char[]){'\\', (char)byte}, 2});
    return;
  }
  char escape[6] = {'\\', 'u', '0', '0', (char)('0' + (byte >> 4)), "0123456789abcdef"[byte & 15]};
  hb_write(writer, (hb_text){escape, 6});
}

/* Writes a JSON string, with its quotes. */
static inline void hb_write_json(hb_writer *writer, hb_text text) {
  size_t at = 0;
  hb_write(writer, HB("\""));
  for (;;) {
    size_t start = at;
    while (at < text.length && hb_is_plain((unsigned char)text.at[at])) at += 1;
    hb_write(writer, (hb_text){text.at + start, at - start});
    if (at == text.length) break;
    hb_write_escape(writer, (unsigned char)text.at[at]);
    at += 1;
  }
  hb_write(writer, HB("\""));
}

static inline hb_text hb_join_texts(const hb_text *texts, size_t count) {
  hb_writer writer = {0};
  for (size_t index = 0; index < count; index += 1) hb_write(&writer, texts[index]);
  return hb_written(&writer);
}

/* Joins several texts: hb_join(HB("names "), word). */
#define hb_join(...) \
  hb_join_texts((const hb_text[]){__VA_ARGS__}, sizeof((const hb_text[]){__VA_ARGS__}) / sizeof(hb_text))

/* A number as in JSON. */
HB_APART static inline hb_text hb_decimal(int64_t number) {
  /* At most 19 digits and a sign. */
  char digits[20];
  size_t at = sizeof digits;
  uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
  do {
    digits[--at] = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  if (number < 0) digits[--at] = '-';
  hb_writer writer = {0};
  hb_write(&writer, (hb_text){digits + at, sizeof digits - at});
  return hb_written(&writer);
}

/* ---- Reading JSON, exactly as in RFC 8259. Never search the raw text instead: docs/guard-c.md says why. ---- */

typedef enum hb_kind {
  HB_MISSING,
  HB_NULL,
  HB_FALSE,
  HB_TRUE,
  HB_NUMBER,
  HB_STRING,
  HB_ARRAY,
  HB_OBJECT,
} hb_kind;

/* A value. Read it with the functions below. */
typedef struct hb_json {
  hb_kind kind;
  /* The decoded characters of a string, or the digits of a number as they were written. */
  hb_text text;
  /* The decoded name of a member. */
  hb_text name;
  struct hb_json *first;
  struct hb_json *last;
  struct hb_json *next;
} hb_json;

/* Deeper input is refused, because an attacker chooses the depth of an event and the stack is small. */
#define HB_MAX_DEPTH 128

static const hb_json hb_missing_value = {HB_MISSING, {0, 0}, {0, 0}, 0, 0, 0};

typedef struct hb_reader {
  /* The text ends with a byte 0, which JSON never contains, so that reading one byte ahead is always allowed. */
  char *at;
  char *end;
  /* What is wrong, or NULL. */
  const char *flaw;
  int depth;
} hb_reader;

static inline bool hb_flaw(hb_reader *reader, const char *flaw) {
  if (reader->flaw == NULL) reader->flaw = flaw;
  return false;
}

static inline void hb_skip_space(hb_reader *reader) {
  while (*reader->at == ' ' || *reader->at == '\n' || *reader->at == '\r' || *reader->at == '\t') reader->at += 1;
}

static inline bool hb_is_digit(char byte) { return byte >= '0' && byte <= '9'; }

/* Reads four hexadecimal digits. Returns -1 for anything else. */
static inline int32_t hb_read_hex(hb_reader *reader) {
  int32_t value = 0;
  for (int digit = 0; digit < 4; digit += 1, reader->at += 1) {
    char byte = *reader->at;
    char lower = (char)(byte | 0x20);
    if (hb_is_digit(byte)) value = value * 16 + (byte - '0');
    else if (lower >= 'a' && lower <= 'f') value = value * 16 + (lower - 'a' + 10);
    else return -1;
  }
  return value;
}

static inline char *hb_put_utf8(char *to, uint32_t character) {
  if (character < 0x80) {
    *to++ = (char)character;
  } else if (character < 0x800) {
    *to++ = (char)(0xc0 | (character >> 6));
    *to++ = (char)(0x80 | (character & 0x3f));
  } else if (character < 0x10000) {
    *to++ = (char)(0xe0 | (character >> 12));
    *to++ = (char)(0x80 | ((character >> 6) & 0x3f));
    *to++ = (char)(0x80 | (character & 0x3f));
  } else {
    *to++ = (char)(0xf0 | (character >> 18));
    *to++ = (char)(0x80 | ((character >> 12) & 0x3f));
    *to++ = (char)(0x80 | ((character >> 6) & 0x3f));
    *to++ = (char)(0x80 | (character & 0x3f));
  }
  return to;
}

/* The length in bytes of the UTF-8 character that begins here. 0 for invalid bytes, such as overlong forms and
 * surrogates. */
HB_APART static inline int hb_utf8_length(const char *text) {
  const unsigned char *at = (const unsigned char *)text;
  unsigned char second_from = 0x80, second_to = 0xbf;
  int length;
  if (at[0] < 0x80) return 1;
  if (at[0] >= 0xc2 && at[0] <= 0xdf) length = 2;
  else if (at[0] >= 0xe0 && at[0] <= 0xef) length = 3;
  else if (at[0] >= 0xf0 && at[0] <= 0xf4) length = 4;
  else return 0;
  if (at[0] == 0xe0) second_from = 0xa0;
  if (at[0] == 0xed) second_to = 0x9f;
  if (at[0] == 0xf0) second_from = 0x90;
  if (at[0] == 0xf4) second_to = 0x8f;
  /* The byte 0 after the text is no continuation byte, so this does not read beyond it. */
  if (at[1] < second_from || at[1] > second_to) return 0;
  for (int index = 2; index < length; index += 1) {
    if ((at[index] & 0xc0) != 0x80) return 0;
  }
  return length;
}

HB_APART static inline char *hb_skip_ascii(char *at) {
  while (hb_is_plain((unsigned char)*at) && (unsigned char)*at < 0x80) at += 1;
  return at;
}

/* Skips the characters of a string that need no decoding. Stops at a quote, an escape, or an invalid byte. */
HB_APART static inline char *hb_skip_plain(char *at) {
  for (;;) {
    at = hb_skip_ascii(at);
    int length = (unsigned char)*at < 0x80 ? 0 : hb_utf8_length(at);
    if (length == 0) return at;
    at += length;
  }
}

static inline const char *hb_flaw_in_string(const char *at, const char *end) {
  if ((unsigned char)*at >= 0x80) return "bytes that are not UTF-8";
  return at == end ? "an unfinished string" : "a control character in a string";
}

/* Reads an escape, after its backslash. */
HB_APART static inline bool hb_read_escape(hb_reader *reader, char **to) {
  char byte = *reader->at++;
  switch (byte) {
    case '"': case '\\': case '/': *(*to)++ = byte; return true;
    case 'b': *(*to)++ = '\b'; return true;
    case 'f': *(*to)++ = '\f'; return true;
    case 'n': *(*to)++ = '\n'; return true;
    case 'r': *(*to)++ = '\r'; return true;
    case 't': *(*to)++ = '\t'; return true;
    case 'u': break;
    default: return hb_flaw(reader, "an unknown escape");
  }
  int32_t unit = hb_read_hex(reader);
  if (unit < 0) return hb_flaw(reader, "an unfinished escape");
  uint32_t character = (uint32_t)unit;
  if (unit >= 0xdc00 && unit <= 0xdfff) return hb_flaw(reader, "half of a surrogate pair");
  if (unit >= 0xd800 && unit <= 0xdbff) {
    if (reader->at[0] != '\\' || reader->at[1] != 'u') return hb_flaw(reader, "half of a surrogate pair");
    reader->at += 2;
    int32_t low = hb_read_hex(reader);
    if (low < 0xdc00 || low > 0xdfff) return hb_flaw(reader, "half of a surrogate pair");
    character = 0x10000 + ((character - 0xd800) << 10) + ((uint32_t)low - 0xdc00);
  }
  *to = hb_put_utf8(*to, character);
  return true;
}

/* Reads a string, from its opening quote. Decodes it in place, because an escape is longer than its character. */
HB_APART static inline bool hb_read_string(hb_reader *reader, hb_text *text) {
  char *start = ++reader->at;
  char *to = start;
  for (;;) {
    char *run = reader->at;
    char *at = hb_skip_plain(run);
    size_t length = (size_t)(at - run);
    if (to != run && length > 0) __builtin_memmove(to, run, length);
    to += length;
    reader->at = at + 1;
    if (*at == '"') break;
    if (*at != '\\') return hb_flaw(reader, hb_flaw_in_string(at, reader->end));
    if (!hb_read_escape(reader, &to)) return false;
  }
  *text = (hb_text){start, (size_t)(to - start)};
  return true;
}

static inline bool hb_read_number(hb_reader *reader, hb_text *text) {
  char *start = reader->at;
  char *at = start;
  if (*at == '-') at += 1;
  if (!hb_is_digit(*at)) return hb_flaw(reader, "something that is no value");
  if (*at == '0') at += 1;
  else while (hb_is_digit(*at)) at += 1;
  if (*at == '.') {
    at += 1;
    if (!hb_is_digit(*at)) return hb_flaw(reader, "an unfinished number");
    while (hb_is_digit(*at)) at += 1;
  }
  if (*at == 'e' || *at == 'E') {
    at += 1;
    if (*at == '+' || *at == '-') at += 1;
    if (!hb_is_digit(*at)) return hb_flaw(reader, "an unfinished number");
    while (hb_is_digit(*at)) at += 1;
  }
  reader->at = at;
  *text = (hb_text){start, (size_t)(at - start)};
  return true;
}

static inline bool hb_read_word(hb_reader *reader, hb_text word) {
  for (size_t at = 0; at < word.length; at += 1, reader->at += 1) {
    if (*reader->at != word.at[at]) return hb_flaw(reader, "something that is no value");
  }
  return true;
}

static inline bool hb_read_value(hb_reader *reader, hb_json *value);

/* Reads members or items, after the opening bracket. All are kept; of two members with one name, the second is after
 * the first. */
static inline bool hb_read_children(hb_reader *reader, hb_json *parent, char close) {
  if (reader->depth == HB_MAX_DEPTH) return hb_flaw(reader, "more than 128 levels");
  reader->depth += 1;
  hb_skip_space(reader);
  if (*reader->at == close) {
    reader->at += 1;
    reader->depth -= 1;
    return true;
  }
  for (;;) {
    hb_json *child = hb_alloc(sizeof(hb_json));
    *child = hb_missing_value;
    if (parent->kind == HB_OBJECT) {
      hb_skip_space(reader);
      if (*reader->at != '"') return hb_flaw(reader, "a member without a name");
      if (!hb_read_string(reader, &child->name)) return false;
      hb_skip_space(reader);
      if (*reader->at != ':') return hb_flaw(reader, "a member without a value");
      reader->at += 1;
    }
    if (!hb_read_value(reader, child)) return false;
    if (parent->last == NULL) parent->first = child;
    else parent->last->next = child;
    parent->last = child;
    hb_skip_space(reader);
    char byte = *reader->at++;
    if (byte == close) break;
    if (byte != ',') return hb_flaw(reader, "no comma between two values");
  }
  reader->depth -= 1;
  return true;
}

static inline bool hb_read_value(hb_reader *reader, hb_json *value) {
  hb_skip_space(reader);
  switch (*reader->at) {
    case '{':
      value->kind = HB_OBJECT;
      reader->at += 1;
      return hb_read_children(reader, value, '}');
    case '[':
      value->kind = HB_ARRAY;
      reader->at += 1;
      return hb_read_children(reader, value, ']');
    case '"':
      value->kind = HB_STRING;
      return hb_read_string(reader, &value->text);
    case 't':
      value->kind = HB_TRUE;
      return hb_read_word(reader, HB("true"));
    case 'f':
      value->kind = HB_FALSE;
      return hb_read_word(reader, HB("false"));
    case 'n':
      value->kind = HB_NULL;
      return hb_read_word(reader, HB("null"));
    default:
      value->kind = HB_NUMBER;
      return hb_read_number(reader, &value->text);
  }
}

/* Parses a text that ends with a byte 0, and overwrites it. Returns what is wrong, or NULL. */
static inline const char *hb_parse_in_place(char *text, size_t length, hb_json *value) {
  hb_reader reader = {text, text + length, NULL, 0};
  *value = hb_missing_value;
  if (hb_read_value(&reader, value)) {
    hb_skip_space(&reader);
    if (reader.at != reader.end) hb_flaw(&reader, "something behind the value");
  }
  return reader.flaw;
}

/* Parses JSON from outside, such as a file or an answer. Returns a missing value for invalid JSON. The text stays
 * unchanged. */
static inline const hb_json *hb_parse(hb_text text) {
  char *copy = hb_alloc(text.length + 1);
  if (text.length > 0) __builtin_memcpy(copy, text.at, text.length);
  copy[text.length] = '\0';
  hb_json *value = hb_alloc(sizeof(hb_json));
  return hb_parse_in_place(copy, text.length, value) == NULL ? value : &hb_missing_value;
}

/* Whether a text is valid UTF-8. Texts from outside may be invalid, but the output of a guard must be valid. */
HB_APART static inline bool hb_is_utf8(hb_text text) {
  for (size_t at = 0; at < text.length;) {
    /* Copies the last bytes, because reading them in place could go beyond the text. */
    char next[5] = {0};
    for (size_t index = 0; index < 4 && at + index < text.length; index += 1) next[index] = text.at[at + index];
    int length = hb_utf8_length(next);
    if (length == 0) return false;
    at += (size_t)length;
  }
  return true;
}

/* ---- Access to JSON. A missing value stays missing at any depth; no function returns NULL. ---- */

/* A member of an object, by its decoded name. If a name occurs several times, the last member, as in JavaScript. */
static inline const hb_json *hb_member(const hb_json *value, hb_text name) {
  const hb_json *found = &hb_missing_value;
  if (value->kind != HB_OBJECT) return found;
  for (const hb_json *child = value->first; child != NULL; child = child->next) {
    if (hb_equal(child->name, name)) found = child;
  }
  return found;
}

static inline const hb_json *hb_walk(const hb_json *value, const char *const *names, size_t count) {
  for (size_t index = 0; index < count; index += 1) value = hb_member(value, hb_text_of(names[index]));
  return value;
}

/* A member of a member: hb_path(event, "tool_input", "command"). Looks only at exactly this path. */
#define hb_path(value, ...) \
  hb_walk((value), (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* for (hb_each(item, list)) ... iterates over the items of an array or the members of an object. Other values have
 * none. */
#define hb_each(item, value) const hb_json *item = (value)->first; item != NULL; item = item->next

/* Whether a value is a string. If so, sets its characters. */
static inline bool hb_as_text(const hb_json *value, hb_text *text) {
  if (value->kind != HB_STRING) return false;
  *text = value->text;
  return true;
}

/* Whether a value is this string. */
static inline bool hb_is(const hb_json *value, const char *text) {
  return value->kind == HB_STRING && hb_equal(value->text, hb_text_of(text));
}

/* Whether a value is a whole number, written without a fraction or an exponent, that fits into 64 bits. */
static inline bool hb_as_integer(const hb_json *value, int64_t *integer) {
  if (value->kind != HB_NUMBER) return false;
  bool is_negative = value->text.at[0] == '-';
  /* Sums up negative numbers, because there is one more of them. */
  int64_t sum = 0;
  for (size_t at = is_negative ? 1 : 0; at < value->text.length; at += 1) {
    if (!hb_is_digit(value->text.at[at]) || sum < INT64_MIN / 10) return false;
    if (__builtin_sub_overflow(sum * 10, (int64_t)(value->text.at[at] - '0'), &sum)) return false;
  }
  if (!is_negative && sum == INT64_MIN) return false;
  *integer = is_negative ? sum : -sum;
  return true;
}

/* ---- Data from the host ---- */

/* Copies a block of the host, with a byte 0 after it. */
HB_APART static inline char *hb_from_host(uint64_t handle, size_t *length) {
  *length = (size_t)hb_host_length(handle);
  char *text = hb_alloc(*length + 1);
  size_t at = 0;
  for (; at + 8 <= *length; at += 8) {
    uint64_t bytes = hb_host_load_u64(handle + at);
    __builtin_memcpy(text + at, &bytes, 8);
  }
  for (; at < *length; at += 1) text[at] = (char)hb_host_load_u8(handle + at);
  text[*length] = '\0';
  return text;
}

/* Like hb_from_host. Returns `false` for 0, which is not a block. */
static inline bool hb_take(uint64_t handle, hb_text *bytes) {
  if (handle == 0) return false;
  bytes->at = hb_from_host(handle, &bytes->length);
  return true;
}

/* ---- The rule's config ---- */

/* A config value that is a string. `false` if the rule does not set it. A value that is not a string arrives as
 * JSON. */
static inline bool hb_config_text(const char *name, hb_text *text) {
  return hb_take(hb_host_config_get(hb_to_host(hb_text_of(name))), text);
}

static inline void hb_config_failure(const char *name, hb_text message) {
  hb_note_failure(hb_join(HB("config."), hb_text_of(name), HB(": "), message));
}

/* A config value that is not a string, parsed. Missing if the rule does not set it. Invalid JSON fails the call. */
static inline const hb_json *hb_config_json(const char *name) {
  uint64_t handle = hb_host_config_get(hb_to_host(hb_text_of(name)));
  if (handle == 0) return &hb_missing_value;
  size_t length;
  char *text = hb_from_host(handle, &length);
  hb_json *value = hb_alloc(sizeof(hb_json));
  const char *flaw = hb_parse_in_place(text, length, value);
  if (flaw == NULL) return value;
  hb_config_failure(name, hb_join(HB("not JSON: "), hb_text_of(flaw)));
  return &hb_missing_value;
}

/* A config value that is a whole number, or `otherwise` if the rule does not set it. Any other value fails the call. */
static inline int64_t hb_config_integer(const char *name, int64_t otherwise) {
  const hb_json *value = hb_config_json(name);
  if (value->kind == HB_MISSING) return otherwise;
  int64_t integer;
  if (hb_as_integer(value, &integer)) return integer;
  hb_config_failure(name, HB("not a whole number"));
  return otherwise;
}

/* A config value that is an array of strings: hb_config_words("words", "[\"production\"]"). The second argument is
 * the default, as JSON. Any other value fails the call. */
static inline const hb_json *hb_config_words(const char *name, const char *otherwise) {
  const hb_json *words = hb_config_json(name);
  if (words->kind == HB_MISSING) {
    size_t length = strlen(otherwise);
    char *text = hb_alloc(length + 1);
    __builtin_memcpy(text, otherwise, length + 1);
    hb_json *value = hb_alloc(sizeof(hb_json));
    if (hb_parse_in_place(text, length, value) == NULL) words = value;
  }
  bool is_list = words->kind == HB_ARRAY;
  if (is_list) {
    for (hb_each(word, words)) is_list = is_list && word->kind == HB_STRING;
  }
  if (is_list) return words;
  hb_config_failure(name, HB("not an array of strings"));
  return &hb_missing_value;
}

/* ---- The log: lines in the call's receipt ---- */

static inline void hb_debug(hb_text text) { hb_host_log_debug(hb_to_host(text)); }
static inline void hb_info(hb_text text) { hb_host_log_info(hb_to_host(text)); }
static inline void hb_warn(hb_text text) { hb_host_log_warn(hb_to_host(text)); }
static inline void hb_error(hb_text text) { hb_host_log_error(hb_to_host(text)); }

/* ---- Replies: the result of a guard ---- */

/* Create it with the functions below. A reply that was not created by one of them is a failure. */
typedef struct hb_reply {
  hb_text json;
} hb_reply;

/* A reply from your own JSON, for anything that the functions below cannot express. */
static inline hb_reply hb_reply_json(hb_text json) { return (hb_reply){json}; }

/* {"hookSpecificOutput":{"hookEventName":…,MEMBERS}} */
static inline hb_reply hb_reply_specific(hb_text members) {
  hb_writer writer = {0};
  hb_write(&writer, HB("{\"hookSpecificOutput\":{\"hookEventName\":"));
  hb_write_json(&writer, hb_call.event_name);
  hb_write(&writer, HB(","));
  hb_write(&writer, members);
  hb_write(&writer, HB("}}"));
  return (hb_reply){hb_written(&writer)};
}

static inline hb_text hb_quoted(hb_text text) {
  hb_writer writer = {0};
  hb_write_json(&writer, text);
  return hb_written(&writer);
}

static inline hb_reply hb_permission(hb_text decision, hb_text reason) {
  return hb_reply_specific(hb_join(HB("\"permissionDecision\":"), hb_quoted(decision),
                                   HB(",\"permissionDecisionReason\":"), hb_quoted(reason)));
}

/* PermissionRequest has its own form. */
static inline bool hb_answers_request(void) { return hb_equal(hb_call.event_name, HB("PermissionRequest")); }

/* Events whose reply is a permission. All other events that can be stopped are blocked. */
static inline bool hb_asks_permission(void) {
  return hb_equal(hb_call.event_name, HB("PreToolUse")) || hb_equal(hb_call.event_name, HB("PreModelSwitch"));
}

/* Denies, with a reason for the model. */
static inline hb_reply hb_deny(hb_text reason) {
  if (hb_asks_permission()) return hb_permission(HB("deny"), reason);
  if (hb_answers_request()) {
    return hb_reply_specific(
        hb_join(HB("\"decision\":{\"behavior\":\"deny\",\"message\":"), hb_quoted(reason), HB("}")));
  }
  return (hb_reply){hb_join(HB("{\"decision\":\"block\",\"reason\":"), hb_quoted(reason), HB("}"))};
}

/* Asks the user. An event that cannot ask treats this as a denial. */
static inline hb_reply hb_ask(hb_text reason) { return hb_permission(HB("ask"), reason); }

/* Permits, unless another hook denies. Counts only if the rule's `may` grants it. */
static inline hb_reply hb_allow(hb_text reason) {
  if (hb_answers_request()) return hb_reply_specific(HB("\"decision\":{\"behavior\":\"allow\"}"));
  return hb_permission(HB("allow"), reason);
}

/* No opinion. */
static inline hb_reply hb_abstain(void) { return (hb_reply){HB("{}")}; }

/* Adds text for the model. No opinion. */
static inline hb_reply hb_context(hb_text text) {
  return hb_reply_specific(hb_join(HB("\"additionalContext\":"), hb_quoted(text)));
}

/* Fails the call, if the guard cannot decide. The engine does what the rule says about failures: at a gate, it
 * denies. */
static inline hb_reply hb_fail(hb_text message) {
  hb_note_failure(message);
  return (hb_reply){{NULL, 0}};
}

/* ---- Capabilities beyond the event. Each part needs the grant that it names, and the manifest lists it: "wants":
 * ["state"]. Without the grant the guard does not load. A use that the grant does not cover fails the call, whatever
 * the guard does afterwards. ---- */

/* State, grant `state`: values that a guard keeps between the calls of one session. A call sees its own changes at
 * once; they are saved only if the call answers in time. By default at most 64 keys and 65,536 bytes, including the
 * keys. */

/* The value can be any bytes. `false` if there is none. */
static inline bool hb_state_get(hb_text key, hb_text *value) {
  return hb_take(hb_host_var_get(hb_to_host(key)), value);
}

static inline void hb_state_set(hb_text key, hb_text value) { hb_host_var_set(hb_to_host(key), hb_to_host(value)); }

/* Has no effect if there is no such key. */
static inline void hb_state_remove(hb_text key) { hb_host_var_set(hb_to_host(key), 0); }

/* Larger numbers in JSON are not exact in every language. */
#define HB_LARGEST_COUNT ((INT64_C(1) << 53) - 1)

static inline bool hb_count_fits(int64_t count) { return count >= -HB_LARGEST_COUNT && count <= HB_LARGEST_COUNT; }

/* Adds to the stored whole number, or to 0, and returns the sum. The call fails if the stored value is not a whole
 * number, or if either number is more than 2^53 - 1 from 0. */
static inline int64_t hb_state_increment(hb_text key, int64_t by) {
  hb_text text;
  int64_t count = 0;
  if (hb_state_get(key, &text) && !hb_as_integer(hb_parse(text), &count)) {
    hb_note_failure(hb_join(HB("state "), key, HB(": not a whole number")));
    return 0;
  }
  bool fits = hb_count_fits(count);
  if (__builtin_add_overflow(count, by, &count) || !fits || !hb_count_fits(count)) {
    hb_note_failure(hb_join(HB("state "), key, HB(": the count does not fit")));
    return 0;
  }
  hb_state_set(key, hb_decimal(count));
  return count;
}

/* Files, grant `paths`: the files that the rule names. A path is the grant's name for a file, or for a folder
 * followed by a path in it: HB("policy.json"), HB("cache/seen.txt"). At most 64 reads of at most 1 MiB each, and
 * writes of at most 1 MiB in total. */

/* Reads a whole file, with any bytes. `false` if the grant covers the path but the file does not exist. */
static inline bool hb_file_read(hb_text path, hb_text *contents) {
  return hb_take(hb_host_file_read(hb_to_host(path)), contents);
}

/* Replaces or creates a whole file, after the guard has answered in time. */
static inline void hb_file_write(hb_text path, hb_text contents) {
  hb_host_file_write(hb_to_host(path), hb_to_host(contents));
}

/* HTTP, grant `hosts`: requests to the hosts that the rule names.
 *
 *   hb_request request = hb_request_to(HB("POST"), HB("https://policy.example.com/deploys"));
 *   hb_request_header(&request, HB("content-type"), HB("application/json"));
 *   request.body = body;
 *   hb_response response;
 *   if (!hb_send(&request, &response)) return hb_deny(HB("the policy server does not answer"));
 */
typedef struct hb_request {
  hb_text method;
  hb_text url;
  /* NULL: no body. At most 256 KiB. */
  hb_text body;
  /* Members of a JSON object. */
  hb_writer headers;
} hb_request;

typedef struct hb_response {
  int status;
  /* An object of strings, with names in lower case: hb_is(hb_path(response.headers, "content-type"), "text/plain"). */
  const hb_json *headers;
  /* Any bytes. */
  hb_text body;
} hb_response;

static inline hb_request hb_request_to(hb_text method, hb_text url) {
  return (hb_request){method, url, {NULL, 0}, {NULL, 0, 0}};
}

static inline void hb_request_header(hb_request *request, hb_text name, hb_text value) {
  if (request->headers.length > 0) hb_write(&request->headers, HB(","));
  hb_write_json(&request->headers, name);
  hb_write(&request->headers, HB(":"));
  hb_write_json(&request->headers, value);
}

/* Sends the request and waits for the answer, whatever its status is. Returns `false` if there was no answer;
 * `response` is empty then. Never permit in this case: an attacker may be able to keep the host from answering. */
static inline bool hb_send(const hb_request *request, hb_response *response) {
  *response = (hb_response){0, &hb_missing_value, {NULL, 0}};
  hb_text terms = hb_join(HB("{\"method\":"), hb_quoted(request->method), HB(",\"url\":"), hb_quoted(request->url),
                          HB(",\"headers\":{"), hb_written(&request->headers), HB("}}"));
  uint64_t body = request->body.at == NULL ? 0 : hb_to_host(request->body);
  uint64_t answer = hb_host_http_request(hb_to_host(terms), body);
  response->status = (int)hb_host_http_status_code();
  if (response->status == 0) return false;
  hb_text headers;
  if (hb_take(hb_host_http_headers(), &headers)) response->headers = hb_parse(headers);
  if (!hb_take(answer, &response->body)) response->body = HB("");
  return true;
}

/* Clock, grant `clock`: milliseconds since 1970-01-01, 0:00 UTC. With "fixed" in the grant, each call begins at the
 * same time, and each reading is a millisecond later. */
static inline uint64_t hb_now_ms(void) { return hb_host_clock_now(); }

/* Random numbers, grant `random`. With "seeded" in the grant, they are the same for the same event, so an attacker
 * who chooses the event can try them out in advance. */
static inline uint64_t hb_random(void) { return hb_host_random_bits(); }

/* A number from 0 (included) to `limit` (excluded), all equally likely. Guards in other languages draw the same
 * number from the same bits. Traps if `limit` is 0. */
HB_APART static inline uint32_t hb_random_below(uint32_t limit) {
  if (limit == 0) hb_die(HB("hb_random_below(0): there is no such number"));
  /* 53 bits as a fraction of 1, as in JavaScript, multiplied by the limit and rounded down. */
  uint64_t fraction = hb_random() >> 11;
  uint64_t high = (fraction >> 32) * limit;
  uint64_t low = (fraction & UINT32_MAX) * limit;
  return (uint32_t)((high + (low >> 32)) >> 21);
}

HB_APART static inline void hb_random_fill(void *to, size_t length) {
  unsigned char *bytes = to;
  uint64_t bits = 0;
  for (size_t at = 0; at < length; at += 1) {
    bits = at % 8 == 0 ? hb_random() : bits >> 8;
    bytes[at] = (unsigned char)bits;
  }
}

/* ---- A call ---- */

HB_APART static inline char *hb_read_input(size_t *length) {
  *length = (size_t)hb_host_input_length();
  char *text = hb_alloc(*length + 1);
  size_t at = 0;
  for (; at + 8 <= *length; at += 8) {
    uint64_t bytes = hb_host_input_load_u64(at);
    __builtin_memcpy(text + at, &bytes, 8);
  }
  for (; at < *length; at += 1) text[at] = (char)hb_host_input_load_u8(at);
  text[*length] = '\0';
  return text;
}

static inline int32_t hb_run(hb_reply (*guard)(const hb_json *event)) {
  hb_call.free = &__heap_base;
  hb_call.has_failed = false;
  hb_call.event_name = (hb_text){NULL, 0};
  size_t length;
  char *input = hb_read_input(&length);
  hb_json event;
  const char *flaw = hb_parse_in_place(input, length, &event);
  if (flaw != NULL) {
    hb_note_failure(hb_join(HB("the event is not JSON: "), hb_text_of(flaw)));
    return 1;
  }
  if (event.kind != HB_OBJECT) {
    hb_note_failure(HB("the event is not a JSON object"));
    return 1;
  }
  hb_as_text(hb_member(&event, HB("hook_event_name")), &hb_call.event_name);
  hb_reply reply = guard(&event);
  if (reply.json.length == 0) hb_note_failure(HB("the guard returned no reply"));
  if (hb_call.has_failed) return 1;
  hb_host_output_set(hb_to_host(reply.json), reply.json.length);
  return 0;
}

/* Exports `handle`, which passes the event to a function of type hb_reply (const hb_json *event). */
#define HB_GUARD(guard) \
  __attribute__((export_name("handle"))) int32_t handle(void); \
  int32_t handle(void) { return hb_run(guard); }

#endif
