/* System calls of Linux for x64 and arm64, without a C library. Each returns the result, or a negative error number. */

typedef unsigned long size;

enum {
  EINTR = 4, EAGAIN = 11, ENOENT = 2, ECONNREFUSED = 111, EINPROGRESS = 115,
  POLLIN = 1, POLLOUT = 4, POLLERR = 8, POLLHUP = 16, POLLNVAL = 32,
  O_WRONLY = 1, O_RDWR = 2, O_CREAT = 0100, O_TRUNC = 01000, O_NONBLOCK = 04000, O_CLOEXEC = 02000000,
#if defined(__aarch64__)
  O_NOFOLLOW = 0100000,
#else
  O_NOFOLLOW = 0400000,
#endif
  AT_FDCWD = -100, SIGKILL = 9, SIGPIPE = 13, SIGCHLD = 17,
};

#if defined(__x86_64__)
enum {
  NR_read = 0, NR_write = 1, NR_close = 3, NR_mmap = 9, NR_munmap = 11, NR_rt_sigaction = 13, NR_socket = 41,
  NR_connect = 42, NR_sendto = 44, NR_bind = 49, NR_listen = 50, NR_getsockopt = 55, NR_clone = 56, NR_execve = 59,
  NR_wait4 = 61, NR_kill = 62, NR_fcntl = 72, NR_flock = 73, NR_getcwd = 79, NR_chdir = 80, NR_umask = 95, NR_geteuid = 107,
  NR_getpid = 39, NR_setsid = 112, NR_clock_gettime = 228, NR_exit_group = 231, NR_openat = 257, NR_mkdirat = 258, NR_unlinkat = 263,
  NR_renameat2 = 316, NR_ppoll = 271, NR_dup3 = 292, NR_statx = 332, NR_close_range = 436,
};
static long call6(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
    : "rcx", "r11", "memory");
  return result;
}
__asm__(".globl _start\n_start:\n xor %ebp, %ebp\n mov (%rsp), %rdi\n lea 8(%rsp), %rsi\n lea 16(%rsp,%rdi,8), %rdx\n"
  " and $-16, %rsp\n call relay\n hlt\n");
#elif defined(__aarch64__)
enum {
  NR_getcwd = 17, NR_dup3 = 24, NR_fcntl = 25, NR_flock = 32, NR_mkdirat = 34, NR_unlinkat = 35, NR_chdir = 49,
  NR_openat = 56, NR_close = 57, NR_read = 63, NR_write = 64, NR_ppoll = 73, NR_exit_group = 94,
  NR_clock_gettime = 113, NR_kill = 129, NR_rt_sigaction = 134, NR_setsid = 157, NR_getpid = 172, NR_umask = 166, NR_geteuid = 175, NR_socket = 198,
  NR_bind = 200, NR_listen = 201, NR_connect = 203, NR_sendto = 206, NR_getsockopt = 209, NR_munmap = 215,
  NR_clone = 220, NR_execve = 221, NR_mmap = 222, NR_wait4 = 260, NR_renameat2 = 276, NR_statx = 291,
  NR_close_range = 436,
};
static long call6(long number, long a, long b, long c, long d, long e, long f) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  register long x4 __asm__("x4") = e;
  register long x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
}
__asm__(".globl _start\n_start:\n mov x29, #0\n ldr x0, [sp]\n add x1, sp, #8\n add x2, x1, x0, lsl #3\n add x2, x2, #8\n"
  " bl relay\n brk #0\n");
#else
#error "there is no relay for this processor"
#endif

#define call(number, a, b, c, d) call6(number, (long)(a), (long)(b), (long)(c), (long)(d), 0, 0)

struct pollfd {
  int fd;
  short events, revents;
};

struct timespec {
  long seconds, nanoseconds;
};

struct unix_address {
  unsigned short family;
  char path[108];
};

void relay(int count, char **arguments, char **variables) __attribute__((noreturn, used));

static void sys_exit(int code) __attribute__((noreturn));
static void sys_exit(int code) {
  for (;;) call(NR_exit_group, code, 0, 0, 0);
}

static long sys_read(int fd, char *bytes, long length) { return call(NR_read, fd, bytes, length, 0); }
static long sys_write(int fd, const char *bytes, long length) { return call(NR_write, fd, bytes, length, 0); }
static long sys_close(int fd) { return call(NR_close, fd, 0, 0, 0); }
static long sys_open(const char *path, int flags, int mode) { return call(NR_openat, AT_FDCWD, path, flags, mode); }
static long sys_mkdir(const char *path) { return call(NR_mkdirat, AT_FDCWD, path, 0700, 0); }
static long sys_unlink(const char *path) { return call(NR_unlinkat, AT_FDCWD, path, 0, 0); }
static long sys_rename(const char *from, const char *to) {
  return call6(NR_renameat2, AT_FDCWD, (long)from, AT_FDCWD, (long)to, 0, 0);
}
static long sys_chdir(const char *path) { return call(NR_chdir, path, 0, 0, 0); }
static long sys_getcwd(char *path, long length) { return call(NR_getcwd, path, length, 0, 0); }
static long sys_umask(int mask) { return call(NR_umask, mask, 0, 0, 0); }
static unsigned sys_geteuid(void) { return (unsigned)call(NR_geteuid, 0, 0, 0, 0); }
static long sys_getpid(void) { return call(NR_getpid, 0, 0, 0, 0); }
static long sys_setsid(void) { return call(NR_setsid, 0, 0, 0, 0); }
static long sys_fork(void) { return call6(NR_clone, SIGCHLD, 0, 0, 0, 0, 0); }
static long sys_kill(int process) { return call(NR_kill, process, SIGKILL, 0, 0); }
static long sys_wait(long process) { return call(NR_wait4, process, 0, 0, 0); }
static long sys_execve(const char *file, char **arguments, char **variables) {
  return call(NR_execve, file, arguments, variables, 0);
}
/* LOCK_EX | LOCK_NB */
static long sys_flock(int fd) { return call(NR_flock, fd, 6, 0, 0); }
static long sys_dup(int from, int to) { return call(NR_dup3, from, to, 0, 0); }
/* F_DUPFD from 10 on */
static long sys_dup_above(int fd) { return call(NR_fcntl, fd, 0, 10, 0); }
static void sys_close_from(int first) {
  if (call(NR_close_range, first, ~0U, 0, 0) == 0) return;
  for (int fd = first; fd < 1024; fd++) sys_close(fd);
}
/* F_GETFD */
static int is_open(int fd) { return call(NR_fcntl, fd, 1, 0, 0) >= 0; }

/* AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC */
static long sys_socket(void) { return call(NR_socket, 1, 1 | 04000 | 02000000, 0, 0); }
static long sys_connect(int fd, struct unix_address *address, long size) { return call(NR_connect, fd, address, size, 0); }
static long sys_bind(int fd, struct unix_address *address, long size) { return call(NR_bind, fd, address, size, 0); }
static long sys_listen(int fd) { return call(NR_listen, fd, 511, 0, 0); }
/* MSG_NOSIGNAL */
static long sys_send(int fd, const char *bytes, long length) { return call6(NR_sendto, fd, (long)bytes, length, 0x4000, 0, 0); }

struct peer {
  int process;
  unsigned user, group;
};

/* SOL_SOCKET, SO_PEERCRED: the process that listens, and its user. */
static struct peer peer_of(int fd) {
  struct peer peer = {0, ~0U, 0};
  unsigned length = sizeof peer;
  call6(NR_getsockopt, fd, 1, 17, (long)&peer, (long)&length, 0);
  return peer;
}

static long wait_for(struct pollfd *all, long count, long milliseconds) {
  struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  return call6(NR_ppoll, (long)all, count, (long)&time, 0, 8, 0);
}

/* CLOCK_BOOTTIME also counts the time in which the machine sleeps, as the agent's clock may. */
static long now_ms(void) {
  struct timespec time = {0, 0};
  call(NR_clock_gettime, 7, &time, 0, 0);
  return time.seconds * 1000 + time.nanoseconds / 1000000;
}

static void ignore_broken_pipes(void) {
  struct { long handler, flags, restorer, mask; } action = {1, 0, 0, 0};
  call(NR_rt_sigaction, SIGPIPE, &action, 0, 8);
}

/* PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS */
static char *map_memory(long length) {
  long address = call6(NR_mmap, 0, length, 3, 0x22, -1, 0);
  return address < 0 && address > -4096 ? 0 : (char *)address;
}
static void unmap_memory(char *bytes, long length) { call(NR_munmap, bytes, length, 0, 0); }

/* Milliseconds since 1970. */
static long clock_ms(void) {
  struct timespec time = {0, 0};
  call(NR_clock_gettime, 0, &time, 0, 0);
  return time.seconds * 1000 + time.nanoseconds / 1000000;
}

struct stats {
  unsigned user, mode;
  unsigned long device, inode;
};

/* struct statx has the same form on all processors. Mask: STATX_TYPE | STATX_MODE | STATX_UID | STATX_INO. No links are
 * followed. The number of the device is that of makedev. */
static int stats_of(const char *path, struct stats *found) {
  union { char bytes[256]; unsigned words[64]; unsigned short halves[128]; unsigned long longs[32]; } stats;
  if (call6(NR_statx, AT_FDCWD, (long)path, 0x100, 0x10b, (long)&stats, 0)) return 0;
  unsigned long major = stats.words[34], minor = stats.words[35];
  found->user = stats.words[5];
  found->mode = stats.halves[14];
  found->inode = stats.longs[4];
  found->device = (minor & 0xff) | (major & 0xfff) << 8 | (minor & ~0xffUL) << 12 | (major & ~0xfffUL) << 32;
  return 1;
}
static int is_file(unsigned mode) { return (mode & 0170000) == 0100000; }
static int is_folder(unsigned mode) { return (mode & 0170000) == 0040000; }
static int is_socket(unsigned mode) { return (mode & 0170000) == 0140000; }

/* ---- text ---- */

static long text_length(const char *text) {
  long length = 0;
  while (text[length]) length++;
  return length;
}
static int starts_with(const char *text, const char *start) {
  while (*start)
    if (*text++ != *start++) return 0;
  return 1;
}
static int is_same(const char *a, const char *b) { return starts_with(a, b) && text_length(a) == text_length(b); }
static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }
static void join_text(char *to, const char *a, const char *b) {
  while (*a) *to++ = *a++;
  while (*b) *to++ = *b++;
  *to = 0;
}
static long unix_address(struct unix_address *address, const char *path) {
  address->family = 1;
  join_text(address->path, path, "");
  return 2 + text_length(path) + 1;
}
