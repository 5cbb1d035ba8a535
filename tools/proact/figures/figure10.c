/* SPDX-License-Identifier: Apache-2.0 */
/* Strong scaling (PROACT V-D): geometric means over the applications, by the number of
   devices. */
#include <math.h>
#include <stdio.h>

#include "base/fail.h"
#include "check_words.h"
#include "figures/figure.h"

static const char *const scaled[] = {"k40x4", "p100x4", "v100x16", NULL};
enum { PROACT = FIGURE_UNIFIED, LIMIT, SERIES }; /* the paper omits unified memory */
static const char *const series_names[SERIES] = {
    [FIGURE_BULK_SERIAL] = "bulk-serial",
    [FIGURE_BULK] = "bulk",
    [PROACT] = "inline or decoupled",
    [LIMIT] = "infinite",
};

static void figure10_add(const char *machine, unsigned devices, unsigned series,
                         double value, struct figure_rows *out)
{
    struct figure_row row = {.x = devices, .value = value};

    snprintf(row.panel, sizeof row.panel, "%.40s", machine);
    snprintf(row.machine, sizeof row.machine, "%.40s", machine);
    snprintf(row.series, sizeof row.series, "%s", series_names[series]);
    snprintf(row.at, sizeof row.at, "%u", devices);
    figure_rows_add(out, &row);
}

static double figure10_speedup(const struct run_study *study, unsigned series)
{
    const struct run_row *row = series == PROACT  ? figure_best(study)
                                : series < PROACT ? figure_fastest(study, series)
                                                  : NULL;

    if (series == LIMIT)
        return terms_ideal(&study->base);
    return row ? row->terms.speedup : NAN;
}

/* One device has the speedup 1 by definition. */
static enum proact_status figure10_count(struct figure_session *s, const char *machine,
                                         unsigned devices, struct figure_rows *out,
                                         struct proact_error *err)
{
    double logarithms[SERIES] = {0};
    unsigned applications = 0;

    for (; devices > 1 && figure_application(s, applications); applications++) {
        const struct figure_study *f;
        enum proact_status status =
            figure_study_get(s, machine, devices, applications, &f, err);

        if (status)
            return status;
        for (unsigned i = 0; i < SERIES; i++)
            logarithms[i] += log(figure10_speedup(&f->result, i));
    }
    for (unsigned i = 0; i < SERIES; i++)
        figure10_add(machine, devices, i,
                     applications ? exp(logarithms[i] / applications) : 1, out);
    return PROACT_OK;
}

/* Powers of two; of more than four devices only powers of four. */
static bool figure10_counts(const struct figure_session *s, unsigned devices, unsigned all)
{
    const bool is_power = (devices & (devices - 1)) == 0;

    if (s->devices)
        return devices == 1 || devices == s->devices;
    return is_power && (all <= 4 || (devices != 2 && devices != 8));
}

static enum proact_status figure10_machine(struct figure_session *s, const char *machine,
                                           struct figure_rows *out,
                                           struct proact_error *err)
{
    struct topology topology;
    enum proact_status status = PROACT_OK;

    if (check_machine("bench", machine, 0, &topology))
        return fail(err, PROACT_EINVAL, "%s is no machine", machine);
    for (unsigned n = 1; n <= topology.device_count && !status; n++)
        if (figure10_counts(s, n, topology.device_count))
            status = figure10_count(s, machine, n, out, err);
    return status;
}

static enum proact_status figure10_run(struct figure_session *s, struct figure_rows *out,
                                       struct proact_error *err)
{
    enum proact_status status = PROACT_OK;
    const char *machine;

    for (unsigned i = 0; !status && (machine = figure_machine(s, scaled, i)); i++)
        status = figure10_machine(s, machine, out, err);
    return status;
}

const struct figure figure_10 = {
    .name = "10",
    .file = "figure10",
    .title = "Figure 10: strong scaling, geometric mean over the applications",
    .unit = "speedup over one device",
    .across = "devices",
    .down = "method",
    .chart = FIGURE_LINES,
    .run = figure10_run,
};
