/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose CTAs communicate only through value-returning atomics and listed accesses,
   and kernels that communicate in other ways. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/shared_writes/fetch_atomics.h"

/* Parameters: a, b and c at bytes 0, 8 and 16, n at 24. %rd1 to %rd3 are the pointers. %rd4
   is the thread's word of a, %rd5 the CTA's word of b. */
#define HEAD                                                                               \
    ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 a, "     \
    ".param .u64 b, .param .u64 c, .param .u32 n)\n{\n .reg .pred %p<4>;\n"                \
    " .reg .b32 %r<12>;\n .reg .f32 %f<4>;\n .reg .b64 %rd<12>;\n"                         \
    " ld.param.u64 %rd1, [a];\n ld.param.u64 %rd2, [b];\n ld.param.u64 %rd3, [c];\n"       \
    " ld.param.u32 %r9, [n];\n mov.u32 %r1, %ctaid.x;\n mov.u32 %r2, %ntid.x;\n"           \
    " mov.u32 %r3, %tid.x;\n mad.lo.u32 %r4, %r1, %r2, %r3;\n"                             \
    " mul.wide.u32 %rd4, %r4, 4;\n add.u64 %rd4, %rd1, %rd4;\n"                            \
    " mul.wide.u32 %rd5, %r1, 4;\n add.u64 %rd5, %rd2, %rd5;\n"

/* Number of listed accesses by pointer; -1: the kernel does not qualify. */
struct counts {
    int a, b, c;
};

static struct counts count_of(const char *body, bool floats, const bool *unresolved)
{
    struct proact_error err;
    struct ptx_module *m;
    char text[4096];

    snprintf(text, sizeof text, "%s%s ret;\n}\n", HEAD, body);
    if (ptx_parse("fetch_atomics.ptx", text, strlen(text), &m, &err))
        fail_msg("%s", err.text);
    const struct ptx_function *f = &m->functions[0];
    struct access_reductions r = access_reductions_find(m, f, floats);
    struct counts all = {0, 0, 0};

    if (!access_fetch_atomics_add(&r, m, f, floats, unresolved))
        all = (struct counts){-1, -1, -1};
    for (uint32_t n = 0; n < r.count && all.a >= 0; n++) {
        all.a += r.reduction[n].parameter == 0;
        all.b += r.reduction[n].parameter == 8;
        all.c += r.reduction[n].parameter == 16;
        assert_int_equal(r.reduction[n].kind, ACCESS_SCATTERED);
    }
    access_reductions_clear(&r);
    ptx_destroy(m);
    return all;
}

static void are(const char *body, struct counts expected)
{
    const struct counts got = count_of(body, false, NULL);

    if (got.a != expected.a || got.b != expected.b || got.c != expected.c)
        fail_msg("%d %d %d, not %d %d %d: %s", got.a, got.b, got.c, expected.a, expected.b,
                 expected.c, body);
}

#define NONE                                                                               \
    (struct counts)                                                                        \
    {                                                                                      \
        -1, -1, -1                                                                         \
    }
#define FETCH_ATOMIC " atom.global.inc.u32 %r5, [%rd3], %r9;\n"
#define BY_FETCHED " mul.wide.u32 %rd6, %r5, 4;\n add.u64 %rd6, %rd2, %rd6;\n"

static void all_accesses_for_communication_are_listed(void **state)
{
    (void)state;
    /* a list: reads of the element to append do not count */
    are(" ld.global.u32 %r6, [%rd4];\n" FETCH_ATOMIC BY_FETCHED
        " st.global.u32 [%rd6], %r6;\n",
        (struct counts){0, 1, 1});
    /* a word of each CTA, which another CTA may read */
    are(" st.global.u32 [%rd5], %r1;\n membar.gl;\n" FETCH_ATOMIC
        " ld.volatile.global.u32 %r6, [%rd2+4];\n add.u32 %r6, %r6, %r5;\n st.global.u32 "
        "[%rd4], %r6;\n",
        (struct counts){0, 2, 1});
    /* only own words of the CTA */
    are(FETCH_ATOMIC " st.global.u32 [%rd4], %r5;\n", (struct counts){0, 0, 1});
    /* one address, whichever CTA stores */
    are(FETCH_ATOMIC " st.global.u32 [%rd1], %r5;\n st.global.u32 [%rd3], 0;\n",
        (struct counts){1, 0, 2});
    /* atomics without a used result, on an array that is read */
    are(" red.global.add.u32 [%rd2], 1;\n" FETCH_ATOMIC
        " ld.global.u32 %r6, [%rd2+4];\n st.global.u32 [%rd4], %r5;\n",
        (struct counts){0, 2, 1});
    /* the same without any value-returning atomic */
    are(" ld.global.u32 %r6, [%rd5];\n red.global.min.u32 [%rd2], %r6;\n"
        " st.global.u32 [%rd4], %r6;\n",
        (struct counts){0, 2, 0});
    /* exchange and compare-and-swap with unused results */
    are(FETCH_ATOMIC
        " atom.global.exch.b32 %r6, [%rd3], 0;\n"
        " atom.global.cas.b32 %r6, [%rd3], 0, 1;\n st.global.u32 [%rd4], %r5;\n",
        (struct counts){0, 0, 3});
}

/* Atomics with an ordering, as cuda::atomic_ref uses by default. Their CTA may observe
   stores of others. */
static void ordered_atomics_communicate_too(void **state)
{
    (void)state;
    are(" fence.sc.gpu;\n atom.add.acquire.gpu.u32 %r6, [%rd3], 1;\n"
        " st.global.u32 [%rd4], %r1;\n",
        (struct counts){0, 0, 1});
    are(" red.release.gpu.global.or.b32 [%rd3], 1;\n st.global.u32 [%rd4], %r1;\n",
        (struct counts){0, 0, 1});
    are(" red.release.cta.global.or.b32 [%rd3], 1;\n st.global.u32 [%rd4], %r1;\n", NONE);
    are(FETCH_ATOMIC " st.release.gpu.global.u32 [%rd3], 0;\n st.global.u32 [%rd4], %r5;\n",
        NONE);
}

static void unlisted_atomics_return_nothing(void **state)
{
    (void)state;
    are(" st.global.u32 [%rd4], %r1;\n", NONE);        /* no atomic */
    are(" red.global.add.u32 [%rd2], 1;\n", NONE);     /* no atomic with a used result or on
                                                          a read array */
    are(" atom.cta.global.inc.u32 %r5, [%rd3], %r9;\n" /* CTA scope */
        " st.global.u32 [%rd4], %r5;\n",
        NONE);
    are(FETCH_ATOMIC " st.global.u32 [%rd5], %r5;\n ld.global.cg.u32 %r6, [%rd2];\n", NONE);
    are(FETCH_ATOMIC " ld.global.u64 %rd7, [%rd1];\n ld.global.u32 %r6, [%rd7];\n"
                     " st.global.u32 [%rd4], %r5;\n",
        NONE); /* the loaded address is unknown */
    are(" atom.global.add.f32 %f1, [%rd3], %f2;\n st.global.f32 [%rd4], %f1;\n", NONE);
    assert_int_equal(count_of(" atom.global.add.f32 %f1, [%rd3], %f2;\n"
                              " st.global.f32 [%rd4], %f1;\n",
                              true, NULL)
                         .c,
                     1);
}

/* Own words of a thread, whose number is a loaded value. */
static void unlisted_arrays_may_be_shared(void **state)
{
    static const bool unresolved[30] = {[0] = true};
    const struct counts got =
        count_of(FETCH_ATOMIC " st.global.u32 [%rd4], %r5;\n st.global.u32 [%rd5], %r5;\n",
                 false, unresolved);

    (void)state;
    assert_int_equal(got.a, 1);
    assert_int_equal(got.b, 0);
    assert_int_equal(got.c, 1);
}

/* A loop with such an atomic is listed here. The kernel version rejects a loop that waits:
   tests/instrument/fetch_atomics_wait_test.c. */
static void loops_make_no_difference(void **state)
{
    (void)state;
    are("L:\n" FETCH_ATOMIC BY_FETCHED
        " st.global.u32 [%rd6], %r5;\n ld.global.u32 %r7, [%rd4];\n"
        " setp.lt.u32 %p1, %r7, %r9;\n @%p1 bra L;\n",
        (struct counts){0, 1, 1});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_accesses_for_communication_are_listed),
        cmocka_unit_test(ordered_atomics_communicate_too),
        cmocka_unit_test(unlisted_atomics_return_nothing),
        cmocka_unit_test(unlisted_arrays_may_be_shared),
        cmocka_unit_test(loops_make_no_difference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
