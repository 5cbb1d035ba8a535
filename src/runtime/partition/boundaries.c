/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/partition/boundaries.h"

#include <stdlib.h>
#include <string.h>

#include "access/access.h"
#include "access/write_set.h"
#include "base/hash.h"
#include "base/memory.h"
#include "plan/rules/partition_boundaries.h"
#include "runtime/objects/array.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/request/launching.h"

enum {
    BOUNDARIES_MAX = 64, /* ranges of arrays */
    PARTITIONS_MAX = 64  /* launch shapes of a kernel */
};

/* Shared boundaries of one range of arrays of similar size, for a number of devices. */
struct array_boundaries {
    struct plan_boundaries of;
    struct array_boundaries *next;
    uint64_t version;              /* incremented at every change */
    double at[PROACT_DEVICES_MAX]; /* start of each device's partition, as a fraction of the
                                      array */
};

/* Partition of all launches with equal grid, devices and write set. */
struct kernel_partition {
    struct kernel_partition *next;
    uint32_t grid[3];
    unsigned over;
    uint64_t digest; /* of the write set and the array sizes */
    bool is_even;    /* equal partitions for good */
    struct plan_written writes;
    struct array_boundaries *boundaries; /* last boundaries used; NULL: none */
    uint64_t version;
    uint32_t cta_first[PROACT_DEVICES_MAX + 1];
};

/* Properties of a launch that decide its boundaries. */
struct looked {
    const struct launching *launch;
    const struct cta_runs *runs; /* write set of the array with the longest written range */
    struct span all;             /* that range */
    struct span part;            /* the entire array, if the range is more than half of
                                    it */
    uint64_t bytes;              /* size of the array */
    uint32_t unit;               /* CTAs that stay together */
    bool is_small;               /* a part of an array that fits on one device */
};

/* From the first to the last byte that these CTAs write. */
static struct span hull(const struct cta_runs *runs, uint32_t first, uint32_t end)
{
    struct cta_runs_walk walk = cta_runs_walk(runs, first, end);
    struct span all = {UINT64_MAX, 0};

    for (struct rows r; cta_runs_rows(&walk, &r);) {
        all.first = r.first < all.first ? r.first : all.first;
        all.end = rows_end(&r) > all.end ? rows_end(&r) : all.end;
    }
    return all;
}

/* Whether the partitions write ascending, disjoint ranges; `begin` receives their first
   bytes. */
static bool are_apart(const struct looked *at, const uint32_t *cta_first, uint64_t *begin)
{
    uint64_t end = 0;

    for (unsigned d = 0; d < at->launch->over; d++) {
        const struct span all = hull(at->runs, cta_first[d], cta_first[d + 1]);

        if (all.first >= all.end || all.first < end)
            return false;
        begin[d] = all.first;
        end = all.end;
    }
    return true;
}

static uint64_t first_of(const struct looked *at, uint32_t unit)
{
    return hull(at->runs, unit * at->unit, (unit + 1) * at->unit).first;
}

/* Unit, from `low` on, whose first byte is nearest to `byte`. */
static uint32_t nearest(const struct looked *at, uint32_t low, uint32_t units,
                        uint64_t byte)
{
    uint32_t from = low, high = units;

    while (from < high) {
        const uint32_t middle = from + (high - from) / 2;

        if (first_of(at, middle) < byte)
            from = middle + 1;
        else
            high = middle;
    }
    if (from == low || from == units)
        return from;
    return byte - first_of(at, from - 1) < first_of(at, from) - byte ? from - 1 : from;
}

static uint32_t units_of(const struct looked *at)
{
    const uint32_t *grid = at->launch->grid;

    return (uint32_t)((uint64_t)grid[0] * grid[1] * grid[2] / at->unit);
}

/* Whether one device runs the launch in one wave, so that a split saves no time, and its
   writes ascend with the CTA number. */
static bool may_stay_together(const struct looked *at)
{
    const struct launching *l = at->launch;
    const struct topology_device *d = &l->kernel->session->topology.device;
    const uint64_t threads = (uint64_t)l->threads[0] * l->threads[1] * l->threads[2];
    const uint32_t units = units_of(at);

    if (threads * units * at->unit > (uint64_t)d->sm_count * d->threads_per_sm)
        return false;
    for (uint32_t unit = 1; unit < units; unit++)
        if (first_of(at, unit) < first_of(at, unit - 1))
            return false;
    return true;
}

static bool look(const struct launching *l, const struct write_set *w, struct looked *out)
{
    *out = (struct looked){.launch = l, .unit = access_partition_unit(l->grid, l->over)};
    for (size_t i = 0; i < l->relocation_count; i++) {
        const struct proact_array *a = l->relocations[i].array;
        const struct cta_runs *runs = &w->arrays[launching_number(l, a)].runs;

        if (a->part || !runs->count)
            continue;
        const struct span all = hull(runs, 0, w->cta_count);

        if (all.end - all.first <= out->all.end - out->all.first)
            continue;
        out->runs = runs;
        out->all = all;
        out->part = all.end - all.first < a->bytes / 2 ? all : (struct span){0, a->bytes};
        out->bytes = a->bytes;
    }
    out->is_small = out->part.end - out->part.first < out->bytes && may_stay_together(out);
    return out->runs != NULL;
}

/* Partitions that end nearest to the shared boundaries. Returns false if one is too long or
   their ranges overlap. */
static bool follow(const struct looked *at, const struct array_boundaries *boundaries,
                   uint32_t *out)
{
    const uint32_t units = units_of(at);
    uint32_t first[PROACT_DEVICES_MAX + 1] = {0}, unit = 0;
    uint64_t begin[PROACT_DEVICES_MAX];

    for (unsigned d = 1; d < boundaries->of.devices; d++) {
        unit = nearest(at, unit, units, (uint64_t)(boundaries->at[d] * (double)at->bytes));
        first[d] = unit * at->unit;
    }
    first[boundaries->of.devices] = units * at->unit;
    if (!at->is_small &&
        (!access_partition_is_even(at->launch->grid, boundaries->of.devices, first) ||
         !are_apart(at, first, begin)))
        return false;
    memcpy(out, first, (boundaries->of.devices + 1) * sizeof *out);
    return true;
}

/* The planner's view of the boundaries of the session. */
static struct plan_boundaries_view boundaries_view(const struct proact *p,
                                                   const struct plan_written *writes)
{
    const struct plan_boundaries *all[BOUNDARIES_MAX];
    unsigned count = 0;

    for (const struct array_boundaries *c = p->boundaries; c; c = c->next)
        all[count++] = &c->of;
    return plan_boundaries_view(writes, all, count);
}

static struct array_boundaries *boundaries_named(struct proact *p,
                                                 const struct plan_boundaries *of)
{
    struct array_boundaries *c = p->boundaries;

    while (c && &c->of != of)
        c = c->next;
    return c;
}

static struct array_boundaries *boundaries_add(struct proact *p, const struct looked *at)
{
    unsigned count = 0;

    for (struct array_boundaries *c = p->boundaries; c; c = c->next)
        count++;
    if (count == BOUNDARIES_MAX)
        return NULL;
    struct array_boundaries *c = must_calloc(1, sizeof *c);

    *c = (struct array_boundaries){.next = p->boundaries,
                                   .of = {.first = at->part.first,
                                          .end = at->part.end,
                                          .bytes = at->bytes,
                                          .devices = at->launch->over}};
    return p->boundaries = c;
}

static void settle(struct array_boundaries *c, const struct looked *at, uint64_t step,
                   const uint64_t *begin)
{
    for (unsigned d = 0; d < c->of.devices; d++)
        c->at[d] = (double)begin[d] / (double)at->bytes;
    c->of.step = step;
    c->version++;
}

/* Executes an alternative; `equal` are the first bytes of equal partitions. Returns false
   if it is not legal. */
static bool boundaries_apply(struct kernel_partition *k, enum plan_partition how,
                             const struct looked *at, const uint64_t *equal)
{
    struct array_boundaries *c = k->boundaries;

    if (how == PLAN_PARTITION_FOLLOWS)
        return follow(at, c, k->cta_first);
    if (how == PLAN_PARTITION_SETS)
        c = boundaries_add(at->launch->kernel->session, at);
    if (how != PLAN_PARTITION_EQUAL && c)
        settle(k->boundaries = c, at, k->writes.step, equal);
    return true;
}

/* Partitions by the first legal alternative of the planner. */
static void find(struct kernel_partition *k, const struct launching *l,
                 const struct write_set *w)
{
    struct proact *p = l->kernel->session;
    enum plan_partition ways[PLAN_PARTITIONS];
    struct looked at;
    uint64_t begin[PROACT_DEVICES_MAX];

    launch_split(l->grid, l->over, l->over, k->cta_first);
    k->is_even = !look(l, w, &at);
    if (k->is_even)
        return;
    k->writes.first = at.part.first;
    k->writes.end = at.part.end;
    k->writes.bytes = at.bytes;
    k->writes.devices = l->over;
    k->writes.step = at.is_small || !are_apart(&at, k->cta_first, begin)
                         ? 0
                         : (at.all.end - at.all.first) / k->cta_first[l->over] * at.unit;
    const struct plan_boundaries_view v = boundaries_view(p, &k->writes);
    const unsigned count = plan_boundaries_expand(&k->writes, &v, ways);

    k->boundaries = boundaries_named(p, v.around);
    for (unsigned i = 0; i < count && !boundaries_apply(k, ways[i], &at, begin); i++)
        ;
    k->version = k->boundaries ? k->boundaries->version : 0;
}

static uint64_t digest_of(const struct launching *l, const struct write_set *w)
{
    uint64_t digest = w->digest;

    for (size_t i = 0; i < l->relocation_count; i++)
        digest = hash_mix(digest + l->relocations[i].array->bytes);
    return digest;
}

static struct kernel_partition *boundaries_partition_find(const struct launching *l,
                                                          const struct write_set *w)
{
    struct kernel_partition *c = l->kernel->boundaries;
    const uint64_t digest = digest_of(l, w);

    while (c && (c->digest != digest || c->over != l->over ||
                 memcmp(c->grid, l->grid, sizeof c->grid) != 0))
        c = c->next;
    return c;
}

static struct kernel_partition *add(const struct launching *l, const struct write_set *w)
{
    struct proact_kernel *k = l->kernel;
    unsigned count = 0;

    for (const struct kernel_partition *c = k->boundaries; c; c = c->next)
        count++;
    if (count == PARTITIONS_MAX)
        boundaries_drop(k);
    struct kernel_partition *c = must_calloc(1, sizeof *c);

    *c = (struct kernel_partition){
        .next = k->boundaries, .over = l->over, .digest = digest_of(l, w)};
    memcpy(c->grid, l->grid, sizeof c->grid);
    find(c, l, w);
    return k->boundaries = c;
}

/* Boundaries are fixed during a recording: the launch ran with them before. */
static void boundaries_record(struct kernel_partition *c, const struct launching *l,
                              const struct write_set *w)
{
    struct proact *p = l->kernel->session;

    if (c->is_even || p->recording)
        return;
    c->writes.has_repeated = true;
    const struct plan_boundaries_view v = boundaries_view(p, &c->writes);
    const struct array_boundaries *around = boundaries_named(p, v.around);

    if (around != c->boundaries || (around && around->version != c->version) ||
        v.is_outgrown)
        find(c, l, w);
}

void partition_at_boundaries(const struct launching *l, const struct write_set *w,
                             uint32_t *cta_first)
{
    if (!l->is_program || l->over == 1) {
        launch_split(l->grid, l->over, l->over, cta_first);
        return;
    }
    struct kernel_partition *c = boundaries_partition_find(l, w);

    if (c)
        boundaries_record(c, l, w);
    else
        c = add(l, w);
    memcpy(cta_first, c->cta_first, (l->over + 1) * sizeof *cta_first);
}

bool partition_evenly(const struct launching *l, const struct write_set *w,
                      uint32_t *cta_first)
{
    struct kernel_partition *c = l->is_program ? boundaries_partition_find(l, w) : NULL;

    launch_split(l->grid, l->over, l->over, cta_first);
    if (!c || memcmp(c->cta_first, cta_first, (l->over + 1) * sizeof *cta_first) == 0)
        return false;
    memcpy(c->cta_first, cta_first, (l->over + 1) * sizeof *cta_first);
    c->is_even = true;
    return true;
}

void boundaries_drop(struct proact_kernel *k)
{
    while (k->boundaries) {
        struct kernel_partition *c = k->boundaries;

        k->boundaries = c->next;
        free(c);
    }
}

void boundaries_destroy(struct proact *p)
{
    while (p->boundaries) {
        struct array_boundaries *c = p->boundaries;

        p->boundaries = c->next;
        free(c);
    }
}
