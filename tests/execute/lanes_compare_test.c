/* SPDX-License-Identifier: Apache-2.0 */

/* All forms of set and setp: comparison, types, pair, .ftz, combination with a predicate,
   operand NaN. The expected value is that of the tables of the PTX ISA. */

#include <math.h>
#include <string.h>

#include "lanes_machine.h"

/* Accepted orders of each comparison: bits of less, equal, greater, unordered. */
static const struct comparison {
    const char *word;
    unsigned accepted;
} comparisons[] = {
    {"eq", 2},  {"ne", 5},   {"lt", 1},   {"le", 3},   {"gt", 4},   {"ge", 6},
    {"lo", 1},  {"ls", 3},   {"hi", 4},   {"hs", 6},   {"equ", 10}, {"neu", 13},
    {"ltu", 9}, {"leu", 11}, {"gtu", 12}, {"geu", 14}, {"num", 7},  {"nan", 8},
};
enum {
    ALL = sizeof comparisons / sizeof *comparisons,
    EQUALITY = 2,
    ORDERS = 6,
    WHOLE = 10
};

enum { VALUES = 8 };

/* Operands: bits and value, in the columns of a type. */
static const struct source {
    const char *type, *results; /* of set */
    char kind;
    bool pair, flushes;
    unsigned first, comparisons; /* WHOLE: without lo to hs */
    uint64_t bits[VALUES];
    long double values[VALUES];
} sources[] = {
#define NUMBERS "u32 s32 f32 f16 bf16"
#define WHOLE_BITS(n)                                                                      \
    {                                                                                      \
        0, 1, 2, 7, n, n + 1, 9, 2                                                         \
    }
#define WHOLE_VALUES(n)                                                                    \
    {                                                                                      \
        0, 1, 2, 7, n, n + 1.0L, 9, 2                                                      \
    }
    {"b16", NUMBERS, '2', 0, 0, 0, EQUALITY, WHOLE_BITS(0x7fff), WHOLE_VALUES(0x7fff)},
    {"b32", NUMBERS, '4', 0, 0, 0, EQUALITY, WHOLE_BITS((uint64_t)INT32_MAX),
     WHOLE_VALUES(INT32_MAX)},
    {"b64", NUMBERS, '8', 0, 0, 0, EQUALITY, WHOLE_BITS((uint64_t)INT64_MAX),
     WHOLE_VALUES(INT64_MAX)},
    {"u16", NUMBERS, '2', 0, 0, 0, WHOLE, WHOLE_BITS(0x7fff), WHOLE_VALUES(0x7fff)},
    {"u32", NUMBERS, '4', 0, 0, 0, WHOLE, WHOLE_BITS((uint64_t)INT32_MAX),
     WHOLE_VALUES(INT32_MAX)},
    {"u64", NUMBERS, '8', 0, 0, 0, WHOLE, WHOLE_BITS((uint64_t)INT64_MAX),
     WHOLE_VALUES(INT64_MAX)},
#define SIGNED(m)                                                                          \
    {                                                                                      \
        0, 1, 2, 7, (m), (m) + 1, (m)*2 + 1, 2                                             \
    }
#define SIGNED_VALUES(m)                                                                   \
    {                                                                                      \
        0, 1, 2, 7, m, -1.0L - (m), -1, 2                                                  \
    }
    {"s16", NUMBERS, '2', 0, 0, 0, ORDERS, SIGNED(0x7fff), SIGNED_VALUES(0x7fff)},
    {"s32", NUMBERS, '4', 0, 0, 0, ORDERS, SIGNED((uint32_t)INT32_MAX),
     SIGNED_VALUES(INT32_MAX)},
    {"s64", NUMBERS, '8', 0, 0, 0, ORDERS, SIGNED((uint64_t)INT64_MAX),
     SIGNED_VALUES(INT64_MAX)},
#define FLOATS(sign, one, infinity, nan, unit)                                             \
    {                                                                                      \
        0, sign, 1, sign | 1, one, sign | infinity, nan, (one) + (unit)                    \
    }
#define FLOAT_VALUES(least)                                                                \
    {                                                                                      \
        0, 0, least, -least, 1, -HUGE_VALL, NAN, 2                                         \
    }
#define HALVES FLOATS(0x8000, 0x3c00, 0x7c00, 0x7e01, 0x400), FLOAT_VALUES(0x1p-24L)
#define BRAINS FLOATS(0x8000, 0x3f80, 0x7f80, 0xffc1, 0x80), FLOAT_VALUES(0x1p-133L)
    {"f32", NUMBERS, '4', 0, 1, WHOLE, ALL,
     FLOATS(0x80000000, 0x3f800000, 0x7f800000, 0x7fc00001, 0x800000),
     FLOAT_VALUES(0x1p-149L)},
    {"f64", NUMBERS, '8', 0, 0, WHOLE, ALL,
     FLOATS(1ull << 63, 0x3ffull << 52, (0x7ffull << 52), 0xfff8ull << 48, 1ull << 52),
     FLOAT_VALUES(0x1p-1074L)},
    {"f16", "u16 s16 u32 s32 f16 bf16", '2', 0, 1, WHOLE, ALL, HALVES},
    {"bf16", "u16 s16 u32 s32 bf16", '2', 0, 0, WHOLE, ALL, BRAINS},
    {"f16x2", "u32 s32 f16x2", '4', 1, 1, WHOLE, ALL, HALVES},
    {"bf16x2", "u32 s32 bf16x2", '4', 1, 0, WHOLE, ALL, BRAINS},
};

/* Result of set for a true comparison; of one half for a pair. */
static const struct result {
    const char *type;
    char kind;
    uint32_t yes, half;
} results[] = {
    {"u32", '4', 0xffffffff, 0xffff}, {"s32", '4', 0xffffffff, 0xffff},
    {"u16", '2', 0xffff, 0},          {"s16", '2', 0xffff, 0},
    {"f32", '4', 0x3f800000, 0},      {"f16", '2', 0x3c00, 0},
    {"bf16", '2', 0x3f80, 0},         {"f16x2", '4', 0, 0x3c00},
    {"bf16x2", '4', 0, 0x3f80},
};

static const struct combination {
    const char *word;
    unsigned truths; /* by bit 2 * truth + c */
} combinations[] = {{"", 0xc}, {".and", 8}, {".or", 14}, {".xor", 6}};

/* One instruction: `result` is NULL for setp. */
struct form {
    const struct source *s;
    const struct result *result;
    const struct comparison *compare;
    const struct combination *combine;
    bool flushes;
    char text[64];
};

static bool truth_of(const struct form *f, unsigned a, unsigned b)
{
    long double x = f->s->values[a], y = f->s->values[b];

    if (f->flushes && fabsl(x) < 0x1p-23L)
        x = 0;
    if (f->flushes && fabsl(y) < 0x1p-23L)
        y = 0;
    return f->compare->accepted >> (x < y ? 0 : x == y ? 1 : x > y ? 2 : 3) & 1;
}

/* Lane l of run n compares pair n * LANES + l of values; the upper halves another one. */
static void form_operands(const struct form *f, struct machine *m, unsigned n,
                          bool truth[2][LANES])
{
    for (unsigned l = 0; l < LANES; l++) {
        unsigned low = n * LANES + l, high = (low * 37 + 11) % (VALUES * VALUES);

        m->in[0][l] = f->s->bits[low / VALUES];
        m->in[1][l] = f->s->bits[low % VALUES];
        m->in[2][l] = (low ^ (low >> 3) ^ n) & 1;
        truth[0][l] = truth_of(f, low / VALUES, low % VALUES);
        truth[1][l] = !truth[0][l];
        if (f->s->pair) {
            m->in[0][l] |= f->s->bits[high / VALUES] << 16;
            m->in[1][l] |= f->s->bits[high % VALUES] << 16;
            truth[1][l] = truth_of(f, high / VALUES, high % VALUES);
        }
    }
}

static void form_check(const struct form *f, const struct machine *m, bool truth[2][LANES])
{
    for (unsigned l = 0; l < LANES; l++) {
        unsigned c = m->in[2][l] & 1;
        uint64_t expected[2];

        for (unsigned k = 0; k < 2; k++)
            expected[k] = f->combine->truths >> (2 * truth[k][l] + c) & 1;
        if (f->result && f->s->pair)
            expected[0] = (expected[0] | expected[1] << 16) * f->result->half;
        else if (f->result)
            expected[0] *= f->result->yes;
        for (unsigned k = 0; k < m->to_count; k++)
            if (m->out[k][l] != expected[k])
                fail_msg("%s of %llx, %llx, %u: %llx, expected %llx", f->text,
                         (unsigned long long)m->in[0][l], (unsigned long long)m->in[1][l],
                         c, (unsigned long long)m->out[k][l],
                         (unsigned long long)expected[k]);
    }
}

static void form_run(struct form *f)
{
    bool combines = f->combine->word[0];
    const struct op_table *t;
    char signature[8];
    struct machine m;

    snprintf(f->text, sizeof f->text, "%s.%s%s%s%s%s.%s", f->result ? "set" : "setp",
             f->compare->word, f->combine->word, f->flushes ? ".ftz" : "",
             f->result ? "." : "", f->result ? f->result->type : "", f->s->type);
    snprintf(signature, sizeof signature, "%s%c=%c%c%s", f->result ? "" : "p",
             f->result ? f->result->kind : 'p', f->s->kind, f->s->kind,
             combines ? "p" : "");
    machine_init(&m, f->text, signature);
    for (unsigned i = 0; (t = machine_table(i)); i++)
        for (unsigned n = 0; n < VALUES * VALUES / LANES; n++) {
            bool truth[2][LANES];

            form_operands(f, &m, n, truth);
            machine_run(&m, t, UINT32_MAX);
            form_check(f, &m, truth);
        }
}

static bool list_names(const char *list, const char *word)
{
    size_t length = strlen(word);

    for (const char *at = list; (at = strstr(at, word)); at++)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static bool source_compares(const struct source *s, unsigned comparison)
{
    return comparison < s->comparisons &&
           (s->first < WHOLE || comparison < ORDERS || comparison >= WHOLE);
}

/* Runs every form with this result; returns their number. */
static unsigned forms_run(const struct result *result)
{
    unsigned count = 0;

    for (size_t k = 0; k < sizeof sources / sizeof *sources; k++)
        for (unsigned c = 0; c < ALL; c++)
            for (unsigned b = 0; b < 4; b++)
                for (unsigned z = 0; z <= sources[k].flushes; z++) {
                    struct form f = {&sources[k],      result, &comparisons[c],
                                     &combinations[b], z,      ""};

                    if (!source_compares(f.s, c) ||
                        (result && !list_names(f.s->results, result->type)))
                        continue;
                    form_run(&f);
                    count++;
                }
    return count;
}

static void set_returns_the_number_of_its_type(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < sizeof results / sizeof *results; k++)
        assert_int_not_equal(forms_run(&results[k]), 0);
}

static void setp_returns_both_predicates(void **unused)
{
    (void)unused;
    assert_int_not_equal(forms_run(NULL), 0);
}

/* ptxas refuses these too. */
static void invalid_types_are_refused(void **unused)
{
    static const char *const texts[] = {
        "set.eq.f32.f16x2", "set.eq.u16.f16x2", "set.eq.f16.f16x2",  "set.eq.bf16x2.f16x2",
        "set.eq.f16x2.f32", "set.eq.f16x2.u32", "set.eq.bf16x2.f16", "set.eq.f16x2.bf16x2"};
    const struct op_table *t;

    (void)unused;
    for (unsigned i = 0; (t = machine_table(i)); i++)
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            struct execute_op op = {.to = PLACE(FILE_WARP, 0), .to2 = PLACE_NONE};
            struct machine m;

            machine_init(&m, texts[k], "4=44");
            if (t->choose(&m.instruction, &op))
                fail_msg("%s is accepted", texts[k]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_returns_the_number_of_its_type),
        cmocka_unit_test(setp_returns_both_predicates),
        cmocka_unit_test(invalid_types_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
