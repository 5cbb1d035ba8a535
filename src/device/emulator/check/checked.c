/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/check/checked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/short_name.h"

enum { NAME_BYTES = 256 };

void checked_cta_begin(struct emulated *d, struct resident *r)
{
    struct check *c = d->set->check;
    const uint32_t *id = r->named;
    char name[NAME_BYTES];

    if (!c)
        return;
    if (!r->run->begun) /* the end of one CTA does not order another */
        r->run->begun = check_group(c, r->run->name, d->number, r->run->actor);
    snprintf(name, sizeof name, "kernel '%s', CTA (%u,%u,%u)",
             name_shorten(r->run->name).text, id[0], id[1], id[2]);
    r->actor = check_group(c, name, d->number, r->run->begun);
    r->warp_actors = must_calloc(r->run->warps, sizeof *r->warp_actors);
    for (uint32_t w = 0; w < r->run->warps; w++) {
        snprintf(name, sizeof name, "kernel '%s', CTA (%u,%u,%u), warp %u of device %u",
                 name_shorten(r->run->name).text, id[0], id[1], id[2], w, d->number);
        r->warp_actors[w] = check_actor(c, name, d->number, r->actor);
    }
}

/* The end of a kernel orders the accesses of its CTAs before the next operation of its
   stream. */
void checked_cta_end(struct emulated *d, struct resident *r)
{
    struct check *c = d->set->check;

    if (!c)
        return;
    check_gather(c, r->actor, r->warp_actors, r->run->warps);
    check_collect(c, r->run->actor, r->actor);
    check_ended(c, r->actor);
    for (uint32_t w = 0; w < r->run->warps; w++)
        check_ended(c, r->warp_actors[w]);
}

void checked_kernel_end(struct emulated *d, const struct kernel_run *run)
{
    if (d->set->check && run->begun)
        check_ended(d->set->check, run->begun);
}

void checked_ready(struct device_set *set, uint64_t address, uint64_t bytes)
{
    char fault[8];

    if (!set->check)
        return;
    check_allocated(set->check, address, bytes);
    check_write(set->check, CHECK_HOST, address, bytes, false, NULL, fault, sizeof fault);
}

void checked_child_parameters(struct emulated *d, uint64_t address, uint64_t bytes)
{
    if (d->set->check)
        check_allocated(d->set->check, address, bytes);
}

/* A child knows the accesses that the launching thread knows. */
void checked_child_launch(struct emulated *d, struct kernel_run *child,
                          const struct execute_warp *w, uint64_t address, uint64_t bytes)
{
    struct check *c = d->set->check;
    char name[NAME_BYTES];

    if (!c)
        return;
    snprintf(name, sizeof name, "kernel '%s', launched by '%s'",
             name_shorten(child->name).text, name_shorten(child->parent->name).text);
    child->actor =
        check_actor(c, name, d->number, d->current->warp_actors[execute_warp_index(w)]);
    check_freed(c, address, bytes);
}

void checked_child_end(struct emulated *d, const struct kernel_run *child)
{
    if (!d->set->check)
        return;
    check_join(d->set->check, child->parent->actor, child->actor);
    check_ended(d->set->check, child->actor);
}

/* Shared memory has no shadow: a release there synchronizes with all acquires of the CTA
   there. */
void checked_shared(struct emulated *d, struct execute_warp *w, enum execute_order order)
{
    struct check *c = d->set->check;
    const uint32_t cta = d->current->actor,
                   actor = d->current->warp_actors[execute_warp_index(w)];

    if (order != EXECUTE_ACQUIRE)
        check_join(c, cta, actor);
    if (order != EXECUTE_RELEASE)
        check_join(c, actor, cta);
}

void checked_barrier(struct emulated *d, struct resident *r)
{
    if (d->set->check)
        check_meet(d->set->check, r->actor, r->warp_actors, r->run->warps);
}

/* Joins the clocks of all CTAs of a cluster. */
void checked_cluster(struct emulated *d, struct resident *const *all, uint32_t count)
{
    struct check *c = d->set->check;

    for (uint32_t i = 0; c && i < count; i++) {
        check_gather(c, all[i]->actor, all[i]->warp_actors, all[i]->run->warps);
        check_join(c, all[0]->actor, all[i]->actor);
    }
    for (uint32_t i = 0; c && i < count; i++) {
        check_join(c, all[i]->actor, all[0]->actor);
        checked_barrier(d, all[i]);
    }
}

/* Checks the used byte ranges of a load. */
static bool check_used(struct check *c, uint32_t actor, const struct execute_access *a,
                       uint64_t address, bool strong, const struct check_where *where,
                       struct execute_cta *cta)
{
    for (uint32_t end, first = 0; first < a->bytes; first = end) {
        bool counts = !(a->ignored >> first & 1);

        for (end = first + 1; end < a->bytes && counts == !(a->ignored >> end & 1);)
            end++;
        if (counts && !check_read(c, actor, address + first, end - first, strong, where,
                                  cta->fault, sizeof cta->fault))
            return false;
    }
    return true;
}

/* Order of an access. In programs a value-returning atomic acquires: dependent code relies
   on it, and GPUs issue loads in order. The last CTA of a grid thus sums values that other
   CTAs have fenced, without a fence of its own. The library's own kernels follow the PTX
   memory model. */
static enum execute_order order_of(const struct device_set *set,
                                   const struct execute_access *a)
{
    const bool acquires = a->kind == EXECUTE_ATOMIC && set->options.warn;

    if (acquires && (a->order == EXECUTE_WEAK || a->order == EXECUTE_RELAXED))
        return EXECUTE_ACQUIRE;
    if (acquires && a->order == EXECUTE_RELEASE)
        return EXECUTE_ACQ_REL;
    return a->order == EXECUTE_WEAK ? EXECUTE_RELAXED : a->order;
}

static bool is_strong(const struct execute_access *a)
{
    return a->order != EXECUTE_WEAK || a->kind >= EXECUTE_ATOMIC;
}

struct checked_lanes checked_lanes(const struct emulated *d, const struct execute_warp *w,
                                   const struct execute_access *a)
{
    const struct resident *r = d->current;

    if (!d->set->check || !is_strong(a))
        return (struct checked_lanes){.order = EXECUTE_WEAK};
    return (struct checked_lanes){.order = order_of(d->set, a),
                                  .scope = a->scope,
                                  .actor = r->warp_actors[execute_warp_index(w)]};
}

void checked_arrival(struct emulated *d, const struct checked_lanes *lanes,
                     uint64_t address)
{
    if (d->set->check)
        check_strong(d->set->check, lanes->actor, address, lanes->order, lanes->scope, true,
                     false);
}

static bool check_lane(struct emulated *d, uint32_t actor, const struct execute_access *a,
                       uint64_t address, uint64_t bytes, const struct check_where *where)
{
    struct check *c = d->set->check;
    struct execute_cta *cta = d->current->cta;
    const bool strong = is_strong(a);

    if (a->ignored
            ? !check_used(c, actor, a, address, strong, where, cta)
            : a->kind != EXECUTE_STORE && !check_read(c, actor, address, bytes, strong,
                                                      where, cta->fault, sizeof cta->fault))
        return false;
    if (a->kind != EXECUTE_LOAD && !check_write(c, actor, address, bytes, strong, where,
                                                cta->fault, sizeof cta->fault))
        return false;
    if (strong)
        check_strong(c, actor, address, order_of(d->set, a), a->scope,
                     a->kind != EXECUTE_STORE, a->kind != EXECUTE_LOAD);
    return true;
}

/* Location of an access, without the thread. */
static struct check_where where_of(const struct resident *r, const struct execute_access *a)
{
    return (struct check_where){.kernel = r->run->name,
                                .code = r->run->launch.kernel,
                                .line = a->line,
                                .cta = {r->named[0], r->named[1], r->named[2]},
                                .sends = a->line >= r->run->sends_from,
                                .compares = a->compares};
}

bool checked_access(struct emulated *d, struct execute_warp *w,
                    const struct execute_access *a)
{
    const struct resident *r = d->current;
    struct check_where where = where_of(r, a);

    if (!d->set->check)
        return true;
    uint32_t actor = r->warp_actors[execute_warp_index(w)];

    if (a->shape == EXECUTE_UNIT && !a->ignored && a->order == EXECUTE_WEAK &&
        a->kind == EXECUTE_LOAD) {
        execute_warp_thread(w, 0, where.thread);
        if (check_lane(d, actor, a, a->address[0], 32ull * a->bytes, &where))
            return true; /* repeated by lane below, to name the thread */
    }
    for (unsigned lane = 0; lane < 32; lane++)
        if (a->mask >> lane & 1) {
            execute_warp_thread(w, lane, where.thread);
            if (!check_lane(d, actor, a, a->address[lane], a->bytes, &where))
                return false;
        }
    return true;
}

bool checked_is_store(const struct emulated *d, const struct execute_access *a)
{
    return d->set->check && a->kind == EXECUTE_STORE && a->order == EXECUTE_WEAK;
}

/* Checks a store to another device, separately for words whose value is there already and
   for the others. */
static bool check_words(struct emulated *d, uint32_t actor, uint64_t address,
                        const unsigned char *value, uint32_t bytes,
                        const struct check_where *where)
{
    const unsigned char *there = (const unsigned char *)(uintptr_t)address;
    const uint32_t word = bytes < 4 ? bytes : 4;

    for (uint32_t first = 0, end; first < bytes; first = end) {
        const bool is_same = !memcmp(there + first, value + first, word);

        for (end = first + word; end < bytes; end += word)
            if (!memcmp(there + end, value + end, word) != is_same)
                break;
        if (!(is_same ? check_store_again : check_store)(
                d->set->check, actor, address + first, end - first, value + first, where,
                d->current->cta->fault, sizeof d->current->cta->fault))
            return false;
    }
    return true;
}

static bool check_value(struct emulated *d, uint32_t actor, uint64_t address,
                        const unsigned char *value, uint32_t bytes,
                        const struct check_where *where)
{
    if (memory_device(&d->set->memory, address) != d->number)
        return check_words(d, actor, address, value, bytes, where);
    return check_store(d->set->check, actor, address, bytes, value, where,
                       d->current->cta->fault, sizeof d->current->cta->fault);
}

bool checked_store(struct emulated *d, struct execute_warp *w,
                   const struct execute_access *a, const unsigned char *values)
{
    const struct resident *r = d->current;
    struct check_where where = where_of(r, a);
    const uint32_t actor = r->warp_actors[execute_warp_index(w)];

    if (a->shape == EXECUTE_UNIT && memory_device(&d->set->memory, a->address[0]) ==
                                        memory_device(&d->set->memory, a->address[31])) {
        execute_warp_thread(w, 0, where.thread);
        if (check_value(d, actor, a->address[0], values, 32 * a->bytes, &where))
            return true; /* repeated by lane below, to name the thread */
    }
    for (unsigned lane = 0; lane < 32; lane++)
        if (a->mask >> lane & 1) {
            execute_warp_thread(w, lane, where.thread);
            if (!check_value(d, actor, a->address[lane], values + lane * a->bytes, a->bytes,
                             &where))
                return false;
        }
    return true;
}

bool checked_bulk(struct emulated *d, struct execute_warp *w, unsigned lane,
                  const struct execute_access *a, uint32_t *actor)
{
    const struct resident *r = d->current;
    struct check_where where = where_of(r, a);
    char name[NAME_BYTES];

    if (!d->set->check)
        return true;
    execute_warp_thread(w, lane, where.thread);
    snprintf(name, sizeof name, "kernel '%s', CTA (%u,%u,%u), a bulk store",
             name_shorten(r->run->name).text, r->named[0], r->named[1], r->named[2]);
    *actor =
        check_actor(d->set->check, name, d->number, r->warp_actors[execute_warp_index(w)]);
    return check_lane(d, *actor, a, a->address[lane], a->bytes, &where);
}

void checked_bulk_wait(struct emulated *d, struct execute_warp *w, uint32_t actor)
{
    const struct resident *r = execute_warp_cta(w)->user;

    if (d->set->check)
        check_join(d->set->check, r->warp_actors[execute_warp_index(w)], actor);
}

void checked_bulk_end(struct emulated *d, struct resident *r, uint32_t actor)
{
    if (!d->set->check)
        return;
    check_collect(d->set->check, r->run->actor, actor);
    check_ended(d->set->check, actor);
}

void checked_bulk_over(struct emulated *d, uint32_t actor)
{
    if (d->set->check)
        check_ended(d->set->check, actor);
}

void checked_fence(struct emulated *d, struct execute_warp *w, enum execute_order order,
                   enum execute_scope scope)
{
    if (d->set->check)
        check_fence(d->set->check, d->current->warp_actors[execute_warp_index(w)], order,
                    scope);
}

void checked_stream(struct emulated *d, struct device_stream *s)
{
    char name[NAME_BYTES];

    if (!d->set->check)
        return;
    if (!s->actor) {
        snprintf(name, sizeof name, "stream %u of device %u", s->lane, d->number);
        s->actor = check_actor(d->set->check, name, d->number, CHECK_HOST);
    }
    check_issued(d->set->check, s->actor, s->first->number);
}

static bool check_copy(struct emulated *d, uint32_t actor, uint64_t to, uint64_t from,
                       uint64_t bytes)
{
    struct check *c = d->set->check;
    char fault[sizeof d->fault];

    if (!c || !bytes)
        return true;
    if (from && to
            ? check_copy_replica(c, actor, to, from, bytes, fault, sizeof fault)
            : (!from || check_copy_out(c, actor, from, bytes, fault, sizeof fault)) &&
                  (!to ||
                   check_write(c, actor, to, bytes, false, NULL, fault, sizeof fault)))
        return true;
    device_fault(d, PROACT_EFAULT, "device %u: %s", d->number, fault);
    return false;
}

bool checked_copy(struct emulated *d, const struct operation *o, uint64_t to, uint64_t from,
                  uint64_t bytes)
{
    return check_copy(d, o->stream->actor, to, from, bytes);
}

void checked_unit(struct emulated *d, const struct kernel_run *run, uint64_t from,
                  int64_t delta, uint64_t bytes)
{
    check_copy(d, run->actor, from + (uint64_t)delta, from, bytes);
}

void checked_record(struct emulated *d, struct device_stream *s, struct device_event *e)
{
    if (!d->set->check)
        return;
    checked_event_end(e);
    e->actor = check_actor(d->set->check, "an event", d->number, s->actor);
}

void checked_event_end(const struct device_event *e)
{
    if (e->set->check && e->actor)
        check_ended(e->set->check, e->actor);
}

void checked_wait_event(struct emulated *d, struct device_stream *s, struct device_event *e)
{
    if (d->set->check && e->actor)
        check_join(d->set->check, s->actor, e->actor);
}

void checked_wait_value(struct emulated *d, struct device_stream *s, uint64_t word)
{
    if (d->set->check)
        check_strong(d->set->check, s->actor, word, EXECUTE_ACQUIRE, EXECUTE_SYS, true,
                     false);
}

void checked_write_value(struct emulated *d, struct device_stream *s, uint64_t word)
{
    char fault[sizeof d->fault];

    if (!d->set->check)
        return;
    check_strong(d->set->check, s->actor, word, EXECUTE_RELEASE, EXECUTE_SYS, false, true);
    check_write(d->set->check, s->actor, word, sizeof(uint32_t), true, NULL, fault,
                sizeof fault);
}

void checked_quiesce(struct device_set *set)
{
    if (!set->check)
        return;
    check_quiesce(set->check);
    for (struct device_stream *s = set->streams; s; s = s->next)
        s->actor = 0;
    for (struct device_event *e = set->events; e; e = e->next)
        e->actor = 0;
}
