/* SPDX-License-Identifier: Apache-2.0 */
/* Taint: definitions and branches that depend on memory, and the loading instruction. A use
   depends on the definitions that it sees and on the branches that select one. */
#include "access/slice/slice.h"

uint32_t slice_taint(const struct slice *s, uint32_t instruction, uint32_t reg)
{
    return s->view_taint[slice_view(s, instruction, reg)];
}

struct spread {
    struct slice *s;
    uint32_t at, origin; /* instructions; origin + 1 */
    bool changed;
};

static void take_origin(void *context, uint32_t reg)
{
    struct spread *p = context;

    if (!p->origin)
        p->origin = slice_taint(p->s, p->at, reg);
}

static void give_origin(void *context, uint32_t reg)
{
    struct spread *p = context;
    uint32_t definition = slice_definition(p->s, p->at, reg);

    if (p->s->taint[definition] || !p->origin)
        return;
    p->s->taint[definition] = p->origin;
    p->changed = true;
}

static bool may_run(const struct slice *s, uint32_t block)
{
    for (uint32_t c = s->controls.first[block]; c < s->controls.first[block + 1]; c++)
        if (s->branch_taint[s->controls.items[c]] || s->may_run[s->controls.items[c]])
            return true;
    return false;
}

static void spread_control(struct spread *p)
{
    struct slice *s = p->s;

    for (uint32_t b = 0; b < s->flow->block_count; b++)
        if (!s->may_run[b] && may_run(s, b))
            s->may_run[b] = p->changed = true;
}

static void spread_definitions(struct spread *p)
{
    struct slice *s = p->s;

    for (p->at = 0; p->at < s->f->instruction_count; p->at++) {
        const struct ptx_instruction *i = &s->f->instructions[p->at];

        if (!s->reached[s->flow->block_of[p->at]])
            continue;
        p->origin = slice_root(s, i) ||
                            (slice_is_exchange(i) && s->may_run[s->flow->block_of[p->at]])
                        ? p->at + 1
                        : 0;
        slice_visit_uses(s, i, take_origin, p);
        slice_visit_definitions(s, i, give_origin, p);
    }
}

static void spread_branches(struct spread *p)
{
    struct slice *s = p->s;

    for (uint32_t b = 0; b < s->flow->block_count; b++) {
        if (!s->reached[b] || !slice_is_branch(s, b) || s->branch_taint[b])
            continue;
        p->at = s->flow->blocks[b].first + s->flow->blocks[b].count - 1;
        p->origin = 0;
        slice_visit_uses(s, &s->f->instructions[p->at], take_origin, p);
        s->branch_taint[b] = p->origin;
        p->changed |= p->origin != 0;
    }
}

static void spread_views(struct spread *p)
{
    struct slice *s = p->s;

    for (uint32_t v = 0; v < s->view_count; v++) {
        uint32_t *to = &s->view_taint[v], before = *to;

        for (uint32_t n = s->reaching.first[v]; n < s->reaching.first[v + 1] && !*to; n++)
            *to = s->taint[s->reaching.items[n]];
        for (uint32_t n = s->joins.first[v]; n < s->joins.first[v + 1] && !*to; n++)
            *to = s->branch_taint[s->joins.items[n]];
        p->changed |= *to != before;
    }
}

void slice_find_taint(struct slice *s)
{
    struct spread p = {.s = s, .changed = true};

    s->taint =
        arena_alloc(s->arena, (s->definitions.first[s->registers] + 1) * sizeof *s->taint);
    s->view_taint = arena_alloc(s->arena, (s->view_count + 1) * sizeof *s->view_taint);
    s->branch_taint = arena_alloc(s->arena, s->flow->block_count * sizeof *s->branch_taint);
    s->may_run = arena_alloc(s->arena, s->flow->block_count * sizeof *s->may_run);
    while (p.changed) {
        p.changed = false;
        spread_definitions(&p);
        spread_branches(&p);
        spread_views(&p);
        spread_control(&p);
    }
}

/* Skips stored values, and guards that memory decides. */
void slice_visit_needed(const struct slice *s, uint32_t instruction, slice_visit *visit,
                        void *context)
{
    const struct ptx_instruction *i = &s->f->instructions[instruction];
    struct slice_writer w = slice_writer(s, i);

    if (!w.address) {
        slice_visit_uses(s, i, visit, context);
        return;
    }
    slice_visit_operand(w.address, visit, context);
    if (w.stride)
        slice_visit_operand(w.stride, visit, context);
    if (i->guard >= 0 && !slice_taint(s, instruction, (uint32_t)i->guard))
        visit(context, (uint32_t)i->guard);
}
