/* SPDX-License-Identifier: Apache-2.0 */
/* Applications by method on all devices of a machine (PROACT V-B). */
#include <math.h>
#include <stdio.h>

#include "figures/figure.h"

static const char mean_name[] = "geometric mean";
enum { INFINITE = FIGURE_KINDS, SERIES };

struct figure7_mean {
    double logarithms[SERIES];
    unsigned count[SERIES];
};

static void figure7_add(const char *machine, unsigned series, const char *at, double value,
                        const struct run_row *plan, struct figure_rows *out)
{
    struct figure_row row = {.value = value};

    snprintf(row.panel, sizeof row.panel, "%.40s", machine);
    snprintf(row.machine, sizeof row.machine, "%.40s", machine);
    snprintf(row.series, sizeof row.series, "%s",
             series == INFINITE ? "infinite" : figure_kinds[series]);
    snprintf(row.at, sizeof row.at, "%.40s", at);
    if (plan && series == FIGURE_DECOUPLED)
        figure_plan_name(plan, row.note, sizeof row.note);
    if (plan && plan->hint)
        snprintf(row.note, sizeof row.note, "%s", run_hint_name(plan->hint));
    figure_rows_add(out, &row);
}

static void figure7_application(const struct figure_study *f, struct figure7_mean *mean,
                                struct figure_rows *out)
{
    for (unsigned series = 0; series < SERIES; series++) {
        const struct run_row *row =
            series == INFINITE ? NULL : figure_fastest(&f->result, series);
        const double speedup = series == INFINITE ? terms_ideal(&f->result.base)
                               : row              ? row->terms.speedup
                                                  : NAN;

        figure7_add(f->machine, series, f->application, speedup, row, out);
        if (isfinite(speedup)) {
            mean->logarithms[series] += log(speedup);
            mean->count[series]++;
        }
    }
}

static enum proact_status figure7_machine(struct figure_session *s, const char *machine,
                                          struct figure_rows *out, struct proact_error *err)
{
    struct figure7_mean mean = {.count = {0}};

    for (unsigned a = 0; figure_application(s, a); a++) {
        const struct figure_study *f;
        enum proact_status status = figure_study_get(s, machine, 0, a, &f, err);

        if (status)
            return status;
        figure7_application(f, &mean, out);
    }
    for (unsigned series = 0; series < SERIES; series++)
        figure7_add(machine, series, mean_name,
                    exp(mean.logarithms[series] / mean.count[series]), NULL, out);
    return PROACT_OK;
}

static enum proact_status figure7_run(struct figure_session *s, struct figure_rows *out,
                                      struct proact_error *err)
{
    enum proact_status status = PROACT_OK;
    const char *machine;

    for (unsigned i = 0; !status && (machine = figure_machine(s, figure_machines, i)); i++)
        status = figure7_machine(s, machine, out, err);
    return status;
}

const struct figure figure_7 = {
    .name = "7",
    .file = "figure7",
    .title = "Figure 7: speedup over one device by method",
    .unit = "speedup over one device",
    .across = "application",
    .down = "method",
    .chart = FIGURE_BARS,
    .run = figure7_run,
};
