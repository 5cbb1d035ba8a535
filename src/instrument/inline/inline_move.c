/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments and results in registers instead of the parameter space. */
#include <string.h>

#include "instrument/inline/inline_site.h"

static const struct inline_value *value_of(const struct inline_site *site,
                                           const struct ptx_function *f, int32_t symbol)
{
    for (uint32_t k = 0; k < site->value_count; k++) {
        const struct inline_value *v = &site->values[k];

        if ((f == site->caller ? v->outside : v->inside) == symbol)
            return v;
    }
    return NULL;
}

/* Prints the name of the value's location: in3_a0 or in3_r0. */
static void add_place(const struct inline_site *site, const struct inline_value *v,
                      struct text *into)
{
    text_print(into, "in%u_%c%u", site->number, v->is_result ? 'r' : 'a', v->number);
}

static void add_register(const struct inline_site *site, const struct inline_value *v,
                         uint64_t at, struct text *into)
{
    text_print(into, "%%");
    add_place(site, v, into);
    text_print(into, "_%llu", (unsigned long long)at);
}

static void declare_place(const struct inline_site *site, const struct inline_value *v,
                          const struct ptx_instruction *i, bool is_load, bool declared[],
                          struct text *into)
{
    unsigned bytes = ptx_type_bytes(i->type);

    for (unsigned e = 0; e < i->vector; e++) {
        uint64_t at = (uint64_t)i->operands[is_load].integer + e * bytes;

        if (at >= site->called->symbols[v->inside].bytes || declared[at])
            continue;
        declared[at] = true;
        text_print(into, "\t.reg .b%u ", bytes < 2 ? 16 : 8 * bytes);
        add_register(site, v, at, into);
        text_print(into, ";\n");
    }
}

static void declare_value(const struct inline_site *site, const struct inline_value *v,
                          struct text *into)
{
    const struct ptx_symbol *s = &site->called->symbols[v->inside];
    const struct ptx_function *sides[] = {site->caller, site->called};
    struct arena arena = {0};
    bool *declared = arena_alloc(&arena, s->bytes + 1);

    if (v->is_memory) {
        text_print(into, "\t.local .align %u .b8 ", s->align < 16 ? 16 : s->align);
        add_place(site, v, into);
        text_print(into, "[%u];\n", ptx_symbol_bytes(s));
    }
    for (int k = 0; k < 2 && !v->is_memory; k++)
        for (uint32_t n = 0; n < sides[k]->instruction_count; n++) {
            const struct ptx_instruction *i = &sides[k]->instructions[n];
            bool is_load = i->opcode == PTX_LD;

            if ((is_load || i->opcode == PTX_ST) && i->space == PTX_SPACE_PARAM &&
                i->operands[is_load].kind == PTX_MEMORY &&
                i->operands[is_load].symbol == (k ? v->inside : v->outside))
                declare_place(site, v, i, is_load, declared, into);
        }
    arena_clear(&arena);
}

void inline_declare(const struct inline_site *site, struct text *into)
{
    for (uint32_t k = 0; k < site->value_count; k++)
        declare_value(site, &site->values[k], into);
}

/* Prints the operand. Registers of the callee get their unique names. */
static void add_operand(const struct inline_site *site, const struct ptx_function *f,
                        const struct ptx_operand *o, struct text *into)
{
    const char *name = o->kind == PTX_REGISTER ? f->registers[o->reg].name : NULL;

    if (name && f == site->called)
        inline_name(site, name, strlen(name), into);
    else if (name)
        text_add(into, name, strlen(name));
    else
        text_add(into, site->module->text + o->span.offset, o->span.bytes);
}

/* Bytes of the register that is loaded or stored. Other operands have the size of the
   location. */
static unsigned register_bytes(const struct ptx_function *f, const struct ptx_operand *o,
                               unsigned bytes)
{
    return o->kind == PTX_REGISTER ? f->registers[o->reg].bytes : bytes < 2 ? 2 : bytes;
}

/* A register may be wider than its location. A load then extends the value as its type
   requires. */
static void add_mov(const struct inline_site *site, const struct inline_value *v,
                    const struct ptx_function *f, const struct ptx_instruction *i,
                    const struct ptx_operand *o, uint64_t at, struct text *into)
{
    bool is_load = i->opcode == PTX_LD;
    unsigned bytes = ptx_type_bytes(i->type), wide = register_bytes(f, o, bytes);
    bool is_signed =
        i->type == PTX_PART_S8 || i->type == PTX_PART_S16 || i->type == PTX_PART_S32;
    char sign = is_signed ? 's' : 'u';

    if (o->kind == PTX_SINK)
        return;
    if (wide == bytes || (!is_load && bytes < 2 && wide == 2))
        text_print(into, "mov.b%u ", 8 * wide);
    else if (is_load)
        text_print(into, "cvt.%c%u.%c%u ", sign, 8 * wide, sign, 8 * bytes);
    else
        text_print(into, "cvt.u%u.u%u ", bytes < 2 ? 16 : 8 * bytes, 8 * wide);
    if (is_load) {
        add_operand(site, f, o, into);
        text_print(into, ", ");
        add_register(site, v, at, into);
    } else {
        add_register(site, v, at, into);
        text_print(into, ", ");
        add_operand(site, f, o, into);
    }
    text_print(into, "; ");
}

/* Access to a value in local memory instead of registers. */
static void add_access(const struct inline_site *site, const struct inline_value *v,
                       const struct ptx_function *f, const struct ptx_instruction *i,
                       struct text *into)
{
    bool is_load = i->opcode == PTX_LD;
    const struct ptx_operand *o = &i->operands[!is_load];
    struct text value = {0};

    text_add(&value, "", 0);
    for (uint32_t e = 0; e < o->count; e++) {
        text_print(&value, e ? ", " : "{");
        add_operand(site, f, &o->list[e], &value);
    }
    if (o->kind == PTX_VECTOR)
        text_print(&value, "}");
    else
        add_operand(site, f, o, &value);
    text_print(into, "%s.local", is_load ? "ld" : "st");
    if (i->vector > 1)
        text_print(into, ".v%u", i->vector);
    text_print(into, ".%c%u ",
               i->type == PTX_PART_S8 || i->type == PTX_PART_S16 || i->type == PTX_PART_S32
                   ? 's'
                   : 'b',
               8 * ptx_type_bytes(i->type));
    if (is_load)
        text_print(into, "%s, ", value.data);
    text_print(into, "[");
    add_place(site, v, into);
    text_print(into, "+%lld]", (long long)i->operands[is_load].integer);
    if (!is_load)
        text_print(into, ", %s", value.data);
    text_print(into, ";");
    text_clear(&value);
}

bool inline_move(const struct inline_site *site, const struct ptx_function *f,
                 const struct ptx_instruction *i, struct text *into)
{
    bool is_load = i->opcode == PTX_LD;

    if ((!is_load && i->opcode != PTX_ST) || i->space != PTX_SPACE_PARAM ||
        i->operands[is_load].kind != PTX_MEMORY)
        return false;
    const struct ptx_operand *o = &i->operands[!is_load];
    const struct inline_value *v = value_of(site, f, i->operands[is_load].symbol);
    uint64_t at = (uint64_t)i->operands[is_load].integer;

    if (!v)
        return false;
    text_add(into, "", 0);
    if (v->is_memory) {
        add_access(site, v, f, i, into);
    } else if (o->kind == PTX_VECTOR) {
        for (uint32_t e = 0; e < o->count; e++, at += ptx_type_bytes(i->type))
            add_mov(site, v, f, i, &o->list[e], at, into);
    } else {
        add_mov(site, v, f, i, o, at, into);
    }
    return true;
}
