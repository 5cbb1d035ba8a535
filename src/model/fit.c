/* SPDX-License-Identifier: Apache-2.0 */
#include "model/fit.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { SIZES_MIN = 3 /* of a piece */ };
/* Deviations below this fraction do not pay for a further piece. */
static const double deviation_floor = 1e-3;
static const double far_fraction = 0.25;

/* A point with its weight, 1 / scale. */
struct weighted {
    double x, y, weight;
};

struct line {
    double base, slope, cost;
};

/* A candidate slope through a pivot, or any value with a weight. */
struct ranked {
    double value, weight;
    size_t index;
};

static int ranked_order(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;

    return a->value != b->value ? (a->value < b->value ? -1 : 1)
                                : (a->index > b->index) - (a->index < b->index);
}

/* Lower weighted median; `r` is sorted. NULL without a weight. */
static const struct ranked *weighted_median(struct ranked *r, size_t count)
{
    double total = 0, sum = 0;

    qsort(r, count, sizeof *r, ranked_order);
    for (size_t i = 0; i < count; i++)
        total += r[i].weight;
    for (size_t i = 0; i < count; i++)
        if ((sum += r[i].weight) >= total / 2)
            return total > 0 ? &r[i] : NULL;
    return NULL;
}

static double line_cost(const struct weighted *p, size_t count, double base, double slope)
{
    double cost = 0;

    for (size_t i = 0; i < count; i++)
        cost += p[i].weight * fabs(p[i].y - base - slope * p[i].x);
    return cost;
}

/* Best horizontal line. */
static struct line line_flat(const struct weighted *p, size_t count, struct ranked *r)
{
    for (size_t i = 0; i < count; i++)
        r[i] = (struct ranked){p[i].y, p[i].weight, i};
    const struct ranked *middle = weighted_median(r, count);
    const double base = middle ? middle->value : 0;

    return (struct line){base, 0, line_cost(p, count, base, 0)};
}

/* Best line through point `pivot`; *other is a second point on it. False if all points have
   the size of the pivot. */
static bool line_through(const struct weighted *p, size_t count, size_t pivot,
                         struct ranked *r, struct line *out, size_t *other)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++) {
        const double dx = p[i].x - p[pivot].x;

        if (dx != 0)
            r[n++] = (struct ranked){(p[i].y - p[pivot].y) / dx, p[i].weight * fabs(dx), i};
    }
    const struct ranked *middle = weighted_median(r, n);

    if (!middle)
        return false;
    *other = middle->index;
    out->slope = middle->value;
    out->base = p[pivot].y - out->slope * p[pivot].x;
    out->cost = line_cost(p, count, out->base, out->slope);
    return true;
}

/* Line with the least sum of weighted absolute deviations. The sum is convex, and its
   minimum is at a line through two points. The descent goes from a point's best line to
   the other point on it. It ends at a line that is the best one through each of its
   points, which is the minimum. */
static struct line line_find(const struct weighted *p, size_t count, struct ranked *r,
                             bool *tried)
{
    struct line best = line_flat(p, count, r), next;
    size_t pivot = count / 2, other = 0;

    memset(tried, 0, count * sizeof *tried);
    for (size_t step = 0; step < 4 * count; step++) {
        tried[pivot] = true;
        if (!line_through(p, count, pivot, r, &next, &other))
            break;
        const bool is_better = next.cost < best.cost * (1 - 1e-12);

        if (is_better) {
            best = next;
            memset(tried, 0, count * sizeof *tried);
            tried[pivot] = true;
            pivot = other;
            continue;
        }
        for (pivot = 0; pivot < count; pivot++)
            if (!tried[pivot] && fabs(p[pivot].y - best.base - best.slope * p[pivot].x) <=
                                     1e-9 * fabs(p[pivot].y))
                break;
        if (pivot == count)
            break;
    }
    return best.slope < 0 ? line_flat(p, count, r) : best;
}

/* Points in fit_time_order order of size, with the first point of each size. */
struct table {
    struct weighted *point;
    size_t count, sizes;
    size_t *first; /* sizes + 1 entries */
};

static int weighted_order(const void *left, const void *right)
{
    const struct weighted *a = left, *b = right;

    return a->x != b->x ? (a->x < b->x ? -1 : 1) : (a->y > b->y) - (a->y < b->y);
}

static struct table fit_points_sorted(const struct fit_point *points, size_t count)
{
    struct table t = {.point = must_calloc(count + 1, sizeof *t.point),
                      .first = must_calloc(count + 1, sizeof *t.first)};

    for (size_t i = 0; i < count; i++) {
        const struct fit_point *p = &points[i];
        const double scale = p->scale_ns;

        if (isfinite(p->bytes) && isfinite(p->ns) && p->bytes > 0 &&
            (scale > 0 || p->ns > 0))
            t.point[t.count++] =
                (struct weighted){p->bytes, p->ns, scale > 0 ? 1 / scale : 0};
    }
    qsort(t.point, t.count, sizeof *t.point, weighted_order);
    for (size_t i = 0; i < t.count; i++)
        if (i == 0 || t.point[i].x != t.point[i - 1].x)
            t.first[t.sizes++] = i;
    t.first[t.sizes] = t.count;
    for (size_t s = 0; s < t.sizes; s++) {
        const size_t from = t.first[s], to = t.first[s + 1];
        const double middle = t.point[from + (to - from - 1) / 2].y;

        for (size_t i = from; i < to; i++)
            if (t.point[i].weight == 0)
                t.point[i].weight = 1 / middle;
    }
    return t;
}

static int fit_time_order(const void *left, const void *right)
{
    const double *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* Best lines for the first sizes, by dynamic programming: of the pieces, the last one
   starts at size `start` and has `line`. */
struct step {
    double cost;
    size_t start;
    struct line line;
};

struct search {
    struct table t;
    struct line *line;               /* of sizes i to j: [i * (sizes + 1) + j] */
    struct step *at[FIT_PIECES_MAX]; /* of pieces - 1, and of the number of sizes */
};

static void search_lines(struct search *s)
{
    const struct table *t = &s->t;
    struct ranked *r = must_calloc(t->count + 1, sizeof *r);
    bool *tried = must_calloc(t->count + 1, sizeof *tried);

    s->line = must_calloc(t->sizes * (t->sizes + 1) + 1, sizeof *s->line);
    for (size_t i = 0; i < t->sizes; i++)
        for (size_t j = i + 1; j <= t->sizes; j++)
            if (j - i >= SIZES_MIN || (i == 0 && j == t->sizes))
                s->line[i * (t->sizes + 1) + j] =
                    line_find(t->point + t->first[i], t->first[j] - t->first[i], r, tried);
    free(tried);
    free(r);
}

static void search_pieces(struct search *s, unsigned pieces)
{
    const size_t sizes = s->t.sizes;
    struct step *at = s->at[pieces - 1] = must_calloc(sizes + 1, sizeof *at);

    for (size_t j = 0; j <= sizes; j++) {
        at[j].cost = INFINITY;
        for (size_t i = 0; i < j; i++) {
            const struct line *l = &s->line[i * (sizes + 1) + j];
            const double before = pieces > 1 ? s->at[pieces - 2][i].cost
                                  : i == 0   ? 0
                                             : INFINITY;

            if ((j - i < SIZES_MIN && !(i == 0 && j == sizes)) || isinf(before) ||
                before + l->cost >= at[j].cost)
                continue;
            at[j] = (struct step){before + l->cost, i, *l};
        }
    }
}

/* Size at which the curve changes from one line to the next, between the last size of the
   one and the first size of the other: where they cross, or else in the middle. */
static double break_of(const struct fit_piece *a, const struct fit_piece *b, double last,
                       double first)
{
    const double slopes = a->ns_per_byte - b->ns_per_byte;
    const double cross = slopes != 0 ? (b->base_ns - a->base_ns) / slopes : 0;

    return cross > last && cross <= first ? cross : sqrt(last * first);
}

static void search_take(const struct search *s, unsigned pieces, struct fit_curve *out)
{
    const struct table *t = &s->t;
    size_t end = t->sizes;

    out->count = pieces;
    for (unsigned k = pieces; k-- > 0;) {
        const struct step *at = &s->at[k][end];

        out->piece[k] =
            (struct fit_piece){(double)at->start, at->line.base, at->line.slope};
        end = at->start;
    }
    for (unsigned k = pieces; k-- > 1;) {
        const size_t start = t->first[(size_t)out->piece[k].from_bytes];

        out->piece[k].from_bytes = break_of(&out->piece[k - 1], &out->piece[k],
                                            t->point[start - 1].x, t->point[start].x);
    }
    out->piece[0].from_bytes = 0;
    out->error = s->at[pieces - 1][t->sizes].cost / (double)t->count;
}

static void find_far(const struct table *t, struct fit_curve *out)
{
    double *factor = must_calloc(t->count + 1, sizeof *factor);
    size_t far = 0;

    for (size_t i = 0; i < t->count; i++) {
        const struct weighted *p = &t->point[i];
        const double fitted = fit_curve_ns(out, p->x);

        if (p->weight * fabs(p->y - fitted) > far_fraction)
            factor[far++] = p->y / fitted;
    }
    qsort(factor, far, sizeof *factor, fit_time_order);
    out->far_share = (double)far / (double)t->count;
    out->far_factor = far ? factor[far / 2] : 1;
    free(factor);
}

/* Schwarz criterion, for deviations of a Laplace distribution. A deviation beyond
   far_fraction counts as that: outliers do not hide what a break gains. The penalty is
   twice the usual one, because the places of the breaks are chosen among many. */
static double criterion_of(const struct table *t, const struct fit_curve *c)
{
    const double n = (double)t->count;
    double sum = 0;

    for (size_t i = 0; i < t->count; i++) {
        const struct weighted *p = &t->point[i];

        sum += fmin(p->weight * fabs(p->y - fit_curve_ns(c, p->x)), far_fraction);
    }
    return n * log(fmax(sum / n, deviation_floor)) + 0.75 * (3 * c->count - 1) * log(n);
}

void fit_curve_find(const struct fit_point *points, size_t count, struct fit_curve *out)
{
    struct search s = {.t = fit_points_sorted(points, count)};
    double least = INFINITY;

    *out = (struct fit_curve){.count = 0};
    if (s.t.count)
        search_lines(&s);
    for (unsigned pieces = 1; pieces <= FIT_PIECES_MAX && s.t.count; pieces++) {
        struct fit_curve c = {.count = 0};

        search_pieces(&s, pieces);
        if (isinf(s.at[pieces - 1][s.t.sizes].cost))
            break; /* too few sizes */
        search_take(&s, pieces, &c);
        const double criterion = criterion_of(&s.t, &c);

        if (criterion >= least)
            continue;
        least = criterion;
        *out = c;
    }
    if (s.t.count)
        find_far(&s.t, out);
    for (unsigned k = 0; k < FIT_PIECES_MAX; k++)
        free(s.at[k]);
    free(s.line);
    free(s.t.point);
    free(s.t.first);
}

double fit_curve_ns(const struct fit_curve *c, double bytes)
{
    unsigned k = 0;

    while (k + 1 < c->count && bytes >= c->piece[k + 1].from_bytes)
        k++;
    return c->piece[k].base_ns + c->piece[k].ns_per_byte * bytes;
}

/* The 95th percentile is the smallest error that at least 95 % of the errors do not
   exceed. */
static struct fit_error error_of(double *errors, size_t count)
{
    struct fit_error e = {.count = (unsigned)count};

    if (!count)
        return e;
    qsort(errors, count, sizeof *errors, fit_time_order);
    e.median = errors[(count - 1) / 2];
    e.p95 = errors[(size_t)ceil(0.95 * (double)count) - 1];
    return e;
}

void fit_errors_find(const struct fit_point *measured, const double *predicted,
                     size_t count, struct fit_errors *out)
{
    double *errors = must_calloc(count + 1, sizeof *errors);

    for (int d = -1; d < FIT_DECADES; d++) {
        size_t n = 0;

        for (size_t i = 0; i < count; i++)
            if (d < 0 || (int)floor(log10(measured[i].bytes)) == d)
                errors[n++] = fabs(predicted[i] / measured[i].ns - 1);
        *(d < 0 ? &out->all : &out->decade[d]) = error_of(errors, n);
    }
    free(errors);
}
