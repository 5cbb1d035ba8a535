/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Slices of small kernels `k(.param .u64 out, .param .u64 in, .param .u32 n)`, run with an
   `out` of WORDS words. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "access/write_set.h"
#include "base/text.h"

enum { WORDS = 1024 };

/* %rd1 is out, %rd2 is in, %r1 is n and %r2 is the index of the thread in the grid. %rd3 is
   the thread's word of out, %rd4 its word of in. */
#define K_START                                                                            \
    ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n)\n{\n"               \
    ".reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<30>; .reg .b64 %rd<30>;\n"            \
    ".reg .f32 %f<9>;\n"                                                                   \
    "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r1, [n];\n"          \
    "mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;\n"                  \
    "mad.lo.s32 %r2, %r3, %r4, %r5; mul.wide.s32 %rd5, %r2, 4;\n"                          \
    "add.s64 %rd3, %rd1, %rd5; add.s64 %rd4, %rd2, %rd5;\n"

struct cut {
    struct write_set_slice *slice; /* NULL: refused */
    struct proact_error err;
};

static inline struct cut cut_text(const char *before, const char *body,
                                  const struct write_set_options *options)
{
    struct cut c = {0};
    struct text all = {0};
    struct ptx_module *m = NULL;

    text_print(&all, ".version 8.0\n.target sm_80\n.address_size 64\n%s%s%s\nret;\n}\n",
               before, K_START, body);
    if (ptx_parse("t.ptx", all.data, all.length, &m, &c.err))
        fail_msg("%s", c.err.text);
    (void)write_set_slice_create(m, "k", options, &c.slice, &c.err);
    ptx_destroy(m);
    text_clear(&all);
    return c;
}

/* Prints the ranges of `out` that CTA `cta` writes, as "first+bytes ...". */
static inline void print_ranges(const struct write_set_ranges *a, uint32_t cta,
                                struct text *into)
{
    struct cta_runs_walk w = cta_runs_walk(&a->runs, cta, cta + 1);

    for (struct span s; cta_runs_span(&w, &s);)
        text_print(into, "%s%u+%u", into->length ? " " : "", (unsigned)s.first,
                   (unsigned)(s.end - s.first));
}

struct block {
    uint64_t out, in;
    uint32_t n, padding;
};

struct shape {
    uint32_t ctas, threads, n;
};

/* Runs the slice for a launch of shape `s`. `options` selects slices only and the limit of
   instructions. */
static inline enum proact_status run_shape_as(const struct cut *c, struct shape s,
                                              struct write_set_launch options,
                                              struct write_set **out,
                                              struct proact_error *err)
{
    static const struct write_set_array arrays[] = {{"out", 0, WORDS * 4}};
    static const struct write_set_pointer pointers[] = {{0, 0, 0}};
    struct block b = {.in = (uint64_t)1 << 50, .n = s.n};

    options.grid[0] = s.ctas;
    options.block[0] = s.threads;
    options.parameters = &b;
    options.parameter_bytes = 20;
    options.arrays = arrays;
    options.array_count = 1;
    options.pointers = pointers;
    options.pointer_count = 1;
    return write_set_run(c->slice, &options, out, err);
}

static inline enum proact_status run_shape(const struct cut *c, struct shape s,
                                           struct write_set **out, struct proact_error *err)
{
    return run_shape_as(c, s, (struct write_set_launch){.limit = 100000}, out, err);
}

static inline struct write_set *must_run(const struct cut *c, struct shape s,
                                         struct write_set_launch options)
{
    struct write_set *w = NULL;
    struct proact_error err;

    if (run_shape_as(c, s, options, &w, &err))
        fail_msg("n %u: %s", s.n, err.text);
    return w;
}

/* Write set from closed forms where they exist. The function checks that the slice alone
   gives the same set. */
static inline struct write_set *run_alike(const struct cut *c, struct shape s,
                                          struct write_set_launch options, const char *what)
{
    struct write_set *is = must_run(c, s, options), *sliced;

    options.is_sliced = true;
    sliced = must_run(c, s, options);
    if (is->digest != sliced->digest)
        fail_msg("%s: n %u: the forms say something else", what, s.n);
    assert_int_equal(sliced->ctas_run, sliced->cta_count);
    write_set_destroy(sliced);
    return is;
}

/* Checks that the first CTA of `body`'s slice writes exactly the ranges `wanted`. */
static inline void expect_ranges(const char *body, struct shape shape, bool exact,
                                 const char *wanted)
{
    struct cut c = cut_text("", body, NULL);
    struct write_set *w = NULL;
    struct text got = {0};

    if (!c.slice || run_shape(&c, shape, &w, &c.err))
        fail_msg("%s: %s", body, c.err.text);
    print_ranges(&w->arrays[0], 0, &got);
    if (strcmp(got.data ? got.data : "", wanted) || w->is_exact != exact)
        fail_msg("%s: writes %s (%s), not %s\n%s", body, got.data,
                 w->is_exact ? "exact" : "may", wanted, write_set_slice_info(c.slice).text);
    text_clear(&got);
    write_set_destroy(w);
    write_set_slice_destroy(c.slice);
}

static inline void expect_refusal(const char *before, const char *body, const char *wanted)
{
    struct cut c = cut_text(before, body, NULL);

    if (c.slice)
        fail_msg("%s: not refused:\n%s", body, write_set_slice_info(c.slice).text);
    assert_string_equal(c.err.text, wanted);
}
