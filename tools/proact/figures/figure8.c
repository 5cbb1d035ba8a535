/* SPDX-License-Identifier: Apache-2.0 */
/* Overhead of tracking in a run without transfers (PROACT V-C). */
#include <math.h>

#include "figures/figure_fastest.h"

static void figure8_add(const struct figure_study *f, struct figure_row *row,
                        struct figure_rows *out)
{
    const struct run_row *plan = figure_fastest(&f->result, FIGURE_DECOUPLED);

    figure_fastest_share(f, plan ? plan->terms.overhead : NAN, row, out);
}

static enum proact_status figure8_run(struct figure_session *s, struct figure_rows *out,
                                      struct proact_error *err)
{
    enum proact_status status = figure_fastest_each(s, figure8_add, out, err);

    if (!status)
        figure_fastest_means(out);
    return status;
}

const struct figure figure_8 = {
    .name = "8",
    .file = "figure8",
    .title = "Figure 8: overhead of tracking, fastest decoupled plan",
    .unit = "% of the time without transfers",
    .across = "application",
    .down = "machine",
    .chart = FIGURE_BARS,
    .run = figure8_run,
};
