/* SPDX-License-Identifier: Apache-2.0 */
/* Usage: cpu_time RECORD COMMAND [ARGUMENT...]. Runs the command, writes the CPU seconds
   of it and its descendants to the file RECORD, and ends as the command ends. The command
   sees no profiles of this computer (docs/tuning.md). The label of a test is checked
   against the record (tests/layering/quick_times.sh). */
#define _DEFAULT_SOURCE /* wait4() */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void record(const char *path, const struct rusage *use)
{
    FILE *f = fopen(path, "w");

    if (!f) {
        perror(path);
        return;
    }
    fprintf(f, "%.3f\n", seconds(use->ru_utime) + seconds(use->ru_stime));
    fclose(f);
}

/* Stored plans of the user would change what a test prints. */
static void hide_profiles(void)
{
    setenv("XDG_DATA_HOME", "/nonexistent", 1);
    setenv("XDG_DATA_DIRS", "/nonexistent", 1);
    unsetenv("PROACT_PROFILE");
    unsetenv("PROACT_EFFORT");
}

int main(int argc, char **argv)
{
    struct rusage use = {0};
    int status = 0;

    if (argc < 3) {
        fprintf(stderr, "usage: cpu_time RECORD COMMAND [ARGUMENT...]\n");
        return 2;
    }
    pid_t child = fork();
    if (child == 0) {
        hide_profiles();
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &use) < 0) {
        perror("cpu_time");
        return 2;
    }
    record(argv[1], &use);
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    signal(WTERMSIG(status), SIG_DFL); /* CTest names the signal */
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}
