/* SPDX-License-Identifier: Apache-2.0 */
#include "access/slice/slice_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void print_symbol(struct slice_text *t, int32_t symbol)
{
    if (symbol >= PTX_SYMBOL_MODULE)
        t->symbols[symbol - PTX_SYMBOL_MODULE] = true;
    text_print(&t->body, "%s", ptx_symbol(t->s->module, t->s->f, symbol)->name);
}

static void print_offset(struct slice_text *t, int64_t offset)
{
    if (offset)
        text_print(&t->body, "+%" PRId64, offset);
}

static uint32_t definition_count(const struct slice *s)
{
    return s->definitions.first[s->registers];
}

/* A register without a reaching definition is numbered after all definitions. */
static void print_register(struct slice_text *t, int32_t reg)
{
    int64_t name = slice_name(t->s, t->at, (uint32_t)reg, t->in_target);

    if (name < 0)
        name = (int64_t)definition_count(t->s) + reg;
    t->registers[name] = reg;
    text_print(&t->body, "%%v%" PRId64, name);
}

static void start(struct slice_text *t, const struct ptx_instruction *i)
{
    t->at = (uint32_t)(i - t->s->f->instructions);
    t->in_target = false;
}

void slice_text_register(struct slice_text *t, const struct ptx_instruction *i, int32_t reg)
{
    start(t, i);
    print_register(t, reg);
}

void slice_text_guard(struct slice_text *t, const struct ptx_instruction *i)
{
    if (i->guard < 0)
        return;
    text_print(&t->body, "@%s", i->guard_negated ? "!" : "");
    slice_text_register(t, i, i->guard);
    text_print(&t->body, " ");
}

static void print_address(struct slice_text *t, const struct ptx_operand *o, int64_t more)
{
    text_print(&t->body, "[");
    if (o->reg >= 0)
        print_register(t, o->reg);
    else if (o->symbol >= 0)
        print_symbol(t, o->symbol);
    if (o->reg < 0 && o->symbol < 0)
        text_print(&t->body, "%" PRId64, o->integer + more);
    else
        print_offset(t, o->integer + more);
    text_print(&t->body, "]");
}

static void print_operand(struct slice_text *t, const struct ptx_operand *o);

static void print_list(struct slice_text *t, const struct ptx_operand *o,
                       const char *between)
{
    for (uint32_t n = 0; n < o->count; n++) {
        text_print(&t->body, "%s", n ? between : "");
        print_operand(t, &o->list[n]);
    }
}

static void print_operand(struct slice_text *t, const struct ptx_operand *o)
{
    switch (o->kind) {
    case PTX_REGISTER:
        text_print(&t->body, "%s", o->negated ? "!" : "");
        print_register(t, o->reg);
        return;
    case PTX_SYMBOL:
        print_symbol(t, o->symbol);
        print_offset(t, o->integer);
        return;
    case PTX_MEMORY:
        print_address(t, o, 0);
        return;
    case PTX_VECTOR:
        text_print(&t->body, "{");
        print_list(t, o, ", ");
        text_print(&t->body, "}");
        return;
    case PTX_PAIR:
        print_list(t, o, "|");
        return;
    default:
        text_add(&t->body, t->s->module->text + o->span.offset, o->span.bytes);
    }
}

/* The dotted opcode as written after the guard. */
static struct ptx_span opcode_of(const struct ptx_module *m,
                                 const struct ptx_instruction *i)
{
    static const char blank[] = " \t\r\n";
    const char *from = m->text + i->span.offset;

    if (*from == '@') {
        from += 1 + strspn(from + 1, " \t!");
        from += strcspn(from, blank);
        from += strspn(from, blank);
    }
    return (struct ptx_span){(uint32_t)(from - m->text),
                             (uint32_t)strcspn(from, " \t\r\n;{")};
}

void slice_text_keep(struct slice_text *t, const struct ptx_instruction *i)
{
    struct ptx_span opcode = opcode_of(t->s->module, i);

    start(t, i);
    slice_text_guard(t, i);
    text_add(&t->body, t->s->module->text + opcode.offset, opcode.bytes);
    for (uint32_t n = 0; n < i->operand_count; n++) {
        text_print(&t->body, n ? ", " : " ");
        t->in_target = slice_is_target(i, n);
        print_operand(t, &i->operands[n]);
    }
    text_print(&t->body, ";\n");
}

/* Each of the first lanes stores one line. */
static void store_matrix(struct slice_text *t, const struct ptx_instruction *i,
                         const struct slice_writer *w)
{
    t->matrices = true;
    text_print(&t->body,
               "mov.u32 %%m32, %%laneid;\nsetp.lt.u32 %%mp, %%m32, %u;\n"
               "mul.lo.u32 %%m32, %%m32, ",
               w->lines);
    if (w->stride)
        print_operand(t, w->stride);
    else
        text_print(&t->body, "%u", w->line_elements);
    text_print(&t->body, ";\nmul.wide.u32 %%m64, %%m32, %u;\nadd.s64 %%m64, %%m64, ",
               w->element);
    print_register(t, w->address->reg);
    text_print(&t->body, ";\n");
    for (uint32_t at = 0; at < w->bytes; at += 16)
        text_print(&t->body, "@%%mp st%s.v2.b64 [%%m64+%" PRId64 "], {%%z64, %%z64};\n",
                   ptx_has(i, PTX_PART_GLOBAL) ? ".global" : "", w->address->integer + at);
}

void slice_text_store(struct slice_text *t, const struct ptx_instruction *i)
{
    static const char *const forms[] = {"b8 ", "b16 ", "b32 ", "b64 ", "v2.b64 "};
    static const char *const zeros[] = {"%z16", "%z16", "%z32", "%z64", "{%z64, %z64}"};
    struct slice_writer w = slice_writer(t->s, i);
    unsigned form = 0;

    start(t, i);
    if (w.lines) {
        store_matrix(t, i, &w);
        return;
    }
    while (form < 4 && 1u << form < w.bytes)
        form++;
    for (uint32_t at = 0; at < w.bytes; at += 16) { /* more than 16 bytes are split */
        if (i->guard >= 0 && !slice_taint(t->s, t->at, (uint32_t)i->guard))
            slice_text_guard(t, i);
        text_print(&t->body, "st.%s%s", i->space == PTX_SPACE_GENERIC ? "" : "global.",
                   forms[form]);
        print_address(t, w.address, at);
        text_print(&t->body, ", %s;\n", zeros[form]);
    }
}

void slice_text_open(struct slice_text *t, const struct slice *s)
{
    uint32_t count = definition_count(s) + s->registers;

    *t = (struct slice_text){.s = s};
    t->registers = must_calloc(count, sizeof *t->registers);
    memset(t->registers, -1, count * sizeof *t->registers);
    t->symbols = must_calloc(s->module->symbol_count + 1u, sizeof *t->symbols);
}

void slice_text_close(struct slice_text *t)
{
    text_clear(&t->body);
    free(t->registers);
    free(t->symbols);
}

static const char *register_type(const struct ptx_register *r)
{
    switch (r->bytes) {
    case 0:
        return "pred";
    case 1:
        return "u8";
    case 2:
        return "b16";
    case 4:
        return "b32";
    case 8:
        return "b64";
    default:
        return "b128";
    }
}

void slice_text_registers(const struct slice_text *t, struct text *into)
{
    for (uint32_t n = 0; n < definition_count(t->s) + t->s->registers; n++)
        if (t->registers[n] >= 0)
            text_print(into, ".reg .%s %%v%u;\n",
                       register_type(&t->s->f->registers[t->registers[n]]), n);
    if (t->matrices)
        text_print(into, ".reg .b32 %%m32;\n.reg .b64 %%m64;\n.reg .pred %%mp;\n");
}

static void print_initial(const struct ptx_symbol *v, struct text *into)
{
    if (!v->initial)
        return;
    text_print(into, " = {");
    for (uint32_t n = 0; n < v->bytes; n++)
        text_print(into, "%s%u", n ? ", " : "", v->initial[n]);
    text_print(into, "}");
}

void slice_text_variables(const struct slice_text *t, struct text *into)
{
    for (uint32_t n = 0; n < t->s->module->symbol_count; n++) {
        const struct ptx_symbol *v = &t->s->module->symbols[n];

        if (!t->symbols[n])
            continue;
        bool constant = v->space == PTX_SPACE_CONST;

        text_print(into, ".%s .align %u .b8 %s[%llu]", constant ? "const" : "global",
                   v->align ? v->align : 1, v->name,
                   (unsigned long long)(v->bytes ? v->bytes : 1));
        if (constant) /* the contents of other variables are not read */
            print_initial(v, into);
        text_print(into, ";\n");
    }
}
