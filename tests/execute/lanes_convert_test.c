/* SPDX-License-Identifier: Apache-2.0 */

/* cvt between all types against integer arithmetic: rounding, clamping, NaN, and registers
   wider than the type. */

#include "lanes_check.h"
#include "lanes_softfloat.h"

struct shape {
    unsigned type, bits;
    bool is_float, is_signed;
    struct soft_format format;
};

static struct shape shape_of(unsigned type)
{
    const struct shape shapes[] = {
        {PTX_PART_U8, 8, false, false, {0, 0}},
        {PTX_PART_S8, 8, false, true, {0, 0}},
        {PTX_PART_U16, 16, false, false, {0, 0}},
        {PTX_PART_S16, 16, false, true, {0, 0}},
        {PTX_PART_U32, 32, false, false, {0, 0}},
        {PTX_PART_S32, 32, false, true, {0, 0}},
        {PTX_PART_U64, 64, false, false, {0, 0}},
        {PTX_PART_S64, 64, false, true, {0, 0}},
        {PTX_PART_F16, 16, true, true, soft_f16},
        {PTX_PART_F16X2, 16, true, true, soft_f16},
        {PTX_PART_BF16, 16, true, true, soft_bf16},
        {PTX_PART_BF16X2, 16, true, true, soft_bf16},
        {PTX_PART_F32, 32, true, true, soft_f32},
        {PTX_PART_F64, 64, true, true, soft_f64},
        {PTX_PART_TF32, 32, true, true, {10, 8}},
    };

    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        if (shapes[k].type == type)
            return shapes[k];
    fail_msg("no shape");
    return shapes[0];
}

static uint64_t low(uint64_t value, unsigned bits)
{
    return value & UINT64_MAX >> (64 - bits);
}

static uint64_t extended(uint64_t value, struct shape s)
{
    uint64_t top = UINT64_C(1) << (s.bits - 1);

    value = low(value, s.bits);
    return s.is_signed && value & top ? value | ~(top * 2 - 1) : value;
}

static char mode_of(const struct machine *m)
{
    return machine_has(m, PTX_PART_RZ) || machine_has(m, PTX_PART_RZI)   ? 'z'
           : machine_has(m, PTX_PART_RM) || machine_has(m, PTX_PART_RMI) ? 'm'
           : machine_has(m, PTX_PART_RP) || machine_has(m, PTX_PART_RPI) ? 'p'
           : machine_has(m, PTX_PART_RNA)                                ? 'a'
                                                                         : 'n';
}

/* The value clamped to the integers of the type. */
static uint64_t soft_clamped(struct soft s, struct shape to, struct shape from)
{
    uint64_t top = UINT64_C(1) << (to.bits - 1),
             most = to.is_signed ? top - 1 : top * 2 - 1;

    if (s.class == SOFT_NAN)
        return to.bits == 64 || from.bits == 64 ? top : 0;
    if (s.class == SOFT_ZERO)
        return 0;
    bool huge = s.class == SOFT_INFINITE || soft_length(s.integer) + s.exponent > 64;
    uint64_t magnitude = huge ? UINT64_MAX : (uint64_t)(s.integer << s.exponent);

    if (s.negative)
        return !to.is_signed ? 0 : huge || magnitude > top ? 0 - top : 0 - magnitude;
    return huge || magnitude > most ? most : magnitude;
}

static uint64_t soft_finished(const struct machine *m, struct soft s, struct shape to)
{
    char mode = mode_of(m);
    uint64_t bits = soft_write(s, to.format, mode),
             one = soft_write(soft_read(0x3f800000, soft_f32), to.format, 'n');
    uint64_t sign = UINT64_C(1) << (to.format.mantissa + to.format.exponent);
    uint64_t infinity = (sign - 1) >> to.format.mantissa << to.format.mantissa;
    bool negative = bits & sign, nan = s.class == SOFT_NAN;

    if (machine_has(m, PTX_PART_SATFINITE) && (bits & (sign - 1)) == infinity)
        bits--;
    if (machine_has(m, PTX_PART_FTZ) && to.type == PTX_PART_F32 &&
        !((bits & (sign - 1)) >> 23))
        bits &= sign;
    if (machine_has(m, PTX_PART_SAT))
        bits = nan || negative ? 0 : bits > one ? one : bits;
    if (machine_has(m, PTX_PART_RELU) && !nan && negative)
        bits = 0;
    return to.type == PTX_PART_TF32 ? bits << 13 : bits;
}

/* NaN keeps its sign and payload between f64 and another type, from bf16 to f32, and to
   tf32 if ties round away from zero. */
static uint64_t converted_nan(const struct machine *m, uint64_t bits, struct shape to,
                              struct shape from)
{
    uint64_t sign = bits >> (from.bits - 1) << (to.bits - 1);
    uint64_t exponent = ((UINT64_C(2) << to.format.exponent) - 1)
                        << (to.format.mantissa - 1);
    int shift = to.format.mantissa - from.format.mantissa;
    uint64_t payload = low(bits, (unsigned)from.format.mantissa);

    if (to.type == PTX_PART_TF32)
        return machine_has(m, PTX_PART_RNA) ? bits & 0xffffe000 : 0x7fffe000;
    if (from.type == PTX_PART_BF16 && to.type == PTX_PART_F32)
        return bits << 16;
    if (to.bits != 64 && from.bits != 64)
        return soft_write((struct soft){.class = SOFT_NAN}, to.format, 'n');
    return sign | exponent | (shift < 0 ? payload >> -shift : payload << shift);
}

static uint64_t one_number(const struct machine *m, uint64_t bits, struct shape to,
                           struct shape from)
{
    bool integral = machine_has(m, PTX_PART_RNI) || machine_has(m, PTX_PART_RZI) ||
                    machine_has(m, PTX_PART_RMI) || machine_has(m, PTX_PART_RPI);
    struct soft s;

    if (!from.is_float) {
        s = soft_of_integer(extended(bits, from), from.is_signed);
        if (to.is_float)
            return soft_finished(m, s, to);
        return machine_has(m, PTX_PART_SAT) ? soft_clamped(s, to, (struct shape){.bits = 8})
                                            : extended(bits, from);
    }
    bits = low(bits, from.bits);
    if (machine_has(m, PTX_PART_FTZ) && from.type == PTX_PART_F32 && !(bits >> 23 & 255))
        bits &= 0x80000000;
    s = soft_read(bits, from.format);
    if (integral)
        s = soft_integral(s, mode_of(m));
    if (to.is_float && s.class == SOFT_NAN && !machine_has(m, PTX_PART_SAT) &&
        !machine_has(m, PTX_PART_RELU))
        return converted_nan(
            m,
            from.type == PTX_PART_F32 && machine_has(m, PTX_PART_FTZ) ? 0x7fffffff : bits,
            to, from);
    return to.is_float ? soft_finished(m, s, to) : soft_clamped(s, to, from);
}

static bool reference(const struct machine *m, const uint64_t in[4], uint64_t out[2])
{
    struct shape to = shape_of(m->type), from = shape_of(m->source_type);
    uint64_t value = one_number(m, in[0], to, from);

    if (m->from_count == 2)
        out[0] = value << 16 | one_number(m, in[1], to, from);
    else
        out[0] = kind_bits(m->to[0], to.is_float ? value : extended(value, to));
    return true;
}

static bool is_conversion(const struct machine *m)
{
    return m->instruction.opcode == PTX_CVT;
}

static void conversions_follow_the_rules(void **unused)
{
    (void)unused;
    assert_int_not_equal(check_cases(is_conversion, reference, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(conversions_follow_the_rules)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
