/* SPDX-License-Identifier: Apache-2.0 */
/* Positions of lanes. The group at the lowest position runs first, so that diverged lanes
   reconverge at the end of the divergent code. This includes lanes that wait there for the
   memory of another device. */
#include <assert.h>

#include "execute/run/run.h"

struct group *groups_add(struct execute_warp *w, const struct execute_op *at, uint32_t mask,
                         enum group_state state)
{
    assert(w->group_count < LANES);
    struct group *g = &w->groups[w->group_count++];

    *g = (struct group){
        .pc = place_of(w, at), .mask = mask, .state = state, .ran = w->added++};
    if ((state == GROUP_READY || state == GROUP_REMOTE) && !w->is_fair &&
        g->pc < w->next_pc)
        w->next_pc = g->pc;
    return g;
}

bool groups_any(const struct execute_warp *w, enum group_state state)
{
    for (uint32_t n = 0; n < w->group_count; n++)
        if (w->groups[n].state == state)
            return true;
    return false;
}

/* Lanes that wait for others of their warp continue without them once none of the others
   can move. */
static bool may_force(const struct execute_warp *w)
{
    return groups_any(w, GROUP_CONVERGE) && !groups_any(w, GROUP_REMOTE) &&
           !groups_any(w, GROUP_ASLEEP);
}

void groups_wake(struct execute_warp *w, uint32_t n)
{
    w->groups[n].state = GROUP_READY;
}

/* Groups may merge only where no later operation uses state computed for a smaller group:
   at the start of a block, or where lanes wait for each other. */
static bool may_join(const struct execute_warp *w, uint32_t pc)
{
    const struct execute_op *op = &w->ops[pc];

    return op->code == CODE_BLOCK || op->code == CODE_CONVERGE ||
           (op->code == CODE_GUARD && op[1].code == CODE_CONVERGE) ||
           (pc > 0 && (op[-1].code == CODE_BARRIER || op[-1].code == CODE_CLUSTER_WAIT));
}

/* The first group in that state: the lowest, or by turns. -1: none. */
static int choose(const struct execute_warp *w, enum group_state state)
{
    int best = -1;

    for (uint32_t n = 0; n < w->group_count; n++) {
        const struct group *g = &w->groups[n];

        if (g->state != state)
            continue;
        const struct group *b = best < 0 ? g : &w->groups[best];

        if (best < 0 || (w->is_fair ? g->ran < b->ran : g->pc < b->pc))
            best = (int)n;
    }
    return best;
}

/* The ready group to run next. None if lanes at or before its position wait for the host,
   unless groups run by turns. */
static int choose_ready(const struct execute_warp *w)
{
    int best = choose(w, GROUP_READY), remote = choose(w, GROUP_REMOTE);

    return best >= 0 && remote >= 0 && !w->is_fair &&
                   w->groups[remote].pc <= w->groups[best].pc
               ? -1
               : best;
}

bool groups_can_run(const struct execute_warp *w)
{
    return choose_ready(w) >= 0 || may_force(w);
}

static struct group remove_group(struct execute_warp *w, uint32_t n)
{
    struct group g = w->groups[n];

    w->groups[n] = w->groups[--w->group_count];
    return g;
}

uint32_t groups_meet(struct execute_warp *w, const struct execute_op *at)
{
    const uint32_t pc = place_of(w, at);
    uint32_t met = 0;

    for (uint32_t n = w->group_count; n-- > 0;)
        if (w->groups[n].state == GROUP_CONVERGE && w->groups[n].pc == pc)
            met |= remove_group(w, n).mask;
    return met;
}

struct cursor groups_take(struct execute_warp *w)
{
    int best = choose_ready(w);

    w->is_forced = false;
    w->next_pc = NEVER;
    if (best < 0 && may_force(w)) {
        best = choose(w, GROUP_CONVERGE);
        w->is_forced = true;
    }
    if (best < 0) {
        w->stop = w->live ? WARP_BLOCKED : WARP_ENDED;
        return (struct cursor){NULL, 0};
    }
    struct group g = remove_group(w, (uint32_t)best);
    bool joins = may_join(w, g.pc);

    for (uint32_t n = 0; n < w->group_count;) {
        const struct group *other = &w->groups[n];
        bool is_ready = other->state == GROUP_READY || other->state == GROUP_CONVERGE;

        if (joins && is_ready && other->pc == g.pc) {
            g.mask |= other->mask;
            g.is_armed |= other->is_armed;
            remove_group(w, n);
            continue;
        }
        bool is_met = other->state == GROUP_READY || other->state == GROUP_REMOTE;

        if (is_met && !w->is_fair && other->pc < w->next_pc)
            w->next_pc = other->pc;
        n++;
    }
    w->is_armed = g.is_armed;
    return (struct cursor){&w->ops[g.pc], g.mask};
}
