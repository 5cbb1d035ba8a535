/* SPDX-License-Identifier: Apache-2.0 */
#include "access/flow/ssa.h"

#include <stdlib.h>
#include <string.h>

enum { TARGETS_MAX = 256 };

static uint32_t operand_registers(const struct ptx_operand *o, int32_t *regs, uint32_t size)
{
    uint32_t n = 0;

    if (o->kind == PTX_REGISTER && size) {
        regs[n++] = o->reg;
    } else if (o->kind == PTX_VECTOR || o->kind == PTX_PAIR || o->kind == PTX_LIST) {
        for (uint32_t i = 0; i < o->count && n < size; i++) {
            const struct ptx_operand *element = &o->list[i];

            regs[n++] = element->kind == PTX_REGISTER ? element->reg : -1;
        }
    }
    return n;
}

/* Instructions that only read their first operand although it is a register. All others
   assign it. */
static bool only_reads(const struct ptx_instruction *i)
{
    switch (i->opcode) {
    case PTX_BAR:
    case PTX_BARRIER:
        return !ptx_has(i, PTX_PART_RED);
    case PTX_CALL:
        return i->operands[0].kind != PTX_LIST || i->operand_count < 2;
    case PTX_BRA:
    case PTX_BRX:
    case PTX_NANOSLEEP:
    case PTX_SETMAXNREG:
    case PTX_STACKRESTORE:
    case PTX_RET:
    case PTX_EXIT:
        return true;
    default:
        return false;
    }
}

uint32_t ssa_targets(const struct ptx_instruction *i, int32_t *regs, uint32_t size)
{
    if (!i->operand_count || only_reads(i))
        return 0;
    return operand_registers(&i->operands[0], regs, size);
}

/* Finds registers that need phis despite a single assignment: the assignment does not
   precede all uses. Such a use reads the value of an earlier iteration, or none. */
static void check_use(struct ssa *s, uint32_t at, int32_t reg)
{
    const struct regions *r = s->regions;
    uint32_t use = r->flow->block_of[at];
    const struct ssa_value *d;

    if (reg < 0 || s->single[reg] < 0 || r->position[use] < 0)
        return;
    d = &s->values[s->single[reg]];
    if (d->block == use ? d->instruction >= at : !regions_dominate(r, d->block, use))
        s->single[reg] = -2;
}

static void check_operand(struct ssa *s, uint32_t at, const struct ptx_operand *o)
{
    if (o->kind == PTX_REGISTER || o->kind == PTX_MEMORY)
        check_use(s, at, o->reg);
    for (uint32_t i = 0; i < o->count; i++)
        check_operand(s, at, &o->list[i]);
}

static void find_unsure(struct ssa *s)
{
    const struct ptx_function *f = s->regions->function;

    for (uint32_t i = 0; i < f->instruction_count; i++) {
        const struct ptx_instruction *at = &f->instructions[i];

        check_use(s, i, at->guard);
        /* the first operand may be the destination */
        if (at->operand_count &&
            (s->first_value[i] < 0 || at->operands[0].kind == PTX_MEMORY))
            check_operand(s, i, &at->operands[0]);
        for (uint32_t k = 1; k < at->operand_count; k++)
            check_operand(s, i, &at->operands[k]);
    }
}

static int32_t variable_of(const struct ssa *s, uint32_t value)
{
    const int32_t reg = s->values[value].reg;

    return reg < 0 ? -1 : s->variable[reg];
}

/* Lists the values of each variable in the order of the instructions. */
static void list_given(struct ssa *s, struct arena *arena)
{
    uint32_t *next = arena_alloc(arena, (s->variable_count + 2u) * sizeof *next);

    s->given = arena_alloc(arena, (s->count + 1u) * sizeof *s->given);
    for (uint32_t v = 0; v < s->count; v++)
        if (variable_of(s, v) >= 0)
            next[variable_of(s, v) + 2]++;
    for (uint32_t n = 2; n < s->variable_count + 2; n++)
        next[n] += next[n - 1];
    for (uint32_t v = 0; v < s->count; v++)
        if (variable_of(s, v) >= 0)
            s->given[next[variable_of(s, v) + 1]++] = (int32_t)v;
    s->given_first = next;
}

/* Creates a value for each assignment and counts the assignments of each register. */
static void define(struct ssa *s, struct arena *arena)
{
    const struct ptx_function *f = s->regions->function;
    int32_t regs[TARGETS_MAX];
    size_t capacity = 0;

    s->single = arena_alloc(arena, f->register_count * sizeof *s->single);
    memset(s->single, -1, f->register_count * sizeof *s->single);
    s->first_value = arena_alloc(arena, f->instruction_count * sizeof *s->first_value);
    for (uint32_t i = 0; i < f->instruction_count; i++) {
        uint32_t n = ssa_targets(&f->instructions[i], regs, TARGETS_MAX);

        s->first_value[i] = n ? (int32_t)s->count : -1;
        for (uint32_t k = 0; k < n; k++) {
            s->values = must_grow(s->values, s->count + 1, &capacity, sizeof *s->values);
            s->values[s->count] = (struct ssa_value){.kind = SSA_DEFINED,
                                                     .block = s->regions->flow->block_of[i],
                                                     .instruction = i,
                                                     .element = k,
                                                     .reg = regs[k]};
            if (regs[k] >= 0)
                s->single[regs[k]] = s->single[regs[k]] == -1 ? (int32_t)s->count : -2;
            s->count++;
        }
    }
    find_unsure(s);
    s->variable = arena_alloc(arena, f->register_count * sizeof *s->variable);
    for (uint32_t r = 0; r < f->register_count; r++)
        s->variable[r] = s->single[r] == -2 ? (int32_t)s->variable_count++ : -1;
    list_given(s, arena);
}

/* Dominance frontiers by Cytron et al. 1991: adds each block where the dominance of `from`
   ends. */
static void mark_frontier(const struct regions *r, uint32_t *heads, uint32_t **frontier)
{
    for (uint32_t b = 0; b < r->flow->block_count; b++) {
        const struct ptx_block *block = &r->flow->blocks[b];

        if (block->predecessor_count < 2 || r->position[b] < 0)
            continue;
        for (uint32_t i = 0; i < block->predecessor_count; i++) {
            int32_t at = (int32_t)block->predecessors[i];

            if (r->position[at] < 0)
                continue;
            for (; at >= 0 && at != block->dominator; at = r->flow->blocks[at].dominator) {
                if (frontier)
                    frontier[at][heads[at]] = b;
                heads[at]++;
            }
        }
    }
}

static uint32_t **find_frontier(const struct regions *r, uint32_t *heads,
                                struct arena *arena)
{
    uint32_t n = r->flow->block_count;
    uint32_t **frontier = arena_alloc(arena, n * sizeof *frontier);

    mark_frontier(r, heads, NULL);
    for (uint32_t b = 0; b < n; b++) {
        frontier[b] = arena_alloc(arena, heads[b] * sizeof **frontier);
        heads[b] = 0;
    }
    mark_frontier(r, heads, frontier);
    return frontier;
}

/* By variable: its register and the list of its assignments, value `first` - 1, then `next`
   of that value; 0 ends the list. By block: its dominance frontier, the list at `heads`. */
struct variables {
    int32_t *reg;
    uint32_t *first, *next;
    uint32_t **frontier, *heads;
};

static struct variables list_variables(const struct ssa *s, struct arena *arena)
{
    struct variables all = {.reg = arena_alloc(arena, s->variable_count * sizeof *all.reg),
                            .first =
                                arena_alloc(arena, s->variable_count * sizeof *all.first),
                            .next = arena_alloc(arena, s->count * sizeof *all.next)};

    for (uint32_t v = 0; v < s->count; v++) {
        const int32_t reg = s->values[v].reg, n = reg >= 0 ? s->variable[reg] : -1;

        if (n < 0)
            continue;
        all.reg[n] = reg;
        all.next[v] = all.first[n];
        all.first[n] = v + 1;
    }
    return all;
}

/* Places the phis of one variable: the iterated dominance frontier of its definitions. */
static void spread(const struct ssa *s, const struct variables *all, uint32_t variable,
                   bool *has_phi, uint32_t *work)
{
    uint32_t depth = 0, n = s->regions->flow->block_count;
    bool *queued = must_calloc(n, sizeof *queued);

    for (uint32_t v = all->first[variable]; v; v = all->next[v - 1])
        if (!queued[s->values[v - 1].block]) {
            queued[s->values[v - 1].block] = true;
            work[depth++] = s->values[v - 1].block;
        }
    while (depth) {
        uint32_t b = work[--depth];

        for (uint32_t i = 0; i < all->heads[b]; i++) {
            uint32_t to = all->frontier[b][i];

            has_phi[to] = true;
            if (!queued[to]) {
                queued[to] = true;
                work[depth++] = to;
            }
        }
    }
    free(queued);
}

static void add_phi(struct ssa *s, uint32_t block, int32_t reg, size_t *capacity,
                    struct arena *arena)
{
    const struct ptx_block *b = &s->regions->flow->blocks[block];

    s->values = must_grow(s->values, s->count + 1, capacity, sizeof *s->values);
    s->values[s->count] = (struct ssa_value){
        .kind = SSA_PHI, .block = block, .instruction = b->first, .reg = reg};
    s->values[s->count].from = arena_alloc(arena, b->predecessor_count * sizeof(int32_t));
    s->entry[block * s->variable_count + (uint32_t)s->variable[reg]] = (int32_t)s->count;
    s->count++;
}

static void place_phis(struct ssa *s, struct arena *arena)
{
    const struct regions *r = s->regions;
    uint32_t n = r->flow->block_count;
    uint32_t *work = must_calloc(n, sizeof *work);
    bool *has_phi = must_calloc((size_t)n * s->variable_count, sizeof *has_phi);
    struct variables all = list_variables(s, arena);
    size_t capacity = s->count;

    all.heads = arena_alloc(arena, n * sizeof *all.heads);
    all.frontier = find_frontier(r, all.heads, arena);
    for (uint32_t v = 0; v < s->variable_count; v++)
        spread(s, &all, v, has_phi + (size_t)n * v, work);
    for (uint32_t b = 0; b < n; b++) {
        s->first_phi[b] = (int32_t)s->count;
        for (uint32_t v = 0; v < s->variable_count; v++)
            if (has_phi[(size_t)n * v + b])
                add_phi(s, b, all.reg[v], &capacity, arena);
        s->phi_count[b] = s->count - (uint32_t)s->first_phi[b];
    }
    free(work), free(has_phi);
}

/* Last value that instructions before `at`, in any block, assign to the variable; -1: none.
   Binary search: unrolled loops have thousands of instructions in one block. */
static int32_t last_ahead(const struct ssa *s, uint32_t variable, uint32_t at)
{
    uint32_t low = s->given_first[variable], high = s->given_first[variable + 1];

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (s->values[s->given[middle]].instruction < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low > s->given_first[variable] ? s->given[low - 1] : -1;
}

int32_t ssa_read(const struct ssa *s, uint32_t at, int32_t reg)
{
    if (reg < 0 || s->single[reg] != -2)
        return reg < 0 ? -1 : s->single[reg];
    const uint32_t block = s->regions->flow->block_of[at],
                   variable = (uint32_t)s->variable[reg];
    const int32_t v = last_ahead(s, variable, at);

    return v >= 0 && s->values[v].block == block
               ? v
               : s->entry[block * s->variable_count + variable];
}

/* Renaming: sets the values at block starts in dominator order, then the operands of each
   phi. `last` holds the values at block ends. */
static void rename_values(struct ssa *s)
{
    const struct regions *r = s->regions;
    uint32_t n = s->variable_count;
    int32_t *last = must_calloc((size_t)r->flow->block_count * n + 1, sizeof *last);

    memset(last, -1, ((size_t)r->flow->block_count * n + 1) * sizeof *last);
    for (uint32_t i = 0; i < r->order_count; i++) {
        uint32_t b = r->order[i];
        const struct ptx_block *block = &r->flow->blocks[b];
        int32_t *entry = s->entry + (size_t)b * n, *out = last + (size_t)b * n;

        for (uint32_t v = 0; v < n; v++) {
            if (entry[v] < 0 && block->dominator >= 0)
                entry[v] = last[(size_t)(uint32_t)block->dominator * n + v];
            out[v] = entry[v];
        }
        for (uint32_t k = block->first; k < block->first + block->count; k++)
            for (int32_t v = s->first_value[k];
                 v >= 0 && s->values[v].kind == SSA_DEFINED &&
                 s->values[v].instruction == k;
                 v = v + 1 < (int32_t)s->count ? v + 1 : -1)
                if (s->values[v].reg >= 0 && s->variable[s->values[v].reg] >= 0)
                    out[s->variable[s->values[v].reg]] = v;
    }
    for (uint32_t v = 0; v < s->count; v++) {
        struct ssa_value *phi = &s->values[v];
        const struct ptx_block *b = &r->flow->blocks[phi->block];

        for (uint32_t i = 0; phi->kind == SSA_PHI && i < b->predecessor_count; i++)
            phi->from[i] =
                last[(size_t)b->predecessors[i] * n + (uint32_t)s->variable[phi->reg]];
    }
    free(last);
}

struct ssa *ssa_build(const struct regions *r, struct arena *arena)
{
    struct ssa *s = arena_alloc(arena, sizeof *s);
    uint32_t n = r->flow->block_count;
    struct ssa_value *values;

    s->regions = r;
    define(s, arena);
    s->entry = arena_alloc(arena, (size_t)n * s->variable_count * sizeof *s->entry);
    memset(s->entry, -1, (size_t)n * s->variable_count * sizeof *s->entry);
    s->first_phi = arena_alloc(arena, n * sizeof *s->first_phi);
    s->phi_count = arena_alloc(arena, n * sizeof *s->phi_count);
    if (s->variable_count) {
        place_phis(s, arena);
        rename_values(s);
    }
    values = arena_alloc(arena, s->count * sizeof *values);
    if (s->count)
        memcpy(values, s->values, s->count * sizeof *values);
    free(s->values);
    s->values = values;
    return s;
}
