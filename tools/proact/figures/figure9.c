/* SPDX-License-Identifier: Apache-2.0 */
/* Transfer time that computation hides, from runs with and without transfers (PROACT V-C).
 */
#include <math.h>

#include "figures/figure_fastest.h"

static void figure9_add(const struct figure_study *f, struct figure_row *row,
                        struct figure_rows *out)
{
    const struct run_row *plan = figure_fastest(&f->result, FIGURE_DECOUPLED);

    figure_fastest_share(f, plan ? plan->terms.hidden : NAN, row, out);
}

static enum proact_status figure9_run(struct figure_session *s, struct figure_rows *out,
                                      struct proact_error *err)
{
    enum proact_status status = figure_fastest_each(s, figure9_add, out, err);

    if (!status)
        figure_fastest_means(out);
    return status;
}

const struct figure figure_9 = {
    .name = "9",
    .file = "figure9",
    .title = "Figure 9: hidden transfer time, fastest decoupled plan",
    .unit = "% of bulk's transfer time",
    .across = "application",
    .down = "machine",
    .chart = FIGURE_BARS,
    .run = figure9_run,
};
