/*
 * Loaded before the C library: writes down everything that a process does to the files below
 * HOLDFAST_DISK_ROOT, in its order, with the bytes, into HOLDFAST_DISK_TRACE; and what it says on
 * standard output, in the same order. disk-images.ts makes of it what a power cut may leave.
 *
 * HOLDFAST_DISK_FAIL="<seed> <syncs per 1000> <writes per 1000> <errno> <part of the path>" makes
 * some of them fail, always the same ones for a seed. A sync that fails is not carried out.
 *
 * A record: kind, 3 bytes of nothing, length of a, length of b, result, inode, offset, then a and b.
 * What was said has the number of the process in the place of the inode.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

struct record {
  char kind;
  char nothing[3];
  uint32_t a_length;
  uint32_t b_length;
  int32_t result;
  uint64_t inode;
  uint64_t offset;
};

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static char root[PATH_MAX];
static size_t root_length;
static int trace = -1;
static uint64_t random_state;
static unsigned sync_rate, write_rate;
static int failure = EIO;
static char failing_part[256];

#define REAL(type, name, ...) static type (*real_##name)(__VA_ARGS__)
REAL(int, open, const char *, int, ...);
REAL(int, openat, int, const char *, int, ...);
REAL(ssize_t, write, int, const void *, size_t);
REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
REAL(ssize_t, writev, int, const struct iovec *, int);
REAL(ssize_t, pwritev, int, const struct iovec *, int, off_t);
REAL(int, ftruncate, int, off_t);
REAL(int, fallocate, int, int, off_t, off_t);
REAL(int, fsync, int);
REAL(int, fdatasync, int);
REAL(int, rename, const char *, const char *);
REAL(int, link, const char *, const char *);
REAL(int, unlink, const char *);
REAL(int, mkdir, const char *, mode_t);
REAL(int, rmdir, const char *);
REAL(long, syscall, long, ...);
REAL(ssize_t, sendfile, int, int, off_t *, size_t);

__attribute__((constructor)) static void begin(void) {
#define FIND(name) real_##name = dlsym(RTLD_NEXT, #name)
  FIND(open); FIND(openat); FIND(write); FIND(pwrite); FIND(writev); FIND(pwritev);
  FIND(ftruncate); FIND(fallocate); FIND(fsync); FIND(fdatasync); FIND(rename); FIND(link);
  FIND(unlink); FIND(mkdir); FIND(rmdir); FIND(syscall); FIND(sendfile);
  const char *where = getenv("HOLDFAST_DISK_ROOT"), *to = getenv("HOLDFAST_DISK_TRACE");
  if (where == NULL || to == NULL || realpath(where, root) == NULL) return;
  root_length = strlen(root);
  trace = real_open(to, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const char *fail = getenv("HOLDFAST_DISK_FAIL");
  unsigned long seed = 0;
  if (fail != NULL &&
      sscanf(fail, "%lu %u %u %d %255s", &seed, &sync_rate, &write_rate, &failure, failing_part) < 4)
    abort();
  random_state = seed * 0x9E3779B97F4A7C15ULL + 0x1234567ULL;
}

static unsigned below_1000(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (unsigned)((random_state >> 20) % 1000);
}

static void put(char kind, uint64_t inode, uint64_t offset, int result, const char *a,
                const void *b, size_t b_length) {
  int kept = errno;
  struct record head = {kind, {0}, (uint32_t)(a == NULL ? 0 : strlen(a)), (uint32_t)b_length,
                        result, inode, offset};
  struct iovec parts[3] = {{&head, sizeof head}, {(void *)a, head.a_length}, {(void *)b, b_length}};
  ssize_t length = (ssize_t)(sizeof head + head.a_length + b_length);
  /* Half a record is worse than none: nothing could be told of what follows. */
  if (real_writev(trace, parts, 3) != length) abort();
  errno = kept;
}

static int is_inside(const char *path) {
  return trace >= 0 && strncmp(path, root, root_length) == 0 && path[root_length] == '/';
}

/* The real path of a name that need not exist, below the root; 0 where it is elsewhere. */
static int place(int folder, const char *name, char *out) {
  if (trace < 0) return 0;
  char whole[PATH_MAX], parent[PATH_MAX];
  int kept = errno;
  if (name[0] == '/' || folder == AT_FDCWD) snprintf(whole, sizeof whole, "%s", name);
  else snprintf(whole, sizeof whole, "/proc/self/fd/%d/%s", folder, name);
  char *slash = strrchr(whole, '/');
  const char *base = slash == NULL ? whole : slash + 1;
  if (slash != NULL) *slash = 0;
  char *found = realpath(slash == NULL ? "." : slash == whole ? "/" : whole, parent);
  errno = kept;
  if (found == NULL) return 0;
  if ((size_t)snprintf(out, PATH_MAX, "%s/%s", parent, base) >= PATH_MAX) return 0;
  return is_inside(out);
}

/* 0 for what is no file or folder below the root. Shared memory of SQLite means nothing after a cut. */
static uint64_t inode_of(int fd, char *path, struct stat *facts) {
  if (trace < 0 || fd == trace) return 0;
  char name[64];
  int kept = errno;
  snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(name, path, PATH_MAX - 1);
  int is_known = length > 0 && fstat(fd, facts) == 0;
  errno = kept;
  if (!is_known) return 0;
  path[length] = 0;
  if (strcmp(path, root) != 0 && !is_inside(path)) return 0;
  if (!S_ISREG(facts->st_mode) && !S_ISDIR(facts->st_mode)) return 0;
  if (length > 4 && strcmp(path + length - 4, "-shm") == 0) return 0;
  return facts->st_ino;
}

static int may_fail(const char *path) {
  return failing_part[0] == 0 || strstr(path, failing_part) != NULL;
}

/* ---- files ---- */

static int opened(int folder, const char *name, int flags, mode_t mode) {
  char path[PATH_MAX];
  struct stat facts;
  if ((flags & (O_CREAT | O_TRUNC)) == 0 || !place(folder, name, path))
    return real_openat(folder, name, flags, mode);
  pthread_mutex_lock(&turn);
  int kept = errno;
  int is_new = fstatat(folder, name, &facts, 0) != 0;
  errno = kept;
  int fd = real_openat(folder, name, flags, mode);
  if (fd >= 0) {
    uint64_t inode = inode_of(fd, path, &facts);
    if (inode != 0 && is_new) put('C', inode, facts.st_mode & 07777, 0, path, NULL, 0);
    else if (inode != 0 && (flags & O_TRUNC) != 0) put('T', inode, 0, 0, NULL, NULL, 0);
  }
  pthread_mutex_unlock(&turn);
  return fd;
}

#define WITH_MODE                                \
  mode_t mode = 0;                               \
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) {    \
    va_list rest;                                \
    va_start(rest, flags);                       \
    mode = va_arg(rest, mode_t);                 \
    va_end(rest);                                \
  }

int open(const char *name, int flags, ...) { WITH_MODE return opened(AT_FDCWD, name, flags, mode); }
int open64(const char *name, int flags, ...) {
  WITH_MODE return opened(AT_FDCWD, name, flags | O_LARGEFILE, mode);
}
int openat(int folder, const char *name, int flags, ...) {
  WITH_MODE return opened(folder, name, flags, mode);
}
int openat64(int folder, const char *name, int flags, ...) {
  WITH_MODE return opened(folder, name, flags | O_LARGEFILE, mode);
}
int creat(const char *name, mode_t mode) {
  return opened(AT_FDCWD, name, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

static void wrote(uint64_t inode, off_t at, const struct iovec *parts, int count, ssize_t length) {
  for (int i = 0; i < count && length > 0; i++) {
    size_t part = (size_t)length < parts[i].iov_len ? (size_t)length : parts[i].iov_len;
    put('W', inode, (uint64_t)at, 0, NULL, parts[i].iov_base, part);
    at += (off_t)part;
    length -= (ssize_t)part;
  }
}

/* at < 0: where the file stands, or its end. */
static ssize_t written(int fd, const struct iovec *parts, int count, off_t at) {
  char path[PATH_MAX];
  struct stat facts;
  uint64_t inode = fd == 1 ? 0 : inode_of(fd, path, &facts);
  if (inode == 0 && !(fd == 1 && trace >= 0))
    return at < 0 ? real_writev(fd, parts, count) : real_pwritev(fd, parts, count, at);
  pthread_mutex_lock(&turn);
  ssize_t length;
  if (fd == 1) {
    for (int i = 0; i < count; i++) put('M', (uint64_t)getpid(), 0, 0, NULL, parts[i].iov_base, parts[i].iov_len);
    length = real_writev(fd, parts, count);
  } else if (write_rate > 0 && may_fail(path) && below_1000() < write_rate) {
    errno = failure;
    length = -1;
  } else {
    off_t from = at;
    if (from < 0) {
      fstat(fd, &facts);
      from = (fcntl(fd, F_GETFL) & O_APPEND) != 0 ? facts.st_size : lseek(fd, 0, SEEK_CUR);
    }
    length = at < 0 ? real_writev(fd, parts, count) : real_pwritev(fd, parts, count, at);
    wrote(inode, from, parts, count, length);
  }
  pthread_mutex_unlock(&turn);
  return length;
}

ssize_t write(int fd, const void *bytes, size_t length) {
  if (trace < 0) return real_write(fd, bytes, length);
  struct iovec one = {(void *)bytes, length};
  return written(fd, &one, 1, -1);
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) {
  struct iovec one = {(void *)bytes, length};
  return written(fd, &one, 1, at);
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) {
  return pwrite(fd, bytes, length, at);
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
  return written(fd, parts, count, -1);
}
ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t at) {
  return written(fd, parts, count, at);
}
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t at) {
  return written(fd, parts, count, at);
}

int ftruncate(int fd, off_t length) {
  char path[PATH_MAX];
  struct stat facts;
  uint64_t inode = inode_of(fd, path, &facts);
  pthread_mutex_lock(&turn);
  int result = real_ftruncate(fd, length);
  if (result == 0 && inode != 0) put('T', inode, (uint64_t)length, 0, NULL, NULL, 0);
  pthread_mutex_unlock(&turn);
  return result;
}
int ftruncate64(int fd, off64_t length) { return ftruncate(fd, length); }

/* Only makes space: what it adds reads as nothing. */
int fallocate(int fd, int mode, off_t at, off_t length) {
  (void)mode; (void)at; (void)length;
  char path[PATH_MAX];
  struct stat facts;
  if (inode_of(fd, path, &facts) == 0) return real_fallocate(fd, mode, at, length);
  errno = EOPNOTSUPP;
  return -1;
}
int fallocate64(int fd, int mode, off64_t at, off64_t length) {
  return fallocate(fd, mode, at, length);
}

/* What the system would copy by itself is copied by write, which is seen. */
long syscall(long number, ...) {
  long of[6];
  va_list rest;
  va_start(rest, number);
  for (int i = 0; i < 6; i++) of[i] = va_arg(rest, long);
  va_end(rest);
  if (trace >= 0 && number == SYS_copy_file_range) {
    errno = EXDEV;
    return -1;
  }
  return real_syscall(number, of[0], of[1], of[2], of[3], of[4], of[5]);
}
ssize_t sendfile(int to, int from, off_t *at, size_t length) {
  char path[PATH_MAX];
  struct stat facts;
  if (inode_of(to, path, &facts) == 0) return real_sendfile(to, from, at, length);
  errno = EINVAL;
  return -1;
}
ssize_t sendfile64(int to, int from, off64_t *at, size_t length) {
  return sendfile(to, from, at, length);
}

static int synced(int fd, int (*real)(int)) {
  char path[PATH_MAX];
  struct stat facts;
  uint64_t inode = inode_of(fd, path, &facts);
  if (inode == 0) return real(fd);
  pthread_mutex_lock(&turn);
  int is_failing = sync_rate > 0 && may_fail(path) && below_1000() < sync_rate;
  int result = is_failing ? -1 : 0; /* the trace is the disk: the real one need not be waited for */
  put('S', inode, (uint64_t)facts.st_size, result, path, NULL, 0);
  if (is_failing) errno = failure;
  pthread_mutex_unlock(&turn);
  return result;
}
int fsync(int fd) { return synced(fd, real_fsync); }
int fdatasync(int fd) { return synced(fd, real_fdatasync); }

/* ---- names ---- */

static int named(char kind, int from_folder, const char *from, int to_folder, const char *to,
                 int (*act)(int, const char *, int, const char *, unsigned), unsigned flags) {
  char from_path[PATH_MAX], to_path[PATH_MAX];
  int is_from = place(from_folder, from, from_path);
  int is_to = place(to_folder, to, to_path);
  pthread_mutex_lock(&turn);
  int result = act(from_folder, from, to_folder, to, flags);
  if (result == 0 && is_from && is_to) put(kind, 0, 0, 0, from_path, to_path, strlen(to_path));
  pthread_mutex_unlock(&turn);
  return result;
}
static int act_rename(int a, const char *from, int b, const char *to, unsigned flags) {
  static int (*real)(int, const char *, int, const char *);
  static int (*real2)(int, const char *, int, const char *, unsigned);
  if (real == NULL) real = dlsym(RTLD_NEXT, "renameat");
  if (real2 == NULL) real2 = dlsym(RTLD_NEXT, "renameat2");
  return flags == 0 ? real(a, from, b, to) : real2(a, from, b, to, flags);
}
static int act_link(int a, const char *from, int b, const char *to, unsigned flags) {
  static int (*real)(int, const char *, int, const char *, int);
  if (real == NULL) real = dlsym(RTLD_NEXT, "linkat");
  return real(a, from, b, to, (int)flags);
}
int rename(const char *from, const char *to) {
  return named('R', AT_FDCWD, from, AT_FDCWD, to, act_rename, 0);
}
int renameat(int a, const char *from, int b, const char *to) {
  return named('R', a, from, b, to, act_rename, 0);
}
int renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
  return named('R', a, from, b, to, act_rename, flags);
}
int link(const char *from, const char *to) {
  return named('L', AT_FDCWD, from, AT_FDCWD, to, act_link, 0);
}
int linkat(int a, const char *from, int b, const char *to, int flags) {
  return named('L', a, from, b, to, act_link, (unsigned)flags);
}

static int gone(int folder, const char *name, int flags) {
  static int (*real)(int, const char *, int);
  if (real == NULL) real = dlsym(RTLD_NEXT, "unlinkat");
  char path[PATH_MAX];
  int is_inside_root = place(folder, name, path);
  pthread_mutex_lock(&turn);
  int result = real(folder, name, flags);
  if (result == 0 && is_inside_root) put('U', 0, 0, 0, path, NULL, 0);
  pthread_mutex_unlock(&turn);
  return result;
}
int unlink(const char *name) { return gone(AT_FDCWD, name, 0); }
int unlinkat(int folder, const char *name, int flags) { return gone(folder, name, flags); }
int rmdir(const char *name) { return gone(AT_FDCWD, name, AT_REMOVEDIR); }

static int made(int folder, const char *name, mode_t mode) {
  static int (*real)(int, const char *, mode_t);
  if (real == NULL) real = dlsym(RTLD_NEXT, "mkdirat");
  char path[PATH_MAX];
  struct stat facts;
  int is_inside_root = place(folder, name, path);
  pthread_mutex_lock(&turn);
  int result = real(folder, name, mode);
  if (result == 0 && is_inside_root && stat(path, &facts) == 0)
    put('D', facts.st_ino, facts.st_mode & 07777, 0, path, NULL, 0);
  pthread_mutex_unlock(&turn);
  return result;
}
int mkdir(const char *name, mode_t mode) { return made(AT_FDCWD, name, mode); }
int mkdirat(int folder, const char *name, mode_t mode) { return made(folder, name, mode); }
