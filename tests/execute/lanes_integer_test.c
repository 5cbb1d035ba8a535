/* SPDX-License-Identifier: Apache-2.0 */

/* Integer, bit and move operations on registers against the definitions of the PTX ISA, in
   128-bit integers and bit by bit. */

#include "lanes_check.h"

__extension__ typedef __int128 big;
__extension__ typedef unsigned __int128 unsigned_big;

static unsigned type_width(unsigned type)
{
    switch (type) {
    case PTX_PART_PRED:
        return 1;
    case PTX_PART_U16:
    case PTX_PART_S16:
    case PTX_PART_B16:
        return 16;
    case PTX_PART_U64:
    case PTX_PART_S64:
    case PTX_PART_B64:
    case PTX_PART_F64:
        return 64;
    default:
        return 32;
    }
}

static bool type_signed(unsigned type)
{
    return type == PTX_PART_S16 || type == PTX_PART_S32 || type == PTX_PART_S64 ||
           type == PTX_PART_S16X2;
}

static big valued(uint64_t bits, unsigned width, bool is_signed)
{
    uint64_t top = UINT64_C(1) << (width - 1);

    bits &= top * 2 - 1;
    return is_signed && bits & top ? (big)bits - (big)top * 2 : (big)bits;
}

static big clamped_32(big value)
{
    return value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : value;
}

static bool bit(uint64_t word, unsigned at)
{
    return at < 64 && (word >> at & 1);
}

static big product(const struct machine *m, big a, big b, unsigned width)
{
    big all = (big)((unsigned_big)a * (unsigned_big)b);

    return machine_has(m, PTX_PART_HI)
               ? (m->type == PTX_PART_U64 ? (big)((unsigned_big)all >> 64) : all >> width)
               : all;
}

/* mul24: the lower 24 bits of the operands count; .hi is bits 47..16. */
static big product_24(const struct machine *m, uint64_t a, uint64_t b, bool is_signed)
{
    big all = valued(a, 24, is_signed) * valued(b, 24, is_signed);

    return machine_has(m, PTX_PART_HI) ? all >> 16 : all;
}

static big magnitude(big value)
{
    return value < 0 ? -value : value;
}

static bool compared(const struct machine *m, big a, big b)
{
    return machine_has(m, PTX_PART_EQ)                                  ? a == b
           : machine_has(m, PTX_PART_NE)                                ? a != b
           : machine_has(m, PTX_PART_LT) || machine_has(m, PTX_PART_LO) ? a < b
           : machine_has(m, PTX_PART_LE) || machine_has(m, PTX_PART_LS) ? a <= b
           : machine_has(m, PTX_PART_GT) || machine_has(m, PTX_PART_HI) ? a > b
                                                                        : a >= b;
}

static uint64_t extracted(uint64_t a, unsigned at, unsigned count, unsigned width,
                          bool sign)
{
    unsigned last = at + count - 1 < width - 1 ? at + count - 1 : width - 1;
    bool fill = sign && count && bit(a, last);
    uint64_t out = 0;

    for (unsigned i = 0; i < width; i++)
        out |= (uint64_t)(i < count && at + i < width ? bit(a, at + i) : fill) << i;
    return out;
}

static uint64_t inserted(uint64_t a, uint64_t b, unsigned at, unsigned count,
                         unsigned width)
{
    for (unsigned i = 0; i < count && at + i < width; i++) {
        uint64_t place = UINT64_C(1) << (at + i);

        b = (b & ~place) | (bit(a, i) ? place : 0);
    }
    return b;
}

static uint64_t highest(uint64_t a, unsigned width, bool is_signed, bool as_shift)
{
    if (is_signed && bit(a, width - 1))
        a = ~a;
    for (unsigned i = width; i-- > 0;)
        if (bit(a, i))
            return as_shift ? width - 1 - i : i;
    return UINT32_MAX;
}

static uint64_t masked(uint64_t at, uint64_t count, bool wrap)
{
    uint64_t out = 0;

    at = wrap ? at & 31 : at;
    count = wrap ? count & 31 : count;
    for (unsigned i = 0; i < 32; i++)
        out |= (uint64_t)(i >= at && i - at < count) << i;
    return out;
}

static uint64_t nth_bit(uint64_t mask, uint64_t base, int64_t nth)
{
    int64_t at = (int64_t)base, left = nth < 0 ? -nth : nth;

    if (nth == INT32_MIN)
        return 0;
    if (nth == 0)
        return base < 32 && bit(mask, (unsigned)base) ? base : UINT32_MAX;
    for (; at >= 0 && at<32; at += nth> 0 ? 1 : -1)
        if (bit(mask, (unsigned)at) && --left == 0)
            return (uint64_t)at;
    return UINT32_MAX;
}

/* The bytes 3..0 that each mode of prmt selects, for c = 0, 1, 2, 3 (PTX ISA, prmt). */
static uint64_t permuted(const struct machine *m, uint64_t a, uint64_t b, uint64_t c)
{
    static const struct {
        enum ptx_part part;
        uint16_t picks[4];
    } modes[] = {
        {PTX_PART_F4E, {0x3210, 0x4321, 0x5432, 0x6543}},
        {PTX_PART_B4E, {0x5670, 0x6701, 0x7012, 0x0123}},
        {PTX_PART_RC8, {0x0000, 0x1111, 0x2222, 0x3333}},
        {PTX_PART_ECL, {0x3210, 0x3211, 0x3222, 0x3333}},
        {PTX_PART_ECR, {0x0000, 0x1110, 0x2210, 0x3210}},
        {PTX_PART_RC16, {0x1010, 0x3232, 0x1010, 0x3232}},
    };
    uint64_t both = b << 32 | a, picks = c, out = 0;

    for (size_t k = 0; k < sizeof modes / sizeof *modes; k++)
        if (machine_has(m, modes[k].part))
            picks = modes[k].picks[c & 3];
    for (unsigned i = 0; i < 4; i++) {
        uint64_t pick = picks >> i * 4 & 15, byte = both >> (pick & 7) * 8 & 255;

        out |= (pick & 8 ? (byte & 128 ? 255 : 0) : byte) << i * 8;
    }
    return out;
}

static big dotted(const struct machine *m, const uint64_t in[3])
{
    bool four = m->instruction.opcode == PTX_DP4A;
    bool a_signed = type_signed(m->type), b_signed = type_signed(m->source_type);
    unsigned first = machine_has(m, PTX_PART_HI) ? 2 : 0;
    big sum = (big)in[2];

    for (unsigned i = 0; i < (four ? 4 : 2); i++)
        sum += valued(in[0] >> i * (four ? 8 : 16), four ? 8 : 16, a_signed) *
               valued(in[1] >> (i + first) * 8, 8, b_signed);
    return sum;
}

static uint64_t sized(uint64_t a, uint64_t bits, bool wrap, bool is_signed)
{
    bits = wrap ? bits & 31 : bits < 32 ? bits : 32;
    return bits ? (uint64_t)valued(a, (unsigned)bits, is_signed) : 0;
}

static uint64_t funnelled(const struct machine *m, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t both = b << 32 | a, by = c & 31;

    if (machine_has(m, PTX_PART_CLAMP))
        by = c < 32 ? c : 32;
    return machine_has(m, PTX_PART_L) ? both << by >> 32 : both >> by;
}

static bool chosen(const struct machine *m, uint64_t c)
{
    float number;
    uint32_t word = (uint32_t)c;

    memcpy(&number, &word, sizeof number);
    if (m->source_type != PTX_PART_F32)
        return (int32_t)word >= 0;
    if (machine_has(m, PTX_PART_FTZ) && !(word >> 23 & 255))
        return true;
    return number >= 0;
}

static uint64_t with_table(unsigned table, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t out = 0;

    for (unsigned i = 0; i < 32; i++)
        out |= (uint64_t)(table >> (bit(a, i) * 4 + bit(b, i) * 2 + bit(c, i)) & 1) << i;
    return out;
}

/* Arithmetic on values of `width` bits; returns false for other operations. */
static bool arithmetic(const struct machine *m, const uint64_t in[4], unsigned width,
                       bool sign, big *out)
{
    big a = valued(in[0], width, sign), b = valued(in[1], width, sign);
    bool wide = machine_has(m, PTX_PART_WIDE), saturate = machine_has(m, PTX_PART_SAT);
    bool relu = machine_has(m, PTX_PART_RELU);
    big c = valued(in[2], wide ? width * 2 : width, sign);

    switch (m->instruction.opcode) {
    case PTX_ADD:
        return *out = saturate ? clamped_32(a + b) : a + b, true;
    case PTX_SUB:
        return *out = saturate ? clamped_32(a - b) : a - b, true;
    case PTX_MUL:
        return *out = product(m, a, b, width), true;
    case PTX_MAD:
        a = product(m, a, b, width) + c;
        return *out = saturate ? clamped_32(a) : a, true;
    case PTX_MUL24:
        return *out = product_24(m, in[0], in[1], sign), true;
    case PTX_MAD24:
        a = product_24(m, in[0], in[1], sign) + c;
        return *out = saturate ? clamped_32(a) : a, true;
    case PTX_SAD:
        return *out = c + magnitude(a - b), true;
    case PTX_DIV:
        return *out = b ? a / b : -1, true;
    case PTX_REM:
        return *out = b ? a % b : -1, true;
    case PTX_MIN:
        return *out = relu && (a < 0 || b < 0) ? 0 : a < b ? a : b, true;
    case PTX_MAX:
        return *out = relu && a < 0 && b < 0 ? 0 : a > b ? a : b, true;
    case PTX_ABS:
        return *out = magnitude(a), true;
    case PTX_NEG:
        return *out = -a, true;
    case PTX_DP2A:
    case PTX_DP4A:
        return *out = dotted(m, in), true;
    default:
        return false;
    }
}

static uint64_t logic(const struct machine *m, const uint64_t in[4], unsigned width,
                      bool sign)
{
    uint64_t a = in[0], b = in[1], c = in[2], out = 0;
    uint64_t by = b < width ? b : width;

    switch (m->instruction.opcode) {
    case PTX_AND:
        return a & b;
    case PTX_OR:
        return a | b;
    case PTX_XOR:
        return a ^ b;
    case PTX_NOT:
        return ~a;
    case PTX_CNOT:
        return a == 0;
    case PTX_SHL:
        return (uint64_t)((unsigned_big)a << by);
    case PTX_SHR:
        return (uint64_t)(valued(a, width, sign) >> by);
    case PTX_POPC:
    case PTX_BREV:
        for (unsigned i = 0; i < width; i++)
            out += m->instruction.opcode == PTX_POPC
                       ? bit(a, i)
                       : (uint64_t)bit(a, i) << (width - 1 - i);
        return out;
    case PTX_CLZ:
        out = highest(a, width, false, true);
        return out == UINT32_MAX ? width : out;
    case PTX_SELP:
        return c ? a : b;
    case PTX_SLCT:
        return chosen(m, c) ? a : b;
    default:
        return a; /* mov */
    }
}

/* The hardware uses only the low byte of the position and length of a 32-bit field. */
static unsigned field_number(uint64_t x, unsigned width)
{
    return width == 32 ? x & 255 : x < 255 ? (unsigned)x : 255;
}

static uint64_t fields(const struct machine *m, const uint64_t in[4], unsigned width,
                       bool sign)
{
    uint64_t a = in[0], b = in[1], c = in[2];
    bool wrap = machine_has(m, PTX_PART_WRAP);

    switch (m->instruction.opcode) {
    case PTX_LOP3:
        return with_table((unsigned)m->operands[4].integer, a, b, c);
    case PTX_SHF:
        return funnelled(m, a, b, c);
    case PTX_PRMT:
        return permuted(m, a, b, c);
    case PTX_BFE:
        return extracted(a, field_number(b, width), field_number(c, width), width, sign);
    case PTX_BFI:
        return inserted(a, b, field_number(c, width), field_number(in[3], width), width);
    case PTX_BFIND:
        return highest(a, width, sign, machine_has(m, PTX_PART_SHIFTAMT));
    case PTX_BMSK:
        return masked(a, b, wrap);
    case PTX_SZEXT:
        return sized(a, b, wrap, sign);
    case PTX_FNS:
        return nth_bit(a, b, (int32_t)c);
    default:
        return logic(m, in, width, sign);
    }
}

static bool reference(const struct machine *m, const uint64_t in[4], uint64_t out[2])
{
    enum ptx_opcode code = m->instruction.opcode;
    unsigned compared_type = code == PTX_SET ? m->source_type : m->type;
    unsigned width = type_width(compared_type);
    bool sign = type_signed(compared_type);
    big value;

    if (code == PTX_SETP || code == PTX_SET) {
        bool truth = compared(m, valued(in[0], width, sign), valued(in[1], width, sign));

        out[0] = combine_truth(m, truth, in[2] & 1);
        out[1] = combine_truth(m, !truth, in[2] & 1);
        if (code == PTX_SET)
            out[0] = set_value(m->type, out[0]);
    } else if (m->type == PTX_PART_U16X2 || m->type == PTX_PART_S16X2) {
        for (unsigned half = 0; half < 2; half++) {
            uint64_t part[4] = {in[0] >> half * 16, in[1] >> half * 16, 0, 0};

            arithmetic(m, part, 16, sign, &value);
            out[0] |= ((uint64_t)value & 0xffff) << half * 16;
        }
    } else if (arithmetic(m, in, width, sign, &value))
        out[0] = kind_bits(m->to[0], (uint64_t)value);
    else
        out[0] = kind_bits(m->to[0], fields(m, in, width, sign));
    return true;
}

static bool is_integer_case(const struct machine *m)
{
    return m->instruction.opcode != PTX_CVT && !case_is_float(m);
}

static void integers_follow_the_rules(void **unused)
{
    (void)unused;
    assert_int_not_equal(check_cases(is_integer_case, reference, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(integers_follow_the_rules)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
