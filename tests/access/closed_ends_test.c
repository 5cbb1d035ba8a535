/* SPDX-License-Identifier: Apache-2.0 */
/* Loop ends as compilers and libraries write them. One count saturates at its end, so it
   cannot wrap. Another end is reloaded after a store that might change it. Both have closed
   forms that equal the slice; similar code has none, or equal ones. */
#include "write_set_testing.h"

enum { WORDS_MAX = 12 };

/* Words in order; each test replaces one of them. */
struct kernel {
    const char *words[WORDS_MAX];
    unsigned count;
};

struct other {
    unsigned word;
    const char *is;
    bool ends_are_exact;
};

static const struct kernel capped = {
    {"cvt.u64.u32 %rd10, %r2; cvt.u64.u32 %rd11, %r1; mov.u64 %rd12, 96;",
     "sub.s64 %rd13, %rd11, %rd12;", "setp.ge.u64 %p1, %rd10, %rd11; @%p1 bra END; L:",
     "shl.b64 %rd14, %rd10, 2; add.s64 %rd14, %rd1, %rd14; st.global.u32 [%rd14], 1;",
     "add.s64 %rd15, %rd10, %rd12;", "setp.lt.u64 %p2, %rd10, %rd13;",
     "selp.b64 %rd10, %rd15, %rd11, %p2;", "setp.lt.u64 %p3, %rd10, %rd11; @%p3 bra L;",
     "END:"},
    9};

static const struct other capped_others[] = {
    {9, "", true},
    {1, "add.s64 %rd13, %rd11, -96;", true},
    {4, "add.s64 %rd15, %rd12, %rd10;", true},
    {6, "selp.u64 %rd10, %rd15, %rd11, %p2;", true},
    {1, "sub.s64 %rd13, %rd11, 64;", false},
    {4, "add.s64 %rd15, %rd10, 64;", false},
    {5, "setp.lt.s64 %p2, %rd10, %rd13;", false},
    {5, "setp.le.u64 %p2, %rd10, %rd13;", false},
    {5, "setp.gt.u64 %p2, %rd10, %rd13;", false},
    {6, "selp.b64 %rd10, %rd11, %rd15, %p2;", false},
    {6, "add.s64 %rd16, %rd11, 64; selp.b64 %rd10, %rd15, %rd16, %p2;", false},
    {7, "setp.le.u64 %p3, %rd10, %rd15; @%p3 bra L;", false},
    {7, "add.s64 %rd16, %rd11, 64; setp.lt.u64 %p3, %rd10, %rd16; @%p3 bra L;", false},
};

/* The end is in %r9 and is reloaded after a store. */
static const struct kernel kept = {
    {"mov.u32 %r8, %r2; mov.u32 %r9, %r1; add.s32 %r7, %r1, 32;",
     "setp.ge.s32 %p1, %r8, %r9; @%p1 bra END; L:", "setp.gt.s32 %p2, %r8, 700;",
     "@%p2 bra NEXT;",
     "mul.wide.s32 %rd14, %r8, 4; add.s64 %rd14, %rd1, %rd14; st.global.u32 [%rd14], 1;",
     "ld.param.u32 %r9, [n];", "NEXT: add.s32 %r8, %r8, 64;",
     "setp.lt.s32 %p3, %r8, %r9; @%p3 bra L;", "END:"},
    9};

static const struct other kept_others[] = {
    {9, "", true},
    {5, "mov.u32 %r9, %r1;", true},
    {5, "mov.u32 %r9, %r7;", false}, /* a different end from then on */
    {5, "add.s32 %r9, %r9, 1;", false},
    {6, "NEXT: mov.u32 %r9, %r7; add.s32 %r8, %r8, 64;", true},
    {7, "setp.lt.s32 %p3, %r8, %r9; mov.u32 %r9, %r7; @%p3 bra L;", false},
    {0, "mov.u32 %r8, %r2; mov.u32 %r9, %r7;", false},
};

/* True if the launch has closed forms. Ends the test if they differ from the slice. */
static bool ends_are_exact(const struct cut *c, struct shape at, const char *what)
{
    struct write_set_launch l = {.limit = 100000};
    struct write_set *forms = NULL, *slice = NULL;
    struct proact_error err;
    const enum proact_status status = run_shape_as(c, at, l, &forms, &err);
    bool got = forms && !forms->ctas_run;

    l.is_sliced = true;
    if (run_shape_as(c, at, l, &slice, &err) != status ||
        (forms && forms->digest != slice->digest))
        fail_msg("'%s', n %u: the forms say something else", what, at.n);
    write_set_destroy(forms);
    write_set_destroy(slice);
    return got;
}

static void try_all(const struct kernel *k, const struct other *others, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct other *o = &others[i];
        struct text body = {0};
        unsigned got = 0, launches = 0;

        for (unsigned n = 0; n < k->count; n++)
            text_print(&body, "%s\n", n == o->word ? o->is : k->words[n]);
        struct cut c = cut_text("", body.data, NULL);

        if (!c.slice)
            fail_msg("%s: %s", o->is, c.err.text);
        for (uint32_t n = 40; n < 900; n += 29, launches++)
            got += ends_are_exact(&c, (struct shape){1 + n % 3, 32, n}, o->is);
        if (o->ends_are_exact ? got < launches : got > launches / 3)
            fail_msg("'%s': %u of %u are told", o->is, got, launches);
        write_set_slice_destroy(c.slice);
        text_clear(&body);
    }
}

static void counts_that_stop_at_their_end_have_forms(void **state)
{
    (void)state;
    try_all(&capped, capped_others, sizeof capped_others / sizeof *capped_others);
}

static void reloaded_ends_have_forms(void **state)
{
    (void)state;
    try_all(&kept, kept_others, sizeof kept_others / sizeof *kept_others);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_that_stop_at_their_end_have_forms),
        cmocka_unit_test(reloaded_ends_have_forms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
