/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/coherence/launch_partial.h"

#include "access/write_set.h"
#include "runtime/access_sets/needs.h"
#include "runtime/coherence/fetch.h"
#include "runtime/footprint/derive.h"
#include "runtime/objects/array.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/request/launch_cluster.h"
#include "runtime/request/launching.h"
#include "runtime/request/need.h"
#include "runtime/validity/array_validity.h"

/* Thresholds. A launch whose write set is not cached costs the host about 20 us and 10 ns
   per thread. In that time a link transfers BYTES_AND and BYTES_A_THREAD bytes. */
enum { THREADS_MAX = 1 << 16, BYTES_AND = 4 << 20, BYTES_A_THREAD = 2048 };

static uint64_t threads_of(const struct launching *l)
{
    uint64_t threads = 1;

    for (int i = 0; i < 3; i++)
        threads *= (uint64_t)l->grid[i] * l->threads[i];
    return threads;
}

/* Whether device 0 needs no fetch, and a write makes no other replica stale. */
static bool is_of_first(const struct proact_array *a, bool may_write)
{
    return a->part || a->is_shared ||
           (may_write
                ? a->validity_map.count == 1 && a->validity_map.piece[0].devices == FIRST
                : validity_everywhere(&a->validity_map, FIRST));
}

/* Total size of the arrays for which a fetch or an invalidation is possible. */
static uint64_t bytes_of_others(const struct launching *l)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < l->relocation_count; i++) {
        struct proact_array *a = l->relocations[i].array;

        array_catch_up(a);
        if (!is_of_first(a, derivation_may_write(l, &l->relocations[i])))
            bytes += a->bytes;
    }
    return bytes;
}

/* From the first to the last byte that may be written. */
static struct span hull(const struct cta_runs *of)
{
    struct span all = {UINT64_MAX, 0};

    for (uint32_t n = 0; n < of->count; n++)
        for (uint32_t i = 0; i < of->run[n].rows; i++) {
            const struct cta_run *run = &of->run[n];
            const struct rows *r = &of->rows[run->first + i];
            const uint64_t last = run->step * (run->count - 1); /* modulo 2^64 */
            const uint64_t first = r->first + last, end = rows_end(r) + last;

            all.first = r->first < all.first ? r->first : all.first;
            all.first = first < all.first ? first : all.first;
            all.end = rows_end(r) > all.end ? rows_end(r) : all.end;
            all.end = end > all.end ? end : all.end;
        }
    return all;
}

typedef void take_span(void *context, struct span s);

/* Visits the written ranges. If they are many, the gaps are included. */
static void each_span(const struct write_set *w, uint32_t number, take_span *take,
                      void *context)
{
    const struct write_set_ranges *r = &w->arrays[number];
    struct cta_runs_walk walk = cta_runs_walk(&r->runs, 0, w->cta_count);
    struct span s;

    if (r->count > PARTIAL_RANGES_MAX)
        take(context, hull(&r->runs));
    else
        while (cta_runs_span(&walk, &s))
            take(context, s);
}

static void add_need(void *context, struct span s)
{
    struct transfer_need *need = context;

    if (!need->all)
        spans_add(&need->spans, s.first, s.end);
}

/* A byte that may stay unwritten keeps its value, so the written ranges are fetched too. */
static enum proact_status partial_fetch_array(const struct launching *l, uint32_t number,
                                              struct proact_array *a,
                                              const struct write_set *w,
                                              struct proact_error *err)
{
    struct transfer_need need = {0};
    const struct transfer_need *needs[PROACT_DEVICES_MAX] = {&need};

    need_join(&need, needs_of(l->needs, number, 0));
    each_span(w, number, add_need, &need);
    enum proact_status status = array_fetch(a, needs, err);

    need_clear(&need);
    return status;
}

enum proact_status partial_fetch(struct launching *l, const struct write_set **out,
                                 struct proact_error *err)
{
    const uint64_t threads = threads_of(l);
    const bool may = !l->kernel->session->recording && !l->is_cooperative &&
                     !launch_is_in_clusters(l) && (l->choice || threads <= THREADS_MAX);
    const uint64_t bytes = may ? bytes_of_others(l) : 0;
    *out = bytes ? derive_whole(l, bytes >= BYTES_AND + BYTES_A_THREAD * threads) : NULL;
    enum proact_status status = PROACT_OK;

    if (!*out)
        return PROACT_OK;
    l->needs = needs_find(l, NULL);
    for (size_t i = 0; i < l->relocation_count && !status; i++)
        if (!launching_is_again(l, i))
            status = partial_fetch_array(l, launching_number(l, l->relocations[i].array),
                                         l->relocations[i].array, *out, err);
    return status;
}

struct taken {
    struct proact_array *array;
    uint64_t bytes;
};

static void take_written(void *context, struct span s)
{
    struct taken *t = context;

    array_written(t->array, s.first, s.end, FIRST);
    t->bytes += s.end - s.first;
}

/* The launch counts as the writer of an array, for consumer prediction and joint cost, if
   it covers at least half of it. */
void partial_written(const struct launching *l, const struct write_set *w)
{
    for (size_t i = 0; i < l->relocation_count; i++) {
        struct proact_array *a = l->relocations[i].array;
        struct choice *wrote = a->wrote;
        const bool by_launch = a->by_launch;
        struct taken taken = {a, 0};

        each_span(w, launching_number(l, a), take_written, &taken);
        const bool is_most = taken.bytes && taken.bytes >= a->bytes / 2;

        a->by_launch = is_most || by_launch;
        a->wrote = is_most ? l->choice : wrote;
        a->writer = is_most ? NULL : a->writer;
    }
}
