/* SPDX-License-Identifier: Apache-2.0 */
/* The time of a whole process on a monotonic clock, for whole.sh.
   Usage: elapsed SECONDS OUTPUT COMMAND [ARGUMENT...]
   Prints microseconds. OUTPUT receives the output of COMMAND, which SIGALRM ends after
   SECONDS. The exit status is that of COMMAND, or 128 plus its signal. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000LL + t.tv_nsec / 1000;
}

static void be_child(unsigned seconds, const char *output, char **command)
{
    int to = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    if (to < 0 || dup2(to, STDOUT_FILENO) < 0) {
        perror(output);
        _exit(126);
    }
    close(to);
    alarm(seconds); /* exec() keeps it */
    execvp(command[0], command);
    perror(command[0]);
    _exit(127);
}

int main(int argc, char **argv)
{
    long seconds = argc > 3 ? strtol(argv[1], NULL, 10) : 0;
    int status;

    if (seconds < 1) {
        fprintf(stderr, "usage: elapsed SECONDS OUTPUT COMMAND [ARGUMENT...]\n");
        return 2;
    }
    long long from = now_us();
    pid_t child = fork();

    if (child == 0)
        be_child((unsigned)seconds, argv[2], argv + 3);
    if (child < 0 || waitpid(child, &status, 0) < 0) {
        perror("elapsed");
        return 1;
    }
    printf("%lld\n", now_us() - from);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
