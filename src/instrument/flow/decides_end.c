/* SPDX-License-Identifier: Apache-2.0 */
#include "instrument/flow/decides_end.h"

#include "instrument/flow/counts_up.h"
#include "instrument/flow/definition.h"
#include "instrument/flow/taint.h"

struct deciding {
    const struct ptx_function *function;
    const struct ptx_flow *flow, *once;
    const struct cycle *loop;
    const bool *loads; /* by instruction */
    uint8_t *made;     /* by register: depends on the loads or on a branch that does */
    bool *chosen;      /* by block: its execution depends on such a branch */
    bool in_memory;    /* shared or local memory contains such a value */
    bool reads_made;   /* result of the last query */
    struct arena *arena;
};

static bool is_chosen(const struct deciding *d, const struct ptx_instruction *i)
{
    return d->chosen[d->flow->block_of[i - d->function->instructions]];
}

static uint8_t pass_on(void *context, const struct ptx_instruction *i, uint8_t used)
{
    struct deciding *d = context;
    const bool apart = i->space == PTX_SPACE_SHARED || i->space == PTX_SPACE_LOCAL ||
                       i->space == PTX_SPACE_GENERIC;
    const bool made = used || d->loads[i - d->function->instructions] || is_chosen(d, i);

    if (made && apart &&
        (i->opcode == PTX_ST || i->opcode == PTX_ATOM || i->opcode == PTX_RED))
        d->in_memory = true;
    return made ||
           (d->in_memory && apart && (i->opcode == PTX_LD || i->opcode == PTX_ATOM));
}

static void decides_end_visit(void *context, int32_t reg)
{
    struct deciding *d = context;

    d->reads_made |= d->made[reg] != 0;
}

static const struct ptx_instruction *last_of(const struct deciding *d, uint32_t block)
{
    const struct ptx_block *b = &d->flow->blocks[block];

    return &d->function->instructions[b->first + b->count - 1];
}

/* True if the loads decide the direction of the block's last instruction. */
static bool is_made(struct deciding *d, uint32_t block)
{
    const struct ptx_instruction *i = last_of(d, block);

    if (i->opcode != PTX_BRA && i->opcode != PTX_BRX && !ptx_opcode_ends_thread(i->opcode))
        return false;
    d->reads_made = false;
    definition_each_use(i, decides_end_visit, d);
    return d->reads_made;
}

/* Marks the blocks of one iteration that execute before the paths from `block`
   reconverge. */
static bool choose_behind(struct deciding *d, uint32_t block)
{
    const int32_t end = d->once->blocks[block].post_dominator;
    uint32_t *open = arena_alloc(d->arena, (d->flow->block_count + 1) * sizeof *open);
    bool *visited = arena_alloc(d->arena, (d->flow->block_count + 1) * sizeof *visited);
    bool added = false;
    uint32_t count = 0;

    open[count++] = block;
    while (count) {
        const struct ptx_block *b = &d->once->blocks[open[--count]];

        for (uint32_t s = 0; s < b->successor_count; s++) {
            const uint32_t to = b->successors[s];

            if (visited[to] || (int32_t)to == end)
                continue;
            visited[to] = true;
            added |= !d->chosen[to];
            d->chosen[to] = true;
            open[count++] = to;
        }
    }
    return added;
}

static bool is_counted(const struct deciding *d, uint32_t block)
{
    return cycle_is_left(d->function, d->flow, d->loop, block) &&
           counts_up(d->function, d->flow, d->loop, block);
}

/* Repeats until a fixed point is reached. */
static void spread(struct deciding *d)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (int turn = 0; turn < 2; turn++) /* loads may precede the stores */
            taint_spread(d->function, d->made, pass_on, d);
        for (uint32_t b = 0; b < d->flow->block_count; b++)
            if (d->loop->contains[b] && is_made(d, b) && !is_counted(d, b))
                changed |= choose_behind(d, b);
    }
}

bool decides_end(const struct ptx_function *f, const struct ptx_flow *flow,
                 const struct cycle *l, const bool *loads, struct arena *arena)
{
    struct deciding d = {
        .function = f,
        .flow = flow,
        .once = cycle_once(f, flow, l, arena),
        .loop = l,
        .loads = loads,
        .made = arena_alloc(arena, f->register_count + 1),
        .chosen = arena_alloc(arena, (flow->block_count + 1) * sizeof(bool)),
        .arena = arena,
    };

    spread(&d);
    for (uint32_t b = 0; b < flow->block_count; b++)
        if (l->contains[b] && cycle_is_left(f, flow, l, b) &&
            (d.chosen[b] || is_made(&d, b)) && !is_counted(&d, b))
            return true;
    return false;
}
