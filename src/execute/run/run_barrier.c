/* SPDX-License-Identifier: Apache-2.0 */
#include "execute/run/run_cluster.h"

/* Writes the result of bar.red to the waiting lanes, using the operation before their
   position. */
static void give_result(struct execute_warp *w, const struct group *g,
                        const struct barrier *b)
{
    const struct execute_op *op = &w->ops[g->pc - 1];
    uint32_t *to;

    if (op->to == PLACE_NONE)
        return;
    to = op_register(&w->registers, op->to);
    if (op->detail[0] == BARRIER_POPC) {
        for (unsigned l = 0; l < LANES; l++)
            if (g->mask >> l & 1)
                to[l] = b->yes;
    } else {
        bool is_true = op->detail[0] == BARRIER_AND ? b->yes == b->votes : b->yes != 0;

        *to = (*to & ~g->mask) | (is_true ? g->mask : 0);
    }
}

/* `last`: the warp that completes the barrier. A barrier of all threads ends the pass, so
   that no warp is ahead of the others. */
static void release(struct execute_warp *last, uint32_t id)
{
    struct cta *c = last->cta;
    struct barrier *b = &c->barriers[id];
    const bool is_common = !b->expected || b->expected >= c->live_threads;
    const struct execute_host *host = c->face.grid->launch.host;

    for (uint32_t k = 0; k < c->face.warp_count; k++) {
        struct execute_warp *w = &c->warps[k];

        for (uint32_t n = 0; n < w->group_count; n++) {
            struct group *g = &w->groups[n];

            if (g->state != GROUP_BARRIER || g->detail != id)
                continue;
            give_result(w, g, b);
            groups_wake(w, n);
        }
    }
    *b = (struct barrier){0, 0, 0, 0};
    c->waited_for &= ~(1u << id);
    c->face.barriers++;
    if (is_common && c->face.warp_count > 1) {
        c->ends_pass = true;
        last->fuel = 0;
    }
    bulk_meet(c);
    if (host->barrier)
        host->barrier(host->context, &c->face);
}

static bool is_complete(const struct cta *c, const struct barrier *b)
{
    return b->arrived >= (b->expected ? b->expected : c->live_threads);
}

static uint32_t operand(const struct execute_warp *w, op_place place, uint32_t active)
{
    const uint32_t *from = op_register(&w->registers, place);

    return from[__builtin_ctz(active)];
}

bool barrier_arrive(struct execute_warp *w, const struct execute_op *op, uint32_t mask,
                    uint32_t active)
{
    struct cta *c = w->cta;
    uint32_t id = operand(w, op->from[0], active), expected = 0;
    unsigned lane = (unsigned)__builtin_ctz(active);

    if (op->from[1] != PLACE_NONE)
        expected = operand(w, op->from[1], active);
    if (id >= BARRIERS || expected % LANES) {
        warp_fault(w, op->line, lane,
                   "barrier %u for %u threads: there are %d, for whole warps", id, expected,
                   BARRIERS);
        return false;
    }
    struct barrier *b = &c->barriers[id];

    b->expected = expected;
    b->arrived += (uint32_t)__builtin_popcount(active);
    c->waited_for |= 1u << id;
    if (op->from[2] != PLACE_NONE) {
        const uint32_t *vote = op_register(&w->registers, op->from[2]);

        b->yes += (uint32_t)__builtin_popcount(*vote & active);
        b->votes += (uint32_t)__builtin_popcount(active);
    }
    bool waits = op->detail[0] != BARRIER_ARRIVE;

    if (waits) {
        groups_add(w, op + 1, active, GROUP_BARRIER)->detail = id;
        if (mask & ~active)
            groups_add(w, op + 1, mask & ~active, GROUP_READY);
    }
    if (is_complete(c, b))
        release(w, id);
    return !waits;
}

void barrier_exit(struct execute_warp *w, uint32_t lanes)
{
    struct cta *c = w->cta;

    w->live &= ~lanes;
    c->live_threads -= (uint32_t)__builtin_popcount(lanes);
    c->face.live_warps -= w->live == 0;
    for (uint32_t id = 0; c->waited_for && id < BARRIERS; id++) {
        const struct barrier *b = &c->barriers[id];

        if (b->arrived && !b->expected && is_complete(c, b))
            release(w, id);
    }
    cluster_exit(w, lanes);
}
