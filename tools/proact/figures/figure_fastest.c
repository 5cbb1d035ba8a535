/* SPDX-License-Identifier: Apache-2.0 */
#include "figures/figure_fastest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum proact_status figure_fastest_each(struct figure_session *s, figure_fastest_add *add,
                                       struct figure_rows *out, struct proact_error *err)
{
    const char *machine;

    for (unsigned a = 0; figure_application(s, a); a++)
        for (unsigned i = 0; (machine = figure_machine(s, figure_machines, i)); i++) {
            const struct figure_study *f;
            struct figure_row row = {.value = NAN};
            enum proact_status status = figure_study_get(s, machine, 0, a, &f, err);

            if (status)
                return status;
            snprintf(row.machine, sizeof row.machine, "%.40s", machine);
            add(f, &row, out);
        }
    return PROACT_OK;
}

void figure_fastest_share(const struct figure_study *f, double share,
                          struct figure_row *row, struct figure_rows *out)
{
    const struct run_row *plan = figure_fastest(&f->result, FIGURE_DECOUPLED);

    row->value = 100 * share;
    if (plan)
        figure_plan_name(plan, row->note, sizeof row->note);
    snprintf(row->series, sizeof row->series, "%s", row->machine);
    snprintf(row->at, sizeof row->at, "%.40s", f->application);
    figure_rows_add(out, row);
}

static bool fastest_has_mean(const struct figure_rows *rows, const char *series)
{
    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(rows->row[i].series, series) == 0 &&
            strcmp(rows->row[i].at, "mean") == 0)
            return true;
    return false;
}

static double fastest_mean(const struct figure_rows *rows, const char *series)
{
    double sum = 0;
    unsigned count = 0;

    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(rows->row[i].series, series) == 0 && isfinite(rows->row[i].value)) {
            sum += rows->row[i].value;
            count++;
        }
    return count ? sum / count : NAN;
}

void figure_fastest_means(struct figure_rows *rows)
{
    const size_t count = rows->count;

    for (size_t i = 0; i < count; i++) {
        struct figure_row row = rows->row[i];

        if (fastest_has_mean(rows, row.series))
            continue;
        row.value = fastest_mean(rows, row.series);
        row.note[0] = '\0';
        snprintf(row.at, sizeof row.at, "mean");
        figure_rows_add(rows, &row);
    }
}
