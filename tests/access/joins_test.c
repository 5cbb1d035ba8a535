/* SPDX-License-Identifier: Apache-2.0 */
/* Predicates at joins of control flow. They equal the condition of the branch above, or are
   unknown. The same holds for predicates combined with a constant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/access.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"

enum { LAUNCHES = 300, CTAS = 3, WIDTH = 16, ROUNDS_MAX = 5 };

/* %r1 = x is the index of the thread; %r7 = i is the iteration of a loop of %r3 = m. The
   kernel stores at x where %p2 is set. */
#define START                                                                              \
    ".version 8.0\n.target sm_80\n.address_size 64\n"                                      \
    ".visible .entry k(.param .u64 a, .param .u32 n, .param .u32 m)\n{\n"                  \
    ".reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %rd<19>;\n"                             \
    "ld.param.u64 %rd1, [a]; ld.param.u32 %r2, [n]; ld.param.u32 %r3, [m];\n"              \
    "mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.x; mov.u32 %r6, %tid.x;\n"                  \
    "mad.lo.s32 %r1, %r4, %r5, %r6; mul.wide.s32 %rd2, %r1, 4;\n"                          \
    "add.s64 %rd2, %rd1, %rd2; mov.u32 %r7, 0; setp.ge.s32 %p1, %r1, %r2;\n"               \
    "setp.lt.s32 %p3, %r1, %r3; ld.shared.u32 %r12, [64]; setp.lt.s32 %p6, %r12, 3;\n"
#define STORE "bar.sync 0; @!%p2 bra END; st.global.u32 [%rd2], %r1; END: ret;\n}\n"
#define LOOP "LOOP:\nadd.s32 %r8, %r1, %r7; setp.ge.s32 %p1, %r8, %r2;\n"
#define IN_LOOP                                                                            \
    "bar.sync 0; @!%p2 bra NEXT; st.global.u32 [%rd2], %r1; NEXT:\n"                       \
    "add.s32 %r7, %r7, 1; setp.lt.s32 %p5, %r7, %r3; @%p5 bra LOOP;\nret;\n}\n"

struct thread {
    uint32_t x, n, m, i;
};

static bool below(const struct thread *t)
{
    return t->x < t->n;
}

static bool below_both(const struct thread *t)
{
    return t->x < t->n && t->x < t->m;
}

static bool below_either(const struct thread *t)
{
    return t->x < t->n || t->x < t->m;
}

static bool below_m(const struct thread *t)
{
    return t->x < t->m;
}

static bool by_side(const struct thread *t)
{
    return t->x < t->n ? t->x < t->m : t->x >= 5;
}

static bool moved_below(const struct thread *t)
{
    return t->x + t->i < t->n;
}

/* `is` NULL: unknown. AT_MOST: where the function is true, memory decides. */
static const struct body {
    const char *text;
    bool (*is)(const struct thread *t);
    enum { ONCE, ROUNDS, AT_MOST } how;
} bodies[] = {
    {"mov.pred %p2, 0; @%p1 bra MEET; mov.pred %p2, -1; MEET:\n" STORE, below, ONCE},
    {"mov.pred %p2, -1; @!%p1 bra MEET; mov.pred %p2, 0; MEET:\n" STORE, below, ONCE},
    /* several paths, all from one side of the branch */
    {"mov.pred %p2, 0; @%p1 bra MEET; mov.pred %p2, -1; @%p3 bra MEET;\n"
     "st.shared.u32 [4], %r1; @%p6 bra MEET; st.shared.u32 [8], %r1; MEET:\n" STORE,
     below, ONCE},
    {"@%p1 bra OUT; mov.pred %p2, -1; bra MEET; OUT: mov.pred %p2, 0; MEET:\n" STORE, below,
     ONCE},
    {"mov.pred %p2, 0; @%p1 bra MEET; setp.lt.s32 %p2, %r1, %r3; MEET:\n" STORE, below_both,
     ONCE},
    {"mov.pred %p2, -1; @!%p1 bra MEET; setp.lt.s32 %p2, %r1, %r3; MEET:\n" STORE,
     below_either, ONCE},
    {"setp.lt.s32 %p2, %r1, %r3; @%p1 bra MEET; mov.pred %p2, -1; MEET:\n" STORE,
     below_either, ONCE},
    {"setp.ge.s32 %p2, %r1, 5; @%p1 bra MEET; setp.lt.s32 %p2, %r1, %r3; MEET:\n" STORE,
     by_side, ONCE},
    /* copies */
    {"mov.pred %p7, 0; mov.pred %p2, %p7; @%p1 bra MEET; mov.pred %p8, %p3;\n"
     "mov.pred %p2, %p8; MEET:\n" STORE,
     below_both, ONCE},
    /* nested joins */
    {"mov.pred %p2, 0; @%p1 bra MEET; mov.pred %p2, 0; @!%p3 bra SOME;\n"
     "mov.pred %p2, -1; SOME: st.shared.u32 [4], %r1; MEET:\n" STORE,
     below_both, ONCE},
    {LOOP "mov.pred %p2, 0; @%p1 bra MEET; mov.pred %p2, -1; MEET:\n" IN_LOOP, moved_below,
     ROUNDS},
    /* one side gives two values */
    {"mov.pred %p2, 0; @%p1 bra MEET; mov.pred %p2, -1; @%p3 bra MEET;\n"
     "mov.pred %p2, 0; MEET:\n" STORE,
     NULL, ONCE},
    {"mov.pred %p2, 0; @%p1 bra MEET; @%p3 bra MEET; mov.pred %p2, -1; MEET:\n" STORE, NULL,
     ONCE},
    /* memory decides the branch or the value */
    {"mov.pred %p2, 0; @%p6 bra MEET; mov.pred %p2, -1; MEET:\n" STORE, NULL, ONCE},
    {"mov.pred %p2, 0; @%p1 bra MEET; setp.lt.s32 %p2, %r12, 4; MEET:\n" STORE, below,
     AT_MOST},
    /* paths of both sides join before it */
    {"mov.pred %p2, -1; @%p1 bra OUT; @%p3 bra MEET; OUT: mov.pred %p2, 0; MEET:\n" STORE,
     NULL, ONCE},
    /* another iteration decides */
    {"mov.pred %p2, 0;\n" LOOP "@!%p2 bra SKIP; st.global.u32 [%rd2], %r1; SKIP:\n"
     "mov.pred %p2, 0; @%p1 bra MEET; mov.pred %p2, -1; MEET:\n"
     "add.s32 %r7, %r7, 1; setp.lt.s32 %p5, %r7, %r3; @%p5 bra LOOP;\nret;\n}\n",
     NULL, ROUNDS},
    {"mov.pred %p2, 0;\n" LOOP "@%p1 bra MEET; add.s32 %r7, %r7, 1;\n"
     "setp.lt.s32 %p5, %r7, %r3; @%p5 bra LOOP; mov.pred %p2, -1; MEET:\n" STORE,
     NULL, ONCE},
    /* the value of another loop's last iteration */
    {"mov.pred %p2, 0; @%p1 bra MEET; WAIT: add.s32 %r7, %r7, 1;\n"
     "setp.lt.s32 %p2, %r7, %r3; @%p2 bra WAIT; MEET:\n" STORE,
     NULL, ONCE},
    /* exclusive or with a constant */
    {"mov.pred %p7, 0; xor.pred %p2, %p3, %p7;\n" STORE, below_m, ONCE},
    {"mov.pred %p7, 0; xor.pred %p2, %p7, %p3;\n" STORE, below_m, ONCE},
    {"mov.pred %p7, -1; xor.pred %p2, %p1, %p7;\n" STORE, below, ONCE},
    {"mov.pred %p7, 0; xor.pred %p8, %p1, %p7; not.pred %p2, %p8;\n" STORE, below, ONCE},
    {"xor.pred %p2, %p1, %p3;\n" STORE, NULL, ONCE},
    {"mov.pred %p7, 0; @%p6 mov.pred %p7, -1; xor.pred %p2, %p1, %p7;\n" STORE, NULL, ONCE},
};

static struct access_analysis *read_body(const struct body *b, struct ptx_module **m)
{
    struct text text = {0};
    struct proact_error err;

    text_print(&text, "%s%s", START, b->text);
    if (ptx_parse("t.ptx", text.data, text.length, m, &err))
        fail_msg("%s", err.text);
    text_clear(&text);
    return access_analyze(*m, ptx_function_find(*m, "k"));
}

static const struct access_record *store_of(const struct access_analysis *a)
{
    for (uint32_t n = 0; n < a->record_count; n++)
        if (a->records[n].kind == ACCESS_WRITE &&
            a->records[n].base == ACCESS_BASE_PARAMETER)
            return &a->records[n];
    fail_msg("it stores nowhere");
    return NULL;
}

/* Returns 1 or 0, or -1 if a guard is unknown. */
static int comes(const struct access_analysis *a, const struct access_record *r,
                 const struct thread *t)
{
    const uint64_t trips[] = {t->i + 1, t->i + 1};
    unsigned char block[16] = {0};
    struct access_point at = {.ntid = {WIDTH, 1, 1},
                              .nctaid = {CTAS, 1, 1},
                              .tid = {t->x % WIDTH},
                              .ctaid = {t->x / WIDTH},
                              .parameters = block,
                              .parameter_bytes = sizeof block,
                              .trips = trips};
    int all = 1;

    memcpy(block + 8, &t->n, sizeof t->n);
    memcpy(block + 12, &t->m, sizeof t->m);
    for (uint32_t n = 0; n < r->guard_count; n++) {
        const int holds = access_holds(a, r->guards[n].condition, &at);

        if (holds == r->guards[n].negated)
            return 0;
        all = holds < 0 ? -1 : all;
    }
    return all;
}

static void check(const struct body *b, const struct access_analysis *a, struct thread t)
{
    const int is = comes(a, store_of(a), &t);
    const int right = !b->is ? -1 : b->how == AT_MOST && b->is(&t) ? -1 : b->is(&t);

    if (is != right)
        fail_msg("%s: x %u, n %u, m %u, round %u: %d", b->text, t.x, t.n, t.m, t.i, is);
}

static void a_joined_predicate_equals_the_branch_condition(void **state)
{
    uint64_t random = 1;

    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        struct ptx_module *m;
        struct access_analysis *a = read_body(&bodies[i], &m);

        for (int turn = 0; turn < LAUNCHES; turn++) {
            struct thread t = {.n = (uint32_t)random_below(&random, CTAS * WIDTH),
                               .m = 1 + (uint32_t)random_below(&random, CTAS * WIDTH)};

            for (t.x = 0; t.x < CTAS * WIDTH; t.x++)
                for (t.i = 0; t.i < (bodies[i].how == ROUNDS ? ROUNDS_MAX : 1); t.i++)
                    check(&bodies[i], a, t);
        }
        access_destroy(a);
        ptx_destroy(m);
    }
}

/* The predicate has the assumptions of its branch: x + n does not wrap before it is
   widened. */
static void a_joined_predicate_has_the_assumptions_of_the_branch(void **state)
{
    const struct body b = {"add.s32 %r9, %r1, %r2; cvt.s64.s32 %rd3, %r9;\n"
                           "setp.gt.s64 %p1, %rd3, 99; mov.pred %p2, 0; @%p1 bra MEET;\n"
                           "mov.pred %p2, -1; MEET:\n" STORE,
                           below, ONCE};
    struct ptx_module *m;
    struct access_analysis *a = read_body(&b, &m);
    const struct access_record *r = store_of(a);
    uint32_t ranges = 0;

    (void)state;
    for (uint32_t n = 0; n < r->guard_count; n++)
        ranges += r->guards[n].range_count;
    assert_int_equal(ranges, 1);
    access_destroy(a);
    ptx_destroy(m);
}

/* A sequence of conditions, `x >= n || x >= m || x >= 40`. */
static void single_conditions_bound(void **state)
{
    const struct body b = {
        "mov.pred %p2, -1; @%p1 bra ONE; setp.ge.s32 %p2, %r1, %r3; ONE:\n"
        "mov.pred %p4, -1; @%p2 bra TWO; setp.ge.s32 %p4, %r1, 40; TWO:\n"
        "@%p4 bra END; st.global.u32 [%rd2], %r1; END: ret;\n}\n",
        NULL, ONCE};
    static const uint32_t cases[][3] = {{48, 48, 40}, {48, 30, 30}, {20, 48, 20}};
    unsigned char block[16] = {0};
    const struct access_launch l = {.ntid = {WIDTH, 1, 1},
                                    .nctaid = {CTAS, 1, 1},
                                    .parameters = block,
                                    .parameter_bytes = sizeof block};
    struct access_span spans[ACCESS_SPANS_MAX];
    struct ptx_module *m;
    struct access_analysis *a = read_body(&b, &m);
    uint32_t count;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memcpy(block + 8, &cases[i][0], sizeof cases[i][0]);
        memcpy(block + 12, &cases[i][1], sizeof cases[i][1]);
        assert_true(access_extent(a, store_of(a), &l, NULL, spans, &count));
        assert_int_equal(count, 1);
        assert_int_equal(spans[0].end, 4 * cases[i][2]);
    }
    access_destroy(a);
    ptx_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_conditions_bound),
        cmocka_unit_test(a_joined_predicate_equals_the_branch_condition),
        cmocka_unit_test(a_joined_predicate_has_the_assumptions_of_the_branch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
