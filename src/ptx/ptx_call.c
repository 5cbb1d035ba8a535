/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters in registers. All users of a module know .param variables only. The parser
   therefore adds what the text leaves out: a .param variable for each register parameter
   and for each argument or result of a call that is a register or a number, and the loads
   and stores that move the values. Added instructions have empty spans, so that the text
   stays as it is. */
#include <string.h>

#include "ptx/ptx_parser.h"

static enum ptx_part vector_part(uint32_t count)
{
    return count == 2 ? PTX_PART_V2 : PTX_PART_V4;
}

/* Adds `ld.param.TYPE value, [slot]` or `st.param.TYPE [slot], value`. Only loads need the
   guard: a value that is stored and not used has no effect. */
static void add_move(struct ptx_parser *p, bool is_load, int32_t slot,
                     struct ptx_operand value, const struct ptx_instruction *near)
{
    const struct ptx_symbol *s = (const struct ptx_symbol *)p->body.symbols.data + slot;
    struct ptx_operand *o = arena_alloc(&p->module->arena, 2 * sizeof *o);
    struct ptx_instruction i = {
        .opcode = is_load ? PTX_LD : PTX_ST,
        .parts = {PTX_PART_PARAM},
        .part_count = 1,
        .space = PTX_SPACE_PARAM,
        .type = s->type,
        .source_type = s->type,
        .vector = 1,
        .guard = is_load ? near->guard : -1,
        .guard_negated = is_load && near->guard_negated,
        .operand_count = 2,
        .operands = o,
        .line = near->line,
        .span = {near->span.offset + (is_load ? near->span.bytes : 0), 0},
    };

    if (value.kind == PTX_VECTOR) {
        i.vector = (uint8_t)value.count;
        i.parts[i.part_count++] = (uint16_t)vector_part(value.count);
    }
    i.parts[i.part_count++] = (uint16_t)s->type;
    o[!is_load] = value;
    o[is_load] = (struct ptx_operand){
        .kind = PTX_MEMORY, .reg = -1, .symbol = slot, .label = -1, .span = value.span};
    *(struct ptx_instruction *)ptx_list_add(&p->body.instructions) = i;
}

/* The registers of a parameter as an operand. */
static struct ptx_operand registers_of(struct ptx_parser *p, const struct ptx_symbol *s)
{
    struct ptx_operand o = {
        .kind = PTX_REGISTER, .reg = s->reg, .symbol = -1, .label = -1, .span = s->span};

    ptx_operand_expand(p, &o);
    return o;
}

static struct ptx_instruction here(const struct ptx_parser *p)
{
    return (struct ptx_instruction){
        .guard = -1, .line = p->token.line, .span = {p->token.span.offset, 0}};
}

bool ptx_parameters_open(struct ptx_parser *p, uint32_t parameters, uint32_t results)
{
    const struct ptx_instruction near = here(p);

    p->body.first_result = parameters;
    p->body.result_count = results;
    for (uint32_t n = 0; n < parameters + results; n++) {
        struct ptx_symbol *s = (struct ptx_symbol *)p->body.symbols.data + n;
        unsigned type = ptx_type_bytes(s->type);
        unsigned elements = ptx_symbol_bytes(s) / (type ? type : 1);

        if (!s->is_register)
            continue;
        if (!ptx_register_declare(p, s->span, s->type, elements, &s->reg))
            return false;
        if (n < parameters)
            add_move(p, true, (int32_t)n, registers_of(p, s), &near);
    }
    return true;
}

/* True if no path reaches the token: an unconditional ret precedes it without a label. */
static bool has_returned(const struct ptx_parser *p)
{
    const struct ptx_body *b = &p->body;
    const struct ptx_instruction *all = b->instructions.data;
    const struct ptx_label *labels = b->labels.data;
    size_t count = b->instructions.count;

    return count && all[count - 1].opcode == PTX_RET && all[count - 1].guard < 0 &&
           (!b->labels.count || labels[b->labels.count - 1].instruction < count);
}

void ptx_results_store(struct ptx_parser *p, const struct ptx_instruction *near)
{
    const struct ptx_instruction end = here(p);

    if (!near && has_returned(p))
        return;

    for (uint32_t n = 0; n < p->body.result_count; n++) {
        uint32_t slot = p->body.first_result + n;
        const struct ptx_symbol *s = (const struct ptx_symbol *)p->body.symbols.data + slot;

        if (s->is_register)
            add_move(p, false, (int32_t)slot, registers_of(p, s), near ? near : &end);
    }
}

void ptx_signature_add(struct ptx_parser *p, struct ptx_list *to, const char *name,
                       struct ptx_list *results, struct ptx_list *parameters)
{
    struct ptx_signature *s = ptx_list_add(to);

    s->name = name;
    s->result_count = (uint32_t)results->count;
    s->parameter_count = (uint32_t)parameters->count;
    s->results = arena_alloc(&p->module->arena, (results->count + 1) * sizeof *s->results);
    s->parameters =
        arena_alloc(&p->module->arena, (parameters->count + 1) * sizeof *s->parameters);
    if (results->count)
        memcpy(s->results, results->data, results->count * sizeof *s->results);
    if (parameters->count)
        memcpy(s->parameters, parameters->data, parameters->count * sizeof *s->parameters);
}

static const struct ptx_signature *signature_named(const struct ptx_list *list,
                                                   const char *name, size_t bytes)
{
    const struct ptx_signature *all = list->data;

    for (size_t n = list->count; n-- > 0;)
        if (strlen(all[n].name) == bytes && memcmp(all[n].name, name, bytes) == 0)
            return &all[n];
    return NULL;
}

/* Signature of the called function, or of the prototype that the last operand names. NULL:
   neither is declared before the call. */
static const struct ptx_signature *signature_find(const struct ptx_parser *p,
                                                  const struct ptx_instruction *i)
{
    const struct ptx_operand *last = &i->operands[i->operand_count - 1];
    const struct ptx_symbol *symbols = p->symbols.data;

    for (uint32_t n = 0; n < i->operand_count; n++) {
        const struct ptx_operand *o = &i->operands[n];

        if (o->kind == PTX_SYMBOL && o->symbol >= PTX_SYMBOL_MODULE) {
            const char *name = symbols[o->symbol - PTX_SYMBOL_MODULE].name;

            return signature_named(&p->signatures, name, strlen(name));
        }
    }
    return last->kind == PTX_LABEL
               ? signature_named(&p->body.prototypes, p->text + last->span.offset,
                                 last->span.bytes)
               : NULL;
}

/* Type of an argument by its register. PTX_PART_COUNT: a number, a predicate. */
static enum ptx_part argument_type(const struct ptx_parser *p, const struct ptx_operand *o)
{
    const struct ptx_register *registers = p->body.registers.data;
    const struct ptx_operand *first = o->kind == PTX_VECTOR && o->count ? o->list : o;

    if (first->kind != PTX_REGISTER)
        return PTX_PART_COUNT;
    switch (registers[first->reg].bytes) {
    case 1:
        return PTX_PART_B8;
    case 2:
        return PTX_PART_B16;
    case 4:
        return PTX_PART_B32;
    case 8:
        return PTX_PART_B64;
    default:
        return PTX_PART_COUNT;
    }
}

/* Replaces an argument or result that is no .param variable. Returns its variable, or -1 if
   it stays as it is: the call is then one that nobody understands. */
static int32_t slot_add(struct ptx_parser *p, struct ptx_operand *o,
                        const struct ptx_symbol *formal, bool is_result)
{
    bool is_number = o->kind == PTX_INTEGER || o->kind == PTX_FLOAT;
    unsigned count = o->kind == PTX_VECTOR ? o->count : 1;
    struct ptx_symbol slot = {
        .name = is_result ? "result of a call" : "argument of a call",
        .space = PTX_SPACE_PARAM,
        .type = formal ? formal->type : argument_type(p, o),
        .function = -1,
        .span = o->span,
    };
    unsigned bytes = ptx_type_bytes(slot.type);

    if (!bytes || (count != 1 && count != 2 && count != 4) ||
        (o->kind == PTX_SINK ? !is_result
                             : o->kind != PTX_REGISTER && o->kind != PTX_VECTOR &&
                                   (!is_number || is_result)) ||
        (formal && o->kind != PTX_SINK && formal->bytes != bytes * count))
        return -1;
    slot.align = formal ? ptx_symbol_bytes(formal) : bytes * count;
    slot.bytes = slot.align;
    int32_t index = ptx_symbol_add_unnamed(p, &slot);

    *o = (struct ptx_operand){
        .kind = PTX_SYMBOL, .reg = -1, .symbol = index, .label = -1, .span = o->span};
    return index;
}

/* The list of arguments or results. NULL: none is written. */
static struct ptx_operand *call_list(const struct ptx_instruction *i, bool is_result)
{
    bool is_after = false;

    for (uint32_t n = 0; n < i->operand_count; n++) {
        struct ptx_operand *o = &i->operands[n];

        if (o->kind == PTX_LIST && is_after == !is_result)
            return o;
        is_after |= o->kind != PTX_LIST;
    }
    return NULL;
}

static void move_all(struct ptx_parser *p, const struct ptx_instruction *i,
                     struct ptx_operand *list, const struct ptx_operand *values,
                     bool is_result)
{
    for (uint32_t n = 0; list && n < list->count; n++)
        if (list->list[n].kind == PTX_SYMBOL && values[n].kind != PTX_SYMBOL &&
            values[n].kind != PTX_SINK)
            add_move(p, is_result, list->list[n].symbol, values[n], i);
}

/* The list as written; slots then replace what is no variable. */
static struct ptx_operand *slots_add(struct ptx_parser *p, const struct ptx_signature *s,
                                     struct ptx_operand *list, bool is_result)
{
    const struct ptx_symbol *formals = !s ? NULL : is_result ? s->results : s->parameters;
    uint32_t count = !s ? 0 : is_result ? s->result_count : s->parameter_count;
    uint32_t has = list ? list->count : 0;
    struct ptx_operand *values = arena_alloc(&p->module->arena, (has + 1) * sizeof *values);

    for (uint32_t n = 0; n < has; n++) {
        values[n] = list->list[n];
        if (values[n].kind != PTX_SYMBOL)
            slot_add(p, &list->list[n], n < count ? &formals[n] : NULL, is_result);
    }
    return values;
}

void ptx_call_add(struct ptx_parser *p, const struct ptx_instruction *i)
{
    const struct ptx_signature *s = i->operand_count ? signature_find(p, i) : NULL;
    struct ptx_operand *results = call_list(i, true), *arguments = call_list(i, false);
    const struct ptx_operand *given = slots_add(p, s, arguments, false);
    const struct ptx_operand *wanted = slots_add(p, s, results, true);

    move_all(p, i, arguments, given, false);
    *(struct ptx_instruction *)ptx_list_add(&p->body.instructions) = *i;
    move_all(p, i, results, wanted, true);
}
