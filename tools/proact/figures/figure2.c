/* SPDX-License-Identifier: Apache-2.0 */
/* Goodput by the length of a contiguous range (PROACT II-C): the closed form of the model
   next to emulated stores. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "figures/figure.h"
#include "link_probe.h"
#include "model/model.h"

/* PCIe 3, and NVLink 1, 2 and 4. */
static const char *const fabrics[] = {"k40x4", "p100x4", "v100x4", "h200x4", NULL};
enum { SHORTEST = 4, LONGEST = 4096, CTAS = 264, THREADS = 1024 };

static void figure2_add(const struct link_machine *m, const char *series, uint64_t bytes,
                        double gbps, struct figure_rows *out)
{
    struct figure_row row = {.x = (double)bytes,
                             .value = 100 * gbps / m->topology.fabric.egress_gbps};

    snprintf(row.panel, sizeof row.panel, "%.20s, %.20s", m->topology.name,
             m->topology.fabric.name);
    snprintf(row.machine, sizeof row.machine, "%.40s", m->topology.name);
    snprintf(row.series, sizeof row.series, "%s", series);
    if (bytes < 1024)
        snprintf(row.at, sizeof row.at, "%u B", (unsigned)bytes);
    else
        snprintf(row.at, sizeof row.at, "%u kB", (unsigned)bytes / 1024);
    figure_rows_add(out, &row);
}

/* Stores do not share one link with others, so the rate of the link bounds their rate.
   Where the link is slower than the device's exit, both curves are shares of the link. */
static double figure2_limit(const struct link_machine *m)
{
    const double link = m->topology.link_gbps[0][1];
    const double egress = m->topology.fabric.egress_gbps;

    return link > 0 && link < egress ? link / egress : 1;
}

static void figure2_machine(const char *machine, bool quick, struct figure_rows *out)
{
    const struct bench_request request = {.machine = machine, .devices = 2};
    struct bench_report report = {.bench = "link"};
    struct link_machine *m = must_calloc(1, sizeof *m);
    const struct link_probe *stores = link_probe_find("runs");

    link_open(m, &request, &report);
    const double limit = figure2_limit(m);

    for (uint64_t bytes = SHORTEST; bytes <= LONGEST; bytes *= 2)
        figure2_add(m, "closed form", bytes,
                    model_goodput_gbps(&m->topology.fabric, MODEL_SM, bytes), out);
    for (uint64_t bytes = SHORTEST; bytes <= LONGEST; bytes *= quick ? 4 : 2) {
        const struct link_question q = {bytes, CTAS, THREADS, 1};

        if (link_can_answer(m, stores, &q))
            figure2_add(m, m->backend->is_virtual ? "emulated stores" : "stores", bytes,
                        stores->measure(m, &q).median / limit, out);
    }
    link_close(m);
    free(m);
}

static enum proact_status figure2_run(struct figure_session *s, struct figure_rows *out,
                                      struct proact_error *err)
{
    const char *machine;

    (void)err; /* the bench ends the program with its message */
    for (unsigned i = 0; (machine = figure_machine(s, fabrics, i)); i++)
        figure2_machine(machine, s->quick, out);
    return PROACT_OK;
}

const struct figure figure_2 = {
    .name = "2",
    .file = "figure2",
    .title = "Figure 2: goodput of stores by the length of a contiguous range",
    .unit = "% of the link's rate",
    .across = "range",
    .down = "stores",
    .chart = FIGURE_LINES,
    .run = figure2_run,
};
