/*
 * The first part of an AppImage, for machines on which electron-builder cannot fetch the official one:
 * mounts the file system behind it with squashfuse, runs AppRun, and takes the mount away. Only for
 * trying out; releases carry the official runtime, which needs nothing of the system.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t app;

static void hand_on(int signal) {
  if (app > 0) kill(app, signal);
}

/* The file system begins where this program ends. */
static long own_length(const char *file) {
  Elf64_Ehdr header;
  FILE *stream = fopen(file, "rb");
  if (stream == NULL || fread(&header, sizeof header, 1, stream) != 1) return -1;
  fclose(stream);
  return (long)(header.e_shoff + (Elf64_Off)header.e_shnum * header.e_shentsize);
}

int main(int argc, char **argv) {
  char self[PATH_MAX], run[PATH_MAX], options[64], mount[] = "/tmp/.mount_holdfastXXXXXX";
  (void)argc;
  if (realpath("/proc/self/exe", self) == NULL || mkdtemp(mount) == NULL) {
    perror("AppImage");
    return 127;
  }
  snprintf(options, sizeof options, "ro,nodev,noatime,offset=%ld", own_length(self));
  snprintf(run, sizeof run, "%s/AppRun", mount);

  const pid_t files = fork();
  if (files == 0) {
    setpgid(0, 0); /* A Ctrl-C for the app must not take its files away. */
    execlp("squashfuse", "squashfuse", "-f", "-o", options, self, mount, (char *)NULL);
    perror("squashfuse");
    _exit(127);
  }
  for (int tries = 0; access(run, X_OK) != 0 && tries < 500; tries += 1) {
    if (waitpid(files, NULL, WNOHANG) == files) {
      rmdir(mount);
      fprintf(stderr, "AppImage: could not be mounted\n");
      return 127;
    }
    usleep(10000);
  }
  setenv("APPIMAGE", self, 1);
  setenv("APPDIR", mount, 1);
  setenv("ARGV0", argv[0], 1);

  int status = 0;
  app = fork();
  if (app == 0) {
    argv[0] = run;
    execv(run, argv);
    perror("AppRun");
    _exit(127);
  }
  signal(SIGTERM, hand_on);
  signal(SIGINT, hand_on);
  signal(SIGHUP, hand_on);
  while (waitpid(app, &status, 0) != app) continue;
  kill(files, SIGTERM);
  waitpid(files, NULL, 0);
  rmdir(mount);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
