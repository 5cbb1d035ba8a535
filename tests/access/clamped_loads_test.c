/* SPDX-License-Identifier: Apache-2.0 */
/* Indices that are loaded from memory and then clamped. The clamps bound the bytes that are
   read; a loaded index alone reads the whole array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/access.h"
#include "base/text.h"

/* %r1 is loaded at the index of the thread, %r2 is n, %r5 is m; the body makes %r3, at
   which `a` is read. */
#define HEAD                                                                               \
    ".version 8.0\n.target sm_80\n.address_size 64\n"                                      \
    ".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n, .param .u32 m)\n{\n"   \
    ".reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %rd<9>;\n"                              \
    "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r2, [n];\n"             \
    "ld.param.u32 %r5, [m]; mov.u32 %r4, %tid.x; mul.wide.u32 %rd3, %r4, 4;\n"             \
    "add.s64 %rd3, %rd2, %rd3; ld.global.u32 %r1, [%rd3];\n"
#define REST                                                                               \
    "\nmul.wide.u32 %rd4, %r3, 4; add.s64 %rd4, %rd1, %rd4; ld.global.u32 %r9, [%rd4];\n"  \
    "ret;\n}\n"

enum { N = 100, M = 20 };

static const struct clamp {
    const char *body;
    int64_t low, high; /* indices that are read; 0, -1: unknown */
} clamps[] = {
    {"min.u32 %r6, %r1, %r2; max.u32 %r3, %r6, %r5;", M, N},
    {"max.u32 %r6, %r1, %r5; min.u32 %r3, %r6, %r2;", M, N},
    {"min.u32 %r3, %r1, %r2;", 0, N},
    {"min.u32 %r6, %r1, %r2; add.u32 %r3, %r6, %r5;", M, N + M},
    {"min.u32 %r6, %r1, %r2; max.u32 %r6, %r6, %r5; shr.u32 %r3, %r6, 2;", M / 4, N / 4},
    {"mov.u32 %r8, %ctaid.x; mad.lo.u32 %r7, %r8, 10, %r2; min.u32 %r6, %r1, %r7;\n"
     "mad.lo.u32 %r7, %r8, 10, %r5; max.u32 %r3, %r6, %r7;",
     M, N + 10},
    {"mov.u32 %r3, %r1;", 0, -1},
    {"min.u32 %r6, %r1, %r2; add.u32 %r3, %r6, %r1;", 0, -1},
    {"ld.global.u32 %r6, [%rd3+4]; min.u32 %r7, %r1, %r2; sub.u32 %r3, %r7, %r6;", 0, -1},
};

static void check(const struct clamp *c)
{
    unsigned char block[24] = {0};
    struct access_span spans[ACCESS_SPANS_MAX];
    struct text text = {0};
    struct proact_error err;
    struct ptx_module *m;
    uint32_t count;

    block[16] = N;
    block[20] = M;
    text_print(&text, "%s%s%s", HEAD, c->body, REST);
    if (ptx_parse("t.ptx", text.data, text.length, &m, &err))
        fail_msg("%s", err.text);
    struct access_analysis *a = access_analyze(m, ptx_function_find(m, "k"));
    const struct access_launch l = {.ntid = {32, 1, 1},
                                    .nctaid = {2, 1, 1},
                                    .parameters = block,
                                    .parameter_bytes = sizeof block};
    bool known =
        access_extent(a, &a->records[a->record_count - 1], &l, NULL, spans, &count);

    if (known != (c->low <= c->high))
        fail_msg("%s: %s", c->body, known ? "known" : "nothing is known");
    if (known) {
        assert_true(count > 0); /* in ascending order */
        assert_int_equal(spans[0].low, 4 * c->low);
        assert_int_equal(spans[count - 1].end, 4 * (c->high + 1));
    }
    access_destroy(a);
    ptx_destroy(m);
    text_clear(&text);
}

static void clamps_bound_loaded_indices(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof clamps / sizeof *clamps; i++)
        check(&clamps[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(clamps_bound_loaded_indices)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
