/* SPDX-License-Identifier: Apache-2.0 */
/* Execution of a warp: the operations of one group in order, until all groups wait, have
   ended, or have used their slice. */
#include "execute/run/run_cluster.h"
#include "execute/run/run_matrix.h"
#include "execute/run/run_mbarrier.h"
#include "execute/run/run_texture.h"
#include "execute/warp/warp_memory.h"

#ifndef WARP_INTERPRET
#define WARP_INTERPRET interpret_v1
#endif

static inline uint32_t predicate(const struct execute_warp *w, const struct execute_op *op)
{
    const uint32_t *p = op_register(&w->registers, op->from[0]);

    return op->detail[0] ? ~*p : *p;
}

static struct cursor stop(struct execute_warp *w, enum warp_stop why)
{
    w->stop = why;
    return (struct cursor){NULL, 0};
}

/* Stops the warp before the operation; the next run performs it. */
static struct cursor stop_before(struct execute_warp *w, struct cursor c)
{
    groups_add(w, c.op - (c.op->detail[OP_GUARDED] ? 1 : 0), c.mask, GROUP_READY)
        ->is_armed = true;
    return stop(w, WARP_STRONG);
}

static struct cursor wait_remote(struct execute_warp *w, struct cursor c)
{
    groups_add(w, c.op + 1, c.mask, GROUP_REMOTE)->waiting = w->remote;
    w->remote = 0;
    return groups_take(w);
}

static struct cursor warp_blocked(struct execute_warp *w, struct cursor c,
                                  enum access_result why)
{
    switch (why) {
    case ACCESS_STRONG:
        return stop_before(w, c);
    case ACCESS_REMOTE:
        return wait_remote(w, c);
    default:
        return stop(w, WARP_FAULT);
    }
}

/* Lanes diverge: the lower position runs first. */
static struct cursor part(struct execute_warp *w, const struct execute_op *here,
                          uint32_t stay, const struct execute_op *there, uint32_t go)
{
    bool here_first = w->is_fair || here < there;

    groups_add(w, here_first ? there : here, here_first ? go : stay, GROUP_READY);
    return here_first ? (struct cursor){here, stay} : (struct cursor){there, go};
}

static inline struct cursor branch(struct execute_warp *w, struct cursor c)
{
    const struct execute_op *target = w->ops + c.op->extra;
    uint32_t go = predicate(w, c.op) & c.mask;

    if (go == c.mask)
        return (struct cursor){target, go};
    if (go == 0)
        return (struct cursor){c.op + 1, c.mask};
    return part(w, c.op + 1, c.mask & ~go, target, go);
}

/* Sends each lane of `active` to the operation in `to`; the other lanes stay. */
static struct cursor scatter(struct execute_warp *w, struct cursor c, uint32_t active,
                             const uint32_t *to)
{
    if (c.mask & ~active)
        groups_add(w, c.op + 1, c.mask & ~active, GROUP_READY);
    while (active) {
        uint32_t target = to[__builtin_ctz(active)], same = 0;

        for (unsigned l = 0; l < LANES; l++)
            same |= (uint32_t)(to[l] == target) << l;
        groups_add(w, w->ops + target, active & same, GROUP_READY);
        active &= ~same;
    }
    return groups_take(w);
}

static struct cursor branch_table(struct execute_warp *w, struct cursor c, uint32_t active)
{
    const struct jump_table *t = &w->grid->kernel->tables[c.op->extra];
    const uint32_t *index = op_register(&w->registers, c.op->from[0]);
    uint32_t to[LANES] = {0};

    for (uint32_t left = active; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);

        if (index[l] >= t->count) {
            warp_fault(w, c.op->line, l, "brx.idx to entry %u of %u", index[l], t->count);
            return stop(w, WARP_FAULT);
        }
        to[l] = t->targets[index[l]];
    }
    return scatter(w, c, active, to);
}

static struct cursor call(struct execute_warp *w, struct cursor c, uint32_t active)
{
    uint32_t *way_back = op_register(&w->registers, c.op->to);

    for (unsigned l = 0; l < LANES; l++)
        if (active >> l & 1)
            way_back[l] = place_of(w, c.op + 1);
    if (c.mask & ~active)
        groups_add(w, c.op + 1, c.mask & ~active, GROUP_READY);
    return (struct cursor){w->ops + c.op->extra, active};
}

static struct cursor leave(struct execute_warp *w, struct cursor c, uint32_t active)
{
    barrier_exit(w, active);
    if (c.mask & ~active)
        return (struct cursor){c.op + 1, c.mask & ~active};
    return groups_take(w);
}

/* Lanes with members that are elsewhere, or that are here with another mask. A function
   called by a complete warp and by a tile of it is one position. */
static uint32_t waiting(const uint32_t *member, uint32_t active, uint32_t elsewhere)
{
    uint32_t waits = 0;

    for (uint32_t left = active; left;) {
        uint32_t names = member[__builtin_ctz(left)], same = 0;

        for (unsigned l = 0; l < LANES; l++)
            same |= (uint32_t)(member[l] == names) << l;
        if (names & (elsewhere | (active & ~same)))
            waits |= active & same;
        left &= ~same;
    }
    return waits;
}

/* The hardware reports an illegal instruction for this (H100). */
static bool name_themselves(struct execute_warp *w, const struct execute_op *op,
                            const uint32_t *member, uint32_t active)
{
    for (unsigned l = 0; l < LANES; l++)
        if (active >> l & 1 && !(member[l] >> l & 1)) {
            warp_fault(w, op->line, l,
                       "lane %u gives mask 0x%08x, which does not contain the lane", l,
                       member[l]);
            return false;
        }
    return true;
}

/* Waits for the named lanes that are elsewhere, unless they cannot arrive. Lanes with a
   complete mask continue. */
static struct cursor converge(struct execute_warp *w, struct cursor c, uint32_t active)
{
    const uint32_t *member = op_register(&w->registers, c.op->from[0]);
    uint32_t waits = waiting(member, active, w->live & ~c.mask);

    if (!name_themselves(w, c.op, member, active))
        return stop(w, WARP_FAULT);
    if (!waits || w->is_forced || (waits == active && !w->group_count)) {
        w->is_forced = false;
        return (struct cursor){c.op + 1, c.mask};
    }
    const struct execute_op *at = c.op - (c.op->detail[OP_GUARDED] ? 1 : 0);
    uint32_t met = groups_meet(w, at);

    if (met) { /* together they may be complete */
        groups_add(w, at, c.mask | met, GROUP_READY);
        return groups_take(w);
    }
    if (waits == active)
        waits = c.mask;
    groups_add(w, at, waits, GROUP_CONVERGE);
    return waits == c.mask ? groups_take(w) : (struct cursor){c.op + 1, c.mask & ~waits};
}

/* Lanes wait whose cluster has not arrived; the others continue. */
static struct cursor wait_cluster(struct execute_warp *w, struct cursor c, uint32_t active)
{
    uint32_t waiting = 0;

    if (!cluster_wait(w, c.op, active, &waiting))
        return stop(w, WARP_FAULT);
    if (!waiting)
        return (struct cursor){c.op + 1, c.mask};
    groups_add(w, c.op + 1, waiting, GROUP_CLUSTER);
    if (c.mask & ~waiting)
        groups_add(w, c.op + 1, c.mask & ~waiting, GROUP_READY);
    return groups_take(w);
}

static struct cursor fence(struct execute_warp *w, struct cursor c, uint32_t active)
{
    const struct execute_host *host = w->grid->launch.host;
    enum execute_order order = c.op->detail[0];
    enum execute_scope scope = c.op->detail[1];

    if (scope != EXECUTE_CTA && !w->is_armed)
        return stop_before(w, c);
    w->is_armed = false;
    bulk_publish(w);
    w->remote = active;
    w->remote_op = c.op;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    enum execute_verdict verdict =
        host->fence(host->context, w, active, order, scope, c.op->line);

    if (verdict == EXECUTE_FAULT) {
        warp_fault(w, c.op->line, (unsigned)__builtin_ctz(active), "the fence was refused");
        return stop(w, WARP_FAULT);
    }
    if (verdict != EXECUTE_WAIT)
        w->remote = 0;
    return w->remote ? wait_remote(w, c) : (struct cursor){c.op + 1, c.mask};
}

static struct cursor read_clock(struct execute_warp *w, struct cursor c, uint32_t active)
{
    const struct execute_host *host = w->grid->launch.host;
    enum clock_kind kind = c.op->detail[0];
    uint64_t *wide = op_register(&w->registers, c.op->to), now;
    uint32_t *narrow = op_register(&w->registers, c.op->to);

    if (!w->is_armed)
        return stop_before(w, c);
    w->is_armed = false;
    now = kind >= TIMER_64 ? host->globaltimer(host->context, w)
                           : host->clock(host->context, w);
    if (kind == CLOCK_HIGH || kind == TIMER_HIGH)
        now >>= 32;
    else if (kind != CLOCK_64 && kind != TIMER_64)
        now = (uint32_t)now;
    for (unsigned l = 0; l < LANES; l++) {
        if (!(active >> l & 1))
            continue;
        if (c.op->detail[1] == 8)
            wide[l] = now;
        else
            narrow[l] = (uint32_t)now;
    }
    return (struct cursor){c.op + 1, c.mask};
}

static struct cursor fall_asleep(struct execute_warp *w, struct cursor c, uint32_t active)
{
    const uint32_t *ns = op_register(&w->registers, c.op->from[0]);

    groups_add(w, c.op + 1, c.mask, GROUP_ASLEEP)->detail = ns[__builtin_ctz(active)];
    return groups_take(w);
}

static struct cursor trap(struct execute_warp *w, struct cursor c, uint32_t active)
{
    if (c.op->code == CODE_ASSERT)
        print_assertion(w, c.op, active);
    else
        warp_fault(w, c.op->line, (unsigned)__builtin_ctz(active), "trap");
    return stop(w, WARP_FAULT);
}

/* Operations that leave the lanes' positions unchanged. Returns false after a fault. */
static bool perform(struct execute_warp *w, const struct execute_op *op, uint32_t active)
{
    switch (op->code) {
    case CODE_PROXY:
        bulk_order(w);
        return true;
    case CODE_CLUSTER_ARRIVE:
        return cluster_arrive(w, op, active);
    case CODE_MBARRIER:
        return mbarrier_run(w, op, active);
    case CODE_BULK_LOAD:
        return bulk_load(w, op, active);
    case CODE_PRINT:
        return print_lanes(w, op, active);
    case CODE_CHILD:
        return child_lanes(w, op, active);
    case CODE_HEAP:
        return heap_lanes(w, op, active);
    case CODE_MATRIX:
        return matrix_run(w, op, active);
    case CODE_TEXTURE:
        return texture_run(w, op, active);
    case CODE_COPY:
        memory_copy(w, op, active);
        return true;
    default:
        return stack_run(w, op, active);
    }
}

/* Infrequent operations. */
static struct cursor step(struct execute_warp *w, struct cursor c, uint32_t active)
{
    enum access_result result;

    switch (c.op->code) {
    case CODE_SKIP:
        return branch(w, c);
    case CODE_BRANCH_TABLE:
        return branch_table(w, c, active);
    case CODE_CALL:
        return call(w, c, active);
    case CODE_RETURN:
        return scatter(w, c, active, op_register(&w->registers, c.op->from[0]));
    case CODE_EXIT:
        return leave(w, c, active);
    case CODE_TRAP:
    case CODE_ASSERT:
        return trap(w, c, active);
    case CODE_BARRIER:
        if (barrier_arrive(w, c.op, c.mask, active))
            return (struct cursor){c.op + 1, c.mask};
        return w->cta->face.fault[0] ? stop(w, WARP_FAULT) : groups_take(w);
    case CODE_CONVERGE:
        return converge(w, c, active);
    case CODE_CLUSTER_WAIT:
        return wait_cluster(w, c, active);
    case CODE_FENCE:
        return fence(w, c, active);
    case CODE_BULK:
        result = bulk_step(w, c.op, active);
        if (result != ACCESS_DONE)
            return warp_blocked(w, c, result);
        break;
    case CODE_CLOCK:
        return read_clock(w, c, active);
    case CODE_SLEEP:
        return fall_asleep(w, c, active);
    case CODE_PROXY:
    case CODE_CLUSTER_ARRIVE:
    case CODE_MBARRIER:
    case CODE_BULK_LOAD:
    case CODE_PRINT:
    case CODE_CHILD:
    case CODE_HEAP:
    case CODE_ENTER:
    case CODE_PUSH:
    case CODE_POP:
    case CODE_ALLOCA:
    case CODE_RELEASE:
    case CODE_MATRIX:
    case CODE_TEXTURE:
    case CODE_COPY:
        if (!perform(w, c.op, active))
            return stop(w, WARP_FAULT);
        break;
    default:
        result = memory_other(w, c.op, active);
        if (result != ACCESS_DONE)
            return warp_blocked(w, c, result);
    }
    return (struct cursor){c.op + 1, c.mask};
}

/* The group has reached a block at or after which other lanes wait, or has used its
   slice. */
static struct cursor yield(struct execute_warp *w, struct cursor c)
{
    groups_add(w, c.op, c.mask, GROUP_READY);
    if (w->fuel > 0)
        return groups_take(w);
    return stop(w, WARP_SLICE);
}

enum warp_stop WARP_INTERPRET(struct execute_warp *w, uint64_t slice)
{
    const struct op_registers *registers = &w->registers;
    struct cursor c = groups_take(w);
    enum access_result result;
    uint32_t active = c.mask;

    w->fuel = (int64_t)slice;
    while (c.op) {
        switch (c.op->code) {
        case CODE_LANES:
            c.op->lanes(registers, c.op, active);
            c.op++;
            break;
        case CODE_GUARD:
            active &= predicate(w, c.op);
            if (active) {
                c.op++;
                continue; /* with the lanes that pass */
            }
            c.op += 2;
            break;
        case CODE_BLOCK:
            if (place_of(w, c.op) >= w->next_pc || w->fuel <= 0) {
                c = yield(w, c);
                break;
            }
            w->issued += c.op->extra;
            w->lanes += (uint64_t)c.op->extra *
                        (c.mask == ~0u ? LANES : (unsigned)__builtin_popcount(c.mask));
            w->stalls += c.op->to;
            w->fuel -= c.op->extra;
            c.op++;
            break;
        case CODE_GLOBAL:
            result = memory_global(w, c.op, active);
            if (result == ACCESS_DONE)
                c.op++;
            else
                c = warp_blocked(w, c, result);
            break;
        case CODE_SHARED:
            result = memory_shared(w, c.op, active);
            if (result == ACCESS_DONE)
                c.op++;
            else
                c = warp_blocked(w, c, result);
            break;
        case CODE_JUMP:
            c.op = w->ops + c.op->extra;
            break;
        case CODE_BRANCH:
            c = branch(w, c);
            break;
        default:
            c = step(w, c, active);
        }
        active = c.mask;
    }
    return w->stop;
}
