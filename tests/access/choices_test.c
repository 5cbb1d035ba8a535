/* SPDX-License-Identifier: Apache-2.0 */
/* Phi values of loops with their path conditions. A value that is used in its own iteration
   keeps the condition under which it was chosen. A value that is carried into another
   iteration has no condition. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/access.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"

enum { LAUNCHES = 200, CTAS_MAX = 40, ROUNDS_MAX = 12, WORD = 4 };

/* %r1 = x, the index of the thread, is below n; the loop runs m times, at least once. */
#define START                                                                              \
    ".version 8.0\n.target sm_80\n.address_size 64\n"                                      \
    ".visible .entry k(.param .u64 a, .param .u32 n, .param .u32 m)\n{\n"                  \
    ".reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %rd<19>;\n"                             \
    "ld.param.u64 %rd1, [a]; ld.param.u32 %r2, [n]; ld.param.u32 %r3, [m];\n"              \
    "mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.x; mov.u32 %r6, %tid.x;\n"                  \
    "mad.lo.s32 %r1, %r4, %r5, %r6; setp.ge.s32 %p1, %r1, %r2; @%p1 bra END;\n"            \
    "mov.u32 %r7, 0; mov.u32 %r9, 0; mov.u32 %r12, 0; mov.u32 %r13, 0;\nLOOP:\n"
#define LOAD                                                                               \
    "mul.wide.s32 %rd2, %r9, 4; add.s64 %rd2, %rd1, %rd2; ld.global.u32 %r10, [%rd2];\n"
#define NEXT "add.s32 %r7, %r7, 1; setp.lt.s32 %p3, %r7, %r3; @%p3 bra LOOP;\n"
#define END "END: ret;\n}\n"
#define WRAP                                                                               \
    "add.s32 %r8, %r1, %r7; setp.lt.s32 %p2, %r8, %r2; sub.s32 %r11, %r8, %r2;\n"          \
    "selp.b32 %r9, %r8, %r11, %p2;\n"
#define FAR "setp.lt.s32 %p2, %r7, 3; selp.b32 %r9, 5000, 7000, %p2;\n"

struct round {
    uint32_t x, n, m, i;
    uint32_t carried; /* the value that the previous iteration chose */
    bool goes_on;
};

static uint32_t wrapped(struct round *r)
{
    return (r->x + r->i) % r->n;
}

static uint32_t carried(struct round *r)
{
    const uint32_t place = r->carried;

    r->carried = r->i < 3 ? 5000 : 7000;
    return place;
}

static uint32_t last(struct round *r)
{
    return r->m <= 3 ? 5000 : 7000;
}

/* Continues while the value is 0; reads x plus the value. */
static uint32_t ended(struct round *r)
{
    const uint32_t chosen = r->i < 3 ? 0 : 100;

    r->goes_on = !chosen;
    return r->x + chosen + r->i;
}

static uint32_t less(uint32_t place, uint32_t n)
{
    return place < n ? place : place - n;
}

static uint32_t behind(struct round *r)
{
    return less(r->x + 4 * r->m, r->n);
}

static uint32_t behind_each(struct round *r)
{
    return less(r->x + r->i + r->m, r->n);
}

static const struct loop {
    const char *body;
    uint32_t (*is)(struct round *r);
    bool is_exact;    /* the ranges contain the read elements and the gaps between them
                         only */
    bool has_another; /* an inner loop of m iterations */
} loops[] = {
    {WRAP LOAD NEXT END, wrapped, true, false},
    {"add.s32 %r9, %r1, %r7; setp.lt.s32 %p2, %r9, %r2; @%p2 bra IN;\n"
     "sub.s32 %r9, %r9, %r2;\nIN:\n" LOAD NEXT END,
     wrapped, true, false},
    {LOAD FAR NEXT END, carried, false, false},
    {WRAP LOAD "add.s32 %r13, %r13, %r12; mov.u32 %r12, %r9;\n" NEXT END, wrapped, false,
     false},
    {FAR NEXT LOAD END, last, false, false},
    {"setp.lt.s32 %p2, %r7, 3; selp.b32 %r12, 0, 100, %p2; add.s32 %r9, %r1, %r12;\n"
     "add.s32 %r9, %r9, %r7;\n" LOAD "add.s32 %r7, %r7, 1; setp.eq.s32 %p3, %r12, 0;\n"
     "@%p3 bra LOOP;\n" END,
     ended, false, false},
    /* leftovers of a loop that has ended */
    {"add.s32 %r12, %r12, 4;\n" NEXT
     "add.s32 %r8, %r1, %r12; setp.lt.s32 %p2, %r8, %r2; selp.b32 %r11, 0, %r2, %p2;\n"
     "sub.s32 %r9, %r8, %r11;\n" LOAD END,
     behind, true, false},
    {"mov.u32 %r12, 0;\nIN: add.s32 %r12, %r12, 1; setp.lt.s32 %p4, %r12, %r3;\n"
     "@%p4 bra IN; add.s32 %r8, %r1, %r7; add.s32 %r8, %r8, %r12;\n"
     "setp.lt.s32 %p2, %r8, %r2; sub.s32 %r11, %r8, %r2;\n"
     "selp.b32 %r9, %r8, %r11, %p2;\n" LOAD NEXT END,
     behind_each, true, true},
};

struct reader {
    struct ptx_module *module;
    struct access_analysis *analysis;
};

static struct reader read_of(const char *body)
{
    struct text text = {0};
    struct proact_error err;
    struct reader r;

    text_print(&text, "%s%s", START, body);
    if (ptx_parse("t.ptx", text.data, text.length, &r.module, &err))
        fail_msg("%s", err.text);
    text_clear(&text);
    r.analysis = access_analyze(r.module, ptx_function_find(r.module, "k"));
    assert_int_equal(r.analysis->record_count, 1);
    return r;
}

/* True if some phi value has a path condition. */
static bool has_condition(const struct access_analysis *a)
{
    bool has_conditions = false;

    for (uint32_t n = 0; n < a->symbol_count; n++)
        for (uint32_t k = 0; k < a->symbols[n].choice_count; k++)
            has_conditions |= a->symbols[n].ways[k].count > 0;
    return has_conditions;
}

static bool holds(const struct access_span *spans, uint32_t count, uint32_t place)
{
    for (uint32_t s = 0; s < count; s++)
        if (access_span_holds(&spans[s], (int64_t)place * WORD, WORD))
            return true;
    return false;
}

static uint64_t words_of(const struct access_span *spans, uint32_t count)
{
    uint64_t words = 0;

    for (uint32_t s = 0; s < count; s++)
        words += (uint64_t)(spans[s].end - spans[s].low) / WORD * (spans[s].times + 1);
    return words;
}

/* True if the path conditions allow values for which the expression gives `place`. */
static bool may_be(const struct access_analysis *a, const struct access_form *f,
                   struct access_point *at, uint32_t *chosen, uint32_t term, uint64_t place)
{
    uint64_t value;

    if (term == f->count)
        return access_value(a, f, at, &value) && value == place * WORD;
    const struct access_symbol *y =
        f->terms[term].degree ? &a->symbols[f->terms[term].symbols[0]] : NULL;

    if (!y || y->kind != ACCESS_CHOICE)
        return may_be(a, f, at, chosen, term + 1, place);
    for (uint32_t way = 0; way < y->choice_count; way++) {
        bool is_refuted = false;

        chosen[y->choice] = way;
        for (uint32_t k = 0; k < y->ways[way].count; k++)
            is_refuted |= access_holds(a, y->ways[way].guards[k].condition, at) ==
                          y->ways[way].guards[k].negated;
        if (!is_refuted && may_be(a, f, at, chosen, term + 1, place))
            return true;
    }
    return false;
}

/* After a loop its counter stands for all of its iterations. */
static void check_ways(const struct loop *l, const struct access_analysis *a,
                       const struct access_launch *launch, const struct round *r,
                       uint32_t place)
{
    const struct access_record *record = &a->records[0];
    const struct access_form *f = record->form;
    uint64_t trips[4] = {record->loop < 0 || l->has_another ? r->m : r->i + 1, r->i + 1};
    uint32_t chosen[8] = {0};
    struct access_point at = {.tid = {r->x % launch->ntid[0]},
                              .ctaid = {r->x / launch->ntid[0]},
                              .parameters = launch->parameters,
                              .parameter_bytes = launch->parameter_bytes,
                              .trips = trips,
                              .choices = chosen};

    memcpy(at.ntid, launch->ntid, sizeof at.ntid);
    memcpy(at.nctaid, launch->nctaid, sizeof at.nctaid);
    if (record->state == ACCESS_CLOSED && !may_be(a, f, &at, chosen, 0, place))
        fail_msg("%s: x %u of %u, round %u of %u: no way leads to element %u", l->body,
                 r->x, r->n, r->i, r->m, place);
}

struct question {
    const struct loop *loop;
    const struct access_analysis *analysis;
    const struct access_launch *launch;
    const struct access_span *spans; /* NULL: unknown */
    uint32_t count;
};

static void check_thread(const struct question *q, struct round r)
{
    do {
        const uint32_t place = q->loop->is(&r);

        if (q->spans && !holds(q->spans, q->count, place))
            fail_msg("%s: x %u of %u, round %u of %u: element %u is missing", q->loop->body,
                     r.x, r.n, r.i, r.m, place);
        check_ways(q->loop, q->analysis, q->launch, &r, place);
        r.i++;
    } while (q->loop->is == ended ? r.goes_on : r.i < r.m);
}

/* CTAs first to end - 1 of `width` threads, with some thread in the array. */
static void check(const struct loop *l, const struct reader *r, uint32_t width,
                  uint32_t first, uint32_t end, uint32_t n, uint32_t m)
{
    unsigned char block[16] = {0};
    struct access_launch at = {.ntid = {width, 1, 1},
                               .nctaid = {CTAS_MAX, 1, 1},
                               .ctaid_first = {first, 0, 0},
                               .ctaid_end = {end, 1, 1},
                               .parameters = block,
                               .parameter_bytes = sizeof block};
    struct access_span spans[ACCESS_SPANS_MAX];
    const uint32_t low = first * width, high = end * width < n ? end * width : n;
    int64_t trips[4];
    uint32_t count = 0;

    memcpy(block + 8, &n, sizeof n);
    memcpy(block + 12, &m, sizeof m);
    access_trips(r->analysis, &at, trips);
    const bool known =
        access_extent(r->analysis, &r->analysis->records[0], &at, trips, spans, &count);
    const struct question q = {l, r->analysis, &at, known ? spans : NULL, count};

    if (!known && l->is_exact)
        fail_msg("%s: CTAs %u to %u of %u, n %u, m %u: nothing is known", l->body, first,
                 end - 1, width, n, m);
    for (uint32_t x = low; x < high; x++)
        check_thread(&q, (struct round){.x = x, .n = n, .m = m});
    const uint32_t rounds = l->is == behind ? 0 : m; /* elements that adjacent threads
                                                        read */

    if (l->is_exact && words_of(spans, count) > high - low + 2 * rounds)
        fail_msg("%s: CTAs %u to %u of %u, n %u, m %u: %lu words", l->body, first, end - 1,
                 width, n, m, (unsigned long)words_of(spans, count));
}

static void choices_hold_in_their_iteration(void **state)
{
    uint64_t random = 1;

    (void)state;
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct reader r = read_of(loops[i].body);

        assert_int_equal(has_condition(r.analysis), loops[i].is_exact);

        for (int turn = 0; turn < LAUNCHES; turn++) {
            const uint32_t width = 32u << (uint32_t)random_below(&random, 3);
            const uint32_t first = (uint32_t)random_below(&random, CTAS_MAX);
            const uint32_t end =
                first + 1 + (uint32_t)random_below(&random, CTAS_MAX - first);
            const uint32_t n = first * width + ROUNDS_MAX +
                               (uint32_t)random_below(&random, CTAS_MAX * width);

            check(&loops[i], &r, width, first, end, n,
                  1 + (uint32_t)random_below(&random, ROUNDS_MAX));
        }
        access_destroy(r.analysis);
        ptx_destroy(r.module);
    }
}

/* Address with two phi values: CTAs below n and the others read element %rd3 + tid.x. Each
   arm widens its index from 32 bits without sign, so a negative index is invalid. */
#define TWO_KINDS                                                                          \
    ".version 8.0\n.target sm_80\n.address_size 64\n"                                      \
    ".visible .entry k(.param .u64 a, .param .u32 n, .param .u32 m)\n{\n"                  \
    ".reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %rd<19>;\n"                             \
    "ld.param.u64 %rd1, [a]; ld.param.u32 %r2, [n]; ld.param.u32 %r3, [m];\n"              \
    "mov.u32 %r4, %ctaid.x; mov.u32 %r6, %tid.x; cvt.u64.u32 %rd5, %r6;\n"                 \
    "setp.lt.u32 %p1, %r4, %r2; @%p1 bra BELOW;\n"                                         \
    "sub.s32 %r8, %r4, %r2; mul.lo.s32 %r8, %r8, %r3; cvt.u64.u32 %rd3, %r8;\n"            \
    "bra BOTH;\nBELOW: "
#define BOTH_KINDS                                                                         \
    " mul.lo.s32 %r9, %r9, %r3; cvt.u64.u32 %rd3, %r9;\n"                                  \
    "BOTH: add.s64 %rd3, %rd3, %rd5; shl.b64 %rd3, %rd3, 2; add.s64 %rd3, %rd1, %rd3;\n"   \
    "ld.global.u32 %r9, [%rd3]; ret;\n}\n"

/* Last word that eight CTAs of 32 threads read; -1: unknown. */
static int64_t last_word(const char *text, uint32_t n, uint32_t m)
{
    unsigned char block[16] = {0};
    const struct access_launch at = {.ntid = {32, 1, 1},
                                     .nctaid = {8, 1, 1},
                                     .parameters = block,
                                     .parameter_bytes = sizeof block};
    struct access_span spans[ACCESS_SPANS_MAX];
    struct ptx_module *module;
    int64_t last = -1;
    uint32_t count = 0;

    assert_int_equal(ptx_parse("small", text, strlen(text), &module, NULL), PROACT_OK);
    struct access_analysis *a = access_analyze(module, &module->functions[0]);

    memcpy(block + 8, &n, sizeof n);
    memcpy(block + 12, &m, sizeof m);
    assert_int_equal(a->loop_count, 0);
    if (access_extent(a, &a->records[0], &at, NULL, spans, &count))
        for (uint32_t s = 0; s < count; s++)
            if (spans[s].end + spans[s].times * spans[s].stride > last)
                last = spans[s].end + spans[s].times * spans[s].stride;
    access_destroy(a);
    ptx_destroy(module);
    return last < 0 ? last : last / WORD - 1;
}

static void a_value_that_one_arm_widens_must_fit_in_that_arm(void **state)
{
    static const char two[] = TWO_KINDS "mov.u32 %r9, %r4;" BOTH_KINDS,
                      alike[] = TWO_KINDS "sub.s32 %r9, %r4, %r2;" BOTH_KINDS;

    (void)state;
    assert_int_equal(last_word(two, 3, 100), 400 + 31);
    assert_int_equal(last_word(two, 6, 100), 500 + 31);
    assert_int_equal(last_word(two, 3, 1 << 30), -1); /* 4 << 30 */
    assert_int_equal(last_word(alike, 0, 100), 700 + 31);
    assert_int_equal(last_word(alike, 3, 100), -1); /* negative for CTAs below n */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choices_hold_in_their_iteration),
        cmocka_unit_test(a_value_that_one_arm_widens_must_fit_in_that_arm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
