/* SPDX-License-Identifier: Apache-2.0 */
/* Recording: launches of a shape, and the numbers of each turn. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/short_name.h"
#include "device/emulator/quanta/quanta_run.h"

enum { LANES = 32 };

/* Recordings of all shapes; the limit is reached only where each occurrence is recorded. */
#define QUANTA_BYTES_MAX ((uint64_t)8 << 30)

uint32_t quanta_cta(const struct resident *r)
{
    const struct execute_launch *l = &r->run->launch;
    const uint32_t *grid = l->whole[0] ? l->whole : l->grid;

    return r->named[0] + grid[0] * (r->named[1] + grid[1] * r->named[2]);
}

struct cta_quanta *quanta_add_occurrence(struct shape_cta *c)
{
    struct cta_quanta *grown = realloc(c->occurrence, (c->count + 1) * sizeof *grown);

    if (!grown)
        abort();
    c->occurrence = grown;
    grown[c->count] = (struct cta_quanta){0};
    return &grown[c->count++];
}

void quanta_record_begin(struct emulated *d, struct resident *r, uint32_t cta,
                         uint32_t seen)
{
    struct device_shape *s = r->run->quanta->use->shape;

    if (atomic_load(&s->book->bytes) > QUANTA_BYTES_MAX)
        device_fault(d, PROACT_ENOSPACE,
                     "kernel '%s': the work of its launches depends on data that launches "
                     "change, and recordings of all of them exceed %" PRIu64 " bytes",
                     name_shorten(s->kernel).text, QUANTA_BYTES_MAX);
    /* An occurrence that another set has recorded stays. */
    if (seen == s->cta[cta].count && (seen < DEVICE_QUANTA_RECORDED || s->depends))
        r->recorded = quanta_add_occurrence(&s->cta[cta]);
}

static bool is_fit(const struct usage *u, bool sends, enum execute_stop stop)
{
    return (stop == EXECUTE_BUDGET || stop == EXECUTE_EXITED) && !u->strong && !u->clocks &&
           !u->children && !u->meetings && !u->fenced && !u->atomics_ps &&
           (sends || !u->sent_bytes);
}

void quanta_record_turn(struct emulated *d, struct resident *r, enum execute_stop stop)
{
    const struct usage *u = &d->usage;
    struct cta_quanta *q = r->recorded;
    struct device_shape *s = r->run->quanta->use->shape;

    if (!is_fit(u, r->run->quanta->launch->sends_stores, stop))
        atomic_store(&s->unfit, quanta_cta(r) + 1);
    q->quantum =
        must_grow(q->quantum, q->quantum_count, &q->quantum_capacity, sizeof *q->quantum);
    q->quantum[q->quantum_count++] =
        (struct quantum){.issued = (uint32_t)u->issued,
                         .longest = (uint32_t)u->longest,
                         .stalls = (uint32_t)u->stalls,
                         .barriers = (uint32_t)u->barriers,
                         .sectors = (uint32_t)u->sectors,
                         .missed_sectors = (uint32_t)u->missed_sectors,
                         .awaited_sectors = (uint32_t)u->awaited_sectors,
                         .replaced = (uint32_t)u->replaced,
                         .loads = (uint32_t)u->loads,
                         .fresh_loads = (uint32_t)u->fresh_loads,
                         .waited = (uint32_t)u->waited,
                         .missed = (uint32_t)u->missed,
                         .stores = (uint32_t)u->stores,
                         .range_end = (uint32_t)q->range_count};
    q->issued += u->issued;
    q->is_complete = stop == EXECUTE_EXITED;
    if (q->is_complete)
        atomic_fetch_add(&s->book->bytes, q->quantum_capacity * sizeof *q->quantum +
                                              q->range_capacity * sizeof *q->range);
}

static int find_slot(const struct quanta_run *q, uint64_t address)
{
    for (uint32_t s = 0; s < q->launch->slot_count; s++)
        if (address >= q->first[s] && address < q->end[s])
            return (int)s;
    return -1;
}

/* Whether the bytes continue the range, or the ranges of one store. */
static bool range_extend(struct quantum_range *r, uint64_t first, uint32_t bytes)
{
    if (r->count == 1 && r->first + r->bytes == first) {
        r->bytes += bytes;
        return true;
    }
    if (bytes != r->bytes || first < r->first || r->count == UINT16_MAX)
        return false;
    if (r->count == 1 && first - r->first <= UINT32_MAX) {
        r->stride = (uint32_t)(first - r->first);
    } else if (r->first + (uint64_t)r->stride * r->count != first) {
        return false;
    }
    r->count++;
    return true;
}

/* A store to a peer follows the one on the device, whose time is that of the last peer. */
static void note_sent(struct cta_quanta *q, const struct execute_warp *w)
{
    size_t last = q->range_count;

    while (last && q->range[last - 1].continues)
        last--;
    if (last)
        q->range[last - 1].issued = (uint32_t)execute_warp_issued(w);
}

void quanta_record_store(struct emulated *d, const struct execute_warp *w,
                         const struct execute_access *a)
{
    struct cta_quanta *q = d->current->recorded;
    const struct quanta_run *run = d->current->run->quanta;
    bool continues = false;

    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        const uint64_t address = a->address[__builtin_ctz(rest)];
        const int slot = find_slot(run, address);

        if (slot < 0) {
            if (run->launch->sends_stores && !continues)
                note_sent(q, w);
            return;
        }
        const uint64_t first = address - run->first[slot];
        struct quantum_range *last = continues ? &q->range[q->range_count - 1] : NULL;

        q->digest += hash_mix(first * LANES + (uint64_t)slot);
        if (last && last->slot == slot && range_extend(last, first, a->bytes))
            continue;
        q->range =
            must_grow(q->range, q->range_count, &q->range_capacity, sizeof *q->range);
        q->range[q->range_count++] =
            (struct quantum_range){.first = first,
                                   .bytes = a->bytes,
                                   .issued = (uint32_t)execute_warp_issued(w),
                                   .count = 1,
                                   .slot = (uint8_t)slot,
                                   .continues = continues};
        continues = true;
    }
}
