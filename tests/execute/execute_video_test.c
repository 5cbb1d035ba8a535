/* SPDX-License-Identifier: Apache-2.0 */
/* Video instructions against values by the PTX ISA, 9.7.19. */
#include "execute_testing.h"

/* The sources are x = 0x80ff7f01, y = 0x01028003, z = 0x11223344; the result is in d. */
static const struct video {
    const char *text;
    uint32_t expected;
} videos[] = {
    {"vadd.s32.s32.s32 d, x, y", 0x8201ff04},
    {"vadd.s32.s32.s32 d, x.b2, y.b0", 2}, /* -1 + 3 */
    {"vadd.s32.u32.s32 d, x.b2, y.b1", 255 - 128},
    {"vadd.u32.u32.u32 d, x.h1, y.h0", 0x80ff + 0x8003},
    {"vadd.s32.s32.s32.sat d, x, x", 0x80000000},
    {"vadd.u32.u32.u32.sat d, x, x", 0xffffffff},
    {"vadd.u32.s32.s32.sat d, x.b2, y.b1", 0},
    {"vadd.s32.s32.s32.add d, x.b2, y.b0, z", 0x11223346},
    {"vadd.s32.s32.s32.sat.min d, x, x, z", 0x80000000},
    {"vadd.u32.u32.u32.max d, x.b3, y.b3, z", 0x11223344},
    {"vadd.s32.s32.s32 d.b1, x.b0, y.b0, z", 0x11220444},
    {"vadd.u32.u32.u32.sat d.b3, x.b2, y.b1, z", 0xff223344},
    {"vadd.s32.u32.u32.sat d.h0, x.h1, y.h0, z", 0x11227fff},
    {"vadd.s32.u32.u32 d.h1, x.b0, y.b0, z", 0x00043344},
    {"vsub.s32.u32.u32 d, x.b0, y.b0", 0xfffffffe},
    {"vsub.u32.u32.u32.sat d, x.b0, y.b0", 0},
    {"vabsdiff.u32.u32.u32 d, x.b0, y.b0", 2},
    {"vabsdiff.u32.s32.s32 d, x, y", 0x01028003u - 0x80ff7f01u},
    {"vabsdiff.u32.s32.s32.add d, x.b3, y.b3, z", 0x11223344 + 129},
    {"vmin.s32.s32.u32 d, x.b3, y.b3", 0xffffff80},
    {"vmin.u32.u32.u32 d, x.b3, y.b2", 2},
    {"vmax.s32.s32.s32 d, x.h1, y.h0", 0xffff80ff},
    {"vmax.u32.u32.u32 d.b2, x.b1, y.b0, z", 0x117f3344},
    {"vshl.u32.u32.u32.clamp d, x, 33", 0},
    {"vshl.u32.u32.u32.wrap d, x, 33", 0x01fefe02},
    {"vshl.u32.u32.u32.wrap d, x.b0, y.b0", 8},
    {"vshr.s32.s32.u32.clamp d, x, 40", 0xffffffff},
    {"vshr.u32.u32.u32.wrap d, x, 36", 0x080ff7f0},
    {"vshr.s32.s32.u32.clamp.add d, x.h1, y.b3, z", 0x11223344 - 0x3f81},
    {"vset.s32.u32.lt d, x, y", 1},
    {"vset.u32.u32.lt d, x, y", 0},
    {"vset.s32.s32.ge d.h1, x.b0, y.b3, z", 0x00013344},
    {"vset.u32.u32.ne.add d, x.b0, y.b3, z", 0x11223344},
    {"vset.u32.u32.eq.add d, x.b0, y.b3, z", 0x11223345},
};

static void parts_are_computed(void **state)
{
    (void)state;
    for (size_t k = 0; k < 2 * sizeof videos / sizeof *videos; k++) {
        const struct video *v = &videos[k / 2];
        char body[1024];
        struct rig r;

        snprintf(body, sizeof body,
                 "%s.reg .b32 d, x, y, z; ld.global.v4.u32 {x, y, z, d}, [%%rd0+4096];\n"
                 "%s; st.global.u32 [%%rd1], d; }\n",
                 RIG_KERNEL, v->text);
        rig_open(&r, body, k & 1);
        memcpy(r.memory + 1024, (const uint32_t[]){0x80ff7f01, 0x01028003, 0x11223344}, 12);
        rig_expect(&r, EXECUTE_EXITED);
        if (r.memory[0] != v->expected || r.memory[31] != v->expected)
            fail_msg("%s: %08x, expected %08x", v->text, r.memory[0], v->expected);
        rig_close(&r);
    }
}

/* Operands of lane l: edges of the types first, then mixed bits. */
static uint32_t sample(unsigned lane, unsigned which)
{
    static const uint32_t edges[] = {0,          0xffffffff, 0x80000000, 0x7fffffff,
                                     0x80007fff, 0x7fff8000, 0x80808080, 0x7f7f7f7f,
                                     0x00ff00ff, 0x807f017f, 0x00010001, 0xff00ff01};
    unsigned pick = lane * 7 + which * 5, count = sizeof edges / sizeof *edges;

    return lane < 20 ? edges[pick % count] : (lane * 3 + which + 1) * 2654435761u;
}

enum { FORMS_MAX = 64, FORM_BYTES = 96 };

/* Instructions `d, x, y, z` that one kernel executes, and what each must give. */
struct batch {
    char text[FORMS_MAX][FORM_BYTES];
    uint32_t expected[FORMS_MAX][32];
    unsigned count;
};

/* Runs the instructions and empties the batch. */
static void batch_run(struct batch *b, bool hoist)
{
    struct text body = {NULL, 0, 0};
    struct rig r;

    text_print(&body,
               "%s.reg .b32 d, x, y, z; ld.global.u32 x, [%%rd1+0x30000];\n"
               "ld.global.u32 y, [%%rd1+0x30080]; ld.global.u32 z, [%%rd1+0x30100];\n",
               RIG_KERNEL);
    for (unsigned n = 0; n < b->count; n++)
        text_print(&body, "%s; st.global.u32 [%%rd1+%u], d;\n", b->text[n], n * 128);
    text_print(&body, "}\n");
    rig_open(&r, body.data, hoist);
    for (unsigned l = 0; l < 32; l++)
        for (unsigned k = 0; k < 3; k++)
            r.memory[0xc000 + k * 32 + l] = sample(l, k);
    rig_expect(&r, EXECUTE_EXITED);
    for (unsigned n = 0; n < b->count; n++)
        for (unsigned l = 0; l < 32; l++)
            if (r.memory[n * 32 + l] != b->expected[n][l])
                fail_msg("%s of %08x, %08x, %08x: %08x, expected %08x", b->text[n],
                         sample(l, 0), sample(l, 1), sample(l, 2), r.memory[n * 32 + l],
                         b->expected[n][l]);
    rig_close(&r);
    text_clear(&body);
    b->count = 0;
}

static const char *const operations[] = {"vadd", "vsub", "vavrg", "vabsdiff",
                                         "vmin", "vmax", "vset"};
static const char *const comparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};

/* One SIMD instruction: 2 or 4 elements, signs of d, a and b, digits of its selectors. */
struct simd {
    unsigned operation, comparison, elements;
    bool d_signed, a_signed, b_signed, saturates, adds;
    unsigned mask, a_digits[4], b_digits[4];
};

static long element_of(uint32_t a, uint32_t b, unsigned digit, unsigned bits,
                       bool is_signed)
{
    uint32_t word = digit * bits < 32 ? a : b;
    long value = (long)(word >> digit * bits % 32) & ((1L << bits) - 1);

    return is_signed && value >> (bits - 1) ? value - (1L << bits) : value;
}

static long pair_value(const struct simd *s, long a, long b)
{
    switch (s->operation) {
    case 0:
        return a + b;
    case 1:
        return a - b;
    case 2:
        return a + b >= 0 ? (a + b + 1) / 2 : -((-(a + b) + 1) / 2);
    case 3:
        return labs(a - b);
    case 4:
        return a < b ? a : b;
    case 5:
        return a > b ? a : b;
    default:
        return (const long[]){a == b, a != b, a<b, a <= b, a> b, a >= b}[s->comparison];
    }
}

static uint32_t simd_value(const struct simd *s, uint32_t a, uint32_t b, uint32_t c)
{
    unsigned bits = 32 / s->elements;
    long most = s->d_signed ? (1L << (bits - 1)) - 1 : (1L << bits) - 1;
    long least = s->d_signed ? -most - 1 : 0;
    uint32_t merged = 0, sum = c;

    for (unsigned n = 0; n < s->elements; n++) {
        long value = pair_value(s, element_of(a, b, s->a_digits[n], bits, s->a_signed),
                                element_of(a, b, s->b_digits[n], bits, s->b_signed));

        if (s->saturates)
            value = value > most ? most : value < least ? least : value;
        if (s->mask >> n & 1)
            sum += (uint32_t)value;
        else
            value = (long)(c >> n * bits);
        merged |= ((uint32_t)value & ((1u << bits) - 1)) << n * bits;
    }
    return s->adds ? sum : merged;
}

static void digits_print(struct text *t, unsigned elements, const unsigned digits[4])
{
    text_print(t, elements == 2 ? ".h" : ".b");
    for (unsigned n = elements; n-- > 0;)
        text_print(t, "%u", digits[n]);
}

/* Every third instruction leaves its selectors out. */
static void simd_add(struct batch *b, struct simd s, unsigned number)
{
    static const char letters[] = "us";
    struct text t = {NULL, 0, 0};
    bool is_short = number % 3 == 0;

    for (unsigned n = 0; n < 4; n++) {
        s.a_digits[n] = is_short ? n : (number * 5 + n * 3) % (2 * s.elements);
        s.b_digits[n] = is_short ? s.elements + n : (number + n * n) % (2 * s.elements);
    }
    s.mask = is_short ? 15 : 1 + number % ((1u << s.elements) - 1);
    text_print(&t, "%s%u", operations[s.operation], s.elements);
    if (s.operation < 6)
        text_print(&t, ".%c32", letters[s.d_signed]);
    text_print(&t, ".%c32.%c32", letters[s.a_signed], letters[s.b_signed]);
    if (s.operation == 6)
        text_print(&t, ".%s", comparisons[s.comparison]);
    text_print(&t, "%s d", s.saturates ? ".sat" : s.adds ? ".add" : "");
    for (unsigned n = s.elements; !is_short && n-- > 0;)
        if (s.mask >> n & 1)
            text_print(&t, "%s%u", s.mask >> n == 1 ? s.elements == 2 ? ".h" : ".b" : "",
                       n);
    text_print(&t, ", x");
    if (!is_short)
        digits_print(&t, s.elements, s.a_digits);
    text_print(&t, ", y");
    if (!is_short)
        digits_print(&t, s.elements, s.b_digits);
    snprintf(b->text[b->count], FORM_BYTES, "%s, z", t.data);
    text_clear(&t);
    for (unsigned l = 0; l < 32; l++)
        b->expected[b->count][l] = simd_value(&s, sample(l, 0), sample(l, 1), sample(l, 2));
    if (++b->count == FORMS_MAX)
        batch_run(b, number & 1);
}

/* Every operation x elements x signs x saturation or accumulation; vset x comparison. */
static void simd_elements_are_computed(void **state)
{
    struct batch *b = must_calloc(1, sizeof *b);
    unsigned number = 0;

    (void)state;
    for (unsigned form = 0; form < 7 * 2 * 8 * 3 * 6; form++) {
        struct simd s = {.operation = form % 7,
                         .elements = form / 7 % 2 ? 4 : 2,
                         .a_signed = form / 14 & 1,
                         .b_signed = form / 28 & 1,
                         .d_signed = form / 56 & 1,
                         .saturates = form / 112 % 3 == 1,
                         .adds = form / 112 % 3 == 2,
                         .comparison = form / 336};

        if (s.operation < 6 ? s.comparison > 1 : s.d_signed || s.saturates)
            continue; /* the two rounds of the others differ in their selectors */
        simd_add(b, s, number++);
    }
    batch_run(b, true);
    free(b);
}

/* vmad in units that cannot overflow: the exact sum is high * 2^32 + low. */
struct exact {
    long high, low; /* 0 <= low < 2^32 */
};

static struct exact exact_sum(long a, long b, bool minus, long more)
{
    long a_high = a / 65536, a_low = a % 65536, sign = minus ? -1 : 1;
    /* a * b = (a_high * b) * 2^16 + a_low * b, and both products fit */
    long upper = sign * a_high * b, lower = sign * a_low * b + more;
    struct exact e = {upper / 65536, upper % 65536 * 65536 + lower};

    e.high += e.low >> 32;
    e.low &= 0xffffffff;
    return e;
}

struct mad {
    bool a_signed, b_signed, a_negated, b_negated, c_negated, plus, saturates;
    unsigned shift, a_part, b_part; /* parts: 0 the register, 1 to 2 halves, 3 to 6 bytes */
};

static const char *const mad_parts[] = {"", ".h0", ".h1", ".b0", ".b1", ".b2", ".b3"};

static long mad_factor(uint32_t word, unsigned part, bool is_signed)
{
    static const unsigned first[] = {0, 0, 16, 0, 8, 16, 24};
    unsigned bits = part == 0 ? 32 : part < 3 ? 16 : 8;
    long value = (long)(word >> first[part]) & ((1L << bits) - 1);

    return is_signed && value >> (bits - 1) ? value - (1L << bits) : value;
}

static uint32_t mad_value(const struct mad *m, uint32_t a, uint32_t b, uint32_t c)
{
    bool minus = m->a_negated != m->b_negated;
    bool is_signed = m->a_signed || m->b_signed || minus || m->c_negated;
    long more = is_signed ? (long)(int32_t)(m->c_negated ? ~c : c) : (long)c;
    struct exact e = exact_sum(mad_factor(a, m->a_part, m->a_signed),
                               mad_factor(b, m->b_part, m->b_signed), minus,
                               more + (m->plus || m->c_negated)); /* -p is ~p + 1: exact */
    long unit = 1L << m->shift;

    if (m->shift) {
        e.low = (e.low >> m->shift) | ((e.high & (unit - 1)) << (32 - m->shift));
        e.high >>= m->shift;
    }
    if (!m->saturates)
        return (uint32_t)e.low;
    if (!is_signed)
        return e.high ? UINT32_MAX : (uint32_t)e.low;
    if (e.high > 0 || (e.high == 0 && e.low > INT32_MAX))
        return INT32_MAX;
    if (e.high < -1 || (e.high == -1 && e.low <= INT32_MAX))
        return 0x80000000;
    return (uint32_t)e.low;
}

/* Signs x negation or plus one x saturation x scale, with parts in turn. */
static void products_are_exact(void **state)
{
    static const char letters[] = "us";
    static const char *const scales[] = {"", ".shr7", ".shr15"};
    struct batch *b = must_calloc(1, sizeof *b);

    (void)state;
    for (unsigned form = 0; form < 4 * 6 * 2 * 3 * 7; form++) {
        unsigned mode = form / 4 % 6;
        struct mad m = {.a_signed = form & 1,
                        .b_signed = form >> 1 & 1,
                        .a_negated = mode == 1 || mode == 5,
                        .b_negated = mode == 2 || mode == 5,
                        .c_negated = mode == 3,
                        .plus = mode == 4,
                        .saturates = form / 24 & 1,
                        .shift = (const unsigned[]){0, 7, 15}[form / 48 % 3],
                        .a_part = form / 144,
                        .b_part = (form / 144 + form / 48) % 7};

        snprintf(b->text[b->count], FORM_BYTES,
                 "vmad.%c32.%c32.%c32%s%s%s d, %sx%s, %sy%s, %sz", letters[form / 144 & 1],
                 letters[m.a_signed], letters[m.b_signed], m.plus ? ".po" : "",
                 m.saturates ? ".sat" : "", scales[form / 48 % 3], m.a_negated ? "-" : "",
                 mad_parts[m.a_part], m.b_negated ? "-" : "", mad_parts[m.b_part],
                 m.c_negated ? "-" : "");
        for (unsigned l = 0; l < 32; l++)
            b->expected[b->count][l] =
                mad_value(&m, sample(l, 0), sample(l, 1), sample(l, 2));
        if (++b->count == FORMS_MAX)
            batch_run(b, form & 1);
    }
    batch_run(b, true);
    free(b);
}

/* What ptxas refuses is refused. */
static void wrong_forms_are_refused(void **state)
{
    static const char *const wrong[] = {
        "vadd2.u32.u32.s32.sat.add d, x, y, z",
        "vadd2.u32.u32.s32 d, x, y",
        "vset2.u32.u32.u32.lt d, x, y, z",
        "vadd4.s32.s32.s32 d.b12, x, y, z",
        "vadd2.s32.s32.s32 d.h01, x, y, z",
        "vadd2.s32.s32.s32 d, x.h4, y, z",
        "vadd2.s32.s32.s32 d, x.h41, y, z",
        "vadd4.s32.s32.s32 d, x.b10, y, z",
        "vmad.u32.u32.u32 d, -x, y, -z",
        "vmad.u32.u32.u32.po d, x, y, -z",
        "vmad.u32.u32.u32 d.b0, x, y, z",
        "vmad.u32.u32.u32.add d, x, y, z",
        "vadd.s32.s32.s32 d, -x, y",
        "add.s32 d, -x, y",
    };

    (void)state;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        struct text body = {NULL, 0, 0};
        struct proact_error err = {""};
        struct ptx_module *m = NULL;
        struct execute_program *p = NULL;

        text_print(&body, "%s.reg .b32 d, x, y, z; %s; ret; }\n", RIG_HEAD RIG_KERNEL,
                   wrong[k]);
        assert_int_equal(ptx_parse("t.ptx", body.data, body.length, &m, &err), PROACT_OK);
        if (execute_program_create(m, &p, &err) != PROACT_EREFUSED)
            fail_msg("%s is not refused", wrong[k]);
        ptx_destroy(m);
        text_clear(&body);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_computed),
        cmocka_unit_test(simd_elements_are_computed),
        cmocka_unit_test(products_are_exact),
        cmocka_unit_test(wrong_forms_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
