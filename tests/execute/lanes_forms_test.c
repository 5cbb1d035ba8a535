/* SPDX-License-Identifier: Apache-2.0 */

/* Cases beyond one row per lane: carries between operations, vectors of a mov, a
   destination that is also a source, a combined or missing predicate, and instructions that
   must be refused. */

#include <string.h>

#include "lanes_machine.h"

__extension__ typedef unsigned __int128 wide;

struct warp {
    _Alignas(16) unsigned char bytes[10][LANES * 16];
};

/* Register n of the warp; number 0 contains the carry. */
static op_place place(unsigned n)
{
    return PLACE(FILE_WARP, n * LANES * 16);
}

static const char *signature(const char *text)
{
    static const char *const unary[] = {"mov", "abs"}, *const ternary[] = {"fma", "mad",
                                                                           "prmt", "selp",
                                                                           "shf"};

    for (size_t k = 0; k < sizeof unary / sizeof *unary; k++)
        if (strncmp(text, unary[k], strlen(unary[k])) == 0)
            return "4=4";
    for (size_t k = 0; k < sizeof ternary / sizeof *ternary; k++)
        if (strncmp(text, ternary[k], strlen(ternary[k])) == 0)
            return "4=444";
    return "4=44";
}

static void perform(const struct op_table *t, struct warp *w, const char *text,
                    struct execute_op op, uint32_t mask)
{
    struct op_registers r = {{w->bytes[0], NULL, NULL, NULL}};
    struct machine m;

    machine_init(&m, text, signature(text));
    assert_true(t->choose(&m.instruction, &op));
    op.lanes(&r, &op, mask);
}

static struct execute_op from_to(unsigned to, unsigned a, unsigned b, unsigned c)
{
    return (struct execute_op){.to = place(to),
                               .to2 = PLACE_NONE,
                               .from = {place(a), place(b), place(c), PLACE_NONE},
                               .more = {PLACE_NONE, PLACE_NONE}};
}

static uint64_t lane(const struct warp *w, unsigned n, size_t bytes, unsigned l)
{
    uint64_t value = 0;

    memcpy(&value, w->bytes[n] + l * bytes, bytes);
    return value;
}

static void fill(struct warp *w, uint64_t *state)
{
    for (size_t k = 0; k < sizeof w->bytes; k += 8) {
        uint64_t value = some_value('8', state);

        memcpy(w->bytes[0] + k, &value, 8);
    }
}

/* Sums and differences of 128 bits from two words of 64 bits, and of 64 bits from two words
   of 32. */
static void carries_chain(void **unused)
{
    static const char *const texts[][4] = {
        {"add.cc.u64", "addc.u64", "sub.cc.u64", "subc.u64"},
        {"add.cc.s32", "addc.cc.u32", "sub.cc.u32", "subc.cc.s32"},
    };
    const struct op_table *t;
    uint64_t state = 77;

    (void)unused;
    for (unsigned i = 0; (t = machine_table(i)); i++)
        for (unsigned n = 0; n < 400; n++) {
            bool narrow = n & 1, subtract = n & 2;
            size_t bytes = narrow ? 4 : 8;
            struct warp w;

            fill(&w, &state);
            struct warp old = w;
            uint32_t mask = n & 4 ? (uint32_t)chance(&state) : UINT32_MAX;

            perform(t, &w, texts[narrow][subtract * 2], from_to(5, 1, 3, 0), mask);
            perform(t, &w, texts[narrow][subtract * 2 + 1], from_to(6, 2, 4, 0), mask);
            for (unsigned l = 0; l < LANES; l++) {
                unsigned shift = narrow ? 32 : 64;
                wide a = (wide)lane(&old, 2, bytes, l) << shift | lane(&old, 1, bytes, l);
                wide b = (wide)lane(&old, 4, bytes, l) << shift | lane(&old, 3, bytes, l);
                wide sum = subtract ? a - b : a + b;
                bool on = mask >> l & 1, out = (sum >> 64 & 1) != subtract;

                assert_int_equal(lane(&w, 5, bytes, l),
                                 on ? (uint64_t)sum & UINT64_MAX >> (64 - shift)
                                    : lane(&old, 5, bytes, l));
                assert_int_equal(lane(&w, 6, bytes, l),
                                 on ? (uint64_t)(sum >> shift) & UINT64_MAX >> (64 - shift)
                                    : lane(&old, 6, bytes, l));
                if (narrow)
                    assert_int_equal(w.bytes[0][l / 8] >> (l % 8) & 1,
                                     on ? out : old.bytes[0][l / 8] >> (l % 8) & 1);
            }
        }
}

/* A 64 x 64 = 128-bit product from 32-bit words, as compilers write it. */
static void long_products_carry(void **unused)
{
    static const struct {
        const char *text;
        unsigned to, a, b, c;
    } steps[] = {
        {"mul.lo.u32", 5, 1, 3, 0},    {"mul.hi.u32", 6, 1, 3, 0},
        {"mad.lo.cc.u32", 6, 2, 3, 6}, {"madc.hi.u32", 7, 2, 3, 9},
        {"mad.lo.cc.u32", 6, 1, 4, 6}, {"madc.hi.cc.u32", 7, 1, 4, 7},
        {"addc.u32", 8, 9, 9, 0},      {"mad.lo.cc.u32", 7, 2, 4, 7},
        {"madc.hi.u32", 8, 2, 4, 8},
    };
    const struct op_table *t;
    uint64_t state = 78;

    (void)unused;
    for (unsigned i = 0; (t = machine_table(i)); i++)
        for (unsigned n = 0; n < 100; n++) {
            struct warp w;

            fill(&w, &state);
            memset(w.bytes[9], 0, sizeof w.bytes[9]);
            for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
                perform(t, &w, steps[k].text,
                        from_to(steps[k].to, steps[k].a, steps[k].b, steps[k].c),
                        UINT32_MAX);
            for (unsigned l = 0; l < LANES; l++) {
                wide a = lane(&w, 2, 4, l) << 32 | lane(&w, 1, 4, l);
                wide product = a * (lane(&w, 4, 4, l) << 32 | lane(&w, 3, 4, l));

                for (unsigned word = 0; word < 4; word++)
                    assert_int_equal(lane(&w, 5 + word, 4, l),
                                     (uint32_t)(product >> word * 32));
            }
        }
}

/* Packs registers 1 and up into 5 and unpacks them to 1 and up in reverse order. */
static void check_vector(const struct op_table *t, const char *type, unsigned count,
                         unsigned bytes, uint32_t mask, uint64_t *state)
{
    struct ptx_operand list[4] = {{.kind = PTX_REGISTER}};
    struct execute_op pack = from_to(5, 1, 2, 3), unpack = from_to(4, 5, 5, 5);
    struct op_registers r;
    struct machine m;
    struct warp w;
    size_t pitch = bytes < 4 ? 4 : bytes, whole = bytes * count < 4 ? 4 : bytes * count;

    fill(&w, state);
    struct warp old = w;
    char text[16];

    snprintf(text, sizeof text, "mov.%s", type);
    machine_init(&m, text, "4=4");
    m.operands[1] = (struct ptx_operand){.kind = PTX_VECTOR, .count = count, .list = list};
    r = (struct op_registers){{w.bytes[0], NULL, NULL, NULL}};
    pack.from[3] = place(4);
    assert_true(t->choose(&m.instruction, &pack));
    pack.lanes(&r, &pack, mask);
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned k = 0; k < count && mask >> l & 1; k++)
            assert_memory_equal(w.bytes[5] + l * whole + k * bytes,
                                old.bytes[k + 1] + l * pitch, bytes);
    m.operands[0] = m.operands[1];
    m.operands[1] = (struct ptx_operand){.kind = PTX_REGISTER};
    unpack.to2 = count == 4 ? place(3) : PLACE_NONE;
    unpack.more[0] = place(2);
    unpack.more[1] = place(5); /* over its own source */
    old = w;
    assert_true(t->choose(&m.instruction, &unpack));
    unpack.lanes(&r, &unpack, mask);
    for (unsigned l = 0; l < LANES; l++)
        for (unsigned k = 0; k < count && mask >> l & 1; k++)
            if (count == 4 || k == 0)
                assert_memory_equal(w.bytes[k == 3 ? 5 : 4 - k] + l * pitch,
                                    old.bytes[5] + l * whole + k * bytes, bytes);
}

static void vectors_are_packed_and_unpacked(void **unused)
{
    const struct op_table *t;
    uint64_t state = 79;

    (void)unused;
    for (unsigned i = 0; (t = machine_table(i)); i++)
        for (unsigned n = 0; n < 8; n++) {
            uint32_t mask = n & 1 ? (uint32_t)chance(&state) : UINT32_MAX;

            check_vector(t, "b16", 2, 1, mask, &state);
            check_vector(t, "b32", 2, 2, mask, &state);
            check_vector(t, "b32", 4, 1, mask, &state);
            check_vector(t, "b64", 2, 4, mask, &state);
            check_vector(t, "b64", 4, 2, mask, &state);
            check_vector(t, "b128", 2, 8, mask, &state);
            check_vector(t, "b128", 4, 4, mask, &state);
        }
}

static void destination_may_be_a_source(void **unused)
{
    static const char *const texts[] = {"add.u32",    "add.ftz.f32", "set.lt.u32.u32",
                                        "fma.rz.f32", "prmt.b32",    "add.f16x2",
                                        "mad.lo.s32"};
    const struct op_table *t;
    uint64_t state = 80;

    (void)unused;
    for (unsigned i = 0; (t = machine_table(i)); i++)
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            for (unsigned source = 1; source < 3; source++) {
                struct warp w, apart;

                fill(&w, &state);
                apart = w;
                perform(t, &apart, texts[k], from_to(5, 1, 2, 3), 0xfffffff7);
                perform(t, &w, texts[k], from_to(source, 1, 2, 3), 0xfffffff7);
                for (unsigned l = 0; l < LANES; l++)
                    if (l != 3)
                        assert_int_equal(lane(&w, source, 4, l), lane(&apart, 5, 4, l));
            }
}

static void predicates_combined_or_missing(void **unused)
{
    const struct op_table *t;
    uint64_t state = 81;

    (void)unused;
    for (unsigned i = 0; (t = machine_table(i)); i++) {
        struct op_registers r;
        struct machine m;
        struct warp w;
        uint32_t less = 0;

        fill(&w, &state);
        for (unsigned l = 0; l < LANES; l++)
            less |= (uint32_t)(lane(&w, 1, 4, l) < lane(&w, 2, 4, l)) << l;
        uint32_t c = (uint32_t)lane(&w, 3, 4, 0);
        struct execute_op op = from_to(5, 1, 2, 3);

        r = (struct op_registers){{w.bytes[0], NULL, NULL, NULL}};
        machine_init(&m, "setp.lt.and.u32", "pp=44p");
        op.to = PLACE_NONE; /* _|%p */
        op.to2 = place(6);
        assert_true(t->choose(&m.instruction, &op));
        op.lanes(&r, &op, UINT32_MAX);
        assert_int_equal(lane(&w, 6, 4, 0), ~less & c);
        op = from_to(3, 1, 2, 3); /* over its own third operand */
        machine_init(&m, "setp.lt.or.u32", "p=44p");
        assert_true(t->choose(&m.instruction, &op));
        op.lanes(&r, &op, 0x00ffff00);
        assert_int_equal(lane(&w, 3, 4, 0), (c & 0xff0000ff) | ((less | c) & 0x00ffff00));
    }
}

static void unsupported_instructions_are_refused(void **unused)
{
    static const char *const texts[] = {
        "add.rz.f16",  "add.sat.u32",       "add.sat.f64",  "mul.s32",
        "fma.s32",     "div.f16",           "setp.s32",     "shf.clamp.b32",
        "add.ftz.s32", "cvt.rn.e4m3x2.f32", "mov.wide.u32", "vadd.u32.u32.u32",
        "sin.f64",     "add.cc.f32"};
    const struct op_table *t;

    (void)unused;
    for (unsigned i = 0; (t = machine_table(i)); i++)
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            struct execute_op op = from_to(4, 1, 2, 3);
            struct machine m;

            machine_init(&m, texts[k], signature(texts[k]));
            if (t->choose(&m.instruction, &op))
                fail_msg("%s is taken", texts[k]);
        }
}

/* A modifier that no row of part.def names. */
static void unknown_modifiers_are_refused(void **unused)
{
    static const char *const texts[] = {"fma.rn.f16x2", "add.u32",        "mov.b32",
                                        "setp.lt.f32",  "set.lt.u32.u32", "cvt.rn.f16.f32"};
    const struct op_table *t;

    (void)unused;
    for (unsigned i = 0; (t = machine_table(i)); i++)
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            struct execute_op op = from_to(4, 1, 2, 3);
            struct machine m;

            machine_init(&m, texts[k], signature(texts[k]));
            assert_true(t->choose(&m.instruction, &op));
            m.instruction.parts[m.instruction.part_count++] = PTX_PART_COUNT;
            if (t->choose(&m.instruction, &op))
                fail_msg("%s with an unknown modifier is accepted", texts[k]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carries_chain),
        cmocka_unit_test(long_products_carry),
        cmocka_unit_test(vectors_are_packed_and_unpacked),
        cmocka_unit_test(destination_may_be_a_source),
        cmocka_unit_test(predicates_combined_or_missing),
        cmocka_unit_test(unsupported_instructions_are_refused),
        cmocka_unit_test(unknown_modifiers_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
