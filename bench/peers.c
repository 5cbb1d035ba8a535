/* SPDX-License-Identifier: Apache-2.0 */
#include "peers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIMIT_S = 60 }; /* a peer may hang */

static const char *const programs[] = {"copies", "nccl", "nvshmem"};

static const char *folder(void)
{
    const char *given = getenv("PROACT_BENCH_PEERS");

    return given ? given : BENCH_PEERS;
}

/* A row: METHOD CHUNK_BYTES MEDIAN_NS LOWEST_NS HIGHEST_NS RUNS. Anything else is not ours:
   libraries print what they like. */
static void read_rows(FILE *from, const struct peers_request *q, peers_row *row,
                      void *context)
{
    char line[256], method[32];

    while (fgets(line, sizeof line, from)) {
        struct bench_sample ns;
        uint64_t chunk;

        if (sscanf(line, "row %31s %" SCNu64 " %lf %lf %lf %u", method, &chunk, &ns.median,
                   &ns.lowest, &ns.highest, &ns.runs) == 6 &&
            (!q->method || strcmp(q->method, method) == 0))
            row(context, method, chunk, ns);
    }
}

void peers_run(const struct peers_request *q, peers_row *row, void *context)
{
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        char path[600], command[800];

        snprintf(path, sizeof path, "%s/peer_%s", folder(), programs[i]);
        if (access(path, X_OK) != 0)
            continue;
        snprintf(command, sizeof command, "timeout %d '%s' %u %" PRIu64 " %u %s", LIMIT_S,
                 path, q->devices, q->bytes, q->multiply_adds,
                 q->all_to_all ? "all-to-all" : "one-to-all");
        FILE *from = popen(command, "r"); /* a path of ours, and numbers */

        if (!from)
            bench_die("%s: cannot be started", path);
        read_rows(from, q, row, context);
        int code = pclose(from);

        if (code)
            fprintf(stderr, "proact: %s ended with status %d\n", path, code);
    }
}
