/* SPDX-License-Identifier: Apache-2.0 */
/* Write sets of arrays at other addresses. The cache reuses them, unless the kernel depends
   on the bits of an address. */
#include "access/write_set_testing.h"

/* Two arrays of a page, `apart` bytes from one start to the other. The kernel gets the
   address `byte` bytes into the first array as out, and the second array. */
struct places {
    uint64_t first, apart, byte;
    uint32_t n;
    const char *name;
};

enum { PAGE = 4096 };

static const struct write_set *moves_write_set(struct write_set_cache *cache,
                                               const struct cut *c, struct places p)
{
    const struct write_set_array arrays[] = {{p.name ? p.name : "out", p.first, PAGE},
                                             {"other", p.first + p.apart, PAGE}};
    const struct write_set_pointer pointers[] = {{0, 0, p.byte}, {8, 1, 0}};
    const struct block b = {p.first + p.byte, p.first + p.apart, p.n, 0};
    const struct write_set_launch l = {.grid = {2, 1, 1},
                                       .block = {32, 1, 1},
                                       .parameters = &b,
                                       .parameter_bytes = 20,
                                       .arrays = arrays,
                                       .array_count = 2,
                                       .pointers = pointers,
                                       .pointer_count = 2};
    const struct write_set *w = NULL;
    struct proact_error err;

    if (write_set_cached(cache, c->slice, &l, &w, &err))
        fail_msg("%s", err.text);
    return w;
}

static const uint64_t FIRST = (uint64_t)1 << 40, FAR = (uint64_t)1 << 30;

/* Requests the write set for arrays here, elsewhere, and farther apart, and checks how
   often it is computed. */
static void expect(const char *body, uint64_t found)
{
    const struct places here = {FIRST, FAR, 0, 5, NULL},
                        there = {3 * FIRST, FAR, 0, 5, NULL},
                        apart = {FIRST, 3 * FAR, 0, 5, NULL};
    struct cut c = cut_text("", body, NULL);
    struct write_set_cache cache = {0};

    if (!c.slice)
        fail_msg("%s: %s", body, c.err.text);
    const uint64_t digest = moves_write_set(&cache, &c, here)->digest;

    assert_int_equal(moves_write_set(&cache, &c, there)->digest, digest);
    assert_int_equal(moves_write_set(&cache, &c, apart)->digest, digest);
    if (cache.misses != found)
        fail_msg("%s: found %u times", body, (unsigned)cache.misses);
    write_set_cache_clear(&cache);
    write_set_slice_destroy(c.slice);
}

static void a_write_set_is_reused_if_only_stores_use_addresses(void **state)
{
    (void)state;
    expect("st.global.u32 [%rd3], 0;", 1);
    expect(
        "xor.b32 %r6, %r5, %r3; mul.wide.s32 %rd6, %r6, 4; cvta.to.global.u64 %rd7, %rd1;\n"
        "add.s64 %rd6, %rd6, %rd7; st.global.u32 [%rd6+8], 0;",
        1);
    expect("setp.lt.s32 %p1, %r5, 7; selp.b64 %rd6, %rd1, %rd2, %p1;\n"
           "add.s64 %rd6, %rd6, %rd5; st.global.u32 [%rd6], 0;",
           1);
    expect("setp.ne.s64 %p1, %rd2, 0; @%p1 st.global.u32 [%rd4], 0;", 1);
    expect(
        "mad.wide.u32 %rd6, %r5, 4, %rd2; sub.s64 %rd6, %rd6, -4; st.global.u32 [%rd6], 0;",
        1);
}

static void a_write_set_is_recomputed_if_other_code_uses_addresses(void **state)
{
    (void)state;
    expect("setp.gt.u64 %p1, %rd2, %rd1; @%p1 st.global.u32 [%rd3], 0;", 3);
    expect("sub.s64 %rd6, %rd2, %rd1; setp.gt.s64 %p1, %rd6, 4096;\n"
           "@%p1 st.global.u32 [%rd3], 0;",
           3);
    expect("and.b64 %rd6, %rd1, 255; add.s64 %rd6, %rd6, %rd3; st.global.u32 [%rd6], 0;",
           3);
    expect("cvt.u32.u64 %r6, %rd1; setp.ne.u32 %p1, %r6, 77; @%p1 st.global.u32 [%rd3], 0;",
           3);
    expect(
        "ld.param.u32 %r6, [out+4]; setp.ne.u32 %p1, %r6, 0; @%p1 st.global.u32 [%rd3], 0;",
        3);
    /* by the distance to the other array, and back */
    expect("sub.s64 %rd6, %rd2, %rd1; add.s64 %rd7, %rd3, %rd6; st.global.u32 [%rd7], 0;",
           3);
    expect("add.s64 %rd6, %rd3, %rd2; sub.s64 %rd6, %rd6, %rd2; st.global.u32 [%rd6], 0;",
           3);
    expect("add.s64 %rd6, %rd1, 8; setp.ne.s64 %p1, %rd6, 0; @%p1 st.global.u32 [%rd3], 0;",
           3);
}

/* A store n words after the thread's own, which is in the adjacent array if n is large. */
static void a_store_counts_for_the_array_it_reaches(void **state)
{
    static const char *const bodies[] = {
        "mul.wide.u32 %rd6, %r1, 4; add.s64 %rd6, %rd3, %rd6; st.global.u32 [%rd6], 0;",
        /* memory decides whether it stores */
        "ld.global.u32 %r6, [%rd2]; setp.eq.u32 %p1, %r6, 0; mul.wide.u32 %rd6, %r1, 4;\n"
        "add.s64 %rd6, %rd3, %rd6; @%p1 st.global.u32 [%rd6], 0;"};

    (void)state;
    for (size_t n = 0; n < 2; n++) {
        struct cut c = cut_text("", bodies[n], NULL);
        struct write_set_cache cache = {0};
        const struct places inside = {FIRST, PAGE, 0, 900, NULL},
                            across = {FIRST, PAGE, 0, 1024, NULL};

        assert_non_null(c.slice);
        assert_int_equal(moves_write_set(&cache, &c, inside)->arrays[0].bytes, 256);
        assert_int_equal(moves_write_set(&cache, &c, across)->arrays[0].bytes, 0);
        assert_int_equal(moves_write_set(&cache, &c, across)->arrays[1].bytes, 256);
        write_set_cache_clear(&cache);
        write_set_slice_destroy(c.slice);
    }
}

static void a_pointer_into_an_array_keeps_its_offset(void **state)
{
    struct cut c = cut_text("", "st.global.u32 [%rd3], 0;", NULL);
    struct write_set_cache cache = {0};

    (void)state;
    for (uint64_t byte = 0; byte < 3; byte++)
        for (uint64_t n = 0; n < 2; n++) {
            const struct write_set *w = moves_write_set(
                &cache, &c, (struct places){(n + 1) * FIRST, FAR, 64 * byte, 5, NULL});
            struct cta_runs_walk walk = cta_runs_walk(&w->arrays[0].runs, 0, 1);
            struct span s;

            assert_true(cta_runs_span(&walk, &s));
            assert_int_equal(s.first, 64 * byte);
        }
    assert_int_equal(cache.misses, 3);
    write_set_cache_clear(&cache);
    write_set_slice_destroy(c.slice);
}

static void messages_name_the_array_of_the_launch(void **state)
{
    static const uint32_t parts[] = {0, 1, 2};
    struct cut c = cut_text("", "st.global.u32 [%rd1], 0;", NULL);
    struct write_set_cache cache = {0};
    struct proact_error err;

    (void)state;
    for (int n = 0; n < 2; n++) {
        const char *name = n ? "here" : "there";
        const struct write_set *w = moves_write_set(
            &cache, &c, (struct places){(uint64_t)(n + 1) << 40, FAR, 0, 5, name});

        assert_string_equal(w->arrays[0].name, name);
        assert_int_equal(write_set_overlap(w, parts, 2, &err), PROACT_EREFUSED);
        assert_non_null(strstr(err.text, n ? "'here'" : "'there'"));
    }
    assert_int_equal(cache.misses, 1);
    write_set_cache_clear(&cache);
    write_set_slice_destroy(c.slice);
}

/* The parameters of the launch decide the guard. The closed form handles it, so the slice
   does not run. */
static void a_guard_of_parameters_only_has_a_closed_form(void **state)
{
    static const char *const guards[] = {
        "setp.gt.s32 %p1, %r1, 2;", "setp.lt.s32 %p1, %r1, 2;", "setp.ne.s64 %p1, %rd2, 0;",
        "setp.eq.s32 %p2, %r1, 5; selp.u32 %r6, 1, 0, %p2;\n"
        "setp.ne.u32 %p1, %r6, 0;"};

    (void)state;
    for (size_t n = 0; n < sizeof guards / sizeof *guards; n++) {
        struct write_set_cache cache = {0};
        struct text body = {0};

        text_print(&body, "%s @!%%p1 bra END; st.global.u32 [%%rd3], 0; END:", guards[n]);
        struct cut c = cut_text("", body.data, NULL);
        const struct write_set *w =
            moves_write_set(&cache, &c, (struct places){FIRST, FAR, 0, 5, NULL});

        if (w->ctas_run)
            fail_msg("%s: %s", body.data, w->why_sliced);
        assert_int_equal(w->arrays[0].bytes, n == 1 ? 0 : 256);
        write_set_cache_clear(&cache);
        write_set_slice_destroy(c.slice);
        text_clear(&body);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_set_is_reused_if_only_stores_use_addresses),
        cmocka_unit_test(a_write_set_is_recomputed_if_other_code_uses_addresses),
        cmocka_unit_test(a_store_counts_for_the_array_it_reaches),
        cmocka_unit_test(a_pointer_into_an_array_keeps_its_offset),
        cmocka_unit_test(messages_name_the_array_of_the_launch),
        cmocka_unit_test(a_guard_of_parameters_only_has_a_closed_form),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
