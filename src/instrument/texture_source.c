/* SPDX-License-Identifier: Apache-2.0 */
/* Source of texture objects: a backward search from texture instructions to the kernel's
   parameters, independent of control flow. */
#include <stdlib.h>

#include "base/memory.h"
#include "instrument/flow/definition.h"
#include "instrument/instrument.h"

struct search {
    const struct ptx_function *function;
    struct instrument_textures *out;
    size_t capacity;
    bool *wanted; /* by register */
    bool sets_wanted, changed;
};

static void give_up(struct search *s, const struct ptx_instruction *i, const char *why)
{
    if (!s->out->why) {
        s->out->why = why;
        s->out->line = i->line;
    }
}

static const char elsewhere[] =
    "it reads through a texture that is not a parameter or a field of one: such textures "
    "exist on device 0 only";

static void want(struct search *s, const struct ptx_instruction *i,
                 const struct ptx_operand *o)
{
    if ((o->kind != PTX_REGISTER && (o->kind != PTX_MEMORY || o->integer)) || o->reg < 0 ||
        o->symbol >= 0 || s->function->registers[o->reg].bytes != sizeof(uint64_t)) {
        give_up(s, i, elsewhere);
        return;
    }
    s->changed |= !s->wanted[o->reg];
    s->wanted[o->reg] = true;
}

static void add(struct search *s, uint32_t offset)
{
    struct instrument_textures *t = s->out;

    for (uint32_t n = 0; n < t->count; n++)
        if (t->offsets[n] == offset)
            return;
    t->offsets = must_grow(t->offsets, t->count, &s->capacity, sizeof *t->offsets);
    t->offsets[t->count++] = offset;
}

static bool loads_parameter(const struct ptx_function *f, const struct ptx_instruction *i)
{
    const struct ptx_operand *from = &i->operands[1];

    return i->opcode == PTX_LD && i->space == PTX_SPACE_PARAM && i->operand_count == 2 &&
           ptx_type_bytes(i->type) == sizeof(uint64_t) && from->symbol >= 0 &&
           (uint32_t)from->symbol < f->parameter_count && from->reg < 0;
}

static void take_parameters(struct search *s, const struct ptx_instruction *i)
{
    const struct ptx_operand *to = i->operands, *from = &i->operands[1];
    const struct ptx_symbol *p = &s->function->symbols[from->symbol];
    const struct ptx_operand *list = to->kind == PTX_VECTOR ? to->list : to;
    const uint32_t count = to->kind == PTX_VECTOR ? to->count : 1;

    for (uint32_t n = 0; n < count; n++) {
        const int64_t at = from->integer + (int64_t)(n * sizeof(uint64_t));

        if (list[n].kind != PTX_REGISTER || !s->wanted[list[n].reg])
            continue;
        if (at < 0 || at + (int64_t)sizeof(uint64_t) > (int64_t)p->bytes)
            give_up(s, i, elsewhere);
        else
            add(s, p->offset + (uint32_t)at);
    }
}

static void look(void *context, int32_t reg)
{
    struct search *s = context;

    s->sets_wanted |= s->wanted[reg];
}

/* Follows the instruction that defines a wanted register. */
static void follow(struct search *s, const struct ptx_instruction *i)
{
    s->sets_wanted = false;
    definition_each(i, look, s);
    if (!s->sets_wanted)
        return;
    if (loads_parameter(s->function, i)) {
        take_parameters(s, i);
        return;
    }
    if ((i->opcode != PTX_MOV || i->operand_count != 2) && i->opcode != PTX_SELP) {
        give_up(s, i, elsewhere);
        return;
    }
    for (uint32_t n = 1; n <= (i->opcode == PTX_SELP ? 2 : 1); n++)
        want(s, i, &i->operands[n]);
}

static void begin(struct search *s, const struct ptx_instruction *i)
{
    if (!ptx_opcode_has_texels(i->opcode))
        return;
    if (i->opcode != PTX_TEX && i->opcode != PTX_TLD4 && i->opcode != PTX_TXQ)
        give_up(s, i, "it has surfaces, which exist on device 0 only");
    else if (i->operand_count < 2 || i->operands[1].kind != PTX_MEMORY)
        give_up(s, i, elsewhere);
    else
        want(s, i, &i->operands[1]);
}

/* The texture arguments of called functions are unknown. */
static void look_at_calls(struct search *s, const struct ptx_module *m)
{
    bool *reached = must_calloc(m->function_count, sizeof *reached);

    ptx_reach(m, s->function, reached);
    for (uint32_t n = 0; n < m->function_count; n++) {
        const struct ptx_function *f = &m->functions[n];

        for (uint32_t k = 0; reached[n] && f != s->function && k < f->instruction_count;
             k++)
            if (ptx_opcode_has_texels(f->instructions[k].opcode))
                give_up(s, &f->instructions[k],
                        "a called function has textures or surfaces, which exist on "
                        "device 0 only");
    }
    free(reached);
}

void instrument_textures(const struct ptx_module *m, const struct ptx_function *kernel,
                         struct instrument_textures *out)
{
    struct search s = {.function = kernel, .out = out};

    *out = (struct instrument_textures){.count = 0};
    s.wanted = must_calloc(kernel->register_count + 1u, sizeof *s.wanted);
    for (uint32_t n = 0; n < kernel->instruction_count; n++)
        begin(&s, &kernel->instructions[n]);
    while (s.changed && !out->why) {
        s.changed = false;
        for (uint32_t n = 0; n < kernel->instruction_count; n++)
            follow(&s, &kernel->instructions[n]);
    }
    look_at_calls(&s, m);
    free(s.wanted);
}
