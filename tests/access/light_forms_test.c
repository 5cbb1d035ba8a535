/* SPDX-License-Identifier: Apache-2.0 */
/* Values that use each other repeatedly, as in a hash. The size of their expressions is
   limited. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "access/access.h"
#include "access/form/form.h"
#include "base/text.h"

enum { ROUNDS = 64 };

/* %r1 and %r2 pass through all rounds. The kernel stores at the pointer + 4 * (%r1 & 255)
   or + 4 * tid.x. */
static struct ptx_module *hash(bool in_loop, bool by_hash)
{
    struct proact_error err = {""};
    struct ptx_module *m = NULL;
    struct text t = {0};

    text_print(&t, ".version 8.0\n.target sm_90\n.address_size 64\n"
                   ".visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
                   ".reg .pred %%p<2>; .reg .b32 %%r<10>; .reg .b64 %%rd<4>;\n"
                   "ld.param.u64 %%rd0, [a]; cvta.to.global.u64 %%rd1, %%rd0;\n"
                   "ld.param.u32 %%r0, [n]; mov.u32 %%r1, %%tid.x;\n"
                   "mov.u32 %%r2, %%ctaid.x; mov.u32 %%r3, 0;\n");
    if (in_loop)
        text_print(&t, "more:\n");
    for (int n = 0; n < ROUNDS; n++)
        text_print(&t,
                   "shr.u32 %%r4, %%r1, %d; xor.b32 %%r5, %%r4, %%r2;\n"
                   "and.b32 %%r6, %%r5, %%r1; mov.u32 %%r2, %%r1;\n"
                   "add.s32 %%r1, %%r6, %%r5;\n",
                   n % 7 + 1);
    if (in_loop)
        text_print(&t, "add.s32 %%r3, %%r3, 1; setp.lt.u32 %%p0, %%r3, %%r0;\n"
                       "@%%p0 bra more;\n");
    text_print(&t,
               "and.b32 %%r7, %%r1, 255; mov.u32 %%r8, %%tid.x;\n"
               "mul.wide.u32 %%rd2, %s, 4; add.s64 %%rd3, %%rd1, %%rd2;\n"
               "st.global.u32 [%%rd3], %%r1;\nret;\n}\n",
               by_hash ? "%r7" : "%r8");
    if (ptx_parse("hash", t.data, t.length, &m, &err))
        fail_msg("%s", err.text);
    text_clear(&t);
    return m;
}

/* Checks that a walk over any symbol ends after a bounded number of steps. */
static void check_light(const struct access_analysis *a)
{
    for (uint32_t n = 0; n < a->symbol_count; n++)
        assert_in_range(a->symbols[n].nodes, 1, 4 * FORM_NODES_MAX);
}

static void values_of_a_hash_end(void **state)
{
    (void)state;
    for (int n = 0; n < 4; n++) {
        const bool by_hash = n / 2;
        struct ptx_module *m = hash(n % 2, by_hash);
        struct access_analysis *a = access_analyze(m, &m->functions[0]);
        const struct access_record *r = &a->records[0];

        assert_int_equal(a->record_count, 1);
        assert_int_equal(r->base, ACCESS_BASE_PARAMETER);
        assert_int_equal(r->state, by_hash ? ACCESS_OPEN : ACCESS_CLOSED);
        check_light(a);
        access_destroy(a);
        ptx_destroy(m);
    }
}

/* A hash of a few rounds still has an expression. */
static void short_hashes_have_an_expression(void **state)
{
    static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n"
                               ".visible .entry k(.param .u64 a)\n{\n"
                               ".reg .b32 %r<9>; .reg .b64 %rd<4>;\n"
                               "ld.param.u64 %rd0, [a]; cvta.to.global.u64 %rd1, %rd0;\n"
                               "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;\n"
                               "xor.b32 %r3, %r1, %r2; shr.u32 %r4, %r3, 3;\n"
                               "xor.b32 %r5, %r4, %r3; and.b32 %r6, %r5, 255;\n"
                               "mul.wide.u32 %rd2, %r6, 4; add.s64 %rd3, %rd1, %rd2;\n"
                               "st.global.u32 [%rd3], %r1;\nret;\n}\n";
    struct proact_error err = {""};
    struct ptx_module *m;

    (void)state;
    assert_int_equal(ptx_parse("short", text, sizeof text - 1, &m, &err), PROACT_OK);
    struct access_analysis *a = access_analyze(m, &m->functions[0]);

    assert_int_equal(a->records[0].state, ACCESS_CLOSED);
    access_destroy(a);
    ptx_destroy(m);
}

/* The sign of a combination of bits, in which each round uses the round before twice. */
static void signs_of_joined_bits_end(void **state)
{
    struct proact_error err = {""};
    struct ptx_module *m = NULL;
    struct text t = {0};

    (void)state;
    text_print(&t, ".version 8.0\n.target sm_90\n.address_size 64\n"
                   ".visible .entry k(.param .u64 a)\n{\n"
                   ".reg .pred %%p<2>; .reg .b32 %%r<200>; .reg .b64 %%rd<4>;\n"
                   "ld.param.u64 %%rd0, [a]; cvta.to.global.u64 %%rd1, %%rd0;\n"
                   "mov.u32 %%r0, %%tid.x; mov.u32 %%r1, %%ctaid.x;\n");
    for (int n = 1; n < ROUNDS; n++)
        text_print(&t, "and.b32 %%r%d, %%r%d, %%r%d; or.b32 %%r%d, %%r%d, %%r%d;\n", 2 * n,
                   2 * n - 2, 2 * n - 1, 2 * n + 1, 2 * n - 1, 2 * n - 2);
    text_print(&t,
               "setp.lt.s32 %%p0, %%r%d, 0;\nmul.wide.u32 %%rd2, %%r0, 4;\n"
               "add.s64 %%rd3, %%rd1, %%rd2;\n@!%%p0 st.global.u32 [%%rd3], %%r0;\n"
               "ret;\n}\n",
               2 * ROUNDS - 1);
    if (ptx_parse("signs", t.data, t.length, &m, &err))
        fail_msg("%s", err.text);
    struct access_analysis *a = access_analyze(m, &m->functions[0]);

    assert_int_equal(a->record_count, 1);
    assert_int_equal(a->records[0].state, ACCESS_CLOSED);
    access_destroy(a);
    ptx_destroy(m);
    text_clear(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_of_a_hash_end),
        cmocka_unit_test(short_hashes_have_an_expression),
        cmocka_unit_test(signs_of_joined_bits_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
