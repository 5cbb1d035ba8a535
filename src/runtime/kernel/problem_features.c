/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/problem_features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "runtime/access_sets/found.h"
#include "runtime/access_sets/launch_stores.h"
#include "runtime/access_sets/written_extent.h"
#include "runtime/objects/array.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/request/launching.h"
#include "runtime/version/runtime_clone.h"

static const enum model_sender features_initiators[] = {
    [TRANSFER_BY_STORE] = MODEL_SEND_STORE,
    [TRANSFER_BY_CTA] = MODEL_SEND_FUSED,
    [TRANSFER_BY_AGENT] = MODEL_SEND_AGENT,
    [TRANSFER_BY_CHILD] = MODEL_SEND_CHILD,
    [TRANSFER_BY_COPY] = MODEL_SEND_COPY,
    [TRANSFER_BY_COPY_AFTER_WAIT] = MODEL_SEND_COPY_WAIT,
    [TRANSFER_BY_RELAY] = MODEL_SEND_RELAY,
};

struct plan_method problem_method(const struct transfer_method *m)
{
    return (struct plan_method){.name = m->name,
                                .initiator = features_initiators[m->initiator],
                                .takes_chunks = m->takes_chunks,
                                .takes_threads = m->takes_threads,
                                .schedules = m->schedules,
                                .is_unrecorded = m->passes_on || m->needs_children};
}

/* Whether each piece goes to all peers or to none. */
static bool features_are_for_all(const struct kernel_binding *b)
{
    const unsigned peers = b->transfer.devices->count - 1;

    for (unsigned s = 0; s < b->transfer.slot_count; s++)
        for (unsigned d = 0; d < b->tables[s]->tables->device_count; d++) {
            const struct transfer_table *t = &b->tables[s]->tables->table[d];

            for (size_t e = 0; e < t->extent_count; e++)
                if (t->extent[e].peers &&
                    (unsigned)__builtin_popcount(t->extent[e].peers) != peers)
                    return false;
        }
    return true;
}

/* Whether a version of the kernel supports the method. */
static bool features_supports(const struct launching *l, const struct transfer_method *m)
{
    struct launching other = *l;
    bool is_supported = true;

    other.plan = (struct transfer_plan){.method = m};
    return l->kernel->is_annotated || l->kernel->has_maps ||
           (!launch_supports_plan(&other, &is_supported, NULL) && is_supported);
}

/* Methods that the session's devices and the kernel support. One that sends to all peers
   would send more where some do not read a piece. */
static void features_methods(const struct launching *l, const struct kernel_binding *b,
                             struct problem_features *f)
{
    const struct proact *p = l->kernel->session;
    const bool is_for_all = features_are_for_all(b);
    const char *const *names = transfer_method_names();
    const struct transfer_method *m;

    for (; *names && f->problem.method_count < PLAN_METHODS_MAX; names++) {
        if (transfer_method_find(*names, &m, NULL) || m->initiator == TRANSFER_UNPLANNED ||
            (m->sends_to_all && !is_for_all) ||
            transfer_method_check(m, &p->devices, NULL) || !features_supports(l, m))
            continue;
        f->methods[f->problem.method_count++] = problem_method(m);
    }
}

/* Bytes to each peer, and the mean length of a sent range. */
static void features_sent(const struct transfer_devices *devices,
                          const struct transfer_tables *tables, struct plan_array *out)
{
    uint64_t bytes = 0, ranges = 0;

    for (unsigned d = 0; d < tables->device_count; d++) {
        const struct transfer_table *t = &tables->table[d];
        size_t copies = 0, peers = 0;

        for (uint32_t i = 0; i < t->send_count; i++)
            for (unsigned n = 0; n + 1 < devices->count; n++)
                if (transfer_goes_to(t->send[i].to, n))
                    out->sent[d][transfer_peer(devices, d, n)] += t->send[i].bytes;
        for (unsigned to = 0; to < devices->count; to++)
            peers += out->sent[d][to] > 0;
        for (size_t e = 0; e < t->extent_count; e++)
            if (t->extent[e].peers) {
                bytes += t->extent[e].end - t->extent[e].first;
                copies += (unsigned)__builtin_popcount(t->extent[e].peers);
                ranges++;
            }
        if (t->extent_copies * peers < copies) /* strided copies */
            copies = t->extent_copies * peers;
        if (copies > out->copies)
            out->copies = (unsigned)copies;
    }
    out->run_bytes = ranges ? bytes / ranges : 0;
}

/* Part of the device's CTAs that count in a chunk. */
static double features_chunk_share(const struct transfer_table *t)
{
    uint32_t counting = 0, first = 0;

    for (uint32_t g = 0; g < t->ctas_count; first = t->ctas[g++].end)
        if (t->chunk[t->ctas[g].list])
            counting += t->ctas[g].end - first;
    return t->cta_count ? (double)counting / t->cta_count : 0;
}

/* Regions of stores: ranges with peers, unless nearly all bytes have them
   (transfer/table/table_stores.c). */
static unsigned features_regions(const struct transfer_table *t)
{
    uint64_t sent = 0;
    unsigned count = 0;

    for (size_t e = 0; e < t->extent_count; e++)
        if (t->extent[e].peers) {
            sent += t->extent[e].end - t->extent[e].first;
            count++;
        }
    return count > PROACT_REGIONS_MAX || 8 * sent >= 7 * t->owned_bytes ? 0 : count;
}

/* Costs of the device where they are largest. */
static void features_devices(const struct transfer_tables *tables, struct plan_array *out)
{
    for (unsigned d = 0; d < tables->device_count; d++) {
        const struct transfer_table *t = &tables->table[d];
        const double share = features_chunk_share(t);
        const unsigned regions = features_regions(t);

        out->chunk_share = share > out->chunk_share ? share : out->chunk_share;
        out->regions = regions > out->regions ? regions : out->regions;
        out->has_lists |= t->cta_count && !tables->resident[d].chunk_shift;
    }
}

static void features_array(const struct launching *l, const struct kernel_binding *b,
                           unsigned slot, struct plan_array *out)
{
    const struct transfer_tables *tables = b->tables[slot]->tables;
    const uint64_t ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2];
    const struct launch_store store = launch_store_find(l, slot);
    uint64_t owned = 0;

    for (unsigned d = 0; d < tables->device_count; d++)
        owned += tables->table[d].owned_bytes;
    out->bytes = b->array[slot]->bytes;
    out->range_bytes = owned / ctas;
    if (l->found.set)
        out->extent =
            written_extent(found_runs(l, slot), b->cta_first, b->transfer.devices->count);
    out->store_bytes = store.warp_bytes;
    out->store_width = store.thread_bytes;
    out->stores = l->kernel->is_annotated ? 0 : launch_stores_count(l, slot);
    features_sent(b->transfer.devices, tables, out);
    features_devices(tables, out);
}

static void features_plan(const struct transfer_plan *plan, struct plan *out)
{
    *out = (struct plan){.chunk_first = plan->method->takes_chunks ? plan->chunk_bytes : 0,
                         .threads = plan->method->takes_threads ? plan->threads : 0};
    strncpy(out->method, plan->method->name, sizeof out->method - 1);
}

/* Copies do not extend the kernel, and an interior sends nothing. */
static bool features_is_plain(const struct kernel_binding *b)
{
    const enum transfer_initiator who = b->transfer.plan.method->initiator;

    return b->is_divided || who == TRANSFER_BY_COPY || who == TRANSFER_BY_COPY_AFTER_WAIT;
}

struct problem_features *problem_features(const struct launching *l,
                                          const struct kernel_binding *b)
{
    const struct proact *p = l->kernel->session;
    struct problem_features *f = must_calloc(1, sizeof *f);
    struct plan_problem *q = &f->problem;

    f->arrays = must_calloc(b->transfer.slot_count + 1u, sizeof *f->arrays);
    *q = (struct plan_problem){.topology = &p->topology,
                               .device_count = p->devices.count,
                               .ctas = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2],
                               .cta_threads = l->threads[0] * l->threads[1] * l->threads[2],
                               .repeats_stores = !l->kernel->is_annotated,
                               .arrays = f->arrays,
                               .array_count = b->transfer.slot_count,
                               .methods = f->methods,
                               .chunk_is_fixed = !p->constraint.chunk_is_open,
                               .threads_are_fixed = !p->constraint.threads_are_open,
                               .threads_usual = p->constraint.threads,
                               .threads_most = 1u << 13};
    for (unsigned d = 0; d < p->devices.count; d++) {
        const uint64_t ctas = b->cta_first[d + 1] - b->cta_first[d];

        q->ctas_most = ctas > q->ctas_most ? ctas : q->ctas_most;
    }
    for (unsigned s = 0; s < b->transfer.slot_count; s++)
        features_array(l, b, s, &f->arrays[s]);
    features_methods(l, b, f);
    features_plan(&b->transfer.plan, &q->usual);
    f->is_plain = features_is_plain(b);
    return f;
}

void problem_features_free(struct problem_features *f)
{
    free(f->arrays);
    free(f);
}
