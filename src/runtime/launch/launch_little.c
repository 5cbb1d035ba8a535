/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/launch/launch_little.h"

#include "runtime/derive/derive.h"
#include "runtime/held/bring.h"
#include "runtime/launch/launch_cluster.h"

/* So that the host finds out in no time. Where it must anew in each launch, that takes it
   some 20 us and 10 ns a thread, in which a link brings BYTES_AND and BYTES_A_THREAD. */
enum {
    THREADS_MAX = 1 << 16,
    RANGES_MAX = 256,
    BYTES_AND = 4 << 20,
    BYTES_A_THREAD = 2048
};

static uint64_t threads_of(const struct launching *l)
{
    uint64_t threads = 1;

    for (int i = 0; i < 3; i++)
        threads *= (uint64_t)l->grid[i] * l->threads[i];
    return threads;
}

/* Nothing is brought, nor lost by what this launch may write to it. */
static bool is_of_first(const struct proact_array *a, bool may_write)
{
    return a->part || a->is_shared ||
           (may_write ? a->holdings.count == 1 && a->holdings.piece[0].devices == FIRST
                      : holdings_whole(&a->holdings, FIRST));
}

/* The bytes of arrays of which others hold something that would be brought, or lost. */
static uint64_t bytes_of_others(const struct launching *l)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < l->place_count; i++) {
        struct proact_array *a = l->places[i].array;

        array_catch_up(a);
        if (!is_of_first(a, derivation_may_write(l, &l->places[i])))
            bytes += a->bytes;
    }
    return bytes;
}

static bool are_few(const struct write_set *w)
{
    uint64_t ranges = 0;

    for (uint32_t n = 0; n < w->array_count; n++)
        ranges += w->arrays[n].count;
    return ranges <= RANGES_MAX;
}

/* What may not be written stays as it was: it is brought, too. */
static enum proact_status bring(const struct launching *l, uint32_t number,
                                struct proact_array *a, const struct write_set *w,
                                struct proact_error *err)
{
    const struct write_set_ranges *r = &w->arrays[number];
    struct transfer_need need = {0};
    const struct transfer_need *needs[PROACT_DEVICES_MAX] = {&need};

    need_join(&need, needs_of(l->needs, number, 0));
    struct cta_runs_walk walk = cta_runs_walk(&r->runs, 0, w->cta_count);

    for (struct span s; !need.all && cta_runs_span(&walk, &s);)
        spans_add(&need.spans, s.first, s.end);
    enum proact_status status = array_bring(a, needs, err);

    need_clear(&need);
    return status;
}

enum proact_status little_bring(struct launching *l, const struct write_set **out,
                                struct proact_error *err)
{
    const uint64_t threads = threads_of(l);
    const bool may = !l->kernel->session->recording && !l->is_cooperative &&
                     !launch_is_in_clusters(l) && threads <= THREADS_MAX;
    const uint64_t bytes = may ? bytes_of_others(l) : 0;
    const struct write_set *w =
        bytes ? derive_whole(l, bytes >= BYTES_AND + BYTES_A_THREAD * threads) : NULL;
    enum proact_status status = PROACT_OK;

    *out = w && are_few(w) ? w : NULL;
    if (!*out)
        return PROACT_OK;
    l->needs = needs_find(l, NULL);
    for (size_t i = 0; i < l->place_count && !status; i++)
        if (!launching_is_again(l, i))
            status = bring(l, launching_number(l, l->places[i].array), l->places[i].array,
                           w, err);
    return status;
}

/* Who wrote most of an array is told who reads it (wants.h), or to blame for what others
   then lack. */
void little_written(const struct launching *l, const struct write_set *w)
{
    for (size_t i = 0; i < l->place_count; i++) {
        struct proact_array *a = l->places[i].array;
        const struct write_set_ranges *r = &w->arrays[launching_number(l, a)];

        struct cta_runs_walk walk = cta_runs_walk(&r->runs, 0, w->cta_count);

        for (struct span s; cta_runs_span(&walk, &s);)
            array_written(a, s.first, s.end, FIRST);
        if (r->runs.count && r->bytes >= a->bytes / 2) {
            a->by_launch = true;
            a->writer = NULL;
        }
    }
}
