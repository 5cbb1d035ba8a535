/* SPDX-License-Identifier: Apache-2.0 */
#include "peers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIMIT_S = 60 /* a peer may hang */, NUMBERS = 5 /* of a row */ };

static const char *const programs[] = {"copies", "nccl", "nvshmem"};

static const char *folder(void)
{
    const char *given = getenv("PROACT_BENCH_PEERS");

    return given ? given : BENCH_PEERS;
}

/* "row METHOD CHUNK_BYTES MEDIAN_NS LOWEST_NS HIGHEST_NS RUNS". Anything else is not ours:
   libraries print what they like. */
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
            bench_wants(q->method, method))
            row(context, method, (uint64_t)number[0],
                (struct bench_sample){.median = number[1],
                                      .lowest = number[2],
                                      .highest = number[3],
                                      .runs = (unsigned)number[4]});
}

void peers_run(const struct peers_request *q, peers_row *row, void *context)
{
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char path[600], command[800];

        snprintf(path, sizeof path, "%s/peer_%s", folder(), programs[i]);
        if (access(path, X_OK) != 0)
            continue;
        snprintf(command, sizeof command, "timeout %d '%s' %u %" PRIu64 " %u %s %u",
                 LIMIT_S, path, q->devices, q->bytes, q->multiply_adds,
                 q->all_to_all ? "all-to-all" : "one-to-all", q->launches);
        FILE *from = popen(command, "r"); /* a path of ours, and numbers */

        if (!from)
            bench_die("%s: cannot be started", path);
        read_rows(from, q, row, context);
        int code = pclose(from);

        if (code)
            fprintf(stderr, "proact: %s ended with status %d\n", path, code);
    }
}
