/* SPDX-License-Identifier: Apache-2.0 */
/* Tables and bindings of a kernel: created at the first launch of a shape, reused later. */
#include "runtime/kernel/runtime_binding.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "model/model.h"
#include "runtime/access_sets/found.h"
#include "runtime/access_sets/needs.h"
#include "runtime/coherence/fetch.h"
#include "runtime/footprint/derive.h"
#include "runtime/objects/array.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/runtime_map.h"
#include "runtime/objects/session.h"
#include "runtime/request/launching.h"
#include "runtime/session/recording.h"
#include "runtime/validity/consumers.h"
#include "runtime/version/binding_drop.h"
#include "runtime/version/launch_stage.h"
#include "runtime/version/runtime_clone.h"

static bool same_split(const uint32_t *a, const uint32_t *b, unsigned devices)
{
    return memcmp(a, b, (devices + 1) * sizeof *a) == 0;
}

/* Chunk sizes of an array: from the plan, or the model's optimum for equal partitions and
   the plan's compute-to-copy ratio. */
static struct model_schedule schedule_of(const struct proact *p,
                                         const struct transfer_plan *plan,
                                         uint64_t array_bytes, const uint32_t *cta_first)
{
    enum { LEAST_BYTES = 64 << 10, MOST_BYTES = 64 << 20 };
    uint64_t writers = 0;

    if (plan->chunk_bytes)
        return (struct model_schedule){.first_bytes = plan->chunk_bytes};
    for (unsigned d = 0; d < p->devices.count; d++)
        writers += cta_first[d + 1] > cta_first[d];
    const struct model_copies copies =
        model_copies_of(&p->topology, TRANSFER_COPY_STREAMS, (unsigned)writers,
                        array_bytes / (writers ? writers : 1), plan->compute_ratio);

    return model_schedule_best(&copies, LEAST_BYTES, MOST_BYTES);
}

/* Needs of the launch for the array, per device, if gaps between its writes should be
   closed. */
static const struct transfer_need *reads_of(const struct launching *l, uint32_t slot,
                                            const struct proact_array *a)
{
    return l->binding->fragmented_slots >> slot & 1
               ? needs_of(needs_of_launch(l), launching_number(l, a), 0)
               : NULL;
}

static uint64_t reads_digest(const struct transfer_need *reads, unsigned devices)
{
    uint64_t digest = 0;

    for (unsigned d = 0; reads && d < devices; d++)
        digest = hash_mix(digest + reads[d].digest);
    return digest;
}

static enum proact_status tables_create(
    const struct launching *l, const struct proact_array *a,
    const struct kernel_tables *shape, const struct transfer_need *needs,
    const struct transfer_need *reads, struct kernel_tables **out, struct proact_error *err)
{
    struct proact_kernel *k = l->kernel;
    struct proact *p = k->session;
    const struct proact_map *map = &k->slot[shape->slot].map;
    const uint32_t *grid = shape->grid;
    uint32_t reached[TRANSFER_DEVICES_MAX];
    uint64_t ctas = (uint64_t)grid[0] * grid[1] * grid[2];

    if (!l->found.set && map->kind == PROACT_MAP_TABLE && map->cta_count != ctas)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': the map of argument %u is a table of %u CTAs, the grid "
                    "has %llu",
                    k->name, k->slot[shape->slot].arg, map->cta_count,
                    (unsigned long long)ctas);
    struct kernel_tables *t = must_calloc(1, sizeof *t);
    struct cta_runs of_map = {0};

    *t = *shape;
    if (!l->found.set &&
        !map_runs(&(struct map_use){map, grid, a->bytes}, (uint32_t)ctas, &of_map)) {
        free(t);
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': the map of argument %u has more than 2^32 ranges",
                    k->name, k->slot[shape->slot].arg);
    }
    for (unsigned d = 0; d < p->devices.count; d++)
        reached[d] = transfer_reached_peers(&p->devices, &l->plan, d);
    enum proact_status status = transfer_tables_create(
        &p->devices,
        &(struct transfer_table_request){
            .array = a->name,
            .array_bytes = a->bytes,
            .chunk_bytes = t->chunk_bytes,
            .rise_bytes = t->rise_bytes,
            .device_count = p->devices.count,
            .cta_first = t->cta_first,
            .written = l->found.set ? found_runs(l, shape->slot) : &of_map,
            .needs = needs,
            .reads = reads,
            .by_store = shape->by_store,
            .elide = shape->elide,
            .reached = reached,
        },
        &t->tables, err);

    cta_runs_clear(&of_map);
    if (status) {
        free(t);
        return status;
    }
    t->number = ++p->last_number;
    t->next = k->tables;
    k->tables = t;
    *out = t;
    return PROACT_OK;
}

static bool same_tables(const struct kernel_tables *a, const struct kernel_tables *b,
                        unsigned devices)
{
    return a->slot == b->slot && a->array_bytes == b->array_bytes &&
           a->digest == b->digest && a->needs == b->needs && a->reads == b->reads &&
           a->by_store == b->by_store && a->elide == b->elide &&
           a->copies_pairs == b->copies_pairs && a->chunk_bytes == b->chunk_bytes &&
           a->rise_bytes == b->rise_bytes &&
           memcmp(a->grid, b->grid, sizeof a->grid) == 0 &&
           same_split(a->cta_first, b->cta_first, devices);
}

static enum proact_status tables_find(const struct launching *l,
                                      const struct kernel_binding *b, uint32_t slot,
                                      const struct proact_array *a,
                                      struct kernel_tables **out, struct proact_error *err)
{
    const struct proact_kernel *k = l->kernel;
    struct proact *p = k->session;
    const struct model_schedule schedule =
        schedule_of(p, &b->transfer.plan, a->bytes, b->cta_first);
    const struct transfer_need *reads = reads_of(l, slot, a);
    struct kernel_tables *t = k->tables,
                         shape = {.slot = slot,
                                  .array_bytes = a->bytes,
                                  .chunk_bytes = schedule.first_bytes,
                                  .rise_bytes = schedule.step_bytes,
                                  .digest = l->found.digest,
                                  .needs = consumers_digest(b, slot),
                                  .reads = reads_digest(reads, p->devices.count),
                                  .by_store = transfer_stores(&b->transfer.plan),
                                  .elide = b->transfer.plan.elide,
                                  .copies_pairs =
                                      transfer_copies_pairs(&p->devices, &b->transfer.plan),
                                  .generation = p->generation};

    memcpy(shape.grid, l->grid, sizeof shape.grid);
    memcpy(shape.cta_first, b->cta_first, sizeof shape.cta_first);
    while (t && !same_tables(t, &shape, p->devices.count))
        t = t->next;
    if (!t)
        return tables_create(l, a, &shape, consumers_push_targets(b, slot), reads, out,
                             err);
    *out = t;
    if (t->generation == p->generation)
        return PROACT_OK;
    t->generation = p->generation;
    /* protocol: counter-restart-shared (else: return PROACT_OK;) */
    return transfer_tables_restart(&p->devices, t->tables, TRANSFER_MAIN, err);
}

bool plans_are_same(const struct transfer_plan *a, const struct transfer_plan *b)
{
    return a->method == b->method && a->tail == b->tail && a->tail_bytes == b->tail_bytes &&
           a->chunk_bytes == b->chunk_bytes && a->threads == b->threads &&
           !(a->compute_ratio < b->compute_ratio || a->compute_ratio > b->compute_ratio) &&
           a->everywhere == b->everywhere && a->elide == b->elide && a->spins == b->spins;
}

static bool binding_has_shape(const struct kernel_binding *b, const struct launching *l,
                              const uint32_t *cta_first)
{
    const struct proact_kernel *k = l->kernel;

    if (consumers_is_replaced(b) || memcmp(b->grid, l->grid, sizeof b->grid) != 0 ||
        b->digest != l->found.digest ||
        !same_split(b->cta_first, cta_first, k->session->devices.count) ||
        b->transfer.slot_count != k->slot_count)
        return false;
    for (unsigned s = 0; s < k->slot_count; s++)
        if (b->array[s] != launching_slot_array(l, s))
            return false;
    return true;
}

static enum proact_status binding_create(const struct launching *l,
                                         struct kernel_binding *b, struct proact_error *err)
{
    struct proact_kernel *k = l->kernel;
    struct launching bound = *l; /* the read set depends on the partition */
    enum proact_status status = PROACT_OK;

    bound.binding = b;
    b->transfer.plan = l->plan;
    b->fragmented_slots = fragments_detect(&bound);
    consumers_create(b);
    for (unsigned s = 0; s < k->slot_count && !status; s++) {
        struct proact_array *a = launching_slot_array(l, s);

        assert(a); /* launch_check_slots() */
        b->array[s] = a;
        if ((status = tables_find(&bound, b, s, a, &b->tables[s], err)))
            break;
        b->transfer.slot[s].array = a->name;
        b->transfer.slot[s].tables = b->tables[s]->tables;
        memcpy(b->transfer.slot[s].base, a->base, sizeof a->base);
    }
    return status ? status : transfer_bind(&b->transfer, err);
}

/* Orders the transfer stream after the upload of the tables on the kernel stream. */
static enum proact_status transfer_stream_awaits_tables(struct proact *p,
                                                        struct kernel_binding *b,
                                                        struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    b->uploaded = ++p->sequence;
    for (unsigned d = 0; d < p->devices.count && !status; d++) {
        struct order_place main = {d, TRANSFER_MAIN}, side = {d, TRANSFER_SIDE};

        /* protocol: tables-done */
        status = order_record(&p->order, main, b->uploaded, err);
        if (!status)
            /* protocol: tables-wait */
            status = order_wait(&p->order, side, main, b->uploaded, err);
    }
    return status;
}

static enum proact_status restart(struct proact *p, struct kernel_binding *b,
                                  struct proact_error *err)
{
    enum proact_status status = PROACT_OK;
    bool anything = false;

    for (unsigned s = 0; s < b->transfer.slot_count && !status; s++)
        if (b->tables[s]->generation != p->generation) {
            b->tables[s]->generation = p->generation;
            anything = true;
            /* protocol: counter-restart */
            status = transfer_tables_restart(&p->devices, b->tables[s]->tables,
                                             TRANSFER_MAIN, err);
        }
    return status || !anything ? status : transfer_stream_awaits_tables(p, b, err);
}

/* Maps of an annotated kernel are compared with its stores by the emulator, under
   `check`. */
static enum proact_status derived_or_checked(struct launching *l, struct proact_error *err)
{
    return l->found.set || l->kernel->is_annotated ? PROACT_OK : derive_check_maps(l, err);
}

/* Whether the first launch pushes nothing. The readers in a program are known soon. A
   mechanism that sends to all devices or to none cannot send to device 0 alone. */
static bool begins_with_nobody(const struct launching *l)
{
    const struct transfer_plan *plan = &l->plan;
    bool may = l->is_program && !plan->everywhere;

    for (unsigned s = 0; s < l->kernel->slot_count; s++) {
        const struct proact_array *a = launching_slot_array(l, s);

        may &= !transfer_sends_to_all(plan) || !a || !a->is_shared;
    }
    return may;
}

static enum proact_status add_binding(struct launching *l, struct consumers *consumers,
                                      const uint32_t *cta_first, struct proact_error *err)
{
    struct proact_kernel *k = l->kernel;
    struct kernel_binding *b = must_calloc(1, sizeof *b);
    enum proact_status status;

    b->consumers = consumers;
    b->transfer.devices = &k->session->devices;
    b->transfer.slot_count = k->slot_count;
    memcpy(b->grid, l->grid, sizeof b->grid);
    b->digest = l->found.digest;
    memcpy(b->cta_first, cta_first, sizeof b->cta_first);
    if (!consumers && !k->session->recording && begins_with_nobody(l))
        consumers_create_empty(b, l);
    if ((status = binding_create(l, b, err))) {
        consumers_destroy(b);
        free(b);
        return status;
    }
    launch_stage_find(l, b);
    b->used = k->session->sequence;
    b->next = k->bindings;
    k->bindings = b;
    l->binding = b;
    return PROACT_OK;
}

static void binding_boundaries(const struct launching *l, uint32_t *cta_first)
{
    if (l->found.set)
        memcpy(cta_first, l->found.cta_first, sizeof l->found.cta_first);
    else
        launch_split(l->grid, l->over, l->kernel->session->devices.count, cta_first);
}

static struct kernel_binding *binding_latest(const struct launching *l,
                                             const uint32_t *cta_first)
{
    struct kernel_binding *latest = NULL;

    for (struct kernel_binding *b = l->kernel->bindings; b; b = b->next)
        if ((!latest || b->used > latest->used) && binding_has_shape(b, l, cta_first))
            latest = b;
    return latest;
}

const struct kernel_binding *kernel_binding_latest(const struct launching *l)
{
    uint32_t cta_first[PROACT_DEVICES_MAX + 1] = {0};

    binding_boundaries(l, cta_first);
    return binding_latest(l, cta_first);
}

static bool binding_has_sizes(const struct kernel_binding *b, const struct launching *l)
{
    for (unsigned s = 0; s < l->kernel->slot_count; s++)
        if (b->array[s]->bytes != launching_slot_array(l, s)->bytes)
            return false;
    return true;
}

const struct kernel_binding *kernel_binding_settled(const struct launching *l,
                                                    unsigned launches)
{
    const struct proact_kernel *k = l->kernel;
    const struct kernel_binding *last = NULL;

    for (const struct kernel_binding *b = k->bindings; b; b = b->next)
        if (b->launched && b->launches >= launches && b->digest == l->found.digest &&
            b->transfer.slot_count == k->slot_count && !consumers_is_replaced(b) &&
            memcmp(b->grid, l->grid, sizeof b->grid) == 0 && binding_has_sizes(b, l) &&
            (!last || b->launched > last->launched))
            last = b;
    return last;
}

static struct kernel_binding *binding_look_up(const struct launching *l,
                                              const uint32_t *cta_first)
{
    struct kernel_binding *b = l->kernel->bindings;

    while (b && !(plans_are_same(&b->transfer.plan, &l->plan) &&
                  binding_has_shape(b, l, cta_first)))
        b = b->next;
    return b;
}

/* Binding of a launch in a recording. Without one of its plan, the tables are created now:
   they depend on the write set and on the readers, which an earlier launch of the shape
   found. A recording restarts the counters itself. */
static enum proact_status binding_find_recorded(struct launching *l,
                                                const uint32_t *cta_first,
                                                struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    const struct kernel_binding *before;

    if ((l->binding = binding_look_up(l, cta_first)))
        return PROACT_OK;
    if (!(before = binding_latest(l, cta_first)))
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': it was not launched before with these arrays and this "
                    "grid: launch it once, then record",
                    l->kernel->name);
    recording_pause(p);
    const enum proact_status status =
        add_binding(l, consumers_copy(before, &l->plan), cta_first, err);

    recording_resume(p);
    return status;
}

enum proact_status kernel_binding_find(struct launching *l, struct proact_error *err)
{
    struct proact_kernel *k = l->kernel;
    struct proact *p = k->session;
    uint32_t cta_first[PROACT_DEVICES_MAX + 1] = {0};
    struct consumers *consumers = NULL;

    binding_boundaries(l, cta_first);
    if (p->recording)
        return binding_find_recorded(l, cta_first, err);
    struct kernel_binding *b = l->binding = binding_look_up(l, cta_first);
    enum proact_status status = b ? PROACT_OK : derived_or_checked(l, err);

    if (status)
        return status;
    if (b) {
        b->used = p->sequence;
        b->launches++;
    }
    struct kernel_binding *before = b ? b : binding_latest(l, cta_first);

    if (before && p->devices.count > 1) {
        l->binding = before;
        launch_record_reads(l);
        consumers = consumers_update(before, &l->plan, b != NULL);
        if (!b && !consumers)
            consumers = consumers_copy(before, &l->plan);
        if (!b || consumers) /* needs depend on what the tables send (want_unchanged()) */
            l->needs = NULL;
        l->binding = b;
    }
    if (!b)
        kernel_shapes_trim(k);
    if (b && !consumers)
        return restart(p, b, err);
    const unsigned launches = b ? b->launches : 0;

    if ((status = add_binding(l, consumers, cta_first, err)))
        return status;
    l->binding->launches = launches;
    return transfer_stream_awaits_tables(p, l->binding, err);
}
