/* SPDX-License-Identifier: Apache-2.0 */
/* Promotion of variables to parameters. Each device has its own copy of a module variable.
   If its address is a parameter of all kernels that use it, the variable may be any memory,
   such as an array. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "instrument/instrument.h"
#include "instrument/parameter.h"

#define REGISTER "%%proact_v"

static bool names(const struct ptx_operand *o, int32_t symbol)
{
    if ((o->kind == PTX_SYMBOL || o->kind == PTX_MEMORY) && o->symbol == symbol)
        return true;
    for (uint32_t n = 0; n < o->count; n++)
        if (names(&o->list[n], symbol))
            return true;
    return false;
}

static bool uses(const struct ptx_function *f, int32_t symbol)
{
    for (uint32_t n = 0; n < f->instruction_count; n++)
        for (uint32_t k = 0; k < f->instructions[n].operand_count; k++)
            if (names(&f->instructions[n].operands[k], symbol))
                return true;
    return false;
}

/* True for a plain use: a memory operand without a register, or a symbol. An offset is
   allowed only in a memory operand or a mov. */
static bool is_plain(const struct ptx_instruction *i, const struct ptx_operand *o)
{
    if (o->kind == PTX_MEMORY)
        return o->reg < 0 && !o->count;
    return o->kind == PTX_SYMBOL && (!o->integer || i->opcode == PTX_MOV);
}

static bool all_plain(const struct ptx_function *f, int32_t symbol)
{
    for (uint32_t n = 0; n < f->instruction_count; n++)
        for (uint32_t k = 0; k < f->instructions[n].operand_count; k++) {
            const struct ptx_operand *o = &f->instructions[n].operands[k];

            if (names(o, symbol) && !is_plain(&f->instructions[n], o))
                return false;
        }
    return true;
}

/* True if the initializer of a variable contains the address. */
static bool variable_is_initial(const struct ptx_module *m, int32_t symbol)
{
    for (uint32_t i = 0; i < m->symbol_count; i++)
        for (uint32_t n = 0; n < m->symbols[i].relocation_count; n++)
            if (m->symbols[i].relocations[n].symbol == symbol)
                return true;
    return false;
}

static bool has_name_taken(const struct ptx_module *m, const struct ptx_function *f)
{
    for (uint32_t i = 0; i < m->symbol_count; i++) {
        const struct ptx_symbol *s = &m->symbols[i];
        const int32_t symbol = (int32_t)i + PTX_SYMBOL_MODULE;

        if (!s->is_function || s->function < 0 || &m->functions[s->function] != f)
            continue;
        for (uint32_t n = 0; n < m->function_count; n++)
            if (uses(&m->functions[n], symbol))
                return true;
        if (variable_is_initial(m, symbol))
            return true;
    }
    return false;
}

static const struct ptx_item *item_of(const struct ptx_module *m, uint32_t symbol)
{
    for (uint32_t i = 0; i < m->item_count; i++)
        if (m->items[i].kind == PTX_ITEM_VARIABLE && m->items[i].symbol == (int32_t)symbol)
            return &m->items[i];
    return NULL;
}

/* True if parameters for all variables of the module fit. */
static bool has_room(const struct ptx_module *m, const struct ptx_function *f)
{
    return f->parameter_bytes + (m->symbol_count + 1) * sizeof(uint64_t) <=
           parameters_max(m);
}

bool instrument_variable_moves(const struct ptx_module *m, uint32_t symbol)
{
    const int32_t wanted = (int32_t)symbol + PTX_SYMBOL_MODULE;
    const struct ptx_symbol *s = &m->symbols[symbol];
    const struct ptx_item *item = item_of(m, symbol);

    if (s->space != PTX_SPACE_GLOBAL || s->is_function || s->is_extern || s->is_managed ||
        !s->bytes || s->bytes > UINT32_MAX || s->relocation_count || !item ||
        item->name_count != 1 || variable_is_initial(m, wanted))
        return false;
    for (uint32_t n = 0; n < m->function_count; n++) {
        const struct ptx_function *f = &m->functions[n];

        if (uses(f, wanted) && (!f->is_entry || !has_room(m, f) || !all_plain(f, wanted) ||
                                has_name_taken(m, f)))
            return false;
    }
    return true;
}

bool instrument_variable_is_free(const struct ptx_module *m, uint32_t symbol)
{
    bool is_used = !instrument_variable_moves(m, symbol);

    for (uint32_t n = 0; n < m->function_count && !is_used; n++)
        is_used = uses(&m->functions[n], (int32_t)symbol + PTX_SYMBOL_MODULE);
    return !is_used;
}

/* Replaces the operand by the register with the address, plus the offset. */
static void replace(const struct ptx_module *m, const struct ptx_function *f,
                    const struct ptx_instruction *i, const struct ptx_operand *o,
                    unsigned number, struct edit_list *edits)
{
    if (o->kind == PTX_MEMORY) {
        edit_replace(edits, o->span, "[" REGISTER "%u+%" PRId64 "]", number, o->integer);
    } else if (!o->integer) {
        edit_replace(edits, o->span, REGISTER "%u", number);
    } else {
        const struct ptx_span to = i->operands[0].span;

        edit_replace(edits, i->span, "%s%s%s%sadd.s64 %.*s, " REGISTER "%u, %" PRId64 ";",
                     i->guard < 0 ? "" : "@", i->guard_negated ? "!" : "",
                     i->guard < 0 ? "" : f->registers[i->guard].name,
                     i->guard < 0 ? "" : " ", (int)to.bytes, m->text + to.offset, number,
                     o->integer);
    }
}

static void replace_all(const struct ptx_module *m, const struct ptx_function *f,
                        uint32_t symbol, unsigned number, struct edit_list *edits)
{
    for (uint32_t n = 0; n < f->instruction_count; n++)
        for (uint32_t k = 0; k < f->instructions[n].operand_count; k++) {
            const struct ptx_operand *o = &f->instructions[n].operands[k];

            if (names(o, (int32_t)symbol + PTX_SYMBOL_MODULE))
                replace(m, f, &f->instructions[n], o, number, edits);
        }
}

static void give(const struct ptx_module *m, const struct ptx_function *f,
                 const bool *which, struct edit_list *edits)
{
    struct text declared = {0}, loads = {0};
    unsigned count = 0;

    for (uint32_t i = 0; i < m->symbol_count; i++) {
        const char *name = m->symbols[i].name;

        if (!which[i] || !uses(f, (int32_t)i + PTX_SYMBOL_MODULE))
            continue;
        replace_all(m, f, i, count, edits);
        text_print(&declared, "%s.param .u64 " INSTRUMENT_VARIABLE "%s", count ? ", " : "",
                   name);
        text_print(&loads, " ld.param.u64 " REGISTER "%u, [" INSTRUMENT_VARIABLE "%s];",
                   count, name);
        count++;
    }
    if (count) {
        parameter_append(edits, m, f, declared.data);
        edit_insert(edits, f->body.offset, " .reg .b64 " REGISTER "<%u>;%s", count,
                    loads.data);
    }
    text_clear(&declared);
    text_clear(&loads);
}

/* The removed declaration keeps its lines. */
static void drop(const struct ptx_module *m, uint32_t symbol, struct edit_list *edits)
{
    const struct ptx_span span = item_of(m, symbol)->span;
    struct text lines = {0};

    for (uint32_t at = 0; at < span.bytes; at++)
        if (m->text[span.offset + at] == '\n')
            text_add(&lines, "\n", 1);
    edit_replace(edits, span, "%s", lines.data ? lines.data : "");
    text_clear(&lines);
}

char *instrument_variables(const struct ptx_module *m, const bool *which, size_t *bytes)
{
    struct edit_list edits = {0};
    struct text text = {0};

    for (uint32_t i = 0; i < m->symbol_count; i++)
        if (which[i])
            drop(m, i, &edits);
    for (uint32_t n = 0; n < m->function_count; n++)
        if (m->functions[n].is_entry)
            give(m, &m->functions[n], which, &edits);
    edit_print(&edits, m, (struct ptx_span){0, (uint32_t)m->bytes}, &text);
    edit_clear(&edits);
    *bytes = text.length;
    return text.data;
}
