/* SPDX-License-Identifier: Apache-2.0 */
#include "model_fit/fit_senders.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { DEPTH_LEAST = 4 /* for a period */, STARTS = 5 };
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

/* Time of a series that does not grow with its length, for one size: the intercept of the
   line through the shortest series of at least DEPTH_LEAST messages and the longest one. */
static double start_of_size(const struct fit_group *few, const struct fit_group *most)
{
    while (few < most && few->depth < DEPTH_LEAST)
        few++;
    if (few == most)
        few--;
    return few->median_ns - few->depth * (most->median_ns - few->median_ns) /
                                (double)(most->depth - few->depth);
}

/* The same without the time of bytes: the minimum of the smallest fitted sizes. */
static double start_of(const struct fit_table *t)
{
    double start = INFINITY;

    for (size_t at = 0, sizes = 0; at < t->groups && sizes < 2 * STARTS; sizes++) {
        const size_t depths = depths_at(t, at);
        const struct fit_group *one = &t->group[at], *most = &t->group[at + depths - 1];

        at += depths;
        if (most->is_fitted && one->depth == 1 && most->depth > 1)
            start = fmin(start, start_of_size(one, most));
    }
    return isfinite(start) ? fmax(start, 0) : 0;
}

static void fit_times_find(const struct fit_table *t, struct fit_times *out)
{
    struct fit_point *single = must_calloc(t->rows + 1, sizeof *single);
    struct fit_point *period = must_calloc(t->rows + 1, sizeof *period);
    size_t singles = 0, periods = 0;

    out->start_ns = start_of(t);
    for (size_t at = 0; at < t->groups; at += depths_at(t, at)) {
        const struct fit_group *one = &t->group[at], *most = one + depths_at(t, at) - 1;
        const double bytes = (double)one->bytes, depth = most->depth;

        for (size_t i = 0; i < one->count && one->depth == 1 && one->is_fitted; i++)
            single[singles++] = (struct fit_point){bytes, t->row[one->first + i].ns, 0};
        for (size_t i = 0; i < most->count && shows_period(one, most) && most->is_fitted;
             i++)
            period[periods++] = (struct fit_point){
                bytes, (t->row[most->first + i].ns - out->start_ns) / depth,
                most->median_ns / depth};
    }
    fit_curve_find(single, singles, &out->single);
    fit_curve_find(period, periods, &out->period);
    free(single);
    free(period);
}

static double fitted_ns(const struct fit_times *t, uint64_t bytes, unsigned depth)
{
    const double one = t->single.count ? fit_curve_ns(&t->single, (double)bytes) : 0;

    if (depth == 1 || !t->period.count)
        return depth * one;
    return fmax(one, t->start_ns + depth * fit_curve_ns(&t->period, (double)bytes));
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
        fit_times_find(&t, &f->times);
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
