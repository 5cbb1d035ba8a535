/* SPDX-License-Identifier: Apache-2.0 */
/* Which registers and branches depend on memory, and on which instruction's read.

   A register with one definition that comes before all its uses depends on what that
   definition uses. Any other also depends on the branches that decide which definition is
   seen: those between the block that dominates all definitions and uses, and the
   definitions. What lies outside of that block decides only whether all of it happens,
   unless the register's content comes in from there. */
#include <stdlib.h>

#include "access/slice/slice.h"

struct join_finder {
    struct slice *s;
    uint32_t words;
    uint64_t *governs; /* by block: the branches that decide whether it runs, all the way */
    uint32_t (*pairs)[2];
    size_t count, capacity;
};

static void find_governing(struct join_finder *j)
{
    const struct slice *s = j->s;
    bool changed = true;

    while (changed) {
        changed = false;
        for (uint32_t b = 0; b < s->flow->block_count; b++)
            for (uint32_t n = s->controls.first[b]; n < s->controls.first[b + 1]; n++) {
                uint32_t by = s->controls.items[n];

                for (uint32_t w = 0; w < j->words; w++) {
                    uint64_t bits = j->governs[by * j->words + w];
                    uint64_t *to = &j->governs[b * j->words + w];

                    if (by / 64 == w)
                        bits |= (uint64_t)1 << by % 64;
                    changed |= (*to | bits) != *to;
                    *to |= bits;
                }
            }
    }
}

static uint32_t meet(const struct slice *s, uint32_t a, uint32_t b)
{
    while (!slice_dominates(s, a, b))
        a = (uint32_t)s->flow->blocks[a].dominator;
    return a;
}

static bool defined_once_before_uses(const struct slice *s, uint32_t reg)
{
    uint32_t first = s->definitions.first[reg];

    if (s->definitions.first[reg + 1] != first + 1)
        return false;
    uint32_t at = s->definitions.items[first], home = s->flow->block_of[at];

    if (s->f->instructions[at].guard >= 0)
        return false;
    for (uint32_t n = s->uses.first[reg]; n < s->uses.first[reg + 1]; n++) {
        uint32_t use = s->uses.items[n], block = s->flow->block_of[use];

        if (block == home ? use <= at : !slice_dominates(s, home, block))
            return false;
    }
    return true;
}

/* Blocks from which a definition can still be reached before control is at the end of
   `top` anew, which starts all over. */
static bool *before_definitions(const struct slice *s, uint32_t reg, uint32_t top)
{
    uint32_t count = s->flow->block_count, depth = 0;
    bool *before = must_calloc(count, sizeof *before);
    uint32_t *stack =
        must_calloc(count + s->definitions.first[reg + 1] - s->definitions.first[reg] + 1u,
                    sizeof *stack);

    for (uint32_t n = s->definitions.first[reg]; n < s->definitions.first[reg + 1]; n++) {
        uint32_t home = s->flow->block_of[s->definitions.items[n]];

        if (home != top)
            stack[depth++] = home;
    }
    while (depth) {
        const struct ptx_block *b = &s->flow->blocks[stack[--depth]];

        for (uint32_t n = 0; n < b->predecessor_count; n++) {
            uint32_t from = b->predecessors[n];

            if (before[from])
                continue;
            before[from] = true;
            if (from != top)
                stack[depth++] = from;
        }
    }
    free(stack);
    return before;
}

static bool governs(const struct join_finder *j, uint32_t branch, uint32_t reg)
{
    const struct slice *s = j->s;

    for (uint32_t n = s->definitions.first[reg]; n < s->definitions.first[reg + 1]; n++) {
        uint32_t home = s->flow->block_of[s->definitions.items[n]];

        if (j->governs[home * j->words + branch / 64] >> branch % 64 & 1)
            return true;
    }
    return false;
}

static void add_joins(struct join_finder *j, uint32_t reg, uint32_t top, bool above)
{
    const struct slice *s = j->s;
    bool *before = before_definitions(s, reg, top);

    for (uint32_t b = 0; b < s->flow->block_count; b++) {
        if (!governs(j, b, reg) || (!above && (!before[b] || !slice_dominates(s, top, b))))
            continue;
        j->pairs = must_grow(j->pairs, j->count, &j->capacity, sizeof *j->pairs);
        j->pairs[j->count][0] = reg;
        j->pairs[j->count++][1] = b;
    }
    free(before);
}

static void find_joins_of(struct join_finder *j, uint32_t reg)
{
    const struct slice *s = j->s;
    uint32_t definitions = s->definitions.first[reg], uses = s->uses.first[reg];
    uint32_t definitions_end = s->definitions.first[reg + 1];
    uint32_t uses_end = s->uses.first[reg + 1];
    bool above = false;

    if (definitions == definitions_end || uses == uses_end ||
        defined_once_before_uses(s, reg))
        return;
    uint32_t top = s->flow->block_of[s->definitions.items[definitions]];

    for (uint32_t n = definitions; n < definitions_end; n++)
        top = meet(s, top, s->flow->block_of[s->definitions.items[n]]);
    for (uint32_t n = uses; n < uses_end; n++)
        top = meet(s, top, s->flow->block_of[s->uses.items[n]]);
    for (uint32_t n = uses; n < uses_end && !above; n++)
        above = slice_reaching(s, reg, s->uses.items[n], top, NULL, NULL);
    add_joins(j, reg, top, above);
}

void slice_find_joins(struct slice *s)
{
    struct join_finder j = {.s = s, .words = s->flow->block_count / 64 + 1};

    j.governs = must_calloc((size_t)s->flow->block_count * j.words, sizeof *j.governs);
    find_governing(&j);
    for (uint32_t r = 0; r < s->registers; r++)
        find_joins_of(&j, r);
    s->joins = slice_list_make(s, s->registers, (const uint32_t(*)[2])j.pairs, j.count);
    free(j.pairs);
    free(j.governs);
}

struct spread {
    struct slice *s;
    uint32_t origin; /* instruction + 1 */
    bool changed;
};

static void take_origin(void *context, uint32_t reg)
{
    struct spread *p = context;

    if (!p->origin)
        p->origin = p->s->taint[reg];
}

static void give_origin(void *context, uint32_t reg)
{
    struct spread *p = context;

    if (p->s->taint[reg] || !p->origin)
        return;
    p->s->taint[reg] = p->origin;
    p->changed = true;
}

static void spread_branches(struct spread *p)
{
    struct slice *s = p->s;

    for (uint32_t b = 0; b < s->flow->block_count; b++) {
        if (!s->reached[b] || !slice_is_branch(s, b))
            continue;
        p->origin = 0;
        slice_visit_uses(s, slice_last(s, b), take_origin, p);
        s->branch_taint[b] = p->origin;
    }
    for (uint32_t r = 0; r < s->registers; r++)
        for (uint32_t n = s->joins.first[r]; n < s->joins.first[r + 1]; n++) {
            p->origin = s->branch_taint[s->joins.items[n]];
            give_origin(p, r);
        }
}

void slice_find_taint(struct slice *s)
{
    struct spread p = {.s = s, .changed = true};

    s->taint = arena_alloc(s->arena, s->registers * sizeof *s->taint);
    s->branch_taint = arena_alloc(s->arena, s->flow->block_count * sizeof *s->branch_taint);
    while (p.changed) {
        p.changed = false;
        for (uint32_t n = 0; n < s->f->instruction_count; n++) {
            const struct ptx_instruction *i = &s->f->instructions[n];

            if (!s->reached[s->flow->block_of[n]])
                continue;
            p.origin = slice_root(s, i) ? n + 1 : 0;
            slice_visit_uses(s, i, take_origin, &p);
            slice_visit_definitions(s, i, give_origin, &p);
        }
        spread_branches(&p);
    }
}
