/* SPDX-License-Identifier: Apache-2.0 */
#include "peers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIMIT_S = 60 /* a peer may hang */, NUMBERS = 5 /* of a row */, PATH_BYTES = 600 };

/* A program and the methods of its rows. */
static const struct {
    const char *name, *method[2];
} programs[] = {{"copies", {"cudaMemcpyPeerAsync"}},
                {"nccl", {"NCCL"}},
                {"nvshmem", {"NVSHMEM", "NVSHMEM-signal"}}};
enum { PROGRAMS = sizeof programs / sizeof *programs };
static const char *const methods[] = {"cudaMemcpyPeerAsync", "NCCL", "NVSHMEM",
                                      "NVSHMEM-signal", NULL};

const char *const *bench_peers(void)
{
    return methods;
}

static const char *folder(void)
{
    const char *given = getenv("PROACT_BENCH_PEERS");

    return given ? given : BENCH_PEERS;
}

/* "row METHOD CHUNK_BYTES MEDIAN_NS LOWEST_NS HIGHEST_NS RUNS". Other lines are output of
   the libraries and are skipped. */
static bool read_row(char *line, const char **method, double number[NUMBERS])
{
    char *rest = NULL, *word = strtok_r(line, " ", &rest);

    if (!word || strcmp(word, "row") != 0 || !(*method = strtok_r(NULL, " ", &rest)))
        return false;
    for (int i = 0; i < NUMBERS; i++) {
        char *end = NULL;

        if (!(word = strtok_r(NULL, " \n", &rest)))
            return false;
        number[i] = strtod(word, &end);
        if (*end || !(number[i] >= 0))
            return false;
    }
    return true;
}

static void read_rows(FILE *from, const struct peers_request *q, peers_row *row,
                      void *context)
{
    double number[NUMBERS];
    const char *method;
    char line[256];

    while (fgets(line, sizeof line, from))
        if (read_row(line, &method, number) && number[1] > 0 &&
            bench_list_contains(q->method, method))
            row(context, method, (uint64_t)number[0],
                (struct bench_sample){.median = number[1],
                                      .lowest = number[2],
                                      .highest = number[3],
                                      .runs = (unsigned)number[4]});
}

static bool is_wanted(size_t program, const char *list)
{
    const char *const *method = programs[program].method;

    return bench_list_contains(list, method[0]) ||
           (method[1] && bench_list_contains(list, method[1]));
}

/* True if the program is built; writes its path. */
static bool find(size_t program, char *path, size_t size)
{
    snprintf(path, size, "%s/peer_%s", folder(), programs[program].name);
    return access(path, X_OK) == 0;
}

void peers_look(const char *method, bool is_virtual)
{
    char path[PATH_BYTES];

    if (is_virtual) {
        fprintf(stderr, "proact: --peers: other libraries need GPUs, and this machine is "
                        "emulated: they have no rows\n");
        return;
    }
    for (size_t i = 0; i < PROGRAMS; i++)
        if (is_wanted(i, method) && !find(i, path, sizeof path))
            fprintf(stderr,
                    "proact: --peers: %s was not built, %s has no rows: "
                    "bench/peers/build.sh %s\n",
                    path, programs[i].method[0], folder());
}

void peers_run(const struct peers_request *q, peers_row *row, void *context)
{
    for (size_t i = 0; i < PROGRAMS; i++) {
        char path[PATH_BYTES], command[PATH_BYTES + 200];

        if (!is_wanted(i, q->method) || !find(i, path, sizeof path))
            continue;
        snprintf(command, sizeof command, "timeout %d '%s' %u %" PRIu64 " %u %s %u",
                 LIMIT_S, path, q->devices, q->bytes, q->multiply_adds,
                 q->all_to_all ? "all-to-all" : "one-to-all", q->launches);
        FILE *from = popen(command, "r"); /* the command has only our path and numbers */

        if (!from)
            bench_die("%s: cannot be started", path);
        read_rows(from, q, row, context);
        int code = pclose(from);

        if (code)
            fprintf(stderr, "proact: %s ended with status %d\n", path, code);
    }
}
