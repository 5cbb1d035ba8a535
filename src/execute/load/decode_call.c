/* SPDX-License-Identifier: Apache-2.0 */
/* Direct calls: of functions in the module, and of functions that the driver provides. */
#include "execute/load/decode_recursion.h"

#include <string.h>

/* Thread-memory offsets of the names in a list. */
static bool list_offsets(struct decoder *d, const struct ptx_operand *list, uint64_t *out,
                         uint32_t limit)
{
    for (uint32_t n = 0; n < list->count && n < limit; n++)
        if (list->list[n].kind != PTX_SYMBOL ||
            symbol_find(d, list->list[n].symbol, &out[n]) != HOME_THREAD)
            return false;
    return list->count <= limit;
}

enum { ARGUMENTS_MAX = 64 };

/* Functions that the driver provides and no module defines. */
static const struct system_function {
    const char *name;
    uint32_t arguments;
    enum op_code code;
    uint8_t detail;
} system_functions[] = {
    {"vprintf", 2, CODE_PRINT, 0},
    {"__assertfail", 5, CODE_ASSERT, 0},
    {"malloc", 1, CODE_HEAP, HEAP_TAKE},
    {"free", 1, CODE_HEAP, HEAP_GIVE},
    {"__cudaCDP2GetParameterBufferV2", 4, CODE_CHILD, CHILD_PARAMETERS},
    {"__cudaCDP2LaunchDeviceV2", 2, CODE_CHILD, CHILD_LAUNCH},
};

static bool decode_system_call(struct decoder *d, const struct ptx_instruction *i,
                               const char *name, const uint64_t *arguments, uint32_t count,
                               uint64_t result)
{
    const struct system_function *f = NULL;

    for (size_t n = 0; n < sizeof system_functions / sizeof *system_functions; n++)
        if (strcmp(system_functions[n].name, name) == 0 &&
            system_functions[n].arguments == count)
            f = &system_functions[n];
    if (!f)
        return refuse(d,
                      "function '%s' is called and not defined: kernel '%s', PTX line %u",
                      name, d->kernel->info.name, i->line);
    struct execute_op *op = emit(d, f->code);

    for (uint32_t n = 0; n < count && n < 4; n++)
        op->from[n] = (op_place)arguments[n];
    op->to = (op_place)result;
    op->detail[0] = f->detail;
    d->program->launches |= f->code == CODE_CHILD;
    d->program->allocates |= f->code == CODE_HEAP;
    return true;
}

static void copy_symbol(struct decoder *d, uint64_t from, uint64_t to, uint32_t bytes)
{
    struct execute_op *op = emit(d, CODE_COPY);

    op->from[0] = (op_place)from;
    op->to = (op_place)to;
    op->extra = bytes;
}

struct calling {
    uint32_t function;
    const uint64_t *from, *to; /* offsets of arguments and results in thread memory */
    uint32_t results;
};

static void arguments_emit(struct decoder *d, const struct calling *c)
{
    const struct ptx_function *f = &d->module->functions[c->function];

    for (uint32_t n = 0; n < f->parameter_count; n++)
        copy_symbol(d, c->from[n], d->frames[c->function].offsets[n],
                    ptx_symbol_bytes(&f->symbols[n]));
}

static void decode_plain_call(struct decoder *d, const struct calling *c)
{
    const struct ptx_function *f = &d->module->functions[c->function];
    const uint32_t *offsets = d->frames[c->function].offsets + f->parameter_count;

    arguments_emit(d, c);
    call_emit(d, c->function);
    for (uint32_t n = 0; n < c->results; n++)
        copy_symbol(d, offsets[n], c->to[n],
                    ptx_symbol_bytes(&f->symbols[f->parameter_count + n]));
}

/* Copies the results to scratch memory, because the restore overwrites them with those of
   the outer call. */
static void decode_recursive_call(struct decoder *d, const struct ptx_instruction *i,
                                  const struct calling *c)
{
    const struct ptx_function *f = &d->module->functions[c->function];
    const struct ptx_symbol *results = f->symbols + f->parameter_count;
    const uint32_t *offsets = d->frames[c->function].offsets + f->parameter_count;
    bool guarded = d->guard != NULL;
    size_t skip = 0;
    uint32_t aside = (d->thread_bytes + 15) / 16 * 16, at = aside;

    d->guard = NULL;
    if (guarded)
        skip = recursion_skip(d, d->homes[i->guard].place, i->guard_negated);
    uint32_t save = recursion_save(d, i, PLACE_NONE);

    arguments_emit(d, c);
    call_emit(d, c->function);
    for (uint32_t n = 0; n < c->results; at += ptx_symbol_bytes(&results[n++]))
        copy_symbol(d, offsets[n], at, ptx_symbol_bytes(&results[n]));
    d->thread_bytes = at;
    recursion_restore(d, save);
    for (uint32_t n = 0; n < c->results; aside += ptx_symbol_bytes(&results[n++]))
        copy_symbol(d, aside, c->to[n], ptx_symbol_bytes(&results[n]));
    if (guarded)
        recursion_land(d, skip);
}

bool decode_call(struct decoder *d, const struct ptx_instruction *i)
{
    static const struct ptx_operand nothing = {.kind = PTX_LIST};
    const struct ptx_operand *results = &nothing, *arguments = &nothing, *target = NULL;
    uint64_t from[ARGUMENTS_MAX] = {0}, to[ARGUMENTS_MAX] = {PLACE_NONE};

    for (uint32_t n = 0; n < i->operand_count; n++) {
        const struct ptx_operand *o = &i->operands[n];

        if (o->kind == PTX_SYMBOL && !target)
            target = o;
        else if (o->kind == PTX_LIST && !target)
            results = o;
        else if (o->kind == PTX_LIST)
            arguments = o;
    }
    const struct indirect_call by_address = indirect_call_find(d->module, d->function, i);

    if (by_address.target)
        return list_offsets(d, by_address.arguments, from, ARGUMENTS_MAX) &&
                       list_offsets(d, by_address.results, to, ARGUMENTS_MAX)
                   ? decode_indirect_call(d, i, &by_address, from, to)
                   : refuse_instruction(d, i);
    if (!target || !list_offsets(d, arguments, from, ARGUMENTS_MAX) ||
        !list_offsets(d, results, to, ARGUMENTS_MAX))
        return refuse_instruction(d, i);
    const struct ptx_symbol *s = ptx_symbol(d->module, d->function, target->symbol);

    if (s->function < 0)
        return decode_system_call(d, i, s->name, from, arguments->count, to[0]);
    const struct ptx_function *f = &d->module->functions[s->function];
    const struct calling c = {(uint32_t)s->function, from, to, results->count};

    if (arguments->count != f->parameter_count || results->count > f->return_count)
        return refuse_instruction(d, i);
    if (calls_back(d, c.function))
        decode_recursive_call(d, i, &c);
    else
        decode_plain_call(d, &c);
    return true;
}
