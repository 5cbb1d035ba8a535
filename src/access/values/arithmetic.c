/* SPDX-License-Identifier: Apache-2.0 */
#include "access/values/arithmetic.h"
#include "access/values/broadcast.h"
#include "access/values/element.h"
#include "access/values/quotient.h"

/* Integer instruction and its context. */
struct integer_op {
    struct study *study;
    struct maker *m;
    const struct ptx_instruction *i;
    uint32_t at;
    unsigned bits;
    bool is_signed;
};

static bool is_signed_type(enum ptx_part type)
{
    return type >= PTX_PART_S8 && type <= PTX_PART_S64;
}

static bool is_integer_type(enum ptx_part type)
{
    return type <= PTX_PART_B64;
}

static const struct access_form *source(const struct integer_op *o, uint32_t number)
{
    if (number >= o->i->operand_count)
        return NULL;
    return study_operand(o->study, o->at, &o->i->operands[number]);
}

static const struct access_form *two(const struct integer_op *o, enum access_function f,
                                     bool is_signed)
{
    return function_make(o->m, f, is_signed, o->bits, source(o, 1), source(o, 2));
}

/* Absolute value, as the maximum of both signs. The smallest number has no opposite: its
   negation does not fit the type. */
static const struct access_form *absolute(const struct integer_op *o)
{
    struct forms *forms = &o->m->forms;
    const struct access_form *a = source(o, 1);

    return function_make(o->m, ACCESS_MAX, true, o->bits, a,
                         form_add(forms, form_constant(forms, 0), a, -1));
}

/* mul and mad; `hi` has a form only for mul. */
static const struct access_form *multiply(const struct integer_op *o)
{
    struct forms *forms = &o->m->forms;
    const struct access_form *a = source(o, 1), *b = source(o, 2), *product;

    if (ptx_has(o->i, PTX_PART_HI))
        product = function_make(o->m, ACCESS_MULHI, o->is_signed, o->bits, a, b);
    else if (ptx_has(o->i, PTX_PART_WIDE))
        product = form_multiply(forms, function_widen(o->m, a, o->bits, o->is_signed),
                                function_widen(o->m, b, o->bits, o->is_signed));
    else
        product = form_multiply(forms, a, b);
    if (o->i->opcode == PTX_MUL)
        return product;
    product = form_add(forms, product, source(o, 3), 1);
    return ptx_has(o->i, PTX_PART_LO) ? function_remainder(o->m, product, o->bits)
                                      : product;
}

static unsigned register_bits(const struct integer_op *o)
{
    const struct ptx_operand *to = &o->i->operands[0];

    return to->kind == PTX_REGISTER ? 8u * o->study->function->registers[to->reg].bytes
                                    : o->bits;
}

static bool is_field(const struct access_symbol *y, unsigned bits)
{
    return y->kind == ACCESS_ELEMENT
               ? y->bits == bits
               : (y->kind == ACCESS_PARAMETER || y->kind == ACCESS_CONSTANT) &&
                     8 * y->bytes == bits;
}

/* Reads a field with the sign of the next instruction: compilers load a narrow signed field
   without sign and extend it afterwards. */
static const struct access_form *read_as(const struct integer_op *o,
                                         const struct access_form *a, unsigned bits,
                                         bool is_signed)
{
    if (!a || bits >= 32 || a->count != 1 || a->terms[0].degree != 1 ||
        a->terms[0].factor != 1)
        return a;
    struct access_symbol y = o->m->forms.symbols[a->terms[0].symbols[0]];

    if (!is_field(&y, bits) || y.is_signed == is_signed)
        return a;
    y.is_signed = is_signed;
    return form_make(&o->m->forms, &y);
}

/* cvt: truncated to the narrower type, widened from it, then widened to the register. */
static const struct access_form *convert(const struct integer_op *o)
{
    unsigned from = 8 * ptx_type_bytes(o->i->source_type);
    const struct access_form *a =
        read_as(o, source(o, 1), from, is_signed_type(o->i->source_type));

    if (!is_integer_type(o->i->source_type) || ptx_has(o->i, PTX_PART_SAT))
        return NULL;
    if (o->bits > from)
        return function_widen(o->m, a, from, is_signed_type(o->i->source_type));
    return register_bits(o) > o->bits ? function_widen(o->m, a, o->bits, o->is_signed) : a;
}

/* bfe.u with constants: shift and mask. */
static const struct access_form *extract(const struct integer_op *o)
{
    const struct access_form *a = source(o, 1), *place = source(o, 2), *size = source(o, 3);
    int64_t p, n;

    if (!place || !size || o->is_signed || !form_is_constant(place, &p) ||
        !form_is_constant(size, &n) || p < 0 || n < 0 || p + n > o->bits || n > 62)
        return NULL;
    a = function_make(o->m, ACCESS_SHR, false, o->bits, a, place);
    return function_make(o->m, ACCESS_AND, false, o->bits, a,
                         form_constant(&o->m->forms, ((int64_t)1 << n) - 1));
}

/* bfi with constants: inserts bits of one value into another. */
static const struct access_form *insert(const struct integer_op *o)
{
    struct forms *forms = &o->m->forms;
    const struct access_form *into = source(o, 2), *place = source(o, 3),
                             *size = source(o, 4), *bits, *were;
    int64_t p, n;

    if (!place || !size || !form_is_constant(place, &p) || !form_is_constant(size, &n) ||
        p < 0 || n < 0 || n > 62 || p + n > o->bits || p > 62)
        return NULL;
    bits = form_constant(forms, ((int64_t)1 << n) - 1);
    if (p + n == o->bits) { /* includes the highest bit: no bits remain above */
        were = function_make(o->m, ACCESS_AND, false, o->bits, into,
                             form_constant(forms, ((int64_t)1 << p) - 1));
        return form_add(forms, were, source(o, 1), (int64_t)1 << p);
    }
    were = function_make(o->m, ACCESS_SHR, false, o->bits, into, form_constant(forms, p));
    were = function_make(o->m, ACCESS_AND, false, o->bits, were, bits);
    bits = function_make(o->m, ACCESS_AND, false, o->bits, source(o, 1), bits);
    return form_add(forms, into, form_add(forms, bits, were, -1), (int64_t)1 << p);
}

/* x ? x - n : 1 - n, the code that compilers emit for max(x, 1) - n: the predecessor of an
   unsigned index, or the first. A special case because of its interval: x - n alone may
   wrap. */
static const struct access_form *previous(const struct integer_op *o,
                                          const struct access_condition *c,
                                          const struct access_form *zero,
                                          const struct access_form *other)
{
    struct forms *forms = &o->m->forms;
    const struct access_form *x = c->left, *by = form_add(forms, other, x, -1);
    int64_t right, from, at_zero;

    if (!form_is_constant(c->right, &right) || right != 0 || !by ||
        !form_is_constant(by, &from) || !form_is_constant(zero, &at_zero) ||
        at_zero != from + 1)
        return NULL;
    x = function_make(o->m, ACCESS_MAX, false, o->bits, x, form_constant(forms, 1));
    return form_add(forms, x, by, 1);
}

/* selp between the two sides of its comparison is a minimum or maximum. */
static const struct access_form *select(const struct integer_op *o)
{
    const struct access_form *a = source(o, 1), *b = source(o, 2);
    const struct access_condition *c =
        o->i->operand_count > 3 && o->i->operands[3].kind == PTX_REGISTER
            ? study_predicate(o->study, o->at, o->i->operands[3].reg)
            : NULL;

    if (!a || !b)
        return NULL;
    if (form_equal(a, b))
        return a;
    if (!c || c->kind != ACCESS_COMPARE || c->bits != o->bits || !c->left || !c->right)
        return NULL;
    if (c->comparison < ACCESS_LT)
        return c->comparison == ACCESS_EQ ? previous(o, c, a, b) : previous(o, c, b, a);
    bool in_order = form_equal(a, c->left) && form_equal(b, c->right);
    bool crossed = form_equal(a, c->right) && form_equal(b, c->left);
    bool least = c->comparison == ACCESS_LT || c->comparison == ACCESS_LE;

    if (!in_order && !crossed)
        return NULL;
    return function_make(o->m, least == in_order ? ACCESS_MIN : ACCESS_MAX, c->is_signed,
                         o->bits, c->left, c->right);
}

/* Form of a loaded value, as a wider register holds it. */
static const struct access_form *widened(const struct integer_op *o,
                                         const struct access_form *f, uint32_t element)
{
    const struct ptx_operand *to = &o->i->operands[0];

    if (to->kind == PTX_VECTOR)
        to = &to->list[element];
    return f && o->bits == 32 && to->kind == PTX_REGISTER &&
                   o->study->function->registers[to->reg].bytes > 4
               ? function_widen(o->m, f, 32, o->is_signed)
               : f;
}

/* Field of a parameter or of a variable in constant memory. */
static const struct access_form *field(const struct integer_op *o, int32_t symbol,
                                       int64_t offset, uint32_t element)
{
    const struct study *s = o->study;
    const struct ptx_symbol *p = ptx_symbol(s->module, s->function, symbol);
    uint32_t bytes = o->bits / 8;
    struct access_symbol y = {.kind = ACCESS_PARAMETER, .bytes = bytes};

    offset += (int64_t)element * bytes;
    if (offset < 0 || (uint64_t)offset + bytes > p->bytes || p->is_extern ||
        p->space != o->i->space)
        return NULL;
    y.offset = (uint32_t)offset;
    if (p->space == PTX_SPACE_CONST) {
        y.kind = ACCESS_CONSTANT;
        y.variable = symbol;
    } else
        y.offset += p->offset;
    /* A 4- or 8-byte field is one symbol, signed, however it is read. An unsigned read then
       assumes that it is not negative. */
    y.is_signed = o->is_signed || bytes >= 4;
    return widened(o, form_make(&o->m->forms, &y), element);
}

/* 8-byte value at a position that is not constant. */
static const struct access_form *member(const struct integer_op *o,
                                        const struct access_form *place, uint32_t element)
{
    struct forms *forms = &o->m->forms;
    const struct access_symbol y = {
        .kind = ACCESS_MEMBER,
        .left = form_add(forms, place, form_constant(forms, (int64_t)element * 8), 1),
        .variable = (int32_t)o->at,
        .line = o->i->line,
        .reason = "is selected from the parameters by an index"};

    return y.left ? form_make(forms, &y) : NULL;
}

/* The same for fewer bytes, or in constant memory: a table element. */
static const struct access_form *number_of(const struct integer_op *o,
                                           const struct access_form *place, uint32_t number)
{
    const struct access_symbol y = {
        .kind = ACCESS_ELEMENT,
        .bits = (uint8_t)o->bits,
        .is_signed = o->is_signed || o->bits == 32,
        .left = form_add(&o->m->forms, place,
                         form_constant(&o->m->forms, (int64_t)number * o->bits / 8), 1),
        .variable = (int32_t)o->at,
        .line = o->i->line,
        .reason = "is selected from the parameters by an index"};

    return widened(o, element_form(o->study, y), number);
}

/* ld.param of the kernel's own parameters, or ld.const: a field at a constant position, or
   a table element. */
static const struct access_form *load_field(const struct integer_op *o,
                                            enum access_symbol_kind of, uint32_t number)
{
    const struct access_form *a = source(o, 1);
    int32_t variable = -1;
    int64_t offset = 0;

    for (uint32_t k = 0; a && k < a->count; k++) {
        const struct access_term *t = &a->terms[k];
        const struct access_symbol *y = &o->m->forms.symbols[t->symbols[0]];

        if (!t->degree)
            offset = t->factor;
        else if (t->degree == 1 && t->factor == 1 && y->kind == of && variable < 0)
            variable = y->variable;
        else
            return o->bits < 64         ? number_of(o, a, number)
                   : of == ACCESS_BLOCK ? member(o, a, number)
                                        : NULL;
    }
    return variable < 0 ? NULL : field(o, variable, offset, number);
}

static const struct access_form *move(const struct integer_op *o)
{
    /* mov with braces packs or unpacks */
    return o->i->operands[0].kind == PTX_REGISTER ? source(o, 1) : NULL;
}

static const struct access_form *integer_form(const struct integer_op *o)
{
    struct forms *forms = &o->m->forms;
    const struct access_form *quotient = quotient_form(o->study, o->at);

    if (quotient)
        return quotient;
    switch (o->i->opcode) {
    case PTX_ADD:
        return function_remainder(o->m, form_add(forms, source(o, 1), source(o, 2), 1),
                                  o->bits);
    case PTX_SUB:
        return function_remainder(o->m, form_add(forms, source(o, 1), source(o, 2), -1),
                                  o->bits);
    case PTX_NEG:
        return form_add(forms, form_constant(forms, 0), source(o, 1), -1);
    case PTX_ABS:
        return absolute(o);
    case PTX_NOT:
        return form_add(forms, form_constant(forms, -1), source(o, 1), -1);
    case PTX_MUL:
    case PTX_MAD:
        return multiply(o);
    case PTX_MIN:
        return two(o, ACCESS_MIN, o->is_signed);
    case PTX_MAX:
        return two(o, ACCESS_MAX, o->is_signed);
    case PTX_DIV:
        return two(o, ACCESS_DIV, o->is_signed);
    case PTX_REM:
        return two(o, ACCESS_REM, o->is_signed);
    case PTX_AND:
        return two(o, ACCESS_AND, false);
    case PTX_OR:
        return two(o, ACCESS_OR, false);
    case PTX_XOR:
        return two(o, ACCESS_XOR, false);
    case PTX_SHL:
        return two(o, ACCESS_SHL, false);
    case PTX_SHR:
        return two(o, ACCESS_SHR, o->is_signed);
    case PTX_BFE:
        return extract(o);
    case PTX_BFI:
        return insert(o);
    case PTX_SELP:
        return select(o);
    case PTX_CVT:
        return convert(o);
    case PTX_SHFL:
        return broadcast_form(o->study, o->at);
    case PTX_CVTA:
    case PTX_MOV:
        return move(o);
    default:
        return NULL;
    }
}

const struct access_form *arithmetic_form(struct study *s, uint32_t instruction,
                                          uint32_t element)
{
    const struct ptx_instruction *i = &s->function->instructions[instruction];
    const struct integer_op o = {.study = s,
                                 .m = &s->maker,
                                 .i = i,
                                 .at = instruction,
                                 .bits = 8 * ptx_type_bytes(i->type),
                                 .is_signed = is_signed_type(i->type)};

    if (i->opcode == PTX_LD && i->space == PTX_SPACE_PARAM && is_integer_type(i->type))
        return load_field(&o, ACCESS_BLOCK, element);
    if (i->opcode == PTX_LD && i->space == PTX_SPACE_CONST && is_integer_type(i->type))
        return load_field(&o, ACCESS_VARIABLE, element);
    if (!is_integer_type(i->type) || ptx_has(i, PTX_PART_SAT) || ptx_has(i, PTX_PART_CC))
        return NULL;
    return integer_form(&o);
}
