/* SPDX-License-Identifier: Apache-2.0 */
/* The fastest plan of a sweep, inline or decoupled (PROACT V-B, Table II). */
#include <math.h>
#include <stdio.h>

#include "figures/figure_fastest.h"

static void table2_add(const struct figure_study *f, struct figure_row *row,
                       struct figure_rows *out)
{
    const struct run_row *plan = figure_best(&f->result);

    if (plan)
        figure_plan_name(plan, row->note, sizeof row->note);
    row->value = plan ? plan->terms.speedup : NAN;
    snprintf(row->series, sizeof row->series, "%.40s", f->application);
    snprintf(row->at, sizeof row->at, "%s", row->machine);
    figure_rows_add(out, row);
}

static enum proact_status table2_run(struct figure_session *s, struct figure_rows *out,
                                     struct proact_error *err)
{
    return figure_fastest_each(s, table2_add, out, err);
}

const struct figure figure_table2 = {
    .name = "table2",
    .file = "table2",
    .title = "Table II: the fastest plan of a sweep",
    .unit = "scheme, chunk, threads and mechanism",
    .across = "machine",
    .down = "application",
    .chart = FIGURE_NOTES,
    .run = table2_run,
};
