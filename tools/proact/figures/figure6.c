/* SPDX-License-Identifier: Apache-2.0 */
/* The microbenchmark by chunk size (PROACT V-A). */
#include <stdio.h>

#include "figures/figure_micro.h"

enum { CHUNK_MIN = 4 << 10 };

static void figure6_methods(struct figure_micro *f, uint64_t chunk, struct figure_rows *out)
{
    static const char *const methods[] = {"polling", "dynamic", "inline"};

    for (int i = 0; i < 3; i++) {
        struct figure_row row = {.x = (double)chunk};

        snprintf(row.series, sizeof row.series, "%s", methods[i]);
        figure_size_name(chunk, row.at);
        figure_micro_add(f, methods[i], chunk, 0, &row, out);
    }
}

static enum proact_status figure6_run(struct figure_session *s, struct figure_rows *out,
                                      struct proact_error *err)
{
    const char *machine;

    (void)err;
    for (unsigned i = 0; (machine = figure_machine(s, figure_machines, i)); i++) {
        struct figure_micro *f = figure_micro_open(s, machine);

        for (uint64_t chunk = CHUNK_MIN; chunk <= figure_micro_bytes(f); chunk *= 4)
            figure6_methods(f, chunk, out);
        figure_micro_close(f);
    }
    return PROACT_OK;
}

const struct figure figure_6 = {
    .name = "6",
    .file = "figure6",
    .title = "Figure 6: microbenchmark by chunk size",
    .unit = "speedup over bulk",
    .across = "chunk",
    .down = "method",
    .chart = FIGURE_LINES,
    .run = figure6_run,
};
