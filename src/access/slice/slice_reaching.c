/* SPDX-License-Identifier: Apache-2.0 */
/* Views: the definitions of a register that a use can see, and the branches that select
   one.

   A definition that precedes all uses is the only one. With several definitions, the
   relevant branches lie between these and the block that dominates the use and all of them.
   A branch outside that block decides only whether everything executes, unless the
   register's value comes from there. A definition that the use cannot see has another
   register in the slice (slice_names.c). */
#include <stdlib.h>
#include <string.h>

#include "access/slice/slice.h"

struct pairs {
    uint32_t (*items)[2];
    size_t count, capacity;
};

struct finder {
    struct slice *s;
    uint32_t words;
    uint64_t *governs;     /* by block: set of branches that decide its execution */
    uint64_t *of_reaching; /* branches that decide whether visible definitions execute */
    struct pairs definitions, branches; /* by view */
};

static void add_pair(struct pairs *p, uint32_t view, uint32_t item)
{
    p->items = must_grow(p->items, p->count, &p->capacity, sizeof *p->items);
    p->items[p->count][0] = view;
    p->items[p->count++][1] = item;
}

static void find_governing(struct finder *f)
{
    const struct slice *s = f->s;
    bool changed = true;

    while (changed) {
        changed = false;
        for (uint32_t b = 0; b < s->flow->block_count; b++)
            for (uint32_t n = s->controls.first[b]; n < s->controls.first[b + 1]; n++) {
                uint32_t by = s->controls.items[n];

                for (uint32_t w = 0; w < f->words; w++) {
                    uint64_t bits = f->governs[by * f->words + w];
                    uint64_t *to = &f->governs[b * f->words + w];

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

static uint32_t home_of(const struct slice *s, uint32_t definition)
{
    return s->flow->block_of[s->definitions.items[definition]];
}

/* The register's first definition at instruction `end` or later, by binary search: long
   kernels define a register thousands of times. */
static uint32_t definitions_before(const struct slice *s, uint32_t reg, uint32_t end)
{
    uint32_t low = s->definitions.first[reg], high = s->definitions.first[reg + 1];

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (s->definitions.items[middle] < end)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Collects the definitions in a block before instruction `end` that are visible at its end.
   Returns whether the incoming value is visible too. */
static bool reaching_after(struct finder *f, uint32_t reg, uint32_t block, uint32_t end)
{
    const struct slice *s = f->s;
    uint32_t n = definitions_before(s, reg, end);

    while (n-- > s->definitions.first[reg]) {
        uint32_t at = s->definitions.items[n];

        if (s->flow->block_of[at] != block)
            break;
        add_pair(&f->definitions, s->view_count, n);
        if (s->f->instructions[at].guard < 0)
            return false;
    }
    return true;
}

/* Walks backward from `use` and collects the visible definitions. `above` marks the blocks
   whose incoming value is visible. */
static void look_back(struct finder *f, uint32_t reg, uint32_t use, bool *above)
{
    const struct slice *s = f->s;
    const struct ptx_flow *flow = s->flow;
    uint32_t *stack = must_calloc(flow->block_count + 1u, sizeof *stack), depth = 0;
    bool *visited = must_calloc(flow->block_count, sizeof *visited);
    uint32_t block = flow->block_of[use], end = use;

    /* The block of the use may occur twice: up to the use, and completely, around a
       loop. */
    for (;;) {
        if (reaching_after(f, reg, block, end)) {
            above[block] = true;
            for (uint32_t n = 0; n < flow->blocks[block].predecessor_count; n++) {
                uint32_t from = flow->blocks[block].predecessors[n];

                if (s->reached[from] && !visited[from])
                    stack[depth++] = from;
                visited[from] = true;
            }
        }
        if (!depth)
            break;
        block = stack[--depth];
        end = flow->blocks[block].first + flow->blocks[block].count;
    }
    free(stack);
    free(visited);
}

/* Blocks from which a visible definition can still be reached before control returns to the
   end of `top`, where the selection starts again. */
static bool *before_reaching(const struct finder *f, size_t first, uint32_t top)
{
    const struct slice *s = f->s;
    uint32_t count = s->flow->block_count, depth = 0;
    bool *before = must_calloc(count, sizeof *before);
    uint32_t *stack = must_calloc(count + f->definitions.count - first + 1, sizeof *stack);

    for (size_t n = first; n < f->definitions.count; n++) {
        uint32_t home = home_of(s, f->definitions.items[n][1]);

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

/* Marks the blocks from which `block` can be reached, or those that it can reach. */
static bool *connected_blocks(const struct slice *s, uint32_t block, bool forward)
{
    uint32_t *stack = must_calloc(s->flow->block_count, sizeof *stack), depth = 0;
    bool *marked = must_calloc(s->flow->block_count, sizeof *marked);

    marked[block] = true;
    stack[depth++] = block;
    while (depth) {
        const struct ptx_block *b = &s->flow->blocks[stack[--depth]];
        uint32_t count = forward ? b->successor_count : b->predecessor_count;

        for (uint32_t n = 0; n < count; n++) {
            uint32_t next = forward ? b->successors[n] : b->predecessors[n];

            if (!marked[next])
                stack[depth++] = next;
            marked[next] = true;
        }
    }
    free(stack);
    return marked;
}

/* Whether each execution of a use has taken the same arm of a branch: the other arm is
   empty and leads neither to the use nor, past it, back to the branch. An arm with
   instructions does not count, because the slice executes both arms with the same
   registers. */
static bool is_forced(const struct slice *s, uint32_t branch, const bool *before_use,
                      const bool *after_use)
{
    const struct ptx_block *b = &s->flow->blocks[branch];

    if (after_use[branch] || b->successor_count != 2)
        return false;
    uint32_t other = b->successors[before_use[b->successors[0]]];

    return !before_use[other] && (int32_t)other == b->post_dominator;
}

/* Removes the branches from `first` on that cannot select a definition for the use. */
static void remove_forced(struct finder *f, size_t first, uint32_t use)
{
    const struct slice *s = f->s;
    uint32_t block = s->flow->block_of[use];
    size_t kept = first;

    if (f->branches.count == first)
        return;
    bool *before = connected_blocks(s, block, false);
    bool *after = connected_blocks(s, block, true);

    for (size_t n = first; n < f->branches.count; n++) {
        uint32_t branch = f->branches.items[n][1];

        if (is_forced(s, branch, before, after))
            continue;
        f->branches.items[kept][0] = f->branches.items[n][0];
        f->branches.items[kept++][1] = branch;
    }
    f->branches.count = kept;
    free(before);
    free(after);
}

/* The branch whose arms both define the same value; SLICE_NONE if there is none. */
static int32_t redundant_branch(const struct finder *f, size_t first)
{
    const struct slice *s = f->s;

    if (f->definitions.count != first + 2)
        return SLICE_NONE;
    return slice_redundant_branch(s, s->definitions.items[f->definitions.items[first][1]],
                                  s->definitions.items[f->definitions.items[first + 1][1]]);
}

/* Branches that select between the definitions from `first` on. */
static void find_branches(struct finder *f, size_t first, uint32_t use, const bool *above)
{
    const struct slice *s = f->s;
    uint32_t top = s->flow->block_of[use];

    memset(f->of_reaching, 0, f->words * sizeof *f->of_reaching);
    for (size_t n = first; n < f->definitions.count; n++) {
        uint32_t home = home_of(s, f->definitions.items[n][1]);

        top = meet(s, top, home);
        for (uint32_t w = 0; w < f->words; w++)
            f->of_reaching[w] |= f->governs[home * f->words + w];
    }
    size_t selecting = f->branches.count;
    bool *before = before_reaching(f, first, top);
    const int32_t redundant = redundant_branch(f, first);

    for (uint32_t b = 0; b < s->flow->block_count; b++)
        if ((int32_t)b != redundant && f->of_reaching[b / 64] >> b % 64 & 1 &&
            (above[top] || (before[b] && slice_dominates(s, top, b))))
            add_pair(&f->branches, s->view_count, b);
    remove_forced(f, selecting, use);
    free(before);
}

static bool is_of_block(const struct finder *f, size_t first, uint32_t block)
{
    return f->definitions.count == first + 1 &&
           home_of(f->s, f->definitions.items[first][1]) == block;
}

static void add_all_branches(struct finder *f)
{
    for (uint32_t b = 0; b < f->s->flow->block_count; b++)
        add_pair(&f->branches, f->s->view_count, b);
}

static void add_view(struct finder *f, uint32_t reg, uint32_t use)
{
    struct slice *s = f->s;
    bool *above = must_calloc(s->flow->block_count, sizeof *above);
    size_t first = f->definitions.count;

    look_back(f, reg, use, above);
    if (reg == s->registers - 1 && !is_of_block(f, first, s->flow->block_of[use]))
        add_all_branches(f); /* there is only one carry flag */
    else if (f->definitions.count > first)
        find_branches(f, first, use, above);
    free(above);
    s->view_count++;
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

/* Whether the use sees the same definitions as the previous use in the text. */
static bool reaching_is_same(const struct slice *s, uint32_t reg, uint32_t use)
{
    uint32_t at = s->uses.items[use], before;

    if (use == s->uses.first[reg])
        return false;
    before = s->uses.items[use - 1];
    if (s->flow->block_of[at] != s->flow->block_of[before])
        return false;
    for (uint32_t n = s->definitions.first[reg]; n < s->definitions.first[reg + 1]; n++)
        if (s->definitions.items[n] >= before && s->definitions.items[n] < at)
            return false;
    return true;
}

static void find_views_of(struct finder *f, uint32_t reg)
{
    struct slice *s = f->s;
    uint32_t first = s->uses.first[reg], end = s->uses.first[reg + 1];
    bool once = defined_once_before_uses(s, reg);

    for (uint32_t n = first; n < end; n++) {
        if (n > first && (once || reaching_is_same(s, reg, n))) {
            s->view_of[n] = s->view_count - 1;
            continue;
        }
        s->view_of[n] = s->view_count;
        if (!once) {
            add_view(f, reg, s->uses.items[n]);
            continue;
        }
        add_pair(&f->definitions, s->view_count++, s->definitions.first[reg]);
    }
}

void slice_find_views(struct slice *s)
{
    struct finder f = {.s = s, .words = s->flow->block_count / 64 + 1};

    f.governs = must_calloc((size_t)s->flow->block_count * f.words, sizeof *f.governs);
    f.of_reaching = must_calloc(f.words, sizeof *f.of_reaching);
    find_governing(&f);
    s->view_of =
        arena_alloc(s->arena, (s->uses.first[s->registers] + 1u) * sizeof *s->view_of);
    for (uint32_t r = 0; r < s->registers; r++)
        find_views_of(&f, r);
    s->reaching = slice_list_make(
        s, s->view_count, (const uint32_t(*)[2])f.definitions.items, f.definitions.count);
    s->joins = slice_list_make(s, s->view_count, (const uint32_t(*)[2])f.branches.items,
                               f.branches.count);
    free(f.definitions.items);
    free(f.branches.items);
    free(f.governs);
    free(f.of_reaching);
}

uint32_t slice_view(const struct slice *s, uint32_t instruction, uint32_t reg)
{
    return s->view_of[slice_list_find(&s->uses, reg, instruction)];
}

uint32_t slice_definition(const struct slice *s, uint32_t instruction, uint32_t reg)
{
    return slice_list_find(&s->definitions, reg, instruction);
}
