/*
 * An add-on for Node with which a process that has loaded the engine becomes two: the second one begins
 * a life where the first one stands, with nothing to load. Node has no fork() of its own, because a fork
 * has one thread: it needs --single-threaded, so that V8 asks none of the others for anything, and room
 * enough that the whole heap is never marked, for which V8 asks them in any case.
 *
 * fork(<path of a socket>, <path of a file>) gives 0 in the new process, whose standard input and output
 * are two connections to the socket and whose errors go to the file. In the old one it gives the number of
 * the new one, and says on standard output how that ended: {"pid":1,"code":0,"signal":9}.
 * exit(<code>) ends a process at once, without the wait for threads that it never had.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* Node-API, whose binary interface never changes, and one function of libuv: no headers are needed. */
typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value;
typedef struct napi_callback_info__ *napi_callback_info;
typedef napi_value (*napi_callback)(napi_env, napi_callback_info);
extern int napi_create_function(napi_env, const char *, size_t, napi_callback, void *, napi_value *);
extern int napi_set_named_property(napi_env, napi_value, const char *, napi_value);
extern int napi_get_cb_info(napi_env, napi_callback_info, size_t *, napi_value *, napi_value *, void **);
extern int napi_get_value_string_utf8(napi_env, napi_value, char *, size_t, size_t *);
extern int napi_get_value_int32(napi_env, napi_value, int32_t *);
extern int napi_create_int32(napi_env, int32_t, napi_value *);
extern int napi_throw_error(napi_env, const char *, const char *);
extern int napi_get_uv_event_loop(napi_env, void **);
extern int uv_loop_fork(void *);

/* Waits for the end of one life and says how it ended. */
static void *say_end(void *given) {
  pid_t pid = (pid_t)(intptr_t)given;
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) return NULL;
  char line[96];
  int length = snprintf(line, sizeof line, "{\"pid\":%d,\"code\":%d,\"signal\":%d}\n", (int)pid,
                        WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                        WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  if (write(1, line, (size_t)length) < 0) _exit(1);
  return NULL;
}

static int connected(const char *path, int at) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) return -1;
  strcpy(address.sun_path, path);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0) return -1;
  /* Says which of the two it is. */
  char name = at == 0 ? 'i' : 'o';
  if (write(fd, &name, 1) != 1 || dup2(fd, at) < 0) return -1;
  close(fd);
  return 0;
}

/* V8 has the kernel leave its heap out of forks, for the sake of children that are other programs. */
static void keep_all_memory(void) {
  FILE *maps = fopen("/proc/self/maps", "re");
  char line[4352];
  if (maps == NULL) return;
  while (fgets(line, sizeof line, maps) != NULL) {
    unsigned long from, to;
    char mode[5];
    if (sscanf(line, "%lx-%lx %4s", &from, &to, mode) == 3 && mode[3] == 'p')
      madvise((void *)from, to - from, MADV_DOFORK);
  }
  fclose(maps);
}

static napi_value fork_life(napi_env env, napi_callback_info info) {
  napi_value given[2], result = NULL;
  size_t count = 2, length;
  char socket_path[256], errors_path[4096];
  void *loop = NULL;
  napi_get_cb_info(env, info, &count, given, NULL, NULL);
  napi_get_value_string_utf8(env, given[0], socket_path, sizeof socket_path, &length);
  napi_get_value_string_utf8(env, given[1], errors_path, sizeof errors_path, &length);
  napi_get_uv_event_loop(env, &loop);
  keep_all_memory();
  pid_t pid = fork();
  if (pid < 0) {
    napi_throw_error(env, NULL, "fork failed");
    return NULL;
  }
  if (pid == 0) {
    int errors = open(errors_path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (errors < 0 || dup2(errors, 2) < 0) _exit(101);
    close(errors);
    if (connected(socket_path, 0) < 0 || connected(socket_path, 1) < 0) _exit(102);
    if (uv_loop_fork(loop) != 0) _exit(103);
  } else {
    pthread_t waiter;
    if (pthread_create(&waiter, NULL, say_end, (void *)(intptr_t)pid) != 0) _exit(104);
    pthread_detach(waiter);
  }
  napi_create_int32(env, (int32_t)pid, &result);
  return result;
}

static napi_value exit_now(napi_env env, napi_callback_info info) {
  napi_value given[1];
  size_t count = 1;
  int32_t code = 0;
  napi_get_cb_info(env, info, &count, given, NULL, NULL);
  napi_get_value_int32(env, given[0], &code);
  _exit(code);
}

napi_value napi_register_module_v1(napi_env env, napi_value exports) {
  napi_value made;
  napi_create_function(env, "fork", 4, fork_life, NULL, &made);
  napi_set_named_property(env, exports, "fork", made);
  napi_create_function(env, "exit", 4, exit_now, NULL, &made);
  napi_set_named_property(env, exports, "exit", made);
  return exports;
}
