/* SPDX-License-Identifier: Apache-2.0 */
/* Overlapping tiles whose first and last rows lie partly outside the picture. Guards keep
   each thread inside the picture, and the ranges stay inside too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/access.h"
#include "base/random.h"

enum {
    LAUNCHES = 400,
    WORD = 4,
    WIDE = 16,
    HIGH = 16,
    FRAME_X = 3,
    FRAME_Y = 4,
    STEP_X = 10,
    STEP_Y = 24
};

/* Read of a[y * w + x] inside the picture, with x = 10 * CTA + thread - 3 and y = 24 * CTA
   + thread - 4. */
static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 a, .param .u32 w, .param .u32 h)\n{\n"
    ".reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %rd<9>;\n"
    "ld.param.u64 %rd1, [a]; ld.param.u32 %r1, [w]; ld.param.u32 %r2, [h];\n"
    "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r5, %r3, 10, %r4;\n"
    "add.s32 %r5, %r5, -3; mov.u32 %r6, %ctaid.y; mov.u32 %r7, %tid.y;\n"
    "mad.lo.s32 %r8, %r6, 24, %r7; add.s32 %r8, %r8, -4;\n"
    "setp.lt.s32 %p1, %r5, 0; setp.ge.s32 %p2, %r5, %r1; or.pred %p3, %p1, %p2;\n"
    "@%p3 bra END;\n"
    "setp.lt.s32 %p4, %r8, 0; setp.ge.s32 %p5, %r8, %r2; or.pred %p6, %p4, %p5;\n"
    "@%p6 bra END;\n"
    "mad.lo.s32 %r9, %r8, %r1, %r5; mul.wide.s32 %rd2, %r9, 4; add.s64 %rd3, %rd1, %rd2;\n"
    "ld.global.u32 %r10, [%rd3];\n"
    "END: ret;\n}\n";

static bool holds(const struct access_span *spans, uint32_t count, int64_t place)
{
    for (uint32_t s = 0; s < count; s++)
        if (access_span_holds(&spans[s], place * WORD, WORD))
            return true;
    return false;
}

static void is_inside(const struct access_span *s, int64_t bytes)
{
    if (s->low < 0 || s->end + s->times * s->stride > bytes)
        fail_msg("%ld to %ld, and %u times %ld on: outside of %ld bytes", (long)s->low,
                 (long)s->end, s->times, (long)s->stride, (long)bytes);
}

/* Checks that the ranges contain every element that the CTA reads. */
static void is_there(uint32_t column, uint32_t row, uint32_t w, uint32_t h,
                     const struct access_span *spans, uint32_t count)
{
    for (int64_t t = 0; t < (int64_t)WIDE * HIGH; t++) {
        const int64_t x = (int64_t)column * STEP_X + t % WIDE - FRAME_X;
        const int64_t y = (int64_t)row * STEP_Y + t / WIDE - FRAME_Y;

        if (x >= 0 && x < w && y >= 0 && y < h && !holds(spans, count, y * w + x))
            fail_msg("%ux%u: element (%ld, %ld) is missing", w, h, (long)x, (long)y);
    }
}

/* Checks a random box of CTAs. */
static void check(const struct access_analysis *a, uint64_t *random)
{
    struct access_launch l = {.ntid = {WIDE, HIGH, 1}, .nctaid = {12, 9, 1}};
    const uint32_t w = 100 + (uint32_t)random_below(random, 20),
                   h = 150 + (uint32_t)random_below(random, 60);
    struct access_span spans[ACCESS_SPANS_MAX];
    unsigned char block[16] = {0};
    uint32_t count;

    for (unsigned axis = 0; axis < 3; axis++) {
        l.ctaid_first[axis] = (uint32_t)random_below(random, l.nctaid[axis]);
        l.ctaid_end[axis] =
            l.ctaid_first[axis] + 1 +
            (uint32_t)random_below(random, l.nctaid[axis] - l.ctaid_first[axis]);
    }
    memcpy(block + 8, &w, sizeof w);
    memcpy(block + 12, &h, sizeof h);
    l.parameters = block;
    l.parameter_bytes = sizeof block;
    assert_true(access_extent(a, &a->records[0], &l, NULL, spans, &count));
    for (uint32_t s = 0; s < count; s++)
        is_inside(&spans[s], (int64_t)w * h * WORD);
    for (uint32_t row = l.ctaid_first[1]; row < l.ctaid_end[1]; row++)
        for (uint32_t column = l.ctaid_first[0]; column < l.ctaid_end[0]; column++)
            is_there(column, row, w, h, spans, count);
}

static void rows_end_where_guards_hold(void **state)
{
    struct proact_error err;
    struct ptx_module *m;
    uint64_t random = 1;

    (void)state;
    if (ptx_parse("t.ptx", text, sizeof text - 1, &m, &err))
        fail_msg("%s", err.text);
    struct access_analysis *a = access_analyze(m, ptx_function_find(m, "k"));

    assert_int_equal(a->records[0].state, ACCESS_CLOSED);
    for (int turn = 0; turn < LAUNCHES; turn++)
        check(a, &random);
    access_destroy(a);
    ptx_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_end_where_guards_hold),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
