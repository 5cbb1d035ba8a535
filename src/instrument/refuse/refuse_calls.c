/* SPDX-License-Identifier: Apache-2.0 */
/* Called functions have no versions. They must not read their grid position, nor write
   memory that other threads see. */
#include <string.h>

#include "instrument/clone/clone.h"

struct calling {
    const struct clone *clone;
    const struct ptx_instruction *from; /* the call in the kernel */
    bool *visited;                      /* by function */
};

static enum proact_status refuse_function(struct calling *c, int32_t function);

static enum proact_status refuse_call(struct calling *c, const struct ptx_function *f,
                                      const struct ptx_instruction *i)
{
    static const char *const known[] = {"vprintf", "__assertfail"};
    const struct ptx_module *m = c->clone->module;
    enum proact_status status = PROACT_OK;

    for (uint32_t k = 0; k < i->operand_count; k++) {
        const struct ptx_operand *o = &i->operands[k];

        if (o->kind != PTX_SYMBOL)
            continue;
        const struct ptx_symbol *s = ptx_symbol(m, f, o->symbol);

        if (!s->is_function)
            continue;
        if (s->function >= 0)
            return refuse_function(c, s->function);
        for (size_t n = 0; n < sizeof known / sizeof *known; n++)
            if (strcmp(s->name, known[n]) == 0)
                return PROACT_OK;
        if (!strcmp(s->name, "malloc") || !strcmp(s->name, "free"))
            return clone_refuse(c->clone, c->from,
                                "it allocates memory, which exists on one device only");
        return clone_refuse(c->clone, c->from,
                            "it calls '%s', which this module does not define", s->name);
    }
    for (uint32_t n = 0; n < m->function_count && !status;
         n++) /* any function may be the target */
        if (!m->functions[n].is_entry)
            status = refuse_function(c, (int32_t)n);
    return status;
}

static bool reads_grid_position(const struct ptx_instruction *i)
{
    for (uint32_t k = 0; k < i->operand_count; k++)
        if (i->operands[k].kind == PTX_SPECIAL &&
            ((i->operands[k].special >= PTX_CTAID_X &&
              i->operands[k].special <= PTX_NCTAID_Z) ||
             i->operands[k].special == PTX_GRIDID || i->operands[k].special >= PTX_ENVREG1))
            return true;
    return false;
}

static bool writes(const struct ptx_module *m, const struct ptx_function *f,
                   const struct origin *origin, const struct ptx_instruction *i)
{
    enum ptx_effect effect = ptx_instruction_effect(i);

    if ((effect != PTX_STORES && effect != PTX_ATOMIC) || i->space == PTX_SPACE_SHARED ||
        i->space == PTX_SPACE_LOCAL || i->space == PTX_SPACE_PARAM)
        return false;
    for (uint32_t k = 0; k < i->operand_count; k++)
        if (i->operands[k].kind == PTX_MEMORY)
            return origin_of_memory(m, f, origin, &i->operands[k]).parts != ORIGIN_LOCAL;
    return true;
}

static enum proact_status refuse_instruction(struct calling *c,
                                             const struct ptx_function *f,
                                             const struct origin *origin,
                                             const struct ptx_instruction *i)
{
    const char *what = NULL;

    if (i->opcode == PTX_CALL)
        return refuse_call(c, f, i);
    if (reads_grid_position(i))
        what = "reads its index in the grid";
    else if (i->opcode == PTX_EXIT)
        what = "ends the kernel";
    else if (writes(c->clone->module, f, origin, i))
        what = "writes to global memory";
    if (!what)
        return PROACT_OK;
    return clone_refuse(c->clone, c->from, "it calls '%s', which %s in line %u", f->name,
                        what, i->line);
}

static enum proact_status refuse_function(struct calling *c, int32_t function)
{
    const struct ptx_module *m = c->clone->module;
    const struct ptx_function *f = &m->functions[function];
    static const struct instrument_request no_slots = {.slot_count = 0};
    enum proact_status status = PROACT_OK;

    if (c->visited[function])
        return PROACT_OK;
    c->visited[function] = true;
    const struct origin *origin = origin_find(m, f, &no_slots, c->clone->arena);

    for (uint32_t n = 0; n < f->instruction_count && !status; n++)
        status = refuse_instruction(c, f, origin, &f->instructions[n]);
    return status;
}

static bool is_indirect(const struct ptx_module *m, const struct ptx_function *f,
                        const struct ptx_instruction *i)
{
    for (uint32_t k = 0; k < i->operand_count; k++)
        if (i->operands[k].kind == PTX_SYMBOL &&
            ptx_symbol(m, f, i->operands[k].symbol)->is_function)
            return false;
    return i->opcode == PTX_CALL;
}

/* True if the function may reach itself by name, or makes an indirect call. */
static bool may_call_itself(const struct clone *c, uint32_t function)
{
    const struct ptx_module *m = c->module;
    const struct ptx_function *f = &m->functions[function];
    bool *reached = arena_alloc(c->arena, m->function_count + 1);

    for (uint32_t n = 0; n < f->instruction_count; n++)
        if (is_indirect(m, f, &f->instructions[n]))
            return true;
    ptx_reach_named(m, f, reached);
    return reached[function];
}

/* Threads of a warp return from a recursive function one by one (seen on sm_90). The
   assembler assumes that they return together and drops every bar.warp.sync. */
static enum proact_status refuse_recursion(struct clone *c, const struct calling *called)
{
    const struct ptx_module *m = c->module;

    if (c->kind == INSTRUMENT_GRID || c->kind == INSTRUMENT_INLINE) /* no epilogue */
        return PROACT_OK;
    for (uint32_t n = 0; n < m->function_count && !c->tallies; n++) {
        c->tallies = called->visited[n] && may_call_itself(c, n);
        if (c->tallies && c->kind == INSTRUMENT_SEND)
            return clone_refuse(c, called->from,
                                "it calls '%s', which may call itself: its threads may "
                                "return one by one, and sending needs all threads at the "
                                "end",
                                m->functions[n].name);
    }
    return PROACT_OK;
}

enum proact_status refuse_calls(struct clone *c)
{
    const struct ptx_function *f = c->function;
    struct calling calling = {
        .clone = c, .visited = arena_alloc(c->arena, c->module->function_count + 1)};
    enum proact_status status = PROACT_OK;

    for (uint32_t n = 0; n < f->instruction_count && !status; n++) {
        if (f->instructions[n].opcode != PTX_CALL)
            continue;
        calling.from = &f->instructions[n];
        status = refuse_call(&calling, f, calling.from);
    }
    return status ? status : refuse_recursion(c, &calling);
}
