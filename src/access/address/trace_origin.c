/* SPDX-License-Identifier: Apache-2.0 */
#include "access/address/trace_origin.h"
#include "access/address/trace.h"

#include <string.h>

enum { VARIABLES_MAX = 8 };

/* Shared variables into which the addresses of an instruction may point. */
struct variables {
    uint32_t count;
    bool is_known, all; /* all: more variables than fit */
    int32_t symbol[VARIABLES_MAX];
};

struct trace_shared {
    struct variables *variables; /* by instruction */
    uint32_t *stores, store_count;
};

static const struct ptx_symbol *named(const struct study *s, const struct ptx_operand *o)
{
    bool names = o->kind == PTX_SYMBOL || (o->kind == PTX_MEMORY && o->symbol >= 0);

    return names ? ptx_symbol(s->module, s->function, o->symbol) : NULL;
}

static void add_variable(const struct study *s, const struct ptx_operand *o,
                         struct variables *v)
{
    const struct ptx_symbol *y = named(s, o);

    if (!y || y->space != PTX_SPACE_SHARED)
        return;
    for (uint32_t n = 0; n < v->count; n++)
        if (v->symbol[n] == o->symbol)
            return;
    if (v->count < VARIABLES_MAX)
        v->symbol[v->count++] = o->symbol;
    else
        v->all = true;
}

static void add_variables(struct study *s, uint32_t instruction,
                          const struct ptx_operand *o, struct variables *v)
{
    struct trace t = trace_operand(s, instruction, o);

    add_variable(s, o, v);
    for (uint32_t n = 0; n < t.count; n++) {
        const struct ssa_value *d = &s->ssa->values[t.values[n]];
        const struct ptx_instruction *i = &s->function->instructions[d->instruction];

        for (uint32_t k = 1; d->kind == SSA_DEFINED && k < i->operand_count; k++)
            add_variable(s, &i->operands[k], v);
    }
    trace_clear(&t);
}

static bool may_store(const struct ptx_instruction *i)
{
    bool has_address = false;

    for (uint32_t k = 0; k < i->operand_count; k++)
        has_address |= i->operands[k].kind == PTX_MEMORY;
    return has_address && i->opcode != PTX_LD && i->opcode != PTX_CVTA &&
           i->opcode != PTX_MOV && i->space != PTX_SPACE_GLOBAL &&
           i->space != PTX_SPACE_PARAM;
}

static void open_shared(struct study *s)
{
    uint32_t count = s->function->instruction_count;
    struct trace_shared *all = arena_alloc(s->arena, sizeof *all);

    *all = (struct trace_shared){
        .variables = arena_alloc(s->arena, count * sizeof *all->variables),
        .stores = arena_alloc(s->arena, count * sizeof *all->stores)};
    memset(all->variables, 0, count * sizeof *all->variables);
    for (uint32_t n = 0; n < count; n++)
        if (may_store(&s->function->instructions[n]))
            all->stores[all->store_count++] = n;
    s->shared = all;
}

/* Cached by instruction: each load of shared memory queries all stores. */
static const struct variables *variables_of(struct study *s, uint32_t instruction)
{
    const struct ptx_instruction *i = &s->function->instructions[instruction];
    struct variables *v = &s->shared->variables[instruction];

    for (uint32_t k = 0; k < i->operand_count && !v->is_known; k++)
        if (i->operands[k].kind == PTX_MEMORY)
            add_variables(s, instruction, &i->operands[k], v);
    v->is_known = true;
    return v;
}

static bool meet(const struct variables *a, const struct variables *b)
{
    bool found = (a->all && b->count) || (b->all && a->count);

    for (uint32_t n = 0; n < a->count; n++)
        for (uint32_t k = 0; k < b->count; k++)
            found |= a->symbol[n] == b->symbol[k];
    return found;
}

/* Offset of a parameter; 0 for other memory; UINT32_MAX for a number. */
static uint32_t origin_of(const struct study *s, const struct ptx_operand *o)
{
    const struct ptx_symbol *y = named(s, o);

    if (!y)
        return UINT32_MAX;
    return o->symbol < (int32_t)s->function->parameter_count ? y->offset : 0;
}

/* Adds the values that instruction `at` may store into the variables; false if unknown. */
static bool add_stored(struct study *s, struct trace *t, uint32_t at,
                       const struct variables *v)
{
    const struct ptx_instruction *i = &s->function->instructions[at];

    if (!meet(v, variables_of(s, at)))
        return true;
    if (i->opcode != PTX_ST || i->operand_count < 2)
        return false;
    if (ptx_type_bytes(i->type) >= 8)
        trace_visit(s, t, at, &i->operands[1]);
    return true;
}

/* A pointer that is loaded from shared memory was stored there before. */
static bool add_shared(struct study *s, struct trace *t, uint32_t at)
{
    const struct ptx_instruction *i = &s->function->instructions[at];
    const struct variables *v;

    if (i->opcode != PTX_LD || i->operand_count < 2)
        return false;
    if (ptx_type_bytes(i->type) < 8)
        return true;
    if (!s->shared)
        open_shared(s);
    v = variables_of(s, at);
    for (uint32_t n = 0; n < s->shared->store_count && v->count; n++)
        if (!add_stored(s, t, s->shared->stores[n], v))
            return false;
    return v->count > 0;
}

static uint32_t instruction_origin(struct study *s, struct trace *t, uint32_t at)
{
    const struct ptx_instruction *i = &s->function->instructions[at];
    uint32_t first = UINT32_MAX;

    if (i->space == PTX_SPACE_SHARED && i->opcode != PTX_CVTA)
        return add_shared(s, t, at) ? first : 0;
    if (i->opcode == PTX_CALL || i->opcode == PTX_ALLOCA || i->opcode == PTX_MAPA ||
        i->opcode == PTX_OPCODE_COUNT || i->space == PTX_SPACE_LOCAL)
        return 0;
    for (uint32_t k = 1; k < i->operand_count; k++) {
        uint32_t of = origin_of(s, &i->operands[k]);

        first = of < first ? of : first;
    }
    return first;
}

uint32_t trace_origin(struct study *s, uint32_t instruction, const struct ptx_operand *o)
{
    struct trace t = trace_open(s, false);
    uint32_t first = origin_of(s, o);

    t.loads = true;
    trace_visit(s, &t, instruction, o);
    trace_finish(s, &t);
    for (uint32_t n = 0; n < t.count && first; n++) {
        const struct ssa_value *d = &s->ssa->values[t.values[n]];
        uint32_t at = UINT32_MAX;

        if (d->kind == SSA_DEFINED)
            at = instruction_origin(s, &t, d->instruction);
        first = at < first ? at : first;
        trace_finish(s, &t);
    }
    trace_clear(&t);
    return first;
}
