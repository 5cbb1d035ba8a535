/* SPDX-License-Identifier: Apache-2.0 */
/* Division by multiplication: x / c equals x * m >> f for an m slightly above 2^f / c, plus
   1 if x is negative. The code does not match compiler idioms; it verifies from m and f
   that the result is x / c for every possible x. */
#include "access/values/quotient.h"

__extension__ typedef unsigned __int128 wide;

/* Operand at an instruction. */
struct place {
    const struct ptx_operand *operand;
    uint32_t at;
};

/* Upper half of x * m. */
struct upper {
    struct place x;
    wide m;
};

/* Search for x * m >> f in `bits` bits. */
struct search {
    struct study *study;
    unsigned bits;
};

static int32_t value_of(const struct search *s, struct place p)
{
    return p.operand->kind == PTX_REGISTER && !p.operand->is_part && !p.operand->negated
               ? ssa_read(s->study->ssa, p.at, p.operand->reg)
               : -1;
}

static bool is_same(const struct search *s, struct place a, struct place b)
{
    const int32_t value = value_of(s, a);

    return value >= 0 && value == value_of(s, b);
}

static const struct ptx_instruction *instruction_at(const struct search *s, uint32_t at)
{
    return &s->study->function->instructions[at];
}

static struct place source(const struct search *s, uint32_t at, uint32_t number)
{
    return (struct place){&instruction_at(s, at)->operands[number], at};
}

static bool is_of(const struct ptx_instruction *i, enum ptx_opcode opcode, unsigned bits,
                  uint32_t operands)
{
    return i->opcode == opcode && i->operand_count == operands && i->vector == 1 &&
           8 * ptx_type_bytes(i->type) == bits && !ptx_has(i, PTX_PART_SAT) &&
           !ptx_has(i, PTX_PART_CC);
}

static bool is_signed(const struct ptx_instruction *i)
{
    return i->type >= PTX_PART_S8 && i->type <= PTX_PART_S64;
}

/* Whether an instruction with this opcode always defines the value; sets `*at`. */
static bool made_by(const struct search *s, struct place p, enum ptx_opcode opcode,
                    unsigned bits, uint32_t operands, uint32_t *at)
{
    const int32_t value = value_of(s, p);
    const struct ssa_value *v = value >= 0 ? &s->study->ssa->values[value] : NULL;

    if (!v || v->kind != SSA_DEFINED || v->element)
        return false;
    *at = v->instruction;
    return instruction_at(s, *at)->guard < 0 &&
           is_of(instruction_at(s, *at), opcode, bits, operands);
}

static bool constant_of(const struct search *s, struct place p, int64_t *out)
{
    const struct access_form *form = study_operand(s->study, p.at, p.operand);

    return form && form_is_constant(form, out);
}

/* The number, read as unsigned with `bits` bits. */
static wide unsigned_of(int64_t value, unsigned bits)
{
    return bits < 64 ? (uint64_t)value & (((uint64_t)1 << bits) - 1) : (uint64_t)value;
}

/* Whether the value is x shifted right, arithmetically if `by_sign`. */
static bool shifted(const struct search *s, struct place p, bool by_sign, struct place *of,
                    int64_t *by)
{
    uint32_t at;

    if (!made_by(s, p, PTX_SHR, s->bits, 3, &at) ||
        is_signed(instruction_at(s, at)) != by_sign ||
        !constant_of(s, source(s, at, 2), by) || *by < 0 || *by >= s->bits)
        return false;
    *of = source(s, at, 1);
    return true;
}

static bool product(const struct search *s, uint32_t at, struct upper *out)
{
    int64_t m;

    if (!constant_of(s, source(s, at, 2), &m))
        return false;
    *out = (struct upper){source(s, at, 1), unsigned_of(m, s->bits)};
    return true;
}

static bool upper_half(const struct search *s, struct place p, bool by_sign,
                       struct upper *out)
{
    uint32_t at;

    return made_by(s, p, PTX_MUL, s->bits, 3, &at) &&
           is_signed(instruction_at(s, at)) == by_sign &&
           ptx_has(instruction_at(s, at), PTX_PART_HI) && product(s, at, out);
}

/* Whether the value is the 64-bit product of 32-bit factors. */
static bool whole_product(const struct search *s, struct place p, struct upper *out)
{
    uint32_t at;

    return s->bits == 32 && made_by(s, p, PTX_MUL, 32, 3, &at) &&
           !is_signed(instruction_at(s, at)) &&
           ptx_has(instruction_at(s, at), PTX_PART_WIDE) && product(s, at, out);
}

/* Whether the value is the upper half of an unsigned product, directly or from the complete
   product. */
static bool upper_unsigned(const struct search *s, struct place p, struct upper *out)
{
    const struct search twice = {s->study, 64};
    uint32_t at;
    int64_t by;

    if (upper_half(s, p, false, out))
        return true;
    return s->bits == 32 && made_by(s, p, PTX_CVT, 32, 2, &at) &&
           8 * ptx_type_bytes(instruction_at(s, at)->source_type) == 64 &&
           shifted(&twice, source(s, at, 1), false, &p, &by) && by == 32 &&
           whole_product(s, p, out);
}

/* The divisor c if x * m >> f equals x / c for all x below 2^bits; 0: none. With sign, x
   starts at -2^bits, and the result is one below x / c for a negative x. */
static int64_t divisor_of(wide m, unsigned f, unsigned bits, bool has_sign)
{
    const wide two = (wide)1 << f;
    wide c, more;

    if (!m || m > two / 2)
        return 0;
    c = (two + m - 1) / m;
    more = m * c - two; /* c * m is 2^f + more */
    if (c >> (bits - has_sign) || more > two >> bits || (has_sign && !more))
        return 0;
    return (int64_t)c;
}

static const struct access_form *divided(const struct search *s, const struct upper *u,
                                         unsigned f, bool has_sign)
{
    struct maker *m = &s->study->maker;
    const int64_t c = f < 127 ? divisor_of(u->m, f, s->bits - has_sign, has_sign) : 0;

    return c ? function_make(m, ACCESS_DIV, has_sign, s->bits,
                             study_operand(s->study, u->x.at, u->x.operand),
                             form_constant(&m->forms, c))
             : NULL;
}

/* (x - t >> 1) + t, where t is the upper half of x * m: equals x * (m + 2^bits) >> bits +
   1. */
static bool rounded_sum(const struct search *s, struct place p, struct upper *out)
{
    uint32_t at, less;
    struct place of;
    int64_t by;

    if (!made_by(s, p, PTX_ADD, s->bits, 3, &at))
        return false;
    for (uint32_t n = 1; n <= 2; n++)
        if (shifted(s, source(s, at, n), false, &of, &by) && by == 1 &&
            made_by(s, of, PTX_SUB, s->bits, 3, &less) &&
            is_same(s, source(s, less, 2), source(s, at, 3 - n)) &&
            upper_unsigned(s, source(s, at, 3 - n), out) &&
            is_same(s, out->x, source(s, less, 1))) {
            out->m += (wide)1 << s->bits;
            return true;
        }
    return false;
}

/* shr of an unsigned number. */
static const struct access_form *by_shift(struct search *s, uint32_t at)
{
    const struct place of = source(s, at, 1);
    struct search half = {s->study, 32};
    struct upper u;
    int64_t by;

    if (is_signed(instruction_at(s, at)) || !constant_of(s, source(s, at, 2), &by) ||
        by < 0 || by >= s->bits)
        return NULL;
    if (s->bits == 64 && whole_product(&half, of, &u))
        return divided(&half, &u, (unsigned)by, false);
    if (upper_half(s, of, false, &u))
        return divided(s, &u, s->bits + (unsigned)by, false);
    return rounded_sum(s, of, &u) ? divided(s, &u, s->bits + 1 + (unsigned)by, false)
                                  : NULL;
}

/* Upper half of a signed product. If m is at least half of its range, x is added to the
   product with m - 2^bits. */
static bool upper_signed(const struct search *s, struct place p, struct upper *out)
{
    const wide half = (wide)1 << (s->bits - 1);
    uint32_t at;

    if (upper_half(s, p, true, out))
        return out->m < half;
    if (made_by(s, p, PTX_ADD, s->bits, 3, &at))
        for (uint32_t n = 1; n <= 2; n++)
            if (upper_half(s, source(s, at, n), true, out) && out->m >= half &&
                is_same(s, out->x, source(s, at, 3 - n)))
                return true;
    return false;
}

/* add of a signed quotient and 1 for a negative dividend. */
static const struct access_form *by_sum(const struct search *s, uint32_t at)
{
    struct place sign, number;
    struct upper u;
    int64_t top, by;

    for (uint32_t n = 1; n <= 2; n++) {
        if (!shifted(s, source(s, at, n), false, &sign, &top) || top != s->bits - 1)
            continue;
        number = source(s, at, 3 - n);
        if (is_same(s, number, sign))
            by = 0;
        else if (!shifted(s, number, true, &number, &by) || !is_same(s, number, sign))
            continue;
        if (upper_signed(s, sign, &u))
            return divided(s, &u, s->bits + (unsigned)by, true);
    }
    return NULL;
}

const struct access_form *quotient_form(struct study *study, uint32_t instruction)
{
    const struct ptx_instruction *i = &study->function->instructions[instruction];
    struct search s = {study, 8 * ptx_type_bytes(i->type)};

    if (s.bits != 32 && s.bits != 64)
        return NULL;
    if (is_of(i, PTX_SHR, s.bits, 3))
        return by_shift(&s, instruction);
    return is_of(i, PTX_ADD, s.bits, 3) ? by_sum(&s, instruction) : NULL;
}
