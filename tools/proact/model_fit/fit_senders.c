/* SPDX-License-Identifier: Apache-2.0 */
#include "model_fit/fit_senders.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { DEPTH_LEAST = 4 /* for a period */ };
static const double period_factor = 1.2;

/* Rows of one initiator by size, then by depth, with the median of equal rows. */
struct fit_group {
    uint64_t bytes;
    unsigned depth;
    size_t first, count; /* rows */
    double median_ns;
    bool is_fitted; /* or left out, for the errors */
};

struct fit_table {
    struct sweep_row *row;
    struct fit_group *group;
    size_t rows, groups;
};

static int row_order(const void *left, const void *right)
{
    const struct sweep_row *a = left, *b = right;

    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    if (a->depth != b->depth)
        return a->depth < b->depth ? -1 : 1;
    return (a->ns > b->ns) - (a->ns < b->ns);
}

/* Leaves out every second size of single messages, and every second size of several ones.
 */
static void fit_leave_out(struct fit_table *t)
{
    unsigned singles = 0, several = 0;

    for (size_t i = 0; i < t->groups; i++) {
        struct fit_group *g = &t->group[i];

        if (g->depth == 1)
            g->is_fitted = singles++ % 2 == 0;
        else if (i && g[-1].depth > 1 && g[-1].bytes == g->bytes)
            g->is_fitted = g[-1].is_fitted;
        else
            g->is_fitted = several++ % 2 == 0;
    }
}

static struct fit_table fit_table_of(const struct sweep *s, enum model_sender who)
{
    struct fit_table t = {.row = must_calloc(s->count + 1, sizeof *t.row),
                          .group = must_calloc(s->count + 1, sizeof *t.group)};

    for (size_t i = 0; i < s->count; i++)
        if (s->rows[i].who == who)
            t.row[t.rows++] = s->rows[i];
    qsort(t.row, t.rows, sizeof *t.row, row_order);
    for (size_t i = 0; i < t.rows; i++) {
        struct fit_group *g = &t.group[t.groups ? t.groups - 1 : 0];

        if (!t.groups || g->bytes != t.row[i].bytes || g->depth != t.row[i].depth) {
            g = &t.group[t.groups++];
            *g = (struct fit_group){
                .bytes = t.row[i].bytes, .depth = t.row[i].depth, .first = i};
        }
        g->count++;
        g->median_ns = t.row[g->first + (g->count - 1) / 2].ns;
    }
    fit_leave_out(&t);
    return t;
}

static void fit_table_clear(struct fit_table *t)
{
    free(t->row);
    free(t->group);
}

/* Number of groups with the size of group `at`; they follow each other. */
static size_t depths_at(const struct fit_table *t, size_t at)
{
    size_t end = at;

    while (end < t->groups && t->group[end].bytes == t->group[at].bytes)
        end++;
    return end - at;
}

/* True if the depth shows the period: many messages take much longer than one. */
static bool shows_period(const struct fit_group *one, const struct fit_group *most)
{
    return one->depth == 1 && most->depth >= DEPTH_LEAST &&
           most->median_ns > period_factor * one->median_ns;
}

/* Points of the fit, by size. */
struct fit_series {
    struct fit_point *line; /* room for all rows */
    struct fit_point *start, *period;
    size_t starts, periods;
};

/* Number of depths of one size whose series take longer than one message, and the start of
   the line through them: at most the time of one message. One depth shows no start: 0. */
static unsigned series_start(const struct fit_table *t, const struct fit_group *one,
                             const struct fit_group *most, struct fit_point *line,
                             double *start_ns)
{
    struct fit_curve fitted;
    size_t count = 0;
    unsigned depths = 0;

    for (const struct fit_group *g = one; g <= most; g++) {
        if (!shows_period(one, g))
            continue;
        depths++;
        for (size_t i = 0; i < g->count; i++)
            line[count++] = (struct fit_point){g->depth, t->row[g->first + i].ns, 0};
    }
    *start_ns = 0;
    if (depths < 2)
        return depths;
    fit_curve_find(line, count, &fitted);
    *start_ns = fmin(fmax(fitted.piece[fitted.count - 1].base_ns, 0), one->median_ns);
    return depths;
}

/* Starts and periods of the sizes with that many such depths or more. */
static void series_gather(const struct fit_table *t, unsigned depths, struct fit_series *s)
{
    double start_ns;

    for (size_t at = 0; at < t->groups; at += depths_at(t, at)) {
        const struct fit_group *one = &t->group[at], *most = one + depths_at(t, at) - 1;
        const double bytes = (double)one->bytes, depth = most->depth,
                     scale_ns = most->median_ns / depth;

        if (!most->is_fitted || series_start(t, one, most, s->line, &start_ns) < depths)
            continue;
        s->start[s->starts++] = (struct fit_point){bytes, start_ns, scale_ns};
        for (size_t i = 0; i < most->count; i++)
            s->period[s->periods++] = (struct fit_point){
                bytes, (t->row[most->first + i].ns - start_ns) / depth, scale_ns};
    }
}

static void fit_single_find(const struct fit_table *t, struct fit_times *out)
{
    struct fit_point *points = must_calloc(t->rows + 1, sizeof *points);
    size_t count = 0;

    for (size_t at = 0; at < t->groups; at++) {
        const struct fit_group *g = &t->group[at];

        for (size_t i = 0; i < g->count && g->depth == 1 && g->is_fitted; i++)
            points[count++] =
                (struct fit_point){(double)g->bytes, t->row[g->first + i].ns, 0};
    }
    fit_curve_find(points, count, &out->single);
    free(points);
}

static void fit_series_find(const struct fit_table *t, struct fit_times *out)
{
    struct fit_series s = {.line = must_calloc(t->rows + 1, sizeof *s.line),
                           .start = must_calloc(t->groups + 1, sizeof *s.start),
                           .period = must_calloc(t->rows + 1, sizeof *s.period)};

    series_gather(t, 2, &s);
    if (!s.starts)
        series_gather(t, 1, &s);
    fit_curve_find(s.start, s.starts, &out->start);
    fit_curve_find(s.period, s.periods, &out->period);
    free(s.line);
    free(s.start);
    free(s.period);
}

static double fitted_ns(const struct fit_times *t, uint64_t bytes, unsigned depth)
{
    const double one = t->single.count ? fit_curve_ns(&t->single, (double)bytes) : 0;

    if (depth == 1 || !t->period.count)
        return depth * one;
    return fmax(one, fmax(fit_curve_ns(&t->start, (double)bytes), 0) +
                         depth * fit_curve_ns(&t->period, (double)bytes));
}

struct model_loggop fit_sender_derive(const struct topology *keys, enum model_sender who,
                                      int mode, uint64_t bytes)
{
    const struct model_path path = {
        .to = 1,
        .bytes = bytes,
        .run_bytes = bytes,
        .ctas = mode == FIT_PIPELINED &&
                        (who == MODEL_SEND_STORE || who == MODEL_SEND_BULK_STORE)
                    ? SWEEP_DEPTH_MAX
                    : 0};

    return model_derive_path(keys, who, mode == FIT_PIPELINED, &path);
}

static double derived_ns(const struct topology *keys, enum model_sender who, uint64_t bytes,
                         uint64_t least_bytes, unsigned depth)
{
    const struct model_loggop one = fit_sender_derive(keys, who, FIT_SINGLE, bytes),
                              many = fit_sender_derive(keys, who, FIT_PIPELINED, bytes),
                              first = fit_sender_derive(keys, who, FIT_SINGLE, least_bytes),
                              next =
                                  fit_sender_derive(keys, who, FIT_PIPELINED, least_bytes);
    const double start =
        model_message_ns(&first, least_bytes) - model_period_ns(&next, least_bytes);
    const double single = model_message_ns(&one, bytes);

    if (depth == 1)
        return single;
    return fmax(single, fmax(start, 0) + depth * model_period_ns(&many, bytes));
}

/* Predictions for the groups that were not fitted. */
struct fit_predictions {
    struct fit_point *measured;
    double *fit, *derived;
    size_t count;
};

static void fit_predict(const struct fit_table *t, const struct topology *keys,
                        const struct fit_sender *f, struct fit_predictions *p)
{
    for (size_t i = 0; i < t->groups; i++) {
        const struct fit_group *g = &t->group[i];

        if (g->is_fitted || g->median_ns <= 0)
            continue;
        p->measured[p->count] = (struct fit_point){(double)g->bytes, g->median_ns, 0};
        p->fit[p->count] = fitted_ns(&f->times, g->bytes, g->depth);
        p->derived[p->count++] =
            derived_ns(keys, f->who, g->bytes, f->least_bytes, g->depth);
    }
}

/* The bytes of a busy initiator that stay on their way when the next message starts are
   the gap; what remains without bytes is the overhead. */
static void fit_parameters(const struct fit_senders *all, struct fit_sender *f)
{
    const struct fit_curve *one = &f->times.single, *many = &f->times.period;
    struct model_loggop *single = &f->measured[FIT_SINGLE],
                        *busy = &f->measured[FIT_PIPELINED];

    *single = *busy = (struct model_loggop){.L = all->L, .S = all->S};
    if (one->count) {
        single->o = fmax(one->piece[0].base_ns - all->L - all->S, 0);
        single->O = one->piece[one->count - 1].ns_per_byte;
    }
    if (many->count) {
        const double least = fmax(fit_curve_ns(many, (double)f->least_bytes), 0);

        busy->o = fmin(fmax(many->piece[many->count - 1].base_ns, 0), least);
        busy->g = fmax(least - busy->o, 0);
        busy->G = many->piece[many->count - 1].ns_per_byte;
    }
}

static void fit_one(const struct sweep *s, struct fit_senders *all, enum model_sender who,
                    struct fit_predictions *p)
{
    struct fit_sender *f = &all->sender[who];
    struct fit_table t = fit_table_of(s, who);
    const size_t first = p->count;

    *f = (struct fit_sender){.who = who, .points = t.rows};
    for (size_t at = 0; at < t.groups; at += depths_at(&t, at))
        f->sizes++;
    if (t.groups) {
        f->least_bytes = t.group[0].bytes;
        f->most_bytes = t.group[t.groups - 1].bytes;
        fit_single_find(&t, &f->times);
        fit_series_find(&t, &f->times);
        fit_parameters(all, f);
        fit_predict(&t, &all->keys, f, p);
    }
    fit_errors_find(p->measured + first, p->fit + first, p->count - first, &f->fit);
    fit_errors_find(p->measured + first, p->derived + first, p->count - first, &f->derived);
    fit_table_clear(&t);
}

void fit_senders_find(const struct sweep *s, const struct topology *keys,
                      struct fit_senders *out)
{
    struct fit_predictions p = {.measured = must_calloc(s->count + 1, sizeof *p.measured),
                                .fit = must_calloc(s->count + 1, sizeof *p.fit),
                                .derived = must_calloc(s->count + 1, sizeof *p.derived)};
    struct fit_errors fit, derived;

    *out = (struct fit_senders){.keys = *keys};
    out->L = out->S = fmax(s->round_trip_ns / 2 - keys->device.l2_latency_ns, 0);
    for (int who = 0; who < MODEL_SENDERS; who++)
        fit_one(s, out, (enum model_sender)who, &p);
    fit_errors_find(p.measured, p.fit, p.count, &fit);
    fit_errors_find(p.measured, p.derived, p.count, &derived);
    out->fit = fit.all;
    out->derived = derived.all;
    free(p.measured);
    free(p.fit);
    free(p.derived);
}
