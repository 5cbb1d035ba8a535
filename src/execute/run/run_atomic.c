/* SPDX-License-Identifier: Apache-2.0 */
#include "execute/run/run_atomic.h"

#include <string.h>

/* Valid types of each operation. */
enum {
    BITS32 = 1,
    BITS64 = 2,
    WHOLE = 4, /* u32, s32, u64, s64 */
    UNSIGNED32 = 8,
    FLOATS = 16, /* f32, f64, f16, f16x2, bf16, bf16x2 */
    BITS16 = 32,
    HALVES = 64,  /* f16, bf16 and their packed forms */
    BITS128 = 128 /* exchanged by the processor */
};

static const struct {
    enum ptx_part part;
    unsigned types;
} operations[] = {
    [ATOMIC_ADD] = {PTX_PART_ADD, WHOLE | FLOATS},
    [ATOMIC_MIN] = {PTX_PART_MIN, WHOLE | HALVES},
    [ATOMIC_MAX] = {PTX_PART_MAX, WHOLE | HALVES},
    [ATOMIC_AND] = {PTX_PART_AND, BITS32 | BITS64},
    [ATOMIC_OR] = {PTX_PART_OR, BITS32 | BITS64},
    [ATOMIC_XOR] = {PTX_PART_XOR, BITS32 | BITS64},
    [ATOMIC_EXCH] = {PTX_PART_EXCH, BITS32 | BITS64 | BITS128 | WHOLE},
    [ATOMIC_CAS] = {PTX_PART_CAS, BITS16 | BITS32 | BITS64 | BITS128 | WHOLE},
    [ATOMIC_INC] = {PTX_PART_INC, UNSIGNED32},
    [ATOMIC_DEC] = {PTX_PART_DEC, UNSIGNED32},
};

static unsigned type_class(enum ptx_part type)
{
    switch (type) {
    case PTX_PART_B16:
        return BITS16;
    case PTX_PART_B32:
        return BITS32;
    case PTX_PART_B64:
        return BITS64;
#if defined __x86_64__ /* update_128() */
    case PTX_PART_B128:
        return BITS128;
#endif
    case PTX_PART_U32:
        return WHOLE | UNSIGNED32;
    case PTX_PART_S32:
    case PTX_PART_U64:
    case PTX_PART_S64:
        return WHOLE;
    case PTX_PART_F32:
    case PTX_PART_F64:
        return FLOATS;
    case PTX_PART_F16:
    case PTX_PART_F16X2:
    case PTX_PART_BF16:
    case PTX_PART_BF16X2:
        return FLOATS | HALVES;
    default:
        return 0;
    }
}

bool atomic_find(const struct ptx_instruction *i, unsigned *operation)
{
    if (ptx_has(i, PTX_PART_ASYNC) && !ptx_has(i, PTX_PART_MBARRIER_COMPLETE_TX_BYTES))
        return false;
    for (unsigned n = 0; n < sizeof operations / sizeof operations[0]; n++)
        if (ptx_has(i, operations[n].part)) {
            *operation = n;
            return (operations[n].types & type_class(i->type)) != 0;
        }
    return false;
}

static float float_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;

    memcpy(&value, &low, sizeof value);
    return value;
}

static uint64_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float half_to_float(uint32_t half, bool is_brain)
{
    uint32_t exponent = half >> 10 & 31, mantissa = half & 1023,
             sign = (half & 0x8000) << 16;

    if (is_brain)
        return float_of(half << 16);
    if (exponent == 0) {
        float value = (float)mantissa * 0x1p-24f;

        return sign ? -value : value;
    }
    return float_of(sign | (exponent == 31 ? 255u : exponent + 112) << 23 | mantissa << 13);
}

/* Rounds to nearest, ties to even. The sum of two halves is sufficiently exact in f32. */
static uint32_t float_to_half(float value, bool is_brain)
{
    uint32_t bits = (uint32_t)bits_of(value), magnitude = bits & 0x7fffffff,
             sign = bits >> 31 << 15;

    if (magnitude > 0x7f800000)
        return 0x7fff;
    if (is_brain)
        return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    if (magnitude >= 0x47800000)
        return sign | 0x7c00;
    if (magnitude < 0x38800000) { /* subnormal: adding 0.5 leaves multiples of 2^-24 */
        float shifted = float_of(magnitude) + 0.5f;

        return sign | (uint32_t)(bits_of(shifted) - 0x3f000000);
    }
    return sign | (magnitude + 0xfff + (magnitude >> 13 & 1) - 0x38000000) >> 13;
}

static uint32_t half_apply(unsigned operation, uint32_t old, uint32_t operand,
                           bool is_brain)
{
    float a = half_to_float(old, is_brain), b = half_to_float(operand, is_brain);

    if (operation == ATOMIC_ADD)
        return float_to_half(a + b, is_brain);
    if (a != a || b != b)
        return a != a ? operand : old;
    return (operation == ATOMIC_MIN ? b < a : b > a) ? operand : old;
}

static uint64_t float_apply(const struct execute_op *op, uint64_t old, uint64_t operand)
{
    double a, b;
    uint64_t bits;
    enum ptx_part type = op->detail[1];
    bool is_brain = type == PTX_PART_BF16 || type == PTX_PART_BF16X2;
    uint32_t low;

    switch (type) {
    case PTX_PART_F32:
        return bits_of(float_of(old) + float_of(operand));
    case PTX_PART_F64:
        memcpy(&a, &old, sizeof a);
        memcpy(&b, &operand, sizeof b);
        a += b;
        memcpy(&bits, &a, sizeof bits);
        return bits;
    default:
        low = half_apply(op->detail[0], old & 0xffff, operand & 0xffff, is_brain);
        if (type == PTX_PART_F16 || type == PTX_PART_BF16)
            return low;
        return (uint64_t)half_apply(op->detail[0], (uint32_t)old >> 16,
                                    (uint32_t)operand >> 16, is_brain)
                   << 16 |
               low;
    }
}

/* True if `a` is less than `b` as values of the type, for min and max. */
static bool is_less(enum ptx_part type, uint64_t a, uint64_t b)
{
    switch (type) {
    case PTX_PART_S32:
        return (int32_t)a < (int32_t)b;
    case PTX_PART_S64:
        return (int64_t)a < (int64_t)b;
    default:
        return a < b;
    }
}

uint64_t atomic_apply(const struct execute_op *op, uint64_t old, uint64_t operand,
                      uint64_t second)
{
    enum ptx_part type = op->detail[1];

    if (type_class(type) & FLOATS)
        return float_apply(op, old, operand);
    switch (op->detail[0]) {
    case ATOMIC_ADD:
        return old + operand;
    case ATOMIC_MIN:
        return is_less(type, operand, old) ? operand : old;
    case ATOMIC_MAX:
        return is_less(type, old, operand) ? operand : old;
    case ATOMIC_AND:
        return old & operand;
    case ATOMIC_OR:
        return old | operand;
    case ATOMIC_XOR:
        return old ^ operand;
    case ATOMIC_CAS:
        return old == operand ? second : old;
    case ATOMIC_INC:
        return old >= operand ? 0 : old + 1;
    case ATOMIC_DEC:
        return old == 0 || old > operand ? operand : old - 1;
    default:
        return operand;
    }
}

static uint64_t word(const void *from, unsigned bytes)
{
    uint64_t value = 0;

    if (from)
        memcpy(&value, from, bytes);
    return value;
}

static uint64_t update_16(uint16_t *at, const struct execute_op *op, uint64_t a, uint64_t b)
{
    uint16_t old = __atomic_load_n(at, __ATOMIC_RELAXED);

    while (!__atomic_compare_exchange_n(at, &old, (uint16_t)atomic_apply(op, old, a, b),
                                        false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        ;
    return old;
}

static uint64_t flushed(uint64_t bits)
{
    return bits & 0x7f800000 ? bits : bits & 0x80000000;
}

/* The sum in global memory. Subnormal inputs and results become zeros of their sign; in
   shared memory they remain. */
static uint32_t global_word(const struct execute_op *op, uint64_t old, uint64_t a,
                            uint64_t b)
{
    if (op->detail[1] != PTX_PART_F32)
        return (uint32_t)atomic_apply(op, old, a, b);
    return (uint32_t)flushed(atomic_apply(op, flushed(old), flushed(a), b));
}

static uint64_t update_32(uint32_t *at, const struct execute_op *op, uint64_t a, uint64_t b)
{
    uint32_t old;

    if (op->detail[0] == ATOMIC_ADD && !(type_class(op->detail[1]) & FLOATS))
        return __atomic_fetch_add(at, (uint32_t)a, __ATOMIC_SEQ_CST);
    old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(at, &old, global_word(op, old, a, b), false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        ;
    return old;
}

static uint64_t update_64(uint64_t *at, const struct execute_op *op, uint64_t a, uint64_t b)
{
    uint64_t old = __atomic_load_n(at, __ATOMIC_RELAXED);

    while (!__atomic_compare_exchange_n(at, &old, atomic_apply(op, old, a, b), false,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        ;
    return old;
}

#if defined __x86_64__
/* Every x86-64 processor but the first has this exchange. */
__attribute__((target("cx16"))) static atomic_quad exchange_128(atomic_quad *at,
                                                                atomic_quad expected,
                                                                atomic_quad desired)
{
    return __sync_val_compare_and_swap(at, expected, desired);
}
#else
static atomic_quad exchange_128(atomic_quad *at, atomic_quad expected, atomic_quad desired)
{
    atomic_quad old = *at;

    *at = old == expected ? desired : old;
    return old;
}
#endif

atomic_quad atomic_apply_128(const struct execute_op *op, atomic_quad old, atomic_quad a,
                             atomic_quad b)
{
    if (op->detail[0] != ATOMIC_CAS)
        return a;
    return old == a ? b : old;
}

static void update_128(atomic_quad *at, const struct execute_op *op, const void *operand,
                       const void *second, void *out)
{
    atomic_quad a, b = 0, old = 0, expected;

    memcpy(&a, operand, sizeof a);
    if (second)
        memcpy(&b, second, sizeof b);
    do {
        expected = old;
        old = exchange_128(at, expected, atomic_apply_128(op, expected, a, b));
    } while (old != expected);
    if (out)
        memcpy(out, &old, sizeof old);
}

void execute_atomic(const struct execute_op *op, void *memory, const void *operand,
                    const void *second, void *old)
{
    unsigned bytes = op->detail[2];

    if (bytes == 16) {
        update_128(memory, op, operand, second, old);
        return;
    }
    uint64_t a = word(operand, bytes), b = word(second, bytes);
    uint64_t before = bytes == 2   ? update_16(memory, op, a, b)
                      : bytes == 4 ? update_32(memory, op, a, b)
                                   : update_64(memory, op, a, b);

    if (old)
        memcpy(old, &before, bytes);
}
