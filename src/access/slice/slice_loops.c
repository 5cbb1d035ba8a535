/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that store to the same bytes in each iteration (`for (k ...) c[i] += a[k] * b[k]`):
   one iteration gives the same writes. Values that vary between iterations may decide the
   trip count, at the only exit. They may decide nothing else in the slice, neither in the
   loop nor after it. */
#include <stdlib.h>

#include "access/slice/slice.h"

struct loop {
    struct slice *s;
    bool *in;            /* by block */
    bool *varies;        /* by definition of the loop: differs between iterations */
    uint32_t head, exit; /* exit: the block that leaves it */
    uint32_t at;         /* the examined instruction */
    bool found;
};

/* A view is invariant if all definitions come from outside, or are invariant and made in
   the same iteration. */
static bool view_varies(const struct loop *l, uint32_t view)
{
    const struct slice *s = l->s;
    const uint32_t here = s->flow->block_of[l->at];

    for (uint32_t n = s->reaching.first[view]; n < s->reaching.first[view + 1]; n++) {
        uint32_t definition = s->reaching.items[n], by = s->definitions.items[definition];
        uint32_t block = s->flow->block_of[by];

        if (l->in[block] &&
            (l->varies[definition] ||
             (block == here ? by >= l->at : !slice_dominates(s, block, here))))
            return true;
    }
    return false;
}

static void find_varying(void *context, uint32_t reg)
{
    struct loop *l = context;

    l->found |= view_varies(l, slice_view(l->s, l->at, reg));
}

/* Whether an operand of the instruction varies. The participants of an exchange may vary as
   well. */
static bool varies(struct loop *l, uint32_t at)
{
    l->at = at;
    l->found = slice_is_exchange(&l->s->f->instructions[at]);
    slice_visit_needed(l->s, at, find_varying, l);
    return l->found;
}

static void mark_varying(void *context, uint32_t reg)
{
    struct loop *l = context;

    l->varies[slice_definition(l->s, l->at, reg)] = true;
}

static void find_unvisited(void *context, uint32_t reg)
{
    struct loop *l = context;

    l->found |= !l->varies[slice_definition(l->s, l->at, reg)];
}

/* Whether a register that is used after the loop may hold a varying value. */
static void find_outside(void *context, uint32_t reg)
{
    struct loop *l = context;
    const struct slice *s = l->s;
    uint32_t view = slice_view(s, l->at, reg);

    for (uint32_t n = s->reaching.first[view]; n < s->reaching.first[view + 1]; n++)
        l->found |= l->varies[s->reaching.items[n]];
}

/* Finds the exit: the only edge out of the loop, by a branch of the slice. */
static bool find_exit(struct loop *l)
{
    const struct slice *s = l->s;
    uint32_t exits = 0;

    for (uint32_t b = 0; b < s->flow->block_count; b++) {
        const struct ptx_block *block = &s->flow->blocks[b];
        bool leaves =
            l->in[b] && (s->ends[b].target == SLICE_EXIT || s->ends[b].next == SLICE_EXIT);

        for (uint32_t n = 0; l->in[b] && n < block->successor_count; n++)
            leaves |= !l->in[block->successors[n]];
        exits += leaves;
        if (leaves)
            l->exit = b;
    }
    return exits == 1 && s->decides[l->exit] && !s->branch_taint[l->exit] &&
           !s->ends[l->exit].is_table;
}

static bool has_writer(const struct loop *l)
{
    for (uint32_t n = 0; n < l->s->site_count; n++)
        if (!l->s->repeated[n] && l->in[l->s->flow->block_of[l->s->site_at[n]]])
            return true;
    return false;
}

/* One pass over the loop's instructions; returns whether it found new varying ones. */
static bool spread(struct loop *l)
{
    const struct slice *s = l->s;
    bool more = false;

    for (uint32_t b = 0; b < s->flow->block_count; b++) {
        const struct ptx_block *block = &s->flow->blocks[b];

        for (uint32_t n = block->first; l->in[b] && n < block->first + block->count; n++) {
            if (!s->kept[n] || !varies(l, n))
                continue;
            l->found = false; /* now: a definition not yet marked */
            slice_visit_definitions(s, &s->f->instructions[n], find_unvisited, l);
            more |= l->found;
            slice_visit_definitions(s, &s->f->instructions[n], mark_varying, l);
        }
    }
    return more;
}

/* Whether the instruction decides the address of a store, or its execution, directly. */
static bool is_decisive(const struct loop *l, uint32_t at)
{
    const struct slice *s = l->s;
    uint32_t block = s->flow->block_of[at];

    if (slice_writer(s, &s->f->instructions[at]).address)
        return true;
    return slice_last(s, block) == &s->f->instructions[at] && slice_is_branch(s, block) &&
           block != l->exit;
}

static bool is_same(struct loop *l)
{
    const struct slice *s = l->s;

    while (spread(l))
        ;
    for (uint32_t n = 0; n < s->f->instruction_count; n++) {
        if (!s->kept[n])
            continue;
        if (l->in[s->flow->block_of[n]]) {
            if (is_decisive(l, n) && varies(l, n))
                return false;
            continue;
        }
        l->at = n;
        l->found = false;
        slice_visit_needed(s, n, find_outside, l);
        if (l->found)
            return false;
    }
    return true;
}

/* If the exit leads back to the head only, its branch decides nothing further. */
static void cut(const struct loop *l)
{
    struct slice *s = l->s;
    const struct ptx_block *exit = &s->flow->blocks[l->exit];

    s->cut[l->head] = s->released[l->exit] = true;
    for (uint32_t n = 0; n < exit->successor_count; n++)
        if (l->in[exit->successors[n]] && exit->successors[n] != l->head)
            s->released[l->exit] = false;
}

bool slice_cut_same_loops(struct slice *s)
{
    uint32_t blocks = s->flow->block_count,
             definitions = s->definitions.first[s->registers];
    struct loop l = {.s = s};
    bool any = false;

    for (l.head = 0; l.head < blocks; l.head++) {
        if (s->cut[l.head])
            continue;
        l.in = must_calloc(blocks, sizeof *l.in);
        l.varies = must_calloc(definitions + 1u, sizeof *l.varies);
        if (slice_loop_mark(s, l.head, l.in) && has_writer(&l) && find_exit(&l) &&
            is_same(&l)) {
            cut(&l);
            any = true;
        }
        free(l.in);
        free(l.varies);
    }
    return any;
}
