/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning of a program: it runs unchanged, and its sessions write their decisions. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "command.h"
#include "tune/tune.h"

enum { EXIT_NOT_FOUND = 127, EXIT_NOT_RUN = 126, EXIT_SIGNAL = 128 };

static void program_execute(const struct tune_request *request, char **argv)
{
    char *path = profile_absolute_path(request->path), seconds[40];

    setenv("PROACT_PROFILE", path, 1);
    setenv("PROACT_EFFORT", request->effort, 1);
    snprintf(seconds, sizeof seconds, "%.9g", request->seconds);
    if (request->seconds > 0)
        setenv("PROACT_EFFORT_SECONDS", seconds, 1);
    execvp(argv[0], argv);
    const int code = errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN;

    fprintf(stderr, "proact: %s: cannot be run: %s\n", argv[0], strerror(errno));
    _exit(code);
}

/* The number of entries of the profile with a plan. 0 also if it cannot be read. */
static size_t program_count_plans(const char *path)
{
    struct profile *p = profile_create();
    size_t count = 0;

    if (!profile_read(path, p, NULL))
        for (size_t i = 0; i < profile_count(p); i++)
            count += profile_is_decided(profile_at(p, i));
    profile_free(p);
    return count;
}

/* Interrupts reach the program, whose status is returned. */
static int program_wait(pid_t child)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupt, quit;
    int status = 0;

    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    return WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

int tune_program(const struct tune_request *request, char **argv)
{
    struct proact_error err = {""};
    const size_t before = program_count_plans(request->path);
    const pid_t child = fork();

    if (child < 0) {
        fail(&err, PROACT_EINVAL, "%s: cannot be run: %s", argv[0], strerror(errno));
        return failure_exit(&err);
    }
    if (!child)
        program_execute(request, argv);
    const int code = program_wait(child);
    const size_t after = program_count_plans(request->path);

    if (code != EXIT_NOT_FOUND && code != EXIT_NOT_RUN)
        fprintf(stderr, "proact: %s: plans: %zu, of which new: %zu\n", request->path, after,
                after > before ? after - before : 0);
    return code;
}
