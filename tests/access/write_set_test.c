/* SPDX-License-Identifier: Apache-2.0 */
/* Results of a slice: ranges by CTA, stores outside arrays, variables, overlapping
   partitions, and the cache. */
#include "write_set_testing.h"

static const struct shape warps = {3, 32, 3};

static struct cut must_cut(const char *before, const char *body,
                           const struct write_set_options *options)
{
    struct cut c = cut_text(before, body, options);

    if (!c.slice)
        fail_msg("%s", c.err.text);
    return c;
}

static void ranges_are_sorted_and_joined(void **state)
{
    (void)state;
    /* backwards, each word twice */
    expect_ranges("neg.s32 %r6, %r5; mul.wide.s32 %rd6, %r6, 4; add.s64 %rd6, %rd1, %rd6;\n"
                  "st.global.u32 [%rd6+124], 0; st.global.u32 [%rd6+1124], 0;\n"
                  "red.global.add.u32 [%rd6+124], 1;",
                  (struct shape){1, 32, 0}, true, "0+128 1000+128");
    /* every other word, then the words between */
    expect_ranges("mul.wide.s32 %rd6, %r5, 8; add.s64 %rd6, %rd1, %rd6;\n"
                  "st.global.u32 [%rd6], 0; st.global.u32 [%rd6+4], 0;",
                  (struct shape){1, 32, 0}, true, "0+256");
    expect_ranges("mul.wide.s32 %rd6, %r5, 8; add.s64 %rd6, %rd1, %rd6;\n"
                  "st.global.u32 [%rd6], 0;",
                  (struct shape){1, 3, 0}, true, "0+4 8+4 16+4");
    /* more stores than the list of single stores holds */
    expect_ranges("mov.u32 %r6, 0; L: and.b32 %r7, %r6, 510; mul.wide.u32 %rd6, %r7, 8;\n"
                  "add.s64 %rd6, %rd1, %rd6; st.global.u32 [%rd6], 0;\n"
                  "xor.b32 %r7, %r7, 256; mul.wide.u32 %rd6, %r7, 8;\n"
                  "add.s64 %rd6, %rd1, %rd6; st.global.u32 [%rd6], 0;\n"
                  "add.s32 %r6, %r6, 256; setp.lt.u32 %p1, %r6, %r1; @%p1 bra L;",
                  (struct shape){1, 1, 2000000}, true, "0+4 2048+4");
}

static void every_cta_has_its_ranges(void **state)
{
    struct cut c =
        must_cut("", "setp.eq.u32 %p1, %r3, 1; @%p1 ret; st.global.u32 [%rd3], 0;", NULL);
    struct write_set *w = NULL;

    (void)state;
    assert_int_equal(run_shape(&c, warps, &w, &c.err), PROACT_OK);
    const struct write_set_ranges *a = &w->arrays[0];

    assert_int_equal(w->cta_count, 3);
    assert_int_equal(w->array_count, 1);
    assert_string_equal(a->name, "out");
    assert_int_equal(a->bytes, 256);
    assert_int_equal(a->runs.count, 2); /* CTA 1 writes nothing */
    assert_int_equal(a->runs.run[1].cta, 2);
    assert_int_equal(a->runs.rows[1].first, 256);
    assert_int_equal(a->runs.rows[1].bytes, 128);
    write_set_destroy(w);
    write_set_slice_destroy(c.slice);
}

/* Rows of 32 words, one for each CTA. Any number of host threads gives the same set. */
static void threads_make_no_difference(void **state)
{
    struct cut c = must_cut("",
                            "xor.b32 %r6, %r2, 5; and.b32 %r6, %r6, 8191;\n"
                            "mul.wide.u32 %rd5, %r6, 8; add.s64 %rd5, %rd1, %rd5;\n"
                            "st.global.u32 [%rd5], 0;",
                            NULL);
    struct write_set_array out = {"out", (uint64_t)1 << 40, 65536};
    struct block b = {.out = out.address};
    struct write_set_launch l = {.grid = {1000},
                                 .block = {32},
                                 .parameters = &b,
                                 .parameter_bytes = 20,
                                 .arrays = &out,
                                 .array_count = 1,
                                 .is_sliced = true};
    struct proact_error first = {""};
    uint64_t digest = 0, lanes = 0;

    (void)state;
    for (l.threads = 1; l.threads < 8; l.threads++) {
        struct write_set *w = NULL;

        assert_int_equal(write_set_run(c.slice, &l, &w, &c.err), PROACT_OK);
        assert_int_equal(w->arrays[0].count, 32000);
        assert_int_equal(w->arrays[0].runs.row_count, 4); /* 8192 words, every other one, */
        assert_int_equal(w->arrays[0].runs.run->count, 256); /* which repeat */
        if (l.threads > 1 && (digest != w->digest || lanes != w->lanes))
            fail_msg("%u threads: another write set", l.threads);
        digest = w->digest;
        lanes = w->lanes;
        write_set_destroy(w);
    }
    out.bytes = 60000;
    for (l.threads = 1; l.threads < 8; l.threads++) {
        struct write_set *w = NULL;

        assert_int_equal(write_set_run(c.slice, &l, &w, &c.err), PROACT_EFAULT);
        assert_string_equal(c.err.text, l.threads > 1 ? first.text : c.err.text);
        first = c.err;
    }
    write_set_slice_destroy(c.slice);
}

static void the_size_of_shared_memory_is_known(void **state)
{
    struct cut c = must_cut("",
                            "mov.u32 %r6, %dynamic_smem_size; cvt.u64.u32 %rd6, %r6;\n"
                            "add.s64 %rd6, %rd1, %rd6; st.global.u32 [%rd6], 0;",
                            NULL);
    struct write_set_array out = {"out", (uint64_t)1 << 40, 4096};
    struct block b = {.out = out.address};
    struct write_set_launch l = {.dynamic_shared_bytes = 48,
                                 .parameters = &b,
                                 .parameter_bytes = 20,
                                 .arrays = &out,
                                 .array_count = 1};
    struct write_set *w = NULL;

    (void)state;
    assert_int_equal(write_set_run(c.slice, &l, &w, &c.err), PROACT_OK);
    assert_int_equal(w->arrays[0].runs.rows[0].first, 48);
    write_set_destroy(w);
    write_set_slice_destroy(c.slice);
}

static void nothing_is_written_of_an_array(void **state)
{
    struct cut c = must_cut("", "", NULL);
    struct write_set *w = NULL;

    (void)state;
    assert_int_equal(run_shape(&c, warps, &w, &c.err), PROACT_OK);
    assert_int_equal(w->arrays[0].runs.count, 0);
    write_set_destroy(w);
    write_set_slice_destroy(c.slice);
}

static void expect_failure(const char *body, struct shape shape, enum proact_status status,
                           const char *wanted)
{
    struct cut c = must_cut("", body, NULL);
    struct write_set *w = NULL;

    assert_int_equal(run_shape(&c, shape, &w, &c.err), status);
    assert_null(w);
    assert_string_equal(c.err.text, wanted);
    write_set_slice_destroy(c.slice);
}

static void stores_outside_are_named(void **state)
{
    (void)state;
    expect_failure("st.global.v2.u32 [%rd3+3968], {%r1, %r1};", (struct shape){2, 32, 0},
                   PROACT_EFAULT,
                   "kernel 'k', t.ptx:12, CTA (0,0,0), thread (31,0,0): writes 8 bytes "
                   "outside of every array: that is byte 4092 of array 'out', which has "
                   "4096");
    expect_failure("st.global.u32 [%rd1+-8], %r1;", warps, PROACT_EFAULT,
                   "kernel 'k', t.ptx:12, CTA (0,0,0), thread (0,0,0): writes 4 bytes "
                   "outside of every array: that is 8 bytes before array 'out'");
    expect_failure("mov.u32 %r6, 0; L: xor.b32 %r6, %r6, 4; cvt.u64.u32 %rd6, %r6;\n"
                   "add.s64 %rd6, %rd1, %rd6; st.global.u32 [%rd6], %r1;\n"
                   "setp.eq.u32 %p1, %r1, 3; @%p1 bra L;",
                   warps, PROACT_EFAULT,
                   "kernel 'k', t.ptx: where CTA 0 writes is not known after 100000 "
                   "instructions");
    expect_failure(
        "", (struct shape){1, 2000, 0}, PROACT_EINVAL,
        "kernel 'k': a grid of 1 CTAs of 2000 threads is too large, CTAs may have "
        "1024");
    /* out-of-object stores that a removed guard may have prevented */
    expect_ranges("ld.global.u32 %r6, [%rd4]; setp.ne.s32 %p1, %r6, 0;\n"
                  "@%p1 st.global.v2.u32 [%rd3+3968], {%r1, %r1};",
                  (struct shape){2, 32, 0}, false, "3968+128");
}

static void variables_follow_the_arrays(void **state)
{
    struct cut c =
        must_cut(".global .align 8 .b8 v[64];\n.const .align 4 .u32 c[2] = {8, 16};\n"
                 ".global .u32 unused;\n",
                 "mov.u64 %rd6, v; cvta.global.u64 %rd6, %rd6;\n"
                 "red.add.u64 [%rd6+24], 1;",
                 NULL);
    struct write_set *w = NULL;
    struct text got = {0};

    (void)state;
    assert_int_equal(run_shape(&c, warps, &w, &c.err), PROACT_OK);
    assert_int_equal(w->array_count, 2);
    assert_int_equal(w->arrays[0].runs.count, 0);
    print_ranges(&w->arrays[1], 0, &got);
    assert_string_equal(got.data, "24+8");
    assert_string_equal(w->arrays[1].name, "v");
    assert_true(w->arrays[1].is_variable);
    assert_true(w->arrays[1].is_atomic);
    text_clear(&got);
    write_set_destroy(w);
    write_set_slice_destroy(c.slice);
}

/* Line of the first atomic, or of the first store, from closed forms and from the slice. */
static void the_line_of_an_atomic_is_reported(void **state)
{
    static const struct {
        const char *body;
        uint32_t site;
        bool is_closed;
    } cases[] = {
        {"st.global.u32 [%rd3+4], 0;\nred.global.add.u32 [%rd3], 1;\n"
         "red.global.add.u32 [%rd3+4], 1;",
         1, true},
        {"xor.b32 %r6, %r2, 5; mul.wide.u32 %rd5, %r6, 4; add.s64 %rd5, %rd1, %rd5;\n"
         "st.global.u32 [%rd5+4], 0;\nred.global.add.u32 [%rd5], 1;\n"
         "red.global.add.u32 [%rd5+4], 1;",
         1, false},
        {"st.global.u32 [%rd3+4], 0;\nst.global.u32 [%rd3], 1;", 0, true}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cut c = must_cut("", cases[i].body, NULL);
        struct write_set_slice_info info = write_set_slice_info(c.slice);
        struct write_set *w = NULL;

        assert_int_equal(run_shape(&c, warps, &w, &c.err), PROACT_OK);
        assert_int_equal(w->ctas_run == 0, cases[i].is_closed);
        assert_true(info.site_count > 1 && info.sites[0].line < info.sites[1].line);
        assert_int_equal(w->arrays[0].line, info.sites[cases[i].site].line);
        write_set_destroy(w);
        write_set_slice_destroy(c.slice);
    }
}

static void constants_are_read_if_they_are_known(void **state)
{
    static const char *const before = ".const .align 4 .u32 c[2] = {8, 16};\n",
                             *const body =
                                 "ld.const.u32 %r6, [c+4];\ncvt.u64.u32 %rd6, %r6;\n"
                                 "add.s64 %rd6, %rd1, %rd6; st.global.u32 [%rd6], 0;";
    static const struct write_set_options known = {.constants_known = true};
    static const uint32_t now[2] = {100, 200};
    static const struct write_set_constant constants[] = {{"c", now, sizeof now},
                                                          {"d", now, sizeof now}};
    struct cut c = must_cut(before, body, &known);
    struct write_set_array out = {"out", (uint64_t)1 << 40, 4096};
    struct block b = {.out = out.address};
    struct write_set_launch l = {.parameters = &b,
                                 .parameter_bytes = 20,
                                 .arrays = &out,
                                 .array_count = 1,
                                 .constants = constants,
                                 .constant_count = 0};

    (void)state;
    expect_refusal(before, body,
                   "kernel 'k', t.ptx:15: where it writes depends on what line 13 reads");
    assert_true(write_set_slice_info(c.slice).reads_constants);
    for (; l.constant_count < 3; l.constant_count += 2) {
        struct write_set *w = NULL;

        assert_int_equal(write_set_run(c.slice, &l, &w, &c.err), PROACT_OK);
        assert_int_equal(w->array_count, 1);
        assert_int_equal(w->arrays[0].runs.rows[0].first, l.constant_count ? 200 : 16);
        write_set_destroy(w);
    }
    write_set_slice_destroy(c.slice);
}

/* Rows of c[0] words from word c[1] on. Closed forms and the slice give the same set. */
static void constants_have_forms(void **state)
{
    static const char *const before = ".const .align 4 .u32 c[2] = {64, 0};\n",
                             *const body =
                                 "ld.const.v2.u32 {%r6, %r7}, [c];\n"
                                 "mad.lo.s32 %r7, %r3, %r6, %r7; add.s32 %r7, %r7, %r5;\n"
                                 "setp.ge.s32 %p1, %r5, %r6; @%p1 bra END;\n"
                                 "mul.wide.s32 %rd6, %r7, 4; add.s64 %rd6, %rd1, %rd6;\n"
                                 "st.global.u32 [%rd6], 0; END:";
    static const struct write_set_options known = {.constants_known = true};
    struct cut c = must_cut(before, body, &known);
    struct write_set_array out = {"out", (uint64_t)1 << 40, 1 << 20};
    struct block b = {.out = out.address};
    struct write_set_cache cache = {0};

    (void)state;
    for (int32_t n = 0; n < 12; n++) {
        int32_t now[2] = {10 + 7 * (n % 6), n % 3};
        const struct write_set_constant constants[] = {{"d", &n, sizeof n},
                                                       {"c", now, sizeof now}};
        struct write_set_launch l = {.grid = {5, 1, 1},
                                     .block = {32, 1, 1},
                                     .parameters = &b,
                                     .parameter_bytes = 20,
                                     .arrays = &out,
                                     .array_count = 1,
                                     .constants = constants,
                                     .constant_count = 2};
        const struct write_set *kept;
        struct write_set *w = NULL;

        assert_int_equal(write_set_cached(&cache, c.slice, &l, &kept, &c.err), PROACT_OK);
        assert_true(!kept->ctas_run && kept->is_exact);
        struct cta_runs_walk walk = cta_runs_walk(&kept->arrays[0].runs, 1, 2);
        struct span of_second;

        assert_true(cta_runs_span(&walk, &of_second));
        assert_int_equal(of_second.first, 4 * (now[0] + now[1]));
        assert_int_equal(of_second.end - of_second.first, 4 * (now[0] < 32 ? now[0] : 32));
        l.is_sliced = true;
        assert_int_equal(write_set_run(c.slice, &l, &w, &c.err), PROACT_OK);
        assert_int_equal(w->digest, kept->digest);
        write_set_destroy(w);
    }
    assert_int_equal(cache.misses, 6); /* one for each content of c */
    assert_int_equal(cache.hits, 6);
    write_set_cache_clear(&cache);
    write_set_slice_destroy(c.slice);
}

static void a_slice_over_the_limit_is_refused_once(void **state)
{
    struct cut c = must_cut("",
                            "xor.b32 %r6, %r5, %r3; mul.wide.s32 %rd6, %r6, 4;\n"
                            "add.s64 %rd6, %rd1, %rd6; st.global.u32 [%rd6], 0;",
                            NULL);
    struct write_set_array out = {"out", (uint64_t)1 << 40, 4096};
    struct block b = {.out = out.address};
    struct write_set_cache cache = {0};
    struct write_set_launch l = {.grid = {400, 1, 1},
                                 .block = {32, 1, 1},
                                 .parameters = &b,
                                 .parameter_bytes = 20,
                                 .arrays = &out,
                                 .array_count = 1};
    const struct write_set *w = NULL;
    struct write_set *all = NULL;

    (void)state;
    assert_int_equal(write_set_run(c.slice, &l, &all, &c.err), PROACT_OK);
    assert_false(!all->ctas_run);
    assert_true(all->work >= all->lanes + (uint64_t)64 * 400);
    for (l.threads = 1; l.threads < 4; l.threads++) {
        l.work_most = l.threads < 3 ? all->work - 1 : all->work; /* not part of the key */
        assert_int_equal(write_set_cached(&cache, c.slice, &l, &w, &c.err),
                         PROACT_EREFUSED);
        assert_string_equal(
            c.err.text, "kernel 'k', t.ptx:13: where it writes is found only thread by "
                        "thread (a store mixes the thread index with the CTA index or a "
                        "loop counter), which takes too long");
    }
    assert_int_equal(cache.hits, 2);
    write_set_cache_clear(&cache);
    assert_int_equal(write_set_cached(&cache, c.slice, &l, &w, &c.err), PROACT_OK);
    assert_int_equal(w->digest, all->digest);
    write_set_cache_clear(&cache);
    write_set_destroy(all);
    write_set_slice_destroy(c.slice);
}

static void overlapping_partitions_are_named(void **state)
{
    static const uint32_t parts[] = {0, 2, 4}, late[] = {0, 3, 4}, wrong[] = {0, 5};
    /* CTA i writes words 32 i to 32 i + 31; the last CTA writes the words from 64 on */
    struct cut c = must_cut("",
                            "setp.eq.u32 %p1, %r3, 3; @%p1 add.s64 %rd3, %rd3, -128;\n"
                            "st.global.u32 [%rd3], 0;",
                            NULL);
    struct write_set *w = NULL;

    (void)state;
    assert_int_equal(run_shape(&c, (struct shape){4, 32, 0}, &w, &c.err), PROACT_OK);
    assert_int_equal(write_set_overlap(w, parts, 2, &c.err), PROACT_OK);
    assert_int_equal(write_set_overlap(w, late, 2, &c.err), PROACT_EREFUSED);
    assert_string_equal(c.err.text,
                        "CTAs 2 and 3 are in different partitions of the grid, and both "
                        "write byte 256 of array 'out'");
    assert_int_equal(write_set_overlap(w, wrong, 1, &c.err), PROACT_EINVAL);
    /* the same query gives the same answer without another count */
    assert_int_equal(w->parted->counted, 2);
    c.err.text[0] = '\0';
    assert_int_equal(write_set_overlap(w, late, 2, &c.err), PROACT_EREFUSED);
    assert_int_equal(c.err.text[0], 'C');
    assert_int_equal(w->parted->counted, 2);
    assert_int_equal(write_set_overlap(w, late, 1, &c.err), PROACT_OK); /* only one */
    write_set_destroy(w);
    write_set_slice_destroy(c.slice);
    /* interleaved partitions that share one byte */
    c = must_cut("",
                 "shl.b32 %r6, %r5, 2; add.s32 %r6, %r6, %r3; mul.wide.u32 %rd6, %r6, 4;\n"
                 "add.s64 %rd6, %rd1, %rd6; st.global.u32 [%rd6], 0;\n"
                 "setp.eq.u32 %p1, %r2, 96; @%p1 st.global.b8 [%rd1+107], 0;",
                 NULL);
    assert_int_equal(run_shape(&c, (struct shape){4, 32, 0}, &w, &c.err), PROACT_OK);
    assert_int_equal(write_set_overlap(w, parts, 2, &c.err), PROACT_OK); /* CTA 2's word */
    assert_int_equal(write_set_overlap(w, late, 2, &c.err), PROACT_EREFUSED);
    assert_string_equal(c.err.text,
                        "CTAs 2 and 3 are in different partitions of the grid, and both "
                        "write byte 107 of array 'out'");
    write_set_destroy(w);
    write_set_slice_destroy(c.slice);
}

static const struct write_set *cached_write_set(struct write_set_cache *cache,
                                                const struct cut *c, uint32_t n,
                                                uint32_t ctas)
{
    static const struct write_set_array arrays[] = {{"out", 0, WORDS * 4}};
    static const struct write_set_pointer pointers[] = {{0, 0, 0}};
    struct block b = {.n = n};
    struct write_set_launch l = {.grid = {ctas},
                                 .block = {32},
                                 .parameters = &b,
                                 .parameter_bytes = 20,
                                 .arrays = arrays,
                                 .array_count = 1,
                                 .pointers = pointers,
                                 .pointer_count = 1};
    const struct write_set *w = NULL;
    struct proact_error err;

    if (write_set_cached(cache, c->slice, &l, &w, &err))
        fail_msg("%s", err.text);
    return w;
}

static void parameters_that_the_slice_ignores_are_not_part_of_the_key(void **state)
{
    struct cut c =
        must_cut("", "ld.global.u32 %r6, [%rd4]; st.global.u32 [%rd3], %r6;", NULL);
    struct cut all = must_cut("",
                              "mov.b64 %rd6, n; ld.param.u32 %r6, [%rd6];\n"
                              "setp.lt.u32 %p1, %r2, %r6; @%p1 st.global.u32 [%rd3], 0;",
                              NULL);
    struct write_set_cache cache = {.capacity = 4};

    (void)state;
    assert_ptr_equal(cached_write_set(&cache, &c, 1, 2),
                     cached_write_set(&cache, &c, 2, 2));
    assert_int_equal(cache.hits, 1);
    assert_int_equal(cached_write_set(&cache, &all, 7, 1)->arrays[0].bytes, 28);
    assert_int_equal(cached_write_set(&cache, &all, 8, 1)->arrays[0].bytes, 32);
    assert_int_equal(cache.misses, 3);
    write_set_cache_clear(&cache);
    write_set_slice_destroy(all.slice);
    write_set_slice_destroy(c.slice);
}

static void the_cache_evicts_the_least_recently_used_entry(void **state)
{
    struct cut c =
        must_cut("", "setp.lt.u32 %p1, %r2, %r1; @%p1 st.global.u32 [%rd3], 0;", NULL);
    struct write_set_cache cache = {.capacity = 2};

    (void)state;
    const struct write_set *w = cached_write_set(&cache, &c, 64, 3);

    assert_int_equal(w->arrays[0].bytes, 256);
    assert_ptr_equal(cached_write_set(&cache, &c, 64, 3), w);
    assert_int_equal(cached_write_set(&cache, &c, 65, 3)->arrays[0].bytes, 260);
    assert_ptr_equal(cached_write_set(&cache, &c, 64, 3), w);
    assert_int_equal(cache.misses, 2);
    assert_int_equal(cache.hits, 2);
    assert_int_equal(cached_write_set(&cache, &c, 65, 2)->arrays[0].bytes,
                     256); /* replaces the entry of 65, 3 */
    assert_ptr_equal(cached_write_set(&cache, &c, 64, 3), w);
    assert_int_equal(cached_write_set(&cache, &c, 65, 3)->arrays[0].bytes, 260);
    assert_int_equal(cache.misses, 4);
    write_set_cache_clear(&cache);
    assert_int_equal(cache.count, 0);
    write_set_slice_destroy(c.slice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_sorted_and_joined),
        cmocka_unit_test(every_cta_has_its_ranges),
        cmocka_unit_test(threads_make_no_difference),
        cmocka_unit_test(the_size_of_shared_memory_is_known),
        cmocka_unit_test(nothing_is_written_of_an_array),
        cmocka_unit_test(stores_outside_are_named),
        cmocka_unit_test(variables_follow_the_arrays),
        cmocka_unit_test(the_line_of_an_atomic_is_reported),
        cmocka_unit_test(constants_are_read_if_they_are_known),
        cmocka_unit_test(constants_have_forms),
        cmocka_unit_test(a_slice_over_the_limit_is_refused_once),
        cmocka_unit_test(overlapping_partitions_are_named),
        cmocka_unit_test(parameters_that_the_slice_ignores_are_not_part_of_the_key),
        cmocka_unit_test(the_cache_evicts_the_least_recently_used_entry),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
