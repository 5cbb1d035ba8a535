/* SPDX-License-Identifier: Apache-2.0 */
/* Sensitivity to the threads of the agent and to the chunk size (PROACT III-A). */
#include <stdio.h>

#include "figures/figure_micro.h"

static const char *const kepler[] = {"k40x4", NULL};
static const char *const agents[] = {"dynamic", "polling"};
enum { THREADS_MIN = 32, THREADS_MAX = 8192, CHUNK_MIN = 4 << 10, CHUNK_MAX = 16 << 20 };

static void figure4_cell(struct figure_micro *f, const char *method, uint64_t chunk,
                         unsigned threads, struct figure_rows *out)
{
    struct figure_row row = {.x = (double)chunk};

    snprintf(row.series, sizeof row.series, "%s, %u", method, threads);
    figure_size_name(chunk, row.at);
    figure_micro_add(f, method, chunk, threads, &row, out);
}

static enum proact_status figure4_run(struct figure_session *s, struct figure_rows *out,
                                      struct proact_error *err)
{
    const char *machine;
    const unsigned step = s->quick ? 2 : 1; /* powers of two between two cells */

    (void)err;
    for (unsigned i = 0; (machine = figure_machine(s, kepler, i)); i++) {
        struct figure_micro *f = figure_micro_open(s, machine);
        const uint64_t array = figure_micro_bytes(f);
        const uint64_t most = array < CHUNK_MAX ? array : CHUNK_MAX;

        for (int a = 0; a < 2; a++)
            for (unsigned threads = THREADS_MIN; threads <= THREADS_MAX; threads <<= step)
                for (uint64_t chunk = CHUNK_MIN; chunk <= most; chunk <<= step)
                    figure4_cell(f, agents[a], chunk, threads, out);
        figure_micro_close(f);
    }
    return PROACT_OK;
}

const struct figure figure_4 = {
    .name = "4",
    .file = "figure4",
    .title = "Figure 4: speedup over bulk by threads of the agent and chunk size",
    .unit = "speedup over bulk",
    .across = "chunk",
    .down = "agent, threads",
    .chart = FIGURE_HEAT,
    .run = figure4_run,
};
