/* SPDX-License-Identifier: Apache-2.0 */
/* Removal of unreachable code. Kernels with a mode parameter or a rarely used option
   contain code that a given launch never executes. */
#include "base/memory.h"
#include "instrument/edit.h"
#include "instrument/instrument.h"

struct ways {
    const struct ptx_function *function;
    const struct ptx_flow *flow;
    const enum instrument_way *way; /* by instruction */
    bool *reached;                  /* by block */
};

static uint32_t last_of(const struct ways *w, uint32_t block)
{
    const struct ptx_block *b = &w->flow->blocks[block];

    return b->first + b->count - 1;
}

/* The first successor of a branch is its target. */
static void reach(const struct ways *w, struct arena *arena)
{
    uint32_t *open = arena_alloc(arena, (w->flow->block_count + 1) * sizeof *open);
    uint32_t count = 1;

    open[0] = 0;
    w->reached[0] = true;
    while (count) {
        const uint32_t block = open[--count];
        const struct ptx_block *b = &w->flow->blocks[block];
        const enum instrument_way way = w->way[last_of(w, block)];

        for (uint32_t k = 0; k < b->successor_count; k++) {
            const uint32_t to = b->successors[k];

            if ((way == INSTRUMENT_GOES && k != 0) || (way == INSTRUMENT_STAYS && k == 0) ||
                w->reached[to])
                continue;
            w->reached[to] = true;
            open[count++] = to;
        }
    }
}

/* Removed instructions keep their lines. */
static bool rewrite(const struct ways *w, const struct ptx_module *m,
                    struct edit_list *edits)
{
    bool is_less = false;

    for (uint32_t n = 0; n < w->function->instruction_count; n++) {
        const struct ptx_instruction *i = &w->function->instructions[n];

        if (!w->reached[w->flow->block_of[n]]) {
            edit_replace(edits, i->span, "%s", "");
            is_less = true;
        } else if (w->way[n] == INSTRUMENT_STAYS) {
            edit_replace(edits, i->span, "%s", "");
        } else if (w->way[n] == INSTRUMENT_GOES) {
            const struct ptx_span to = i->operands[0].span;

            edit_replace(edits, i->span, "bra %.*s;", (int)to.bytes, m->text + to.offset);
        }
    }
    return is_less;
}

char *instrument_decided(const struct ptx_module *m, const struct ptx_function *kernel,
                         const enum instrument_way *way, size_t *bytes)
{
    struct arena arena = {0};
    struct edit_list edits = {0};
    struct text text = {0};
    struct ways w = {
        .function = kernel, .flow = ptx_flow_build(kernel, &arena), .way = way};

    w.reached = arena_alloc(&arena, w.flow->block_count + 1u);
    reach(&w, &arena);
    if (rewrite(&w, m, &edits))
        edit_print(&edits, m, (struct ptx_span){0, (uint32_t)m->bytes}, &text);
    edit_clear(&edits);
    arena_clear(&arena);
    *bytes = text.length;
    return text.data;
}
