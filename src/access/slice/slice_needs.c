/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that decide where the kernel writes: a backward search from the addresses of
   its stores and from the branches that decide whether they execute. */
#include <stdlib.h>
#include <string.h>

#include "access/slice/slice.h"
#include "base/fail.h"

struct needs {
    struct slice *s;
    uint32_t *stack, depth; /* instructions of the slice whose operands are pending */
    uint32_t at;            /* the examined instruction */
    bool *wanted; /* by block: the branches that decide its execution are in the slice */
};

static void keep(struct needs *n, uint32_t instruction);

static void want_block(struct needs *n, uint32_t block)
{
    struct slice *s = n->s;

    if (n->wanted[block])
        return;
    n->wanted[block] = true;
    for (uint32_t c = s->controls.first[block]; c < s->controls.first[block + 1]; c++) {
        uint32_t by = s->controls.items[c];

        if (s->released[by])
            continue;
        s->decides[by] = true;
        if (s->branch_taint[by])
            want_block(n, by);
        else
            keep(n, s->flow->blocks[by].first + s->flow->blocks[by].count - 1);
    }
}

static void keep(struct needs *n, uint32_t instruction)
{
    if (n->s->kept[instruction])
        return;
    n->s->kept[instruction] = true;
    n->stack[n->depth++] = instruction;
}

static void keep_definitions(void *context, uint32_t reg)
{
    struct needs *n = context;
    const struct slice *s = n->s;
    uint32_t view = slice_view(s, n->at, reg);

    for (uint32_t d = s->reaching.first[view]; d < s->reaching.first[view + 1]; d++)
        keep(n, s->definitions.items[s->reaching.items[d]]);
}

static void follow(struct needs *n)
{
    while (n->depth) {
        n->at = n->stack[--n->depth];
        want_block(n, n->s->flow->block_of[n->at]);
        slice_visit_needed(n->s, n->at, keep_definitions, n);
    }
}

static enum proact_status check_writer(const struct slice *s, uint32_t at,
                                       const struct slice_writer *w,
                                       struct proact_error *err)
{
    const struct ptx_instruction *i = &s->f->instructions[at];

    if (w->refusal)
        return fail(err, PROACT_EREFUSED, "kernel '%s', %s:%u: %s", s->f->name,
                    s->module->name, i->line, w->refusal);
    uint32_t origin =
        w->address->reg >= 0 ? slice_taint(s, at, (uint32_t)w->address->reg) : 0;

    if (!origin && w->stride && w->stride->kind == PTX_REGISTER)
        origin = slice_taint(s, at, (uint32_t)w->stride->reg);
    if (!origin)
        return PROACT_OK;
    const struct ptx_instruction *from = &s->f->instructions[origin - 1];

    return fail(err, PROACT_EREFUSED,
                "kernel '%s', %s:%u: where it writes depends on what line %u %s",
                s->f->name, s->module->name, i->line, from->line, slice_verb(s, from));
}

static void note_site(struct slice *s, uint32_t at, uint32_t bytes)
{
    const struct ptx_instruction *i = &s->f->instructions[at];
    uint32_t block = s->flow->block_of[at];
    struct write_set_site *site = &s->sites[s->site_count];

    s->site_at[s->site_count++] = at;
    *site = (struct write_set_site){.line = i->line, .bytes = bytes};
    site->is_atomic = ptx_instruction_effect(i) != PTX_STORES;
    site->is_may =
        (i->guard >= 0 && slice_taint(s, at, (uint32_t)i->guard)) || s->may_run[block];
}

/* Loops with an exit that memory decides execute once: their content is the same in each
   iteration, otherwise it would depend on memory. */
static void cut_loops(struct slice *s, uint32_t branch, const bool *heads)
{
    int32_t after = s->flow->blocks[branch].post_dominator;

    for (uint32_t head = 0; head < s->flow->block_count; head++)
        if (heads[head] && slice_in_loop(s, head, branch) &&
            (after < 0 || !slice_in_loop(s, head, (uint32_t)after)))
            s->cut[head] = true;
}

/* Whether an edge leads back to a block that does not dominate its source. */
static bool is_irregular(const struct slice *s)
{
    uint32_t count = s->flow->block_count, depth = 0, done = 0, total = 0;
    uint32_t *waits = must_calloc(count, sizeof *waits);
    uint32_t *ready = must_calloc(count, sizeof *ready);

    for (uint32_t b = 0; b < count; b++) {
        const struct ptx_block *block = &s->flow->blocks[b];

        total += s->reached[b];
        for (uint32_t n = 0; n < block->predecessor_count; n++)
            waits[b] += s->reached[block->predecessors[n]] &&
                        !slice_dominates(s, b, block->predecessors[n]);
        if (s->reached[b] && !waits[b])
            ready[depth++] = b;
    }
    while (depth) {
        uint32_t from = ready[--depth];
        const struct ptx_block *block = &s->flow->blocks[from];

        done++;
        for (uint32_t n = 0; n < block->successor_count; n++)
            if (!slice_dominates(s, block->successors[n], from) &&
                !--waits[block->successors[n]])
                ready[depth++] = block->successors[n];
    }
    free(waits);
    free(ready);
    return done != total;
}

static bool *find_heads(const struct slice *s)
{
    bool *heads = must_calloc(s->flow->block_count, sizeof *heads);

    for (uint32_t b = 0; b < s->flow->block_count; b++)
        for (uint32_t n = 0; n < s->flow->blocks[b].predecessor_count; n++)
            heads[b] |= slice_dominates(s, b, s->flow->blocks[b].predecessors[n]);
    return heads;
}

static enum proact_status loosen(struct slice *s, struct proact_error *err)
{
    bool *heads = find_heads(s), irregular = is_irregular(s);
    enum proact_status status = PROACT_OK;

    for (uint32_t b = 0; b < s->flow->block_count && !status; b++) {
        if (!s->decides[b] || !s->branch_taint[b])
            continue;
        const struct ptx_instruction *i = slice_last(s, b);
        const struct ptx_instruction *from = &s->f->instructions[s->branch_taint[b] - 1];

        if (s->ends[b].is_table || irregular)
            status =
                fail(err, PROACT_EREFUSED,
                     "kernel '%s', %s:%u: which of many paths it takes to a store "
                     "depends on what line %u %s",
                     s->f->name, s->module->name, i->line, from->line, slice_verb(s, from));
        else
            cut_loops(s, b, heads);
    }
    free(heads);
    return status;
}

static enum proact_status find_writers(struct slice *s, struct proact_error *err)
{
    for (uint32_t at = 0; at < s->f->instruction_count; at++) {
        const struct ptx_instruction *i = &s->f->instructions[at];
        struct slice_writer w = slice_writer(s, i);
        enum proact_status status;

        if ((!w.address && !w.refusal) || !s->reached[s->flow->block_of[at]] ||
            (s->left_out && s->left_out[at]))
            continue;
        if ((status = check_writer(s, at, &w, err)))
            return status;
        note_site(s, at, w.bytes);
    }
    return PROACT_OK;
}

/* Computes the needs of all stores from scratch. */
static void find_needs(struct needs *n)
{
    struct slice *s = n->s;

    memset(s->kept, 0, s->f->instruction_count * sizeof *s->kept);
    memset(s->decides, 0, s->flow->block_count * sizeof *s->decides);
    memset(n->wanted, 0, s->flow->block_count * sizeof *n->wanted);
    for (uint32_t site = 0; site < s->site_count; site++)
        if (!s->repeated[site])
            keep(n, s->site_at[site]);
    follow(n);
}

/* Whether no instruction of the slice lies on this side before both sides of the branch
   meet. */
static bool is_idle(struct needs *n, uint32_t branch, int32_t way)
{
    const struct slice *s = n->s;
    const int32_t meeting = s->flow->blocks[branch].post_dominator;
    bool is = true;

    memset(n->wanted, 0, s->flow->block_count * sizeof *n->wanted);
    n->depth = 0;
    if (way >= 0 && way != meeting) {
        n->wanted[way] = true;
        n->stack[n->depth++] = (uint32_t)way;
    }
    while (n->depth && is) {
        const uint32_t at = n->stack[--n->depth];
        const struct ptx_block *b = &s->flow->blocks[at];

        is = at != branch;
        for (uint32_t k = 0; k < b->count && is; k++)
            is = !s->kept[b->first + k];
        for (uint32_t k = 0; k < b->successor_count; k++) {
            const uint32_t to = b->successors[k];

            if ((int32_t)to == meeting || n->wanted[to])
                continue;
            n->wanted[to] = true;
            n->stack[n->depth++] = to;
        }
    }
    return is;
}

static void find_idle(struct needs *n)
{
    struct slice *s = n->s;

    for (uint32_t b = 0; b < s->flow->block_count; b++)
        if (s->decides[b] && s->branch_taint[b] && !s->ends[b].is_table)
            s->idle[b] = (unsigned char)(is_idle(n, b, s->ends[b].target) |
                                         is_idle(n, b, s->ends[b].next) << 1);
}

enum proact_status slice_find_needs(struct slice *s, struct proact_error *err)
{
    uint32_t count = s->f->instruction_count, blocks = s->flow->block_count;
    struct needs n = {.s = s};

    s->kept = arena_alloc(s->arena, count * sizeof *s->kept);
    s->decides = arena_alloc(s->arena, blocks * sizeof *s->decides);
    s->cut = arena_alloc(s->arena, blocks * sizeof *s->cut);
    s->idle = arena_alloc(s->arena, blocks * sizeof *s->idle);
    s->released = arena_alloc(s->arena, blocks * sizeof *s->released);
    s->sites = arena_alloc(s->arena, count * sizeof *s->sites);
    s->site_at = arena_alloc(s->arena, count * sizeof *s->site_at);
    s->repeated = arena_alloc(s->arena, count * sizeof *s->repeated);
    n.stack = must_calloc(count, sizeof *n.stack);
    n.wanted = must_calloc(blocks, sizeof *n.wanted);
    enum proact_status status = find_writers(s, err);

    if (!status) {
        slice_find_repeats(s);
        find_needs(&n);
        status = loosen(s, err);
    }
    if (!status && !is_irregular(s))
        while (slice_cut_same_loops(s))
            find_needs(&n);
    if (!status)
        find_idle(&n);
    free(n.stack);
    free(n.wanted);
    return status;
}
