/* SPDX-License-Identifier: Apache-2.0 */
/* Promotion of pointer tables to parameters. The contents of a table from which a kernel
   loads addresses become an additional parameter, with its own value on each device, known
   before the launch. Additional registers follow the table pointer. The kernel's own
   registers remain for comparisons with null. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "instrument/flow/definition.h"
#include "instrument/instrument.h"
#include "instrument/parameter.h"

enum { ADDRESS = 8, WIDEST = 16 };

struct leading {
    const struct ptx_function *function;
    const struct instrument_table *table;
    bool *leads; /* by register: the table's address, possibly plus an index */
};

static bool is_leading(const struct leading *l, const struct ptx_operand *o)
{
    return o->kind == PTX_REGISTER && l->leads[o->reg];
}

static bool is_number(const struct leading *l, const struct ptx_operand *o)
{
    return o->kind == PTX_INTEGER || (o->kind == PTX_REGISTER && !l->leads[o->reg]);
}

static bool is_variable(const struct leading *l, const struct ptx_operand *o)
{
    return l->table->variable >= 0 && (o->kind == PTX_SYMBOL || o->kind == PTX_MEMORY) &&
           o->symbol == l->table->variable;
}

/* True if the instruction loads the pointer to the table, a parameter, into the
   register. */
static bool reads_pointer(const struct leading *l, const struct ptx_instruction *i,
                          int32_t reg)
{
    const struct ptx_operand *to = &i->operands[0], *from = &i->operands[1];
    uint32_t element = 0;

    if (i->opcode != PTX_LD || i->space != PTX_SPACE_PARAM || l->table->variable >= 0 ||
        from->kind != PTX_MEMORY || from->reg >= 0 || from->symbol < 0 ||
        (uint32_t)from->symbol >= l->function->parameter_count ||
        ptx_type_bytes(i->type) != ADDRESS)
        return false;
    while (to->kind == PTX_VECTOR && element < to->count && to->list[element].reg != reg)
        element++;
    return l->function->symbols[from->symbol].offset + (uint64_t)from->integer +
               (uint64_t)element * ADDRESS ==
           l->table->offset;
}

/* Operand from which the register gets an address in the table. 0: none. UINT32_MAX: the
   instruction loads the parameter or names the variable. */
static uint32_t leads_by(const struct leading *l, const struct ptx_instruction *i,
                         int32_t reg)
{
    const struct ptx_operand *o = i->operands;

    if (i->guard >= 0 || i->operand_count < 2)
        return 0;
    if (reads_pointer(l, i, reg))
        return UINT32_MAX;
    if (o[0].kind != PTX_REGISTER || o[0].is_part)
        return 0;
    switch (i->opcode) {
    case PTX_MOV:
    case PTX_CVTA:
        if (o[1].kind == PTX_SYMBOL && is_variable(l, &o[1]))
            return UINT32_MAX;
        return is_leading(l, &o[1]) && i->space != PTX_SPACE_SHARED &&
                       i->space != PTX_SPACE_LOCAL
                   ? 1
                   : 0;
    case PTX_ADD:
        if (is_leading(l, &o[1]) && is_number(l, &o[2]))
            return 1;
        return is_leading(l, &o[2]) && is_number(l, &o[1]) ? 2 : 0;
    case PTX_SUB:
        return is_leading(l, &o[1]) && is_number(l, &o[2]) ? 1 : 0;
    case PTX_MAD:
        return i->operand_count == 4 && is_leading(l, &o[3]) && is_number(l, &o[1]) &&
                       is_number(l, &o[2])
                   ? 3
                   : 0;
    default:
        return 0;
    }
}

struct visiting {
    const struct leading *leading;
    const struct ptx_instruction *instruction;
    bool found, changed;
};

static void drop(void *context, int32_t reg)
{
    struct visiting *v = context;

    if (v->leading->leads[reg] && !leads_by(v->leading, v->instruction, reg)) {
        v->leading->leads[reg] = false;
        v->changed = true;
    }
}

static void look(void *context, int32_t reg)
{
    struct visiting *v = context;

    v->found |= v->leading->leads[reg];
}

static bool uses(const struct leading *l, const struct ptx_instruction *i)
{
    struct visiting v = {.leading = l};

    definition_each_use(i, look, &v);
    return v.found;
}

static bool defines(const struct leading *l, const struct ptx_instruction *i)
{
    struct visiting v = {.leading = l};

    definition_each(i, look, &v);
    return v.found;
}

/* Starts with all registers and removes those that another instruction also sets. */
static void find_leads(const struct leading *l)
{
    const struct ptx_function *f = l->function;
    struct visiting v = {.leading = l, .changed = true};
    uint32_t *definitions = must_calloc(f->register_count + 1u, sizeof *definitions),
             *last = must_calloc(f->register_count + 1u, sizeof *last);

    ptx_definitions_count(f, definitions, last);
    for (uint32_t reg = 0; reg < f->register_count; reg++)
        l->leads[reg] = f->registers[reg].bytes == ADDRESS && definitions[reg];
    free(definitions);
    free(last);
    while (v.changed) {
        v.changed = false;
        for (uint32_t n = 0; n < f->instruction_count; n++) {
            v.instruction = &f->instructions[n];
            definition_each(v.instruction, drop, &v);
        }
    }
}

static bool is_plain(const struct ptx_instruction *i)
{
    static const enum ptx_part others[] = {PTX_PART_VOLATILE, PTX_PART_RELAXED,
                                           PTX_PART_ACQUIRE, PTX_PART_MMIO, PTX_PART_CV};

    for (size_t n = 0; n < sizeof others / sizeof *others; n++)
        if (ptx_has(i, others[n]))
            return false;
    return ptx_type_bytes(i->type) && ptx_type_bytes(i->type) * i->vector <= WIDEST;
}

static bool reads_table(const struct leading *l, const struct ptx_instruction *i)
{
    const struct ptx_operand *at = i->operand_count == 2 ? &i->operands[1] : NULL;

    return i->opcode == PTX_LD && at && at->kind == PTX_MEMORY && !at->count &&
           i->space != PTX_SPACE_PARAM && i->space != PTX_SPACE_SHARED &&
           i->space != PTX_SPACE_LOCAL && is_plain(i) &&
           (at->reg >= 0 ? l->leads[at->reg] : is_variable(l, at));
}

/* A comparison with null. If there is no table, the parameter is null on all devices. */
static bool is_compared(const struct ptx_instruction *i)
{
    return i->opcode == PTX_SETP && i->operand_count >= 3 &&
           ((i->operands[1].kind == PTX_INTEGER && !i->operands[1].integer) ||
            (i->operands[2].kind == PTX_INTEGER && !i->operands[2].integer));
}

static bool names(const struct leading *l, const struct ptx_operand *o)
{
    if (is_variable(l, o))
        return true;
    for (uint32_t n = 0; n < o->count; n++)
        if (names(l, &o->list[n]))
            return true;
    return false;
}

static bool names_any(const struct leading *l, const struct ptx_instruction *i)
{
    for (uint32_t n = 0; n < i->operand_count; n++)
        if (names(l, &i->operands[n]))
            return true;
    return false;
}

/* Fills `loads` by instruction. Returns false if the kernel uses the table for more than
   loads and comparisons with null, or loads nothing. */
static bool find_loads(const struct leading *l, bool *loads)
{
    const struct ptx_function *f = l->function;
    bool any = false;

    for (uint32_t n = 0; n < f->instruction_count; n++) {
        const struct ptx_instruction *i = &f->instructions[n];

        if (!uses(l, i) && !names_any(l, i))
            continue;
        loads[n] = reads_table(l, i);
        any |= loads[n];
        if (!loads[n] && !defines(l, i) && !(is_compared(i) && !names_any(l, i)))
            return false;
    }
    return any;
}

static struct leading follow(const struct ptx_function *f, const struct instrument_table *t)
{
    struct leading l = {f, t, must_calloc(f->register_count + 1u, sizeof(bool))};

    find_leads(&l);
    return l;
}

bool *instrument_table_loads(const struct ptx_function *kernel,
                             const struct instrument_table *table)
{
    struct leading l = follow(kernel, table);
    bool *loads = must_calloc(kernel->instruction_count + 1u, sizeof *loads);

    if (!find_loads(&l, loads)) {
        free(loads);
        loads = NULL;
    }
    free(l.leads);
    return loads;
}

struct rewriting {
    const struct ptx_module *module;
    struct edit_list *edits;
    unsigned level;              /* number of the kernel's own parameters */
    unsigned number;             /* of the table's parameter */
    unsigned *name, names_count; /* by register: the number of its companion register */
};

/* A kernel may be rewritten again for the tables to which its tables point. */
struct name {
    char text[40];
};

static struct name beside(struct rewriting *r, int32_t reg)
{
    struct name name;

    if (!r->name[reg])
        r->name[reg] = ++r->names_count;
    snprintf(name.text, sizeof name.text, "%%proact_t%u_%u", r->level, r->name[reg] - 1);
    return name;
}

static struct name parameter_of(const struct rewriting *r)
{
    struct name name;

    snprintf(name.text, sizeof name.text, INSTRUMENT_TABLE "%u", r->level + r->number);
    return name;
}

/* Inserts the computation before the instruction, which may overwrite its operands. */
static void repeat(struct rewriting *r, const struct ptx_instruction *i, uint32_t by)
{
    const struct ptx_operand *o = i->operands;
    const char *text = r->module->text;
    const struct name to = beside(r, o[0].reg), from = beside(r, o[by].reg);
    const uint32_t at = i->span.offset, end = at + i->span.bytes,
                   behind = o[by].span.offset + o[by].span.bytes,
                   between = o[0].span.offset + o[0].span.bytes;

    if (i->opcode == PTX_MOV || i->opcode == PTX_CVTA)
        edit_insert(r->edits, at, "mov.b64 %s, %s; ", to.text, from.text);
    else
        edit_insert(r->edits, at, "%.*s%s%.*s%s%.*s ", (int)(o[0].span.offset - at),
                    text + at, to.text, (int)(o[by].span.offset - between), text + between,
                    from.text, (int)(end - behind), text + behind);
}

static void begin(struct rewriting *r, const struct leading *l,
                  const struct ptx_instruction *i, int32_t reg)
{
    const int64_t behind = l->table->variable >= 0 ? i->operands[1].integer : 0;
    const struct name to = beside(r, reg);

    edit_insert(r->edits, i->span.offset, "mov.b64 %s, %s; ", to.text,
                parameter_of(r).text);
    if (behind)
        edit_insert(r->edits, i->span.offset, "add.s64 %s, %s, %" PRId64 "; ", to.text,
                    to.text, behind);
}

static void read(struct rewriting *r, const struct ptx_function *f,
                 const struct ptx_instruction *i)
{
    const struct ptx_operand *to = &i->operands[0], *at = &i->operands[1];
    const struct name place = at->reg >= 0 ? beside(r, at->reg) : parameter_of(r);

    edit_replace(r->edits, i->span, "%s%s%s%sld.param%s.%s %.*s, [%s+%" PRId64 "];",
                 i->guard < 0 ? "" : "@", i->guard_negated ? "!" : "",
                 i->guard < 0 ? "" : f->registers[i->guard].name, i->guard < 0 ? "" : " ",
                 i->vector == 4   ? ".v4"
                 : i->vector == 2 ? ".v2"
                                  : "",
                 ptx_part_spelling(i->type), (int)to->span.bytes,
                 r->module->text + to->span.offset, place.text, at->integer);
}

struct beginning {
    struct rewriting *rewriting;
    const struct leading *leading;
    const struct ptx_instruction *instruction;
};

static void follow_one(void *context, int32_t reg)
{
    const struct beginning *b = context;
    const uint32_t by =
        b->leading->leads[reg] ? leads_by(b->leading, b->instruction, reg) : 0;

    if (by == UINT32_MAX)
        begin(b->rewriting, b->leading, b->instruction, reg);
    else if (by)
        repeat(b->rewriting, b->instruction, by);
}

static void rewrite(struct rewriting *r, const struct ptx_function *f,
                    const struct instrument_table *t)
{
    const struct leading l = follow(f, t);
    struct beginning b = {.rewriting = r, .leading = &l};

    for (uint32_t n = 0; n < f->instruction_count; n++) {
        b.instruction = &f->instructions[n];
        if (reads_table(&l, b.instruction))
            read(r, f, b.instruction);
        else
            definition_each(b.instruction, follow_one, &b);
    }
    free(l.leads);
}

/* Rewritten instructions keep their lines. */
char *instrument_tables(const struct ptx_module *m, const struct ptx_function *kernel,
                        const struct instrument_table *tables, unsigned count,
                        size_t *bytes)
{
    struct edit_list edits = {0};
    struct text text = {0}, declared = {0};
    struct rewriting r = {.module = m,
                          .edits = &edits,
                          .level = kernel->parameter_count,
                          .name = must_calloc(kernel->register_count + 1u, sizeof *r.name)};

    for (; r.number < count; r.number++) {
        rewrite(&r, kernel, &tables[r.number]);
        text_print(&declared, "%s.param .align 16 .b8 %s[%u]", r.number ? ", " : "",
                   parameter_of(&r).text, tables[r.number].bytes);
    }
    parameter_append(&edits, m, kernel, declared.data);
    edit_insert(&edits, kernel->body.offset, " .reg .b64 %%proact_t%u_<%u>;", r.level,
                r.names_count + 1);
    edit_print(&edits, m, (struct ptx_span){0, (uint32_t)m->bytes}, &text);
    edit_clear(&edits);
    text_clear(&declared);
    free(r.name);
    *bytes = text.length;
    return text.data;
}

bool instrument_tables_fit(const struct ptx_module *m, const struct ptx_function *kernel,
                           const struct instrument_table *tables, unsigned count)
{
    uint64_t bytes = kernel->parameter_bytes +
                     instrument_partition_bytes(INSTRUMENT_SEND, PROACT_SLOTS_MAX) +
                     2 * WIDEST;

    for (unsigned n = 0; n < count; n++)
        bytes += tables[n].bytes;
    return bytes <= parameters_max(m);
}
