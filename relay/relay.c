/*
 * The relay: what an agent starts for each call. It passes the agent's payload to the server of hookbox over a Unix
 * socket, and writes the server's answer. It starts the server if none runs. It refuses in the agent's own terms if
 * there is no answer in time, because agents take a failed hook for consent.
 *
 * The program is static and uses no C library, so that it starts in less than a millisecond, and reads nothing from the
 * environment except to pass named variables on: a repository's settings can set PATH and LD_PRELOAD for hooks.
 *
 * usage: relay DIALECT --socket FILE --main FILE [--node FILE] [--path PATH] [--env NAME]... [options of hookbox run]
 */
#include "system.h"
#include "refusals.generated.h"

enum {
  MAX_PAYLOAD = 16 << 20,
  MAX_CONTEXT = 1 << 20,
  MAX_REPLY = 32 << 20,
  MAX_PATH = 107,
  /* Milliseconds to wait for the end of input after a whole object: some agents never close their end of the pipe. */
  STDIN_WAIT_MS = 3000,
  /* Milliseconds between two attempts to reach a server that starts, or whose queue is full. */
  NAP_MS = 3,
  /* A server whose process is stopped in so many looks in a row is replaced: after two seconds. */
  LOOK_MS = 250,
  MAX_STOPPED_LOOKS = 8,
  DEFAULT_PATIENCE_MS = 60000,
  /* A server that cannot start, for example because a file is missing, ends at once. */
  MAX_STARTS = 4,
  MAX_ATTEMPTS = 3,
  /* While hookbox is switched off, a server that does not answer must not cost the whole patience. */
  OFF_PATIENCE_MS = 3000,
  /* As in src/cli/off/off-now.ts. */
  MAX_OFF_MS = 24 * 3600000,
  MAX_CLOCK_STEP_MS = 60000,
};

struct buffer {
  char *bytes;
  long length, capacity;
};

struct options {
  const char *dialect, *socket, *node, *main, *path, *event;
  long patience_ms;
};

static struct options options;
static char **arguments, **environment;
static long started_ms;
/* The time until which "hookbox disable" has switched hookbox off. Empty: hookbox is on. */
static struct { char until[32]; } switched_off;
static struct buffer payload, request, reply;

/* ---- text ---- */

static void reserve(struct buffer *buffer, long more);

static void add(struct buffer *buffer, const char *bytes, long length) {
  reserve(buffer, length);
  for (long i = 0; i < length; i++) buffer->bytes[buffer->length++] = bytes[i];
}

static void add_text(struct buffer *buffer, const char *text) { add(buffer, text, text_length(text)); }

static void add_number(struct buffer *buffer, long number) {
  char digits[24];
  int at = sizeof digits;
  do digits[--at] = (char)('0' + number % 10);
  while (number /= 10);
  add(buffer, digits + at, (long)sizeof digits - at);
}

/* ---- time ---- */

static long waited_ms(void) { return now_ms() - started_ms; }

/* The server answers before nine tenths of the patience. The rest is for the way there and back. */
static long deadline_ms(void) {
  long margin = options.patience_ms / 20;
  long deadline = options.patience_ms - (margin < 250 ? 250 : margin);
  return switched_off.until[0] && deadline > OFF_PATIENCE_MS ? OFF_PATIENCE_MS : deadline;
}

static long left_ms(void) {
  long left = deadline_ms() - waited_ms();
  return left < 0 ? 0 : left;
}

/* ---- the answer ---- */

/* Writes all bytes before the deadline. Blocking writes of at most 4,096 bytes do not block after POLLOUT. */
static int write_all(int fd, const char *bytes, long length) {
  for (long at = 0; at < length;) {
    struct pollfd ready = {fd, POLLOUT, 0};
    long events = wait_for(&ready, 1, left_ms() + 100);
    if (events == -EINTR) continue;
    if (events <= 0 || ready.revents & (POLLERR | POLLNVAL)) return 0;
    long wrote = sys_write(fd, bytes + at, length - at > 4096 ? 4096 : length - at);
    if (wrote == -EINTR || wrote == -EAGAIN) continue;
    if (wrote <= 0) return 0;
    at += wrote;
  }
  return 1;
}

/* Returns the event that the agent's entry or the payload names, to choose how to refuse. */
static const char *event_name(void);

static void folder_of_socket(char *folder) {
  join_text(folder, options.socket, "");
  long slash = text_length(folder);
  while (slash > 1 && folder[slash] != '/') slash--;
  folder[slash] = 0;
}

static int is_private(const struct stats *stats) { return stats->user == sys_geteuid() && !(stats->mode & 077); }

/* Copies the text of a member. Only hookbox writes the record, with one member a line and without escapes. */
static void member(const char *text, const char *name, char *value, long capacity) {
  long length = 0, size = text_length(name);
  value[0] = 0;
  for (; *text; text++)
    if (starts_with(text, name) && starts_with(text + size, ": \"")) break;
  if (!*text) return;
  for (text += size + 3; text[length] && text[length] != '"' && length < capacity - 1; length++) value[length] = text[length];
  value[length] = 0;
}

/* Returns the milliseconds since 1970 of a time such as 2026-01-31T23:59:59.000Z, or -1. */
static long time_of(const char *text) {
  static const char FORM[] = "0000-00-00T00:00:00.000Z";
  long part[7] = {0}, at = 0;
  if (text_length(text) != (long)sizeof FORM - 1) return -1;
  for (long i = 0; FORM[i]; i++) {
    if (FORM[i] != '0' ? text[i] != FORM[i] : text[i] < '0' || text[i] > '9') return -1;
    if (FORM[i] == '0') part[at] = part[at] * 10 + text[i] - '0';
    else at++;
  }
  /* Days of the calendar, in years that begin in March. */
  long year = part[1] > 2 ? part[0] : part[0] - 1, month = part[1] > 2 ? part[1] - 3 : part[1] + 9;
  long days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + part[2] - 1 - 719468;
  return ((days * 24 + part[3]) * 60 + part[4]) * 60000 + part[5] * 1000 + part[6];
}

/* Reads the record of "hookbox disable" next to the socket. The conditions are those of src/cli/off/off-now.ts. */
static void read_switch(void) {
  static char folder[MAX_PATH + 1], path[MAX_PATH + 16], text[4096], inode[64], since[32], until[32];
  static struct buffer expected;
  struct stats stats;
  folder_of_socket(folder);
  join_text(path, folder, "/disabled.json");
  if (!stats_of(path, &stats) || !is_private(&stats) || !is_file(stats.mode)) return;
  add_number(&expected, (long)stats.device);
  add_text(&expected, ":");
  add_number(&expected, (long)stats.inode);
  add(&expected, "", 1);
  if (!stats_of(folder, &stats) || !is_private(&stats) || !is_folder(stats.mode)) return;
  int fd = (int)sys_open(path, O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0);
  if (fd < 0) return;
  sys_read(fd, text, sizeof text - 1);
  sys_close(fd);
  member(text, "\"inode\"", inode, sizeof inode);
  member(text, "\"since\"", since, sizeof since);
  member(text, "\"until\"", until, sizeof until);
  long begun = time_of(since), end = time_of(until), now = clock_ms();
  if (!is_same(inode, expected.bytes) || begun < 0 || end < begun) return;
  if (end - begun <= MAX_OFF_MS && begun <= now + MAX_CLOCK_STEP_MS && end > now) join_text(switched_off.until, until, "");
}

/* Lets the event pass, as the server does while hookbox is switched off. */
static void __attribute__((noreturn)) pass(void) {
  static struct buffer said;
  add_text(&said, "hookbox is switched off until ");
  add_text(&said, switched_off.until);
  add_text(&said, ", by \"hookbox disable\". No rule judged this event. To switch it on: hookbox enable\n");
  write_all(2, said.bytes, said.length);
  sys_exit(0);
}

/* Ends with the refusal for the event. No rule has refused, and the text says so. */
static void __attribute__((noreturn)) refuse(const char *code, const char *what) {
  if (switched_off.until[0]) pass();
  const struct refusal *found = 0, *fallback = 0;
  const char *event = event_name();
  for (const struct refusal *one = REFUSALS; one->dialect; one++) {
    if (!is_same(one->dialect, options.dialect ? options.dialect : "auto")) continue;
    if (!one->event) fallback = one;
    else if (event && is_same(one->event, event)) found = one;
  }
  if (!found) found = fallback ? fallback : REFUSALS;
  static struct buffer reason, out;
  add_text(&reason, "hookbox could not judge this call, so the call is refused. No rule has refused it. ");
  add_text(&reason, code);
  add_text(&reason, ": ");
  add_text(&reason, what);
  add_text(&reason, ". Run: hookbox doctor");
  for (const char *at = found->stdout; *at; at++) {
    if (*at == '\1') add(&out, reason.bytes, reason.length);
    else add(&out, at, 1);
  }
  add_text(&reason, "\n");
  write_all(2, reason.bytes, reason.length);
  if (!write_all(1, out.bytes, out.length)) sys_exit(2);
  sys_exit(found->exit_code);
}

static void reserve(struct buffer *buffer, long more) {
  if (buffer->length + more <= buffer->capacity) return;
  long capacity = buffer->capacity ? buffer->capacity : 65536;
  while (capacity < buffer->length + more) capacity *= 2;
  char *bytes = map_memory(capacity);
  if (!bytes) sys_exit(2);
  for (long i = 0; i < buffer->length; i++) bytes[i] = buffer->bytes[i];
  if (buffer->capacity) unmap_memory(buffer->bytes, buffer->capacity);
  buffer->bytes = bytes;
  buffer->capacity = capacity;
}

/* ---- the payload ---- */

/*
 * Reads the top level of the payload: whether the object is whole, and its member hook_event_name. Text inside of
 * strings and nested objects does not count, because the model chooses it.
 */
static int scan_payload(char *event, long capacity) {
  static const char NAME[] = "hook_event_name";
  long depth = 0, key_start = -1, key_end = -1;
  int in_string = 0, is_value = 0, is_name = 0;
  long string_start = 0;
  for (long i = 0; i < payload.length; i++) {
    char c = payload.bytes[i];
    if (in_string) {
      if (c == '\\') i++;
      else if (c == '"') {
        in_string = 0;
        if (depth == 1 && !is_value) key_start = string_start, key_end = i;
        if (depth == 1 && is_value && is_name && i - string_start < capacity) {
          for (long j = string_start; j < i; j++) event[j - string_start] = payload.bytes[j];
          event[i - string_start] = 0;
        }
      }
    } else if (c == '"') in_string = 1, string_start = i + 1;
    else if (c == '{' || c == '[') depth++;
    else if (c == '}' || c == ']') {
      if (--depth == 0) return 1;
    } else if (depth == 1 && c == ',') is_value = is_name = 0;
    else if (depth == 1 && c == ':') {
      is_value = 1;
      is_name = key_end - key_start == (long)sizeof NAME - 1;
      for (long j = 0; is_name && j < (long)sizeof NAME - 1; j++) is_name = payload.bytes[key_start + j] == NAME[j];
    }
  }
  return 0;
}

static const char *event_name(void) {
  static char event[64];
  if (options.event) return options.event;
  scan_payload(event, sizeof event);
  return event[0] ? event : 0;
}

static void read_payload(void) {
  char unused[64];
  for (;;) {
    struct pollfd ready = {0, POLLIN, 0};
    long left = left_ms();
    long events = wait_for(&ready, 1, left < STDIN_WAIT_MS ? left : STDIN_WAIT_MS);
    if (events == -EINTR) continue;
    if (events == 0 && scan_payload(unused, sizeof unused)) return;
    if (left_ms() == 0) refuse("HOOK_RELAY_INPUT", "the agent's payload did not end in time");
    if (events == 0) continue;
    reserve(&payload, 65536);
    long got = sys_read(0, payload.bytes + payload.length, payload.capacity - payload.length);
    if (got == -EINTR || got == -EAGAIN) continue;
    if (got < 0) refuse("HOOK_RELAY_INPUT", "standard input cannot be read");
    if (got == 0) return;
    payload.length += got;
    if (payload.length > MAX_PAYLOAD) refuse("HOOK_RELAY_INPUT", "the agent's payload is longer than 16 MiB");
  }
}

/* ---- the request ---- */

/* Variables that agents set for their hooks. The server has an environment of its own. */
static const char *const PASSED[] = {"AGENTAO_", "AI_AGENT", "AUTOHAND_", "CLAUDE", "CODEX_", "COPILOT_", "CURSOR_", "DOCKER_AGENT_",
  "GEMINI_", "HOOKBOX_", "KIMI_", "LANG", "LC_", "OPENCLAW_", "QWEN_", "TZ", 0};

static int is_passed(const char *variable) {
  for (const char *const *one = PASSED; *one; one++)
    if (starts_with(variable, *one)) return 1;
  for (char **one = arguments; *one; one++) {
    if (!is_same(*one, "--env") || !one[1]) continue;
    long length = text_length(one[1]);
    if (starts_with(variable, one[1]) && variable[length] == '=') return 1;
  }
  return 0;
}

static void add_entry(struct buffer *context, const char *key, const char *value) {
  add_text(context, key);
  add(context, value, text_length(value) + 1);
}

/* Options for the relay itself. All others belong to hookbox run. */
static const char **own_option(const char *text) {
  if (is_same(text, "--socket")) return &options.socket;
  if (is_same(text, "--node")) return &options.node;
  if (is_same(text, "--main")) return &options.main;
  return is_same(text, "--path") ? &options.path : 0;
}

static void build_request(void) {
  static struct buffer context;
  static char folder[4096];
  if (sys_getcwd(folder, sizeof folder) <= 0 || folder[0] != '/')
    refuse("HOOK_RELAY_FOLDER", "the working directory does not exist any more");
  add_entry(&context, "cwd=", folder);
  add_entry(&context, "main=", options.main);
  for (char **one = arguments + 2; *one; one++) {
    if ((own_option(*one) || is_same(*one, "--env")) && one[1]) one++;
    else add_entry(&context, "arg=", *one);
  }
  for (char **one = environment; *one; one++)
    if (is_passed(*one)) add_entry(&context, "env=", *one);
  add_text(&context, "pid=");
  add_number(&context, sys_getpid());
  add(&context, "", 1);
  add_text(&context, "waited=");
  add_number(&context, waited_ms());
  add(&context, "", 1);
  if (context.length > MAX_CONTEXT) refuse("HOOK_RELAY_INPUT", "arguments and variables are longer than 1 MiB");
  request.length = 0;
  add_text(&request, "POST /v1/hooks/");
  add_text(&request, options.dialect);
  add_text(&request, " HTTP/1.1\r\nHost: hookbox\r\nConnection: close\r\nContent-Type: application/vnd.hookbox.call\r\n"
    "Hookbox-Context: ");
  add_number(&request, context.length);
  add_text(&request, "\r\nContent-Length: ");
  add_number(&request, context.length + payload.length);
  add_text(&request, "\r\n\r\n");
  add(&request, context.bytes, context.length);
  add(&request, payload.bytes, payload.length);
}

/* ---- the server ---- */

static int connect_socket(void) {
  struct unix_address address;
  int fd = (int)sys_socket();
  if (fd < 0) refuse("HOOK_RELAY_SYSTEM", "no socket can be opened");
  long size = unix_address(&address, options.socket);
  long error = sys_connect(fd, &address, size);
  if (error) {
    sys_close(fd);
    return (int)error;
  }
  if (peer_of(fd).user != sys_geteuid()) refuse("HOOK_RELAY_SOCKET", "the server belongs to another user");
  return fd;
}

/* Whether no process listens at the path. A server whose queue is full still runs. */
static int is_unserved(int error) { return error == -ENOENT || error == -ECONNREFUSED; }

static void nap(void) {
  if (left_ms() == 0) refuse("HOOK_RELAY_SLOW", "the server did not take the call in time");
  wait_for(0, 0, NAP_MS);
}

static void check_folder(char *folder) {
  struct stats stats;
  sys_mkdir(folder);
  if (!stats_of(folder, &stats))
    refuse("HOOK_RELAY_SOCKET", "the folder of the socket does not exist, and cannot be created");
  if (!is_private(&stats) || !is_folder(stats.mode))
    refuse("HOOK_RELAY_SOCKET", "other users can enter the folder of the socket");
}

/* The new socket replaces one that a server has left, and nothing else. */
static void check_path(void) {
  struct stats stats;
  if (stats_of(options.socket, &stats) && (stats.user != sys_geteuid() || !is_socket(stats.mode)))
    refuse("HOOK_RELAY_SOCKET", "something that is no socket of this user is at the path of the socket");
}

/* Runs in the process that becomes the server. Descriptor 3 listens, and descriptor 4 holds the lock. */
static void become_server(int listening, int lock, const char *log, const char *new_path) {
  static struct buffer path;
  sys_setsid();
  if (sys_fork() != 0) sys_exit(0);
  /* The kernel names the process that has called listen last as the peer. No caller may take the relay for the server. */
  if (sys_listen(listening) || sys_rename(new_path, options.socket)) sys_exit(127);
  int empty = (int)sys_open("/dev/null", O_RDWR, 0);
  if (empty < 0) sys_exit(127);
  /* O_NONBLOCK: a pipe at this path must not stop the start. */
  int errors = (int)sys_open(log, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK, 0600);
  listening = (int)sys_dup_above(listening);
  lock = (int)sys_dup_above(lock);
  sys_dup(empty, 0);
  sys_dup(empty, 1);
  sys_dup(errors < 0 ? empty : errors, 2);
  sys_dup(listening, 3);
  sys_dup(lock, 4);
  sys_close_from(5);
  sys_chdir("/");
  add_text(&path, "PATH=");
  add_text(&path, options.path ? options.path : "/usr/local/bin:/usr/bin:/bin");
  add(&path, "", 1);
  char *variables[] = {path.bytes, "LANG=C.UTF-8", 0};
  char *command[] = {(char *)options.node, (char *)options.main, "serve", "--socket", (char *)options.socket, "--listen-fd", "3",
    "--lock-fd", "4", "--idle", "30m", 0};
  sys_execve(options.node, command, variables);
  sys_exit(127);
}

/*
 * Starts the server unless another relay is starting it. The relay that holds the lock listens before it starts Node, so
 * all callers connect at once and wait in the queue of the socket. The server keeps the lock until it ends.
 */
static void start_server(void) {
  static int starts;
  static char lock_path[MAX_PATH + 8], new_path[MAX_PATH + 8], log[MAX_PATH + 8], folder[MAX_PATH + 1];
  if (!options.node) refuse("HOOK_RELAY_NO_SERVER", "no server answers, and the agent's entry names no Node");
  join_text(lock_path, options.socket, ".lock");
  join_text(new_path, options.socket, ".new");
  join_text(log, options.socket, ".log");
  folder_of_socket(folder);
  check_folder(folder);
  int lock = (int)sys_open(lock_path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (lock < 0) refuse("HOOK_RELAY_SOCKET", "the lock of the server cannot be opened");
  if (sys_flock(lock) != 0) {
    sys_close(lock);
    return nap();
  }
  int other = connect_socket();
  if (other >= 0) sys_close(other);
  if (!is_unserved(other)) {
    sys_close(lock);
    return nap();
  }
  if (starts++ == MAX_STARTS) refuse("HOOK_RELAY_NO_SERVER", "the server ends when it starts; its log is next to its socket");
  check_path();
  struct unix_address address;
  sys_unlink(new_path);
  int listening = (int)sys_socket();
  long size = unix_address(&address, new_path);
  int mask = (int)sys_umask(0177);
  if (listening < 0 || sys_bind(listening, &address, size))
    refuse("HOOK_RELAY_SOCKET", "the socket of the server cannot be created");
  /* The server and its hooks make files and folders as the agent's other processes do. */
  sys_umask(mask);
  long child = sys_fork();
  if (child == 0) become_server(listening, lock, log, new_path);
  if (child > 0) sys_wait(child);
  sys_close(listening);
  sys_close(lock);
}

static int connect_server(void) {
  for (;;) {
    int fd = connect_socket();
    if (fd >= 0) return fd;
    if (fd == -EAGAIN || fd == -EINTR || fd == -EINPROGRESS) nap();
    else if (is_unserved(fd)) start_server();
    else refuse("HOOK_RELAY_SOCKET", "the socket cannot be connected to");
    if (left_ms() == 0) refuse("HOOK_RELAY_SLOW", "the server did not start in time");
  }
}

/* ---- the reply ---- */

/* Whether a signal has stopped the process. A busy process runs or sleeps, so the state is exact on a busy machine too. */
static int is_stopped(int process) {
  static struct buffer path;
  char stats[512];
  path.length = 0;
  add_text(&path, "/proc/");
  add_number(&path, process);
  add(&path, "/stat", 6);
  int fd = (int)sys_open(path.bytes, O_CLOEXEC, 0);
  if (process <= 0 || fd < 0) return 0;
  long at = sys_read(fd, stats, sizeof stats) - 1;
  sys_close(fd);
  /* The state follows the name, which may contain any character. */
  while (at > 0 && stats[at] != ')') at--;
  return at > 0 && stats[at + 2] == 'T';
}

/* Sends and reads at the same time, because a server may answer before it has read all. */
static void exchange(int fd) {
  long sent = 0;
  int can_send = 1, process = peer_of(fd).process, stopped_looks = 0;
  reply.length = 0;
  for (;;) {
    struct pollfd ready = {fd, (short)(POLLIN | (can_send && sent < request.length ? POLLOUT : 0)), 0};
    if (left_ms() == 0) refuse("HOOK_RELAY_SLOW", "the server did not answer in time");
    long events = wait_for(&ready, 1, left_ms() < LOOK_MS ? left_ms() : LOOK_MS);
    if (events == 0) {
      stopped_looks = is_stopped(process) ? stopped_looks + 1 : 0;
      /* The connection ends with the server, and the next attempt starts another one. */
      if (stopped_looks == MAX_STOPPED_LOOKS) sys_kill(process);
    }
    if (events <= 0) continue;
    if (ready.revents & POLLOUT) {
      long wrote = sys_send(fd, request.bytes + sent, request.length - sent);
      if (wrote > 0) sent += wrote;
      else if (wrote != -EAGAIN && wrote != -EINTR) can_send = 0;
    }
    if (!(ready.revents & (POLLIN | POLLHUP | POLLERR))) continue;
    reserve(&reply, 65536);
    long got = sys_read(fd, reply.bytes + reply.length, reply.capacity - reply.length);
    if (got == -EAGAIN || got == -EINTR) continue;
    if (got <= 0) return;
    reply.length += got;
    if (reply.length > MAX_REPLY) refuse("HOOK_RELAY_GARBAGE", "the server's answer is longer than 32 MiB");
  }
}

/* Reads a number and the space or line end after it. Returns -1 if there is none. */
static long read_number(const char **at, const char *end) {
  long number = 0, digits = 0;
  while (*at < end && **at >= '0' && **at <= '9' && digits++ < 9) number = number * 10 + *(*at)++ - '0';
  if (!digits || *at >= end || (**at != ' ' && **at != '\r')) return -1;
  (*at)++;
  return number;
}

/* Returns the text after a name at the start of a header line. */
static const char *header(const char *name, const char *end) {
  long length = text_length(name);
  for (const char *at = reply.bytes; at + length < end; at++) {
    if (at != reply.bytes && at[-1] != '\n') continue;
    long i = 0;
    while (i < length && lower(at[i]) == name[i]) i++;
    if (i == length) return at + length;
  }
  return 0;
}

static const char *end_of_head(void) {
  for (const char *at = reply.bytes; at + 3 < reply.bytes + reply.length; at++)
    if (at[0] == '\r' && at[1] == '\n' && at[2] == '\r' && at[3] == '\n') return at + 4;
  return 0;
}

/* Writes the server's answer and ends. Only an answer with exactly the announced bytes counts. */
static void __attribute__((noreturn)) deliver(void) {
  const char *body = end_of_head();
  if (!body) refuse("HOOK_RELAY_CUT_OFF", "the server's answer ended too early");
  const char *at = header("hookbox-reply: ", body), *end = reply.bytes + reply.length;
  if (!at) refuse("HOOK_RELAY_GARBAGE", "the answer is not that of a hookbox server");
  long version = read_number(&at, body), exit_code = read_number(&at, body);
  long out = read_number(&at, body), err = read_number(&at, body);
  if (version != 1) refuse("HOOK_RELAY_VERSION", "the server speaks another version of the protocol");
  if (exit_code < 0 || exit_code > 255 || out < 0 || err < 0) refuse("HOOK_RELAY_GARBAGE", "the answer has no valid sizes");
  if (end - body < out + err) refuse("HOOK_RELAY_CUT_OFF", "the server's answer ended too early");
  if (end - body > out + err) refuse("HOOK_RELAY_GARBAGE", "the answer is longer than announced");
  write_all(2, body + out, err);
  /* A denial that could not be written is lost. Exit code 2 still refuses. */
  sys_exit(write_all(1, body, out) ? (int)exit_code : 2);
}

static int is_other_version(void) { return reply.length > 12 && starts_with(reply.bytes, "HTTP/1.1 409"); }

/* The dialect becomes a part of the request line, so it must not contain another line. */
static int is_name(const char *text) {
  while ((*text >= 'a' && *text <= 'z') || (*text >= '0' && *text <= '9') || *text == '-') text++;
  return !*text;
}

static long read_patience(const char *text) {
  long number = 0, fraction = 0, scale = 1000;
  const char *at = text;
  while (*at >= '0' && *at <= '9' && number < 100000000) number = number * 10 + *at++ - '0';
  if (at == text) return DEFAULT_PATIENCE_MS;
  if (*at == 'm' && at[1] == 's') return number;
  if (*at == '.')
    for (at++; *at >= '0' && *at <= '9' && scale > 1; at++) scale /= 10, fraction += (*at - '0') * scale;
  return number * 1000 + fraction;
}

static void read_options(int count) {
  options.patience_ms = DEFAULT_PATIENCE_MS;
  options.dialect = count > 1 && arguments[1][0] != '-' ? arguments[1] : 0;
  for (char **one = arguments + 1; *one; one++) {
    const char **own = own_option(*one);
    if (own && one[1]) *own = one[1];
    if (is_same(*one, "--event") && one[1]) options.event = one[1];
    if (is_same(*one, "--patience") && one[1]) options.patience_ms = read_patience(one[1]);
    if (starts_with(*one, "--event=")) options.event = *one + 8;
    if (starts_with(*one, "--patience=")) options.patience_ms = read_patience(*one + 11);
  }
}

void relay(int count, char **all_arguments, char **all_variables) {
  started_ms = now_ms();
  arguments = all_arguments;
  environment = all_variables;
  ignore_broken_pipes();
  int is_deaf = !is_open(1);
  while (!is_open(2) || !is_open(1) || !is_open(0))
    if (sys_open("/dev/null", O_RDWR, 0) < 0) sys_exit(2);
  if (is_deaf) sys_exit(2);
  read_options(count);
  if (!options.dialect || !options.socket || !options.main)
    refuse("HOOK_CLI_USAGE", "usage: relay DIALECT --socket FILE --main FILE [--node FILE] [options of hookbox run]");
  if (!is_name(options.dialect)) refuse("HOOK_CLI_USAGE", "a dialect has the characters a to z, 0 to 9 and -");
  if (options.socket[0] != '/' || text_length(options.socket) > MAX_PATH - 4)
    refuse("HOOK_RELAY_SOCKET", "the path of the socket must be absolute and have at most 103 bytes");
  read_switch();
  read_payload();
  /*
   * A server that was killed is replaced, and asked again. A server of another version stops after its answer, which
   * may take a moment on a busy machine; the next attempt starts one.
   */
  for (int attempt = 0; attempt < MAX_ATTEMPTS;) {
    build_request();
    int fd = connect_server();
    exchange(fd);
    sys_close(fd);
    if (is_other_version()) {
      if (left_ms() <= NAP_MS) refuse("HOOK_RELAY_VERSION", "a server of another version answers, and does not stop");
    } else if (reply.length > 0 || ++attempt == MAX_ATTEMPTS) break;
    nap();
  }
  deliver();
}
