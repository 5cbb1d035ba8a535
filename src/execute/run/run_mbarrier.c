/* SPDX-License-Identifier: Apache-2.0 */
#include "execute/run/run_mbarrier.h"

#include "execute/run/run_cluster.h"

/* The 64 bits of an mbarrier, from the lowest: arrivals per phase, pending arrivals,
   pending bytes, and the phase. Pending bytes wrap if more bytes arrive than are expected
   so far. */
enum { FIELD_BITS = 21, PENDING_SHIFT = 21, BYTES_SHIFT = 42 };
static const uint64_t field = (1u << FIELD_BITS) - 1, phase_bit = UINT64_C(1) << 63;

static uint64_t get(uint64_t barrier, int shift)
{
    return barrier >> shift & field;
}

static uint64_t add(uint64_t barrier, int shift, uint64_t what)
{
    return (barrier & ~(field << shift)) | ((get(barrier, shift) + what) & field) << shift;
}

uint32_t mbarrier_pending(uint64_t state)
{
    return (uint32_t)get(state, PENDING_SHIFT);
}

/* Starts the next phase if nothing is pending. */
static uint64_t settle(uint64_t barrier)
{
    if (get(barrier, PENDING_SHIFT) || get(barrier, BYTES_SHIFT))
        return barrier;
    return add(barrier, PENDING_SHIFT, get(barrier, 0)) ^ phase_bit;
}

static uint64_t address_of(const struct execute_warp *w, const struct site *s,
                           unsigned lane)
{
    const void *base = op_register(&w->registers, s->base);

    return s->base_bytes == 8
               ? ((const uint64_t *)base)[lane] + (uint64_t)s->offset
               : (uint64_t)(((const uint32_t *)base)[lane] + (uint32_t)s->offset);
}

/* Location in shared memory, possibly of another CTA. NULL after a fault. */
static unsigned char *place_of_lane(struct execute_warp *w, const struct site *s,
                                    unsigned lane)
{
    struct region region = shared_region(w, 0);
    uint64_t at = address_of(w, s, lane);

    if (at >= EXECUTE_SHARED_WINDOW && at < EXECUTE_LOCAL_WINDOW)
        at -= EXECUTE_SHARED_WINDOW;
    if (w->grid->kernel->maps && !cluster_region(w, s, lane, at, 0, &region))
        return NULL;
    at -= region.start;
    return lane_allowed(w, &region, s, lane, at) ? region.memory + at : NULL;
}

static uint64_t act(enum mbarrier_kind kind, uint64_t barrier, uint64_t value)
{
    switch (kind) {
    case MBARRIER_INIT:
        return (value & field) | (value & field) << PENDING_SHIFT;
    case MBARRIER_ARRIVE:
        return settle(add(barrier, PENDING_SHIFT, 0 - value));
    case MBARRIER_EXPECT:
        return add(barrier, BYTES_SHIFT, value);
    case MBARRIER_ARRIVE_EXPECT:
        return settle(add(add(barrier, BYTES_SHIFT, value), PENDING_SHIFT, field));
    case MBARRIER_DROP:
        return settle(add(add(barrier, 0, 0 - value), PENDING_SHIFT, 0 - value));
    case MBARRIER_DROP_EXPECT:
        barrier = add(add(barrier, BYTES_SHIFT, value), 0, field);
        return settle(add(barrier, PENDING_SHIFT, field));
    case MBARRIER_COMPLETE:
        return settle(add(barrier, BYTES_SHIFT, 0 - value));
    default:
        return barrier;
    }
}

static bool is_over(enum mbarrier_kind kind, uint64_t barrier, uint64_t value)
{
    uint64_t phase = barrier >> 63;

    return phase != (kind == MBARRIER_TEST ? value >> 63 : value & 1);
}

bool mbarrier_run(struct execute_warp *w, const struct execute_op *op, uint32_t mask)
{
    const struct site *s = &w->sites[op->extra];
    enum mbarrier_kind kind = op->detail[0];
    const void *from = op_register(&w->registers, op->from[0]);

    for (; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);
        unsigned char *at = place_of_lane(w, s, lane);
        uint64_t value = kind == MBARRIER_TEST ? ((const uint64_t *)from)[lane]
                                               : ((const uint32_t *)from)[lane];
        uint64_t barrier;

        if (!at)
            return false;
        memcpy(&barrier, at, sizeof barrier);
        if (op->to != PLACE_NONE && kind >= MBARRIER_TEST) {
            uint32_t *yes = op_register(&w->registers, op->to), bit = 1u << lane;

            *yes = is_over(kind, barrier, value) ? *yes | bit : *yes & ~bit;
        } else if (op->to != PLACE_NONE) {
            ((uint64_t *)op_register(&w->registers, op->to))[lane] = barrier;
        }
        barrier = act(kind, barrier, value);
        memcpy(at, &barrier, sizeof barrier);
    }
    return true;
}

static bool load_one(struct execute_warp *w, const struct execute_op *op, unsigned lane,
                     uint32_t bytes)
{
    const struct site *s = &w->sites[op->extra];
    struct site to = s[0];
    uint64_t from =
        address_of(w, &s[1], lane) + (op->detail[0] ? EXECUTE_SHARED_WINDOW : 0);
    uint64_t barrier;
    unsigned char *at, *counter;

    to.access.bytes = bytes;
    if (bytes % 16 || from % 16) {
        warp_fault(w, op->line, lane,
                   "a bulk copy of %u bytes from 0x%llx: both are multiples of 16", bytes,
                   (unsigned long long)from);
        return false;
    }
    if (!(at = place_of_lane(w, &to, lane)) || !(counter = place_of_lane(w, &s[2], lane)))
        return false;
    for (uint32_t i = 0; i < bytes; i += 16)
        if (!memory_read(w, op->line, lane, from + i, 16, at + i))
            return false;
    memcpy(&barrier, counter, sizeof barrier);
    barrier = act(MBARRIER_COMPLETE, barrier, bytes);
    memcpy(counter, &barrier, sizeof barrier);
    return true;
}

bool bulk_load(struct execute_warp *w, const struct execute_op *op, uint32_t mask)
{
    const uint32_t *bytes = op_register(&w->registers, op->from[0]);

    for (; mask; mask &= mask - 1) {
        unsigned lane = (unsigned)__builtin_ctz(mask);

        if (!load_one(w, op, lane, bytes[lane]))
            return false;
    }
    return true;
}
