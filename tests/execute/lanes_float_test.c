/* SPDX-License-Identifier: Apache-2.0 */

/* Floating-point operations on registers against integer arithmetic. Operations that the
   hardware approximates are compared with the long double of the C library. */

#include <math.h>

#include "lanes_check.h"
#include "lanes_softfloat.h"

struct number_type {
    struct soft_format format;
    unsigned type, bits;
};

static struct number_type number_type(unsigned type)
{
    switch (type) {
    case PTX_PART_F16:
    case PTX_PART_F16X2:
        return (struct number_type){soft_f16, PTX_PART_F16, 16};
    case PTX_PART_BF16:
    case PTX_PART_BF16X2:
        return (struct number_type){soft_bf16, PTX_PART_BF16, 16};
    case PTX_PART_F32:
    case PTX_PART_F32X2:
        return (struct number_type){soft_f32, PTX_PART_F32, 32};
    default:
        return (struct number_type){soft_f64, PTX_PART_F64, 64};
    }
}

static uint64_t sign_bit(struct number_type t)
{
    return UINT64_C(1) << (t.bits - 1);
}

static uint64_t flushed(const struct machine *m, struct number_type t, uint64_t bits)
{
    uint64_t magnitude = bits & (sign_bit(t) - 1);

    if (!machine_has(m, PTX_PART_FTZ))
        return bits;
    return magnitude >> t.format.mantissa ? bits : bits & sign_bit(t);
}

static char mode_of(const struct machine *m)
{
    return machine_has(m, PTX_PART_RZ)   ? 'z'
           : machine_has(m, PTX_PART_RM) ? 'm'
           : machine_has(m, PTX_PART_RP) ? 'p'
                                         : 'n';
}

static uint64_t soft_one(struct number_type t)
{
    return ((UINT64_C(1) << (t.format.exponent - 1)) - 1) << t.format.mantissa;
}

/* Applies .ftz, .sat and .relu to a result. */
static uint64_t finished(const struct machine *m, struct number_type t, uint64_t bits)
{
    uint64_t one = soft_one(t);
    bool nan = soft_read(bits, t.format).class == SOFT_NAN, negative = bits & sign_bit(t);

    bits = flushed(m, t, bits);
    if (machine_has(m, PTX_PART_SAT))
        return nan || negative ? 0 : bits > one ? one : bits;
    if (machine_has(m, PTX_PART_RELU) && !nan && negative)
        return 0;
    return bits;
}

/* Returns -1, 0, 1, or 2 if one is a NaN. */
static int soft_order(struct number_type t, uint64_t a, uint64_t b)
{
    int64_t x = (int64_t)(a & (sign_bit(t) - 1)), y = (int64_t)(b & (sign_bit(t) - 1));

    if (soft_read(a, t.format).class == SOFT_NAN ||
        soft_read(b, t.format).class == SOFT_NAN)
        return 2;
    x = a & sign_bit(t) ? -x : x;
    y = b & sign_bit(t) ? -y : y;
    return x < y ? -1 : x > y;
}

static uint64_t soft_pick(const struct machine *m, struct number_type t, uint64_t a,
                          uint64_t b)
{
    bool a_nan = soft_read(a, t.format).class == SOFT_NAN,
         smallest = m->instruction.opcode == PTX_MIN;
    bool b_nan = soft_read(b, t.format).class == SOFT_NAN;
    uint64_t sign = (a ^ b) & sign_bit(t), result;

    if ((a_nan && b_nan) || ((a_nan || b_nan) && machine_has(m, PTX_PART_NAN_WINS)))
        return soft_write((struct soft){.class = SOFT_NAN}, t.format, 'n');
    if (machine_has(m, PTX_PART_XORSIGN)) {
        a &= sign_bit(t) - 1;
        b &= sign_bit(t) - 1;
    }
    if (a_nan || b_nan)
        result = a_nan ? b : a;
    else if (soft_order(t, a, b) == 0) /* zeros */
        result = smallest ? a | b : a & b;
    else
        result = (soft_order(t, a, b) < 0) == smallest ? a : b;
    return machine_has(m, PTX_PART_XORSIGN) ? (result & (sign_bit(t) - 1)) | sign : result;
}

static bool soft_compare(const struct machine *m, int order)
{
    static const struct {
        enum ptx_part part;
        int accepted; /* bits of less, equal, greater, unordered */
    } comparisons[] = {
        {PTX_PART_EQ, 2},  {PTX_PART_NE, 5},   {PTX_PART_LT, 1},   {PTX_PART_LE, 3},
        {PTX_PART_GT, 4},  {PTX_PART_GE, 6},   {PTX_PART_EQU, 10}, {PTX_PART_NEU, 13},
        {PTX_PART_LTU, 9}, {PTX_PART_LEU, 11}, {PTX_PART_GTU, 12}, {PTX_PART_GEU, 14},
        {PTX_PART_NUM, 7}, {PTX_PART_NAN, 8},
    };

    for (size_t k = 0; k < sizeof comparisons / sizeof *comparisons; k++)
        if (machine_has(m, comparisons[k].part))
            return comparisons[k].accepted >> (order + 1) & 1;
    return false;
}

static bool soft_test(const struct machine *m, struct number_type t, uint64_t bits)
{
    enum soft_class class = soft_read(bits, t.format).class;
    bool small = (bits & (sign_bit(t) - 1)) >> t.format.mantissa == 0;

    return machine_has(m, PTX_PART_FINITE)       ? class <= SOFT_FINITE
           : machine_has(m, PTX_PART_INFINITE)   ? class == SOFT_INFINITE
           : machine_has(m, PTX_PART_NUMBER)     ? class != SOFT_NAN
           : machine_has(m, PTX_PART_NOTANUMBER) ? class == SOFT_NAN
           : machine_has(m, PTX_PART_NORMAL)
               ? class == SOFT_ZERO || (class == SOFT_FINITE && !small)
               : class == SOFT_FINITE && small;
}

static long double soft_value(struct soft s)
{
    long double value = s.class == SOFT_NAN ? (long double)NAN
                        : s.class == SOFT_INFINITE
                            ? HUGE_VALL
                            : ldexpl((long double)s.integer, s.exponent);

    return s.negative ? -value : value;
}

static uint64_t soft_rounded(long double value, struct number_type t)
{
    struct soft s = {.negative = signbit(value)};
    int exponent;

    s.class = isnan(value)   ? SOFT_NAN
              : isinf(value) ? SOFT_INFINITE
              : value != 0   ? SOFT_FINITE
                             : SOFT_ZERO;
    if (s.class == SOFT_FINITE) {
        s.integer = (soft_wide)ldexpl(fabsl(frexpl(value, &exponent)), 64);
        s.exponent = exponent - 64;
    }
    return soft_write(s, t.format, 'n');
}

static uint64_t approximate(const struct machine *m, struct number_type t, uint64_t bits)
{
    long double x = soft_value(soft_read(bits, t.format));

    switch (m->instruction.opcode) {
    case PTX_EX2:
        return soft_rounded(exp2l(x), t);
    case PTX_LG2:
        return soft_rounded(log2l(x), t);
    case PTX_SIN:
        return soft_rounded(sinl(x), t);
    case PTX_COS:
        return soft_rounded(cosl(x), t);
    case PTX_TANH:
        return soft_rounded(tanhl(x), t);
    default:
        return soft_rounded(1 / sqrtl(x), t);
    }
}

static uint64_t soft_arithmetic(const struct machine *m, struct number_type t,
                                const uint64_t in[3])
{
    char mode = mode_of(m);
    struct soft a = soft_read(in[0], t.format), b = soft_read(in[1], t.format);
    struct soft c = soft_read(in[2], t.format), one = soft_read(soft_one(t), t.format);

    switch (m->instruction.opcode) {
    case PTX_SUB:
        b.negative = !b.negative;
        return soft_write(soft_add(a, b, mode), t.format, mode);
    case PTX_ADD:
        return soft_write(soft_add(a, b, mode), t.format, mode);
    case PTX_MUL:
        return soft_write(soft_multiply(a, b), t.format, mode);
    case PTX_FMA:
    case PTX_MAD:
        return soft_write(soft_add(soft_multiply(a, b), c, mode), t.format, mode);
    case PTX_DIV:
        if (machine_has(m, PTX_PART_APPROX) && (in[1] & 0x7fffffff) > 0x7e800000 &&
            b.class == SOFT_FINITE)
            b.class = SOFT_INFINITE; /* its reciprocal is flushed */
        return soft_write(soft_divide(a, b), t.format, mode);
    case PTX_RCP:
        return soft_write(soft_divide(one, a), t.format, mode);
    case PTX_SQRT:
        return soft_write(soft_root(a), t.format, mode);
    case PTX_MIN:
    case PTX_MAX:
        return soft_pick(m, t, in[0], in[1]);
    case PTX_ABS:
        return a.class == SOFT_NAN ? soft_write(a, t.format, 'n')
                                   : in[0] & (sign_bit(t) - 1);
    case PTX_NEG:
        return a.class == SOFT_NAN ? soft_write(a, t.format, 'n') : in[0] ^ sign_bit(t);
    case PTX_COPYSIGN:
        return (in[0] & sign_bit(t)) | (in[1] & (sign_bit(t) - 1));
    default:
        return approximate(m, t, in[0]);
    }
}

/* f64 keeps the NaN of the first NaN operand, in the hardware's order. */
static uint64_t payload_kept(const struct machine *m, struct number_type t,
                             const uint64_t in[3], uint64_t result)
{
    static const unsigned orders[][3] = {{1, 2, 0}, {0, 1, 1}};
    enum ptx_opcode code = m->instruction.opcode;

    if (t.bits != 64 || code == PTX_COPYSIGN ||
        soft_read(result, t.format).class != SOFT_NAN)
        return result;
    if (machine_has(m, PTX_PART_FTZ))
        return UINT64_C(0x7fffffff00000000);
    for (unsigned k = 0; k < 3; k++) {
        unsigned operand = orders[code == PTX_DIV || m->from_count == 1][k];

        if (operand < m->from_count && soft_read(in[operand], t.format).class == SOFT_NAN)
            return in[operand] | UINT64_C(1) << 51;
    }
    return result;
}

/* One number of each operand: the lane's only one, or one half of a pair. */
static uint64_t one_number(const struct machine *m, struct number_type t,
                           const uint64_t in[4], unsigned half, bool *truth)
{
    uint64_t part[3], mask = UINT64_MAX >> (64 - t.bits);

    for (unsigned k = 0; k < 3; k++)
        part[k] = flushed(m, t, (half ? in[k] >> t.bits : in[k]) & mask);
    if (m->instruction.opcode == PTX_SETP || m->instruction.opcode == PTX_SET)
        *truth = soft_compare(m, soft_order(t, part[0], part[1]));
    else if (m->instruction.opcode == PTX_TESTP)
        *truth = soft_test(m, t, part[0]);
    else
        return finished(m, t, payload_kept(m, t, part, soft_arithmetic(m, t, part)));
    return 0;
}

static bool reference(const struct machine *m, const uint64_t in[4], uint64_t out[2])
{
    struct number_type t = number_type(m->source_type), to = number_type(m->type);
    bool pair = t.type != m->source_type, truth[2] = {false, false};
    uint64_t numbers[2];

    for (unsigned half = 0; half <= pair; half++)
        numbers[half] = one_number(m, t, in, half, &truth[half]);
    if (m->instruction.opcode == PTX_SETP) {
        out[0] = combine_truth(m, truth[0], in[2] & 1);
        out[1] = combine_truth(m, pair ? truth[1] : !truth[0], in[2] & 1);
    } else if (m->instruction.opcode == PTX_SET) {
        unsigned type = type_is_float(m->type) ? to.type : m->type;

        out[0] = set_value(type, combine_truth(m, truth[0], in[2] & 1));
        if (pair)
            out[0] |= set_value(type, combine_truth(m, truth[1], in[2] & 1)) << 16;
    } else if (m->instruction.opcode == PTX_TESTP)
        out[0] = truth[0];
    else
        out[0] = pair ? numbers[0] | numbers[1] << t.bits : numbers[0];
    return true;
}

/* Tolerance where a result is rounded twice or cut to its upper word: the last place may
   differ. */
static bool nearly(const struct machine *m, uint64_t ours, uint64_t expected)
{
    struct number_type t = number_type(m->type);
    bool upper = t.bits == 64 && machine_has(m, PTX_PART_FTZ);
    enum ptx_opcode code = m->instruction.opcode;
    uint64_t apart = ours > expected ? ours - expected : expected - ours;

    if (!machine_has(m, PTX_PART_APPROX) || code == PTX_DIV || code == PTX_SQRT ||
        (code == PTX_RCP && t.bits == 32))
        return false;
    if (upper) {
        long double x = soft_value(soft_read(ours, t.format));
        long double y = soft_value(soft_read(expected, t.format));

        return fabsl(x - y) <= fabsl(y) * 0x1p-19L || fabsl(y) < 0x1p-1021L || y != y ||
               fabsl(y) > 0x1p1021L;
    }
    return t.type == m->type ? apart <= 1
                             : (apart & 0xffff0000) <= 0x10000 && (apart & 0xffff) <= 1;
}

static void floats_follow_the_rules(void **unused)
{
    (void)unused;
    assert_int_not_equal(check_cases(case_is_float, reference, nearly), 0);
}

/* A product half-way between two numbers. The tiny addend is far below the precision of a
   double and decides the rounding. */
static void a_tiny_addend_breaks_the_tie(void **unused)
{
    static const uint64_t inputs[][3] = {
        {0x3f81, 0x3fc0, 0x8d80}, {0x3f81, 0x3fc0, 0x0d80}, {0xbf81, 0x3fc0, 0x8d80},
        {0xbf81, 0x3fc0, 0x0d80}, {0x3f81, 0x3fc0, 0x0000}, {0x3f83, 0x3fc0, 0x0001},
    };
    const struct op_table *table;
    struct machine m;

    (void)unused;
    for (unsigned t = 0; (table = machine_table(t)); t++) {
        machine_init(&m, "fma.rn.bf16", "2=222");
        for (unsigned l = 0; l < LANES; l++)
            for (unsigned k = 0; k < 3; k++)
                m.in[k][l] = inputs[l % (sizeof inputs / sizeof *inputs)][k];
        machine_run(&m, table, UINT32_MAX);
        check_lanes(&m, "fma.rn.bf16", UINT32_MAX, reference, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(floats_follow_the_rules),
                                       cmocka_unit_test(a_tiny_addend_breaks_the_tie)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
