/* SPDX-License-Identifier: Apache-2.0 */
/* Commutative atomics and their kinds, indirect stores, and CAS loops that compute a
   minimum or maximum. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/shared_writes/scatters.h"

static const char head[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.global .u32 total;\n"
    ".visible .entry k(.param .u64 to, .param .u64 from, .param .u64 other)\n"
    "{\n.reg .pred %p<4>;\n.reg .b32 %r<12>;\n.reg .f32 %f<4>;\n.reg .f64 %d<4>;\n"
    ".reg .b64 %rd<12>;\nld.param.u64 %rd1, [to];\nld.param.u64 %rd2, [from];\n"
    "ld.param.u64 %rd8, [other];\ncvta.to.global.u64 %rd3, %rd1;\n"
    "cvta.to.global.u64 %rd9, %rd8;\ncvta.to.global.u64 %rd4, %rd2;\n"
    "mov.u32 %r2, %tid.x;\nmul.wide.u32 %rd5, %r2, 4;\nadd.s64 %rd6, %rd4, %rd5;\n"
    "ld.global.u32 %r3, [%rd6];\nmul.wide.u32 %rd7, %r3, 4;\nadd.s64 %rd7, %rd3, %rd7;\n"
    "setp.gt.s32 %p1, %r2, 5;\n";

enum { FLOATS = 1, SCATTERS = 2 }; /* what to find in addition to commutative atomics */

static struct access_reductions find(const struct ptx_module *m, int what)
{
    const struct ptx_function *f = &m->functions[0];
    struct access_reductions r = access_reductions_find(m, f, (what & FLOATS) != 0);

    if (what & SCATTERS)
        access_scatters_add(&r, m, f, NULL);
    return r;
}

/* Kinds and pointers as "a0 b8": a letter for each kind and the byte of the pointer. */
static const char *found_with(const char *body, int what)
{
    static char listing[64];
    uint32_t kinds[16], count = 0;
    struct proact_error err;
    struct ptx_module *m;
    char text[4096];

    snprintf(text, sizeof text, "%s%s\nret;\n}\n", head, body);
    if (ptx_parse("reductions.ptx", text, strlen(text), &m, &err))
        fail_msg("%s", err.text);
    struct access_reductions r = find(m, what);

    listing[0] = '\0';
    for (uint32_t n = 0; n < r.count; n++) {
        uint32_t k = 0;

        while (k < count && kinds[k] != r.reduction[n].kind)
            k++;
        kinds[k] = r.reduction[n].kind;
        count += k == count;
        snprintf(listing + strlen(listing), sizeof listing - strlen(listing), "%s%c%u",
                 n ? " " : "", 'a' + (char)k, r.reduction[n].parameter);
    }
    access_reductions_clear(&r);
    ptx_destroy(m);
    return listing;
}

static const char *found(const char *body)
{
    return found_with(body, 0);
}

static void commutative_atomics_may_have_a_loaded_address(void **state)
{
    (void)state;
    assert_string_equal(found("red.global.add.u32 [%rd7], 1;"), "a0");
    assert_string_equal(found("@%p1 atom.global.add.u32 %r5, [%rd7+4], %r3;"), "a0");
    assert_string_equal(found("red.relaxed.sys.add.u64 [%rd1], %rd5;"), "a0");
    assert_string_equal(found("red.global.min.s32 [%rd9], %r3;\n"
                              "atom.global.xor.b32 _, [%rd7], 3;"),
                        "a16 b0");
    /* as cuda::atomic_ref emits it, through a pointer without cvta */
    assert_string_equal(found("ld.param.u64 %rd11, [from];\n"
                              "mul.wide.u32 %rd5, %r3, 4;\nadd.s64 %rd11, %rd11, %rd5;\n"
                              "atom.add.relaxed.gpu.s32 %r5, [%rd11], 1;"),
                        "a8");
}

static void signed_and_unsigned_sums_are_one_kind(void **state)
{
    (void)state;
    assert_string_equal(
        found("red.global.add.u32 [%rd7], 1;\nred.global.add.s32 [%rd3], 2;"), "a0 a0");
    assert_string_equal(
        found("red.global.max.u32 [%rd7], 1;\nred.global.max.s32 [%rd3], 2;"), "a0 b0");
    assert_string_equal(
        found("red.global.add.u32 [%rd7], 1;\nred.global.add.u64 [%rd3], 2;"), "a0 b0");
    assert_string_equal(
        found("red.global.or.b32 [%rd7], 1;\nred.global.and.b32 [%rd7], 2;"), "a0 b0");
}

static void other_atomics_are_not_commutative(void **state)
{
    static const char *const bodies[] = {
        "atom.global.add.u32 %r5, [%rd7], 1;\nst.global.u32 [%rd6], %r5;",
        "red.global.add.f32 [%rd7], 0f3F800000;",
        "red.global.add.f64 [%rd3], 0d3FF0000000000000;",
        "atom.global.exch.b32 %r5, [%rd7], 1;",
        "atom.global.cas.b32 %r5, [%rd7], 1, 2;",
        "atom.global.inc.u32 %r5, [%rd7], 9;",
        "red.cta.global.add.u32 [%rd7], 1;",
        "red.release.gpu.global.add.u32 [%rd7], 1;",
        "red.global.add.u32 [total], 1;",
        "st.global.u32 [%rd7], 1;",
        "ld.global.u64 %rd10, [%rd6];\nred.global.add.u32 [%rd10], 1;",
    };

    (void)state;
    for (size_t n = 0; n < sizeof bodies / sizeof *bodies; n++)
        if (*found(bodies[n]))
            fail_msg("%s is one", bodies[n]);
}

static void sums_of_floats_are_opt_in(void **state)
{
    (void)state;
    assert_string_equal(found_with("red.global.add.f32 [%rd7], 0f3F800000;\n"
                                   "atom.global.add.f32 %f1, [%rd3], %f2;\n"
                                   "red.global.add.f64 [%rd3], 0d3FF0000000000000;\n"
                                   "red.global.add.u32 [%rd9], 1;",
                                   FLOATS),
                        "a0 a0 b0 c16");
    assert_string_equal(
        found_with("atom.global.add.f32 %f1, [%rd3], %f2;\nst.global.f32 [%rd6], %f1;",
                   FLOATS),
        "");
    /* 16-bit floats too */
    assert_string_equal(found_with("red.global.add.noftz.f16x2 [%rd7], %r3;\n"
                                   "atom.add.noftz.bf16x2 %r5, [%rd9], %r3;",
                                   FLOATS),
                        "a0 b16");
    assert_string_equal(found("red.global.add.noftz.f16x2 [%rd7], %r3;"), "");
    assert_string_equal(found_with("atom.global.exch.b32 %f1, [%rd3], %f2;", FLOATS), "");
}

static const char *scattered(const char *body)
{
    return found_with(body, SCATTERS);
}

static void indirect_stores_are_found(void **state)
{
    (void)state;
    assert_string_equal(scattered("st.global.u32 [%rd7], 1;"), "a0");
    assert_string_equal(scattered("@%p1 st.volatile.global.v2.u32 [%rd7+8], {%r3, %r2};"),
                        "a0");
    assert_string_equal(scattered("red.global.add.u32 [%rd7], 1;\nst.u32 [%rd9], %r2;"),
                        "a0 b16"); /* all CTAs store to one address */
    /* if one store through a pointer is indirect, all stores through it are */
    assert_string_equal(scattered("add.s64 %rd10, %rd9, %rd5;\nadd.s64 %rd11, %rd3, %rd5;\n"
                                  "st.global.u32 [%rd7], 1;\nst.global.u32 [%rd11], 2;"),
                        "a0 a0");
}

static void loads_join_their_indirect_stores(void **state)
{
    (void)state;
    assert_string_equal(
        scattered("ld.global.v2.u32 {%r3, %r5}, [%rd7];\nst.global.u32 [%rd7], 1;"),
        "a0 a0");
    assert_string_equal(
        scattered("membar.cta;\nld.global.u32 %r5, [%rd7];\nst.global.u32 [%rd7], 1;"),
        "a0 a0");
    /* another pointer is assumed to lead elsewhere */
    assert_string_equal(scattered("ld.global.u32 %r5, [%rd9];\nst.global.u32 [%rd7], 1;"),
                        "a0");
}

/* Atomics next to indirect stores have the kind of these stores. */
static void atomics_join_their_indirect_stores(void **state)
{
    (void)state;
    assert_string_equal(
        scattered("red.global.or.b32 [%rd7], 1;\nst.global.u32 [%rd7+4], %r2;"), "a0 a0");
    assert_string_equal(
        scattered("red.global.or.b32 [%rd9], 1;\nst.global.u32 [%rd7], %r2;"),
        "a16 b0"); /* of another array */
}

static void ordered_loads_stay_local(void **state)
{
    static const char *const bodies[] = {
        "ld.global.nc.u32 %r5, [%rd7];",
        "ld.volatile.global.u32 %r5, [%rd7];",
        "ld.relaxed.gpu.global.u32 %r5, [%rd7];",
        "membar.gl;\nld.global.u32 %r5, [%rd7];",
        "fence.acq_rel.gpu;\nld.global.u32 %r5, [%rd7];",
        "ld.acquire.gpu.global.u32 %r3, [%rd9];\nld.global.u32 %r5, [%rd7];",
        "st.release.gpu.global.u32 [%rd9], 1;\nld.global.u32 %r5, [%rd7];",
    };

    (void)state;
    for (size_t n = 0; n < sizeof bodies / sizeof *bodies; n++) {
        char body[256];

        snprintf(body, sizeof body, "%s\nst.global.u32 [%%rd7], 1;", bodies[n]);
        assert_string_equal(scattered(body), "a0");
    }
}

static void other_stores_are_not_indirect(void **state)
{
    static const char *const bodies[] = {
        ("mov.u32 %r4, %ctaid.x;\nmad.wide.u32 %rd10, %r4, 4, %rd3;\n"
         "st.global.u32 [%rd10], %r3;"),
        "st.release.gpu.global.u32 [%rd7], 1;",
        "st.relaxed.gpu.global.u32 [%rd7], 1;",
        "ld.global.u64 %rd10, [%rd6];\nst.global.u32 [%rd10], 1;",
        "st.global.u32 [total], 1;",
        "st.shared.u32 [%r3], 1;",
    };

    (void)state;
    for (size_t n = 0; n < sizeof bodies / sizeof *bodies; n++)
        if (*scattered(bodies[n]))
            fail_msg("%s is one", bodies[n]);
}

/* Pointers of stores whose range has a loaded bound, once for each store. */
static const char *unresolved(const char *body)
{
    static char listing[64];
    struct access_reductions r = {0};
    struct proact_error err;
    struct ptx_module *m;
    char text[4096];

    snprintf(text, sizeof text, "%s%s\nret;\n}\n", head, body);
    if (ptx_parse("reductions.ptx", text, strlen(text), &m, &err))
        fail_msg("%s", err.text);
    struct access_reductions merged = access_reductions_find(m, &m->functions[0], true);
    bool *is = access_scatters_unresolved(m, &m->functions[0], &merged);

    access_reductions_clear(&merged);
    if (is)
        access_scatters_add(&r, m, &m->functions[0], is);
    listing[0] = '\0';
    for (uint32_t n = 0; n < r.count; n++)
        snprintf(listing + strlen(listing), sizeof listing - strlen(listing), "%u ",
                 r.reduction[n].parameter);
    free(is);
    access_reductions_clear(&r);
    ptx_destroy(m);
    return listing;
}

/* A CTA's own elements, whose number is a loaded value. */
static void indirect_stores_with_a_loaded_count(void **state)
{
#define LOOP                                                                               \
    "mov.u32 %r4, %ctaid.x;\nLOOP: mad.wide.u32 %rd10, %r4, 4, %rd3;\n"                    \
    "st.global.u32 [%rd10], 7;\nadd.s32 %r4, %r4, 8;\nsetp.lt.s32 %p2, %r4, %r3;\n"        \
    "@%p2 bra LOOP;\n"
#define KNOWN_STORE                                                                        \
    "mov.u32 %r5, %ctaid.x;\nmad.wide.u32 %rd11, %r5, 4, %rd9;\n"                          \
    "st.global.u32 [%rd11], 5;\n"
    (void)state;
    assert_string_equal(unresolved(LOOP), "0 ");
    assert_string_equal(unresolved(LOOP "st.global.u32 [%rd10], 8;"), "0 0 ");
    assert_string_equal(unresolved(KNOWN_STORE LOOP), "0 ");
    assert_string_equal(unresolved(LOOP KNOWN_STORE), "0 ");
    assert_string_equal(unresolved(KNOWN_STORE), "");
    assert_string_equal(unresolved(LOOP "red.global.add.u32 [%rd7], 1;"), "0 ");
    /* not if another access stays unresolved */
    assert_string_equal(
        unresolved(LOOP "ld.global.u64 %rd11, [%rd6];\nst.global.u32 [%rd11], 1;"), "");
    assert_string_equal(
        unresolved(LOOP "atom.global.add.u32 %r5, [%rd7], 1;\nst.global.u32 [%rd9], %r5;"),
        "");
#undef LOOP
#undef KNOWN_STORE
}

/* A CAS loop with its load, its comparison, its new value, and the code after it. */
static const char *swaps(const char *load, const char *compare, const char *value,
                         const char *behind)
{
    char body[1024];

    snprintf(body, sizeof body,
             "ld.global.u32 %%r4, [%s];\nmov.b32 %%f1, %%r3; mov.u32 %%r7, 0;\n"
             "L: mov.b32 %%f2, %%r4; %s\n"
             "atom.global.cas.b32 %%r5, [%%rd3], %%r4, %s;\nadd.s32 %%r7, %%r7, 1;\n"
             "setp.ne.s32 %%p3, %%r5, %%r4; mov.u32 %%r4, %%r5; @%%p3 bra L;\nE:\n%s",
             load, compare, value, behind);
    return found(body);
}

#define OUTSIDE "setp.leu.f32 %p2, %f1, %f2; @%p2 bra E;"

static void min_max_loops_are_found(void **state)
{
    (void)state;
    assert_string_equal(swaps("%rd3", OUTSIDE, "%r3", ""), "a0 a0");
    assert_string_equal(swaps("%rd3", "setp.geu.f32 %p2, %f1, %f2; @%p2 bra E;", "%r3", ""),
                        "a0 a0");
    assert_string_equal(swaps("%rd3", "setp.gt.f32 %p2, %f2, %f1; @!%p2 bra E;", "%r3", ""),
                        "a0 a0");
    assert_string_equal(swaps("%rd3", "setp.ge.s32 %p2, %r4, %r3; @%p2 bra E;", "%r3", ""),
                        "a0 a0");
    assert_string_equal(
        swaps("%rd3", "max.f32 %f3, %f2, %f1; mov.b32 %r6, %f3;", "%r6", ""), "a0 a0");
    assert_string_equal(swaps("%rd3", "min.u32 %r6, %r3, %r4;", "%r6", ""), "a0 a0");
    /* code after the loop must not depend on it */
    assert_string_equal(swaps("%rd3", OUTSIDE, "%r3", "st.global.u32 [%rd6], %r2;"),
                        "a0 a0");
    assert_string_equal(swaps("%rd3", OUTSIDE, "%r3", "st.global.u32 [%rd6], %r4;"), "");
    assert_string_equal(swaps("%rd3", OUTSIDE, "%r3", "st.global.u32 [%rd6], %r7;"), "");
    assert_string_equal(
        swaps("%rd3", OUTSIDE, "%r3", "add.s32 %r8, %r4, 1; st.global.u32 [%rd6], %r8;"),
        "");
    assert_string_equal(swaps("%rd3", OUTSIDE, "%r3",
                              "setp.eq.s32 %p2, %r5, %r3; @%p2 bra F;\n"
                              "st.global.u32 [%rd6], %r2;\nF:"),
                        "");
    /* not a minimum or maximum: NaN is never replaced, or the new value is arbitrary */
    assert_string_equal(swaps("%rd3", "setp.le.f32 %p2, %f1, %f2; @%p2 bra E;", "%r3", ""),
                        "");
    assert_string_equal(swaps("%rd3", "setp.eq.f32 %p2, %f1, %f2; @%p2 bra E;", "%r3", ""),
                        "");
    assert_string_equal(swaps("%rd3", OUTSIDE, "%r2", ""), "");
    assert_string_equal(swaps("%rd3", "", "%r3", ""), "");
    assert_string_equal(
        swaps("%rd3", "add.f32 %f3, %f2, %f1; mov.b32 %r6, %f3;", "%r6", ""), "");
    assert_string_equal(
        swaps("%rd3", "max.f32 %f3, %f1, %f1; mov.b32 %r6, %f3;", "%r6", ""), "");
    /* the compared value is from another address or through another pointer */
    assert_string_equal(swaps("%rd3+4", OUTSIDE, "%r3", ""), "");
    assert_string_equal(swaps("%rd9", OUTSIDE, "%r3", ""), "");
    /* the loop contains more than the CAS */
    assert_string_equal(swaps("%rd3", OUTSIDE " st.global.u32 [%rd6], %r2;", "%r3", ""),
                        "");
    assert_string_equal(swaps("%rd3", OUTSIDE " bar.sync 0;", "%r3", ""), "");
    assert_string_equal(swaps("%rd3", "setp.leu.f32 %p2, %f1, %f2; @%p2 bra F;", "%r3",
                              "st.global.u32 [%rd6], %r2;\nF:"),
                        "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commutative_atomics_may_have_a_loaded_address),
        cmocka_unit_test(min_max_loops_are_found),
        cmocka_unit_test(signed_and_unsigned_sums_are_one_kind),
        cmocka_unit_test(other_atomics_are_not_commutative),
        cmocka_unit_test(sums_of_floats_are_opt_in),
        cmocka_unit_test(indirect_stores_are_found),
        cmocka_unit_test(loads_join_their_indirect_stores),
        cmocka_unit_test(atomics_join_their_indirect_stores),
        cmocka_unit_test(ordered_loads_stay_local),
        cmocka_unit_test(other_stores_are_not_indirect),
        cmocka_unit_test(indirect_stores_with_a_loaded_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
