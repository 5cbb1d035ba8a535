/* SPDX-License-Identifier: Apache-2.0 */
#include "access/conditions/guards.h"
#include "access/address/trace.h"
#include "access/conditions/bits.h"
#include "access/values/resolve.h"
#include "base/memory.h"

#include <stdlib.h>

static const struct ptx_instruction *last_of(const struct study *s, uint32_t block)
{
    const struct ptx_block *b = &s->regions->flow->blocks[block];

    return &s->function->instructions[b->first + b->count - 1];
}

/* Cached guard of a predicate at an instruction, seen from a loop. All blocks of the loop
   see the same guard. */
struct guard_made {
    int32_t reg, loop;
    uint32_t generation;
    struct access_guard guard;
};

struct guards_kept {
    struct guard_made **made; /* by instruction: the last one, NULL: none */
    unsigned char *is_sure;   /* by block: 1 + whether its dominator leads to it, or 0 */
};

static struct guards_kept *kept_of(struct study *s)
{
    if (!s->guards) {
        s->guards = arena_alloc(s->arena, sizeof *s->guards);
        s->guards->made = arena_alloc(s->arena, (s->function->instruction_count + 1u) *
                                                    sizeof *s->guards->made);
        s->guards->is_sure = arena_alloc(s->arena, s->regions->flow->block_count + 1u);
    }
    return s->guards;
}

static void find_guard(struct study *s, uint32_t instruction, int32_t reg, uint32_t block,
                       struct access_guard *out)
{
    const struct access_condition unsure = {.kind = ACCESS_UNSURE};
    const struct access_condition *c = study_predicate(s, instruction, reg);
    const struct access_condition *of_bits = bits_predicate(s, instruction, reg, block);

    out->condition = of_bits ? of_bits : resolve_condition(s, c ? c : &unsure, block);
    out->negated = false;
    out->line = s->function->instructions[instruction].line;
    out->ranges = NULL;
    out->range_count = 0;
    struct trace t = trace_predicate(s, instruction, reg);

    if (!trace_ranges(s, &t, &out->ranges, &out->range_count))
        out->condition = resolve_condition(s, &unsure, block);
    trace_clear(&t);
}

void guards_of(struct study *s, uint32_t instruction, int32_t reg, bool negated,
               uint32_t block, struct access_guard *out)
{
    struct guard_made **made = &kept_of(s)->made[instruction];
    const int32_t loop = s->regions->loop_of[block];

    if (!*made)
        *made = arena_alloc(s->arena, sizeof **made);
    struct guard_made *g = *made;

    if (g->reg == reg && g->loop == loop && g->generation == s->generation &&
        !s->regions->irreducible) {
        *out = g->guard;
    } else {
        find_guard(s, instruction, reg, block, out);
        *g = (struct guard_made){reg, loop, s->generation, *out}; /* starts at 1 */
    }
    out->negated = negated;
}

static bool make_guard(struct study *s, uint32_t instruction, bool negated, uint32_t block,
                       struct access_guard *out)
{
    const struct ptx_instruction *i = &s->function->instructions[instruction];

    guards_of(s, instruction, i->guard, negated != i->guard_negated, block, out);
    return true;
}

bool guards_own(struct study *s, uint32_t instruction, struct access_guard *out)
{
    if (s->function->instructions[instruction].guard < 0)
        return false;
    return make_guard(s, instruction, false, s->regions->flow->block_of[instruction], out);
}

/* An asynchronous copy reads nothing if its size register is 0, or if its ignore-source
   predicate is true. */
bool guards_copy(struct study *s, uint32_t instruction, struct access_guard *out)
{
    const struct ptx_instruction *i = &s->function->instructions[instruction];
    const uint32_t block = s->regions->flow->block_of[instruction];
    const struct ptx_operand *o = i->operand_count > 3 ? &i->operands[3] : NULL;

    if (i->opcode != PTX_CP || ptx_has(i, PTX_PART_BULK) || !o || o->kind != PTX_REGISTER)
        return false;
    if (s->function->registers[o->reg].type == PTX_PART_PRED) {
        guards_of(s, instruction, o->reg, !o->negated, block, out);
        return true;
    }
    const struct access_condition *c = s->function->registers[o->reg].bytes == 4
                                           ? bits_condition(s, instruction, o->reg, block)
                                           : NULL;

    if (!c)
        return false;
    *out = (struct access_guard){.condition = c, .line = i->line};
    struct trace t = trace_open(s, true);

    trace_visit(s, &t, instruction, o);
    trace_finish(s, &t);
    const bool good = trace_ranges(s, &t, &out->ranges, &out->range_count);

    trace_clear(&t);
    return good;
}

/* Guard that the last branch of `above` gives to `below`, seen from `from`: the taken edge
   is the only entry of a block that dominates `below`. */
static bool guard_between(struct study *s, uint32_t above, uint32_t below, uint32_t from,
                          struct access_guard *out)
{
    const struct ptx_block *b = &s->regions->flow->blocks[above];
    const struct ptx_instruction *i = last_of(s, above);
    uint32_t at = b->first + b->count - 1;

    if (i->guard < 0 || s->regions->irreducible)
        return false;
    if (ptx_opcode_ends_thread(i->opcode))
        return make_guard(s, at, true, from, out);
    if (i->opcode != PTX_BRA || b->successor_count != 2)
        return false;
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t to = b->successors[k];

        if (regions_is_only_way(s->regions, above, to) &&
            regions_dominate(s->regions, to, below))
            return make_guard(s, at, k == 1, from, out);
    }
    return false;
}

bool guards_edge(struct study *s, uint32_t from, uint32_t to, struct access_guard *out)
{
    const struct ptx_block *b = &s->regions->flow->blocks[from];
    const struct ptx_instruction *i = last_of(s, from);
    const uint32_t at = b->first + b->count - 1;

    if (i->guard < 0)
        return false;
    if (ptx_opcode_ends_thread(i->opcode))
        return make_guard(s, at, true, from, out);
    if (i->opcode != PTX_BRA || b->successor_count != 2 ||
        b->successors[0] == b->successors[1])
        return false;
    return make_guard(s, at, b->successors[1] == to, from, out);
}

/* Whether exactly one edge of the branch of `above` leads to `below`, so that a guard
   describes it. */
static bool has_guard(const struct study *s, uint32_t above, uint32_t below)
{
    const struct ptx_block *b = &s->regions->flow->blocks[above];
    const struct ptx_instruction *i = last_of(s, above);

    if (i->guard < 0 || s->regions->irreducible)
        return false;
    if (ptx_opcode_ends_thread(i->opcode))
        return true;
    for (uint32_t k = 0; i->opcode == PTX_BRA && b->successor_count == 2 && k < 2; k++)
        if (regions_is_only_way(s->regions, above, b->successors[k]) &&
            regions_dominate(s->regions, b->successors[k], below))
            return true;
    return false;
}

static bool may_leave(const struct study *s, uint32_t block)
{
    const struct ptx_instruction *i = last_of(s, block);

    return !s->regions->flow->blocks[block].successor_count ||
           ptx_opcode_ends_thread(i->opcode);
}

/* Whether control always goes from `above` to `below`, which it dominates, before it
   returns to `above`. */
static bool find_way(const struct study *s, uint32_t above, uint32_t below)
{
    const struct ptx_flow *flow = s->regions->flow;
    uint32_t *stack = must_calloc(flow->block_count + 1u, sizeof *stack), depth = 0;
    bool *visited = must_calloc(flow->block_count, sizeof *visited), sure = true;

    stack[depth++] = above;
    while (depth && sure) {
        const struct ptx_block *b = &flow->blocks[stack[--depth]];

        sure = !may_leave(s, (uint32_t)(b - flow->blocks));
        for (uint32_t k = 0; k < b->successor_count && sure; k++) {
            uint32_t to = b->successors[k];

            sure = to == below || !regions_dominate(s->regions, to, above);
            if (to != below && !visited[to])
                stack[depth++] = to;
            visited[to] = true;
        }
    }
    free(stack), free(visited);
    return sure;
}

/* The same for a block and its dominator. */
static bool leads_to(struct study *s, uint32_t below)
{
    unsigned char *is = &kept_of(s)->is_sure[below];

    if (!*is)
        *is = 1 + find_way(s, (uint32_t)s->regions->flow->blocks[below].dominator, below);
    return *is == 2;
}

bool guards_decide(struct study *s, uint32_t block)
{
    const struct ptx_block *blocks = s->regions->flow->blocks;

    if (s->regions->irreducible)
        return false;
    for (int32_t d = blocks[block].dominator, below = (int32_t)block; d >= 0;
         below = d, d = blocks[d].dominator)
        if (!has_guard(s, (uint32_t)d, block) && !leads_to(s, (uint32_t)below))
            return false;
    return true;
}

static bool is_and(const struct access_condition *c, bool negated)
{
    return c->kind == (negated ? ACCESS_EITHER : ACCESS_BOTH);
}

/* Splits a conjunction into its parts; writes them to `out` unless that is NULL. Returns
   their number. */
static uint32_t take_apart(const struct access_guard *g, const struct access_condition *c,
                           bool negated, struct access_guard *out)
{
    uint32_t count;

    if (c->kind == ACCESS_UNLESS)
        return take_apart(g, c->first, !negated, out);
    if (is_and(c, negated)) {
        count = take_apart(g, c->first, negated, out);
        return count + take_apart(g, c->second, negated, out ? out + count : NULL);
    }
    if (out) {
        *out = *g;
        out->condition = c;
        out->negated = negated;
        out->is_part = true;
    }
    return 1;
}

static bool has_or(const struct access_condition *c, bool negated)
{
    if (c->kind == ACCESS_UNLESS)
        return has_or(c->first, !negated);
    if (is_and(c, negated))
        return has_or(c->first, negated) || has_or(c->second, negated);
    return c->kind == (negated ? ACCESS_BOTH : ACCESS_EITHER);
}

struct access_guard *guards_apart(struct study *s, struct access_guard *guards,
                                  uint32_t *count)
{
    enum { PARTS_MAX = 16 };
    struct access_guard *out;
    uint32_t all = 0, n = 0;

    for (uint32_t i = 0; i < *count; i++)
        all += has_or(guards[i].condition, guards[i].negated)
                   ? take_apart(&guards[i], guards[i].condition, guards[i].negated, NULL)
                   : 1;
    if (all == *count || all > *count + PARTS_MAX)
        return guards;
    out = arena_alloc(s->arena, all * sizeof *out);
    for (uint32_t i = 0; i < *count; i++)
        if (has_or(guards[i].condition, guards[i].negated))
            n += take_apart(&guards[i], guards[i].condition, guards[i].negated, &out[n]);
        else
            out[n++] = guards[i];
    *count = all;
    return out;
}

struct access_guard *guards_above(struct study *s, uint32_t block, uint32_t *count)
{
    const struct ptx_block *blocks = s->regions->flow->blocks;
    uint32_t depth = 0, n = 0;
    struct access_guard *guards;

    for (int32_t d = blocks[block].dominator; d >= 0; d = blocks[d].dominator)
        depth++;
    guards = arena_alloc(s->arena, (depth + GUARDS_OWN) * sizeof *guards);
    for (int32_t d = blocks[block].dominator; d >= 0; d = blocks[d].dominator)
        n += guard_between(s, (uint32_t)d, block, block, &guards[n]);
    for (uint32_t i = 0; i < n / 2; i++) {
        struct access_guard swap = guards[i];

        guards[i] = guards[n - 1 - i];
        guards[n - 1 - i] = swap;
    }
    *count = n;
    return guards;
}

/* The only source of back edges; -1: several. */
static int32_t latch_of(const struct regions *r, const struct region_loop *l)
{
    const struct ptx_block *h = &r->flow->blocks[l->header];
    int32_t latch = -1;

    for (uint32_t i = 0; i < h->predecessor_count; i++) {
        if (!l->contains[h->predecessors[i]])
            continue;
        if (latch >= 0)
            return -1;
        latch = (int32_t)h->predecessors[i];
    }
    return latch;
}

static bool is_usable(const struct access_guard *g)
{
    return g->condition && g->condition->kind == ACCESS_COMPARE;
}

/* Whether control can leave the loop only from `block`. */
static bool is_only_exit(const struct study *s, const struct region_loop *l, uint32_t block)
{
    const struct ptx_flow *flow = s->regions->flow;

    for (uint32_t b = 0; b < flow->block_count; b++) {
        bool leaves = l->contains[b] && may_leave(s, b);

        for (uint32_t k = 0; l->contains[b] && k < flow->blocks[b].successor_count; k++)
            leaves |= !l->contains[flow->blocks[b].successors[k]];
        if (leaves && b != block)
            return false;
    }
    return true;
}

/* Condition of the back edge itself, else of an inner branch that leads to it. */
static void find_repeats(struct study *s, const struct region_loop *l,
                         struct access_loop *out)
{
    int32_t latch = latch_of(s->regions, l), d = latch;
    struct access_guard g = {0};

    if (latch < 0)
        return;
    const struct ptx_block *b = &s->regions->flow->blocks[latch];
    const struct ptx_instruction *i = last_of(s, (uint32_t)latch);

    if (i->opcode == PTX_BRA && i->guard >= 0 && b->successor_count == 2)
        make_guard(s, b->first + b->count - 1, b->successors[0] != l->header,
                   (uint32_t)latch, &g);
    while (!is_usable(&g) && d != (int32_t)l->header) {
        d = s->regions->flow->blocks[d].dominator;
        if (!guard_between(s, (uint32_t)d, (uint32_t)latch, (uint32_t)latch, &g))
            g.condition = NULL;
    }
    if (!is_usable(&g))
        return;
    out->repeats = g;
    out->repeats_decide = is_only_exit(s, l, (uint32_t)d);
}

/* Last block that all paths to a back edge pass. */
static int32_t meeting_of(const struct regions *r, const struct region_loop *l)
{
    const struct ptx_block *h = &r->flow->blocks[l->header];
    int32_t at = -1;

    for (uint32_t i = 0; i < h->predecessor_count; i++) {
        uint32_t latch = h->predecessors[i];

        if (!l->contains[latch])
            continue;
        if (at < 0)
            at = (int32_t)latch;
        while (!regions_dominate(r, (uint32_t)at, latch))
            at = r->flow->blocks[at].dominator;
    }
    return at;
}

/* Inner branches that lead to another iteration, and the condition of a single back
   edge. */
static void find_stays(struct study *s, const struct region_loop *l,
                       struct access_loop *out)
{
    const struct regions *r = s->regions;
    int32_t meeting = meeting_of(r, l), latch = latch_of(r, l), d;
    uint32_t depth = 2;

    for (d = meeting; d >= 0 && d != (int32_t)l->header; d = r->flow->blocks[d].dominator)
        depth++;
    out->stays = arena_alloc(s->arena, depth * sizeof *out->stays);
    if (meeting < 0)
        return;
    const struct ptx_block *b = &r->flow->blocks[meeting];
    const struct ptx_instruction *i = last_of(s, (uint32_t)meeting);

    if (latch >= 0 && i->opcode == PTX_BRA && i->guard >= 0 && b->successor_count == 2)
        out->stay_count +=
            make_guard(s, b->first + b->count - 1, b->successors[0] != l->header,
                       (uint32_t)meeting, &out->stays[0]);
    for (d = meeting; d != (int32_t)l->header;) {
        d = r->flow->blocks[d].dominator;
        out->stay_count += guard_between(s, (uint32_t)d, (uint32_t)meeting,
                                         (uint32_t)meeting, &out->stays[out->stay_count]);
    }
}

void guards_make_loops(struct study *s)
{
    struct access_analysis *a = s->analysis;
    const struct regions *r = s->regions;

    a->loop_count = r->loop_count;
    a->loops = arena_alloc(s->arena, r->loop_count * sizeof *a->loops);
    for (uint32_t l = 0; l < r->loop_count; l++) {
        uint32_t first = r->flow->blocks[r->loops[l].header].first;

        a->loops[l].header = first;
        a->loops[l].line = s->function->instructions[first].line;
        a->loops[l].parent = r->loops[l].parent;
        a->loops[l].guards = guards_above(s, r->loops[l].header, &a->loops[l].guard_count);
        a->loops[l].guards_decide = guards_decide(s, r->loops[l].header);
        if (r->irreducible)
            continue;
        find_repeats(s, &r->loops[l], &a->loops[l]);
        find_stays(s, &r->loops[l], &a->loops[l]);
    }
}
