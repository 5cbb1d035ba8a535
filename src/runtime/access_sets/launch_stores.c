/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/access_sets/launch_stores.h"

#include <math.h>
#include <stdlib.h>

#include "access/access.h"
#include "base/memory.h"
#include "runtime/access_sets/needs.h"
#include "runtime/objects/kernel.h"
#include "runtime/request/launching.h"

enum { WARP = 32 };

static bool stores_are_to(const struct launching *l, const struct access_record *r,
                          unsigned slot)
{
    return r->kind == ACCESS_WRITE && r->base == ACCESS_BASE_PARAMETER &&
           needs_analysis(l->kernel)->symbols[r->base_symbol].offset ==
               l->kernel->slot[slot].offset;
}

/* Lanes of the first warp, in the first iteration of each loop. */
static unsigned stores_lanes(const struct launching *l)
{
    const uint64_t threads = (uint64_t)l->threads[0] * l->threads[1] * l->threads[2];

    return threads < WARP ? (unsigned)threads : WARP;
}

static struct access_point stores_point(const struct launching *l, unsigned lane,
                                        const uint64_t *trips)
{
    const uint32_t *n = l->threads;

    return (struct access_point){
        .ntid = {n[0], n[1], n[2]},
        .nctaid = {l->grid[0], l->grid[1], l->grid[2]},
        .tid = {lane % n[0], lane / n[0] % n[1], lane / n[0] / n[1]},
        .parameters = l->block,
        .parameter_bytes = l->kernel->parameter_bytes,
        .trips = trips};
}

/* Mean length of the consecutive bytes of one store; that of a thread if the address
   depends on data. */
static uint32_t stores_warp_bytes(const struct launching *l, const struct access_record *r)
{
    const struct access_analysis *a = needs_analysis(l->kernel);
    const unsigned lanes = stores_lanes(l);
    uint64_t *trips = must_calloc(a->loop_count + 1u, sizeof *trips), before = 0, now;
    unsigned runs = 0;
    bool is_known = r->state == ACCESS_CLOSED;

    for (uint32_t loop = 0; loop < a->loop_count; loop++)
        trips[loop] = 1;
    for (unsigned lane = 0; lane < lanes && is_known; lane++) {
        const struct access_point point = stores_point(l, lane, trips);

        is_known = access_value(a, r->form, &point, &now);
        runs += is_known && (!lane || now != before + r->bytes);
        before = now;
    }
    free(trips);
    return is_known ? r->bytes * lanes / runs : r->bytes;
}

/* An annotated kernel repeats its stores for the peers, at addresses that depend on data:
   they are as wide as those to the replica of the device. */
struct launch_store launch_store_find(const struct launching *l, unsigned slot)
{
    const struct access_analysis *a = needs_analysis(l->kernel);
    struct launch_store least = {0, 0};

    for (uint32_t n = 0; n < a->record_count; n++) {
        const struct access_record *r = &a->records[n];

        if (!stores_are_to(l, r, slot) ||
            (l->kernel->is_annotated && r->state != ACCESS_CLOSED))
            continue;
        const uint32_t warp_bytes = stores_warp_bytes(l, r);

        if (!least.warp_bytes || warp_bytes < least.warp_bytes)
            least.warp_bytes = warp_bytes;
        if (!least.thread_bytes || r->bytes < least.thread_bytes)
            least.thread_bytes = r->bytes;
    }
    return least;
}

/* Executions of an access by one thread, at most; -1: unknown. */
static double stores_times(const struct access_analysis *a, const struct access_record *r,
                           const int64_t *trips)
{
    double times = 1;

    for (int32_t loop = r->loop; loop >= 0 && times >= 0; loop = a->loops[loop].parent)
        times = trips[loop] < 0 ? -1 : times * (double)trips[loop];
    return times;
}

double launch_stores_count(const struct launching *l, unsigned slot)
{
    const struct access_analysis *a = needs_analysis(l->kernel);
    const struct access_launch at = {.ntid = {l->threads[0], l->threads[1], l->threads[2]},
                                     .nctaid = {l->grid[0], l->grid[1], l->grid[2]},
                                     .parameters = l->block,
                                     .parameter_bytes = l->kernel->parameter_bytes};
    int64_t *trips = must_calloc(a->loop_count + 1u, sizeof *trips);
    double stores = 0;

    access_trips(a, &at, trips);
    for (uint32_t n = 0; n < a->record_count && stores >= 0; n++) {
        const struct access_record *r = &a->records[n];

        if (!stores_are_to(l, r, slot))
            continue;
        const double times = stores_times(a, r, trips);

        stores = times < 0 ? -1 : stores + times;
    }
    free(trips);
    return fmax(stores, 0);
}
