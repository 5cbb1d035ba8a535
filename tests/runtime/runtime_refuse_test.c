/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that the C API refuses, with the message of each. */
#include "runtime/runtime_testing.h"

#include <proact/program.h>

static const struct proact_options two = {.machine = "v100x4", .device_count = 2};

static enum proact_status open_with(struct bench *b, struct proact_options o)
{
    return proact_open(&o, &b->p, &b->err);
}

static void sessions(void **state)
{
    struct bench b = {0};

    (void)state;
    REFUSED(open_with(&b, (struct proact_options){.machine = "nowhere"}), PROACT_EINVAL,
            "nowhere");
    REFUSED(open_with(&b, (struct proact_options){.device_count = 5}), PROACT_EINVAL, "5");
    REFUSED(open_with(&b, (struct proact_options){.plan = {.method = "magic"}}),
            PROACT_EINVAL,
            "unknown method 'magic': known are bulk, bulk-serial, inline, fused, polling, "
            "dynamic, copy-engine, relay, hardware");
    assert_null(b.p); /* set only on success */
    proact_close(NULL);
}

static void plans(void **state)
{
    struct bench b = testing_open(&two);

    (void)state;
    REFUSED(proact_plan_set(b.p, &(struct proact_plan){.chunk_bytes = 5000}, &b.err),
            PROACT_EINVAL, "chunk of 5000 bytes: a power of two from 4096 to 268435456");
    REFUSED(proact_plan_set(b.p, &(struct proact_plan){.chunk_bytes = 2048}, &b.err),
            PROACT_EINVAL, "chunk of 2048 bytes");
    REFUSED(
        proact_plan_set(b.p, &(struct proact_plan){.chunk_bytes = 512ull << 20}, &b.err),
        PROACT_EINVAL, "chunk of 536870912 bytes");
    REFUSED(proact_plan_set(b.p, &(struct proact_plan){.transfer_threads = 33}, &b.err),
            PROACT_EINVAL, "33 transfer threads: a multiple of 32 from 32 to 40960");
    REFUSED(proact_plan_set(b.p, &(struct proact_plan){.transfer_threads = 40992}, &b.err),
            PROACT_EINVAL, "40992 transfer threads");
    REFUSED(proact_limit_set(b.p, (enum proact_limit)7, 1, &b.err), PROACT_EINVAL,
            "no limit 7");
    assert_int_equal(testing_fill(&b, 3), 0); /* the plan is unchanged */
    testing_holds(&b, b.out, 3);
    assert_null(proact_method_summary("magic"));
    for (const char *const *m = proact_method_names(); *m; m++)
        assert_non_null(proact_method_summary(*m));
    proact_close(b.p);
}

static void arrays(void **state)
{
    struct bench b = testing_open(&two);
    struct proact_array *a = NULL;
    uint32_t word = 0;
    struct proact_statistics s;

    (void)state;
    REFUSED(proact_array_create(b.p, &(struct proact_shape){"none", 0, 4}, &a, &b.err),
            PROACT_EINVAL, "array 'none': 0 elements of 4 bytes");
    REFUSED(
        proact_array_create(b.p, &(struct proact_shape){"huge", SIZE_MAX, 2}, &a, &b.err),
        PROACT_EINVAL, "array 'huge'");
    REFUSED(proact_array_create(b.p, &(struct proact_shape){"big", (size_t)1 << 50, 1}, &a,
                                &b.err),
            PROACT_ENOSPACE, "1125899906842624");
    assert_null(a);
    REFUSED(proact_array_write(b.out, N, &word, 1, &b.err), PROACT_EINVAL,
            "array 'out': elements 5000 to 5001 requested, it has 5000");
    REFUSED(proact_array_read(b.out, N - 1, &word, 2, &b.err), PROACT_EINVAL,
            "array 'out': elements 4999 to 5001 requested, it has 5000");
    REFUSED(proact_array_read(b.out, 2, &word, SIZE_MAX, &b.err), PROACT_EINVAL,
            "array 'out': 18446744073709551615 elements from element 2 requested, it has "
            "5000");
    REFUSED(proact_array_read_replica(b.out, 2, 0, &word, 1, &b.err), PROACT_EINVAL,
            "array 'out': replica of device 2, there are 2 devices");
    REFUSED(proact_statistics_get(b.p, 2, NULL, &s, &b.err), PROACT_EINVAL,
            "statistics of device 2, there are 2 devices");
    proact_array_destroy(NULL);
    proact_close(b.p);
}

static void kernels_and_maps(void **state)
{
    struct bench b = testing_open(&two);
    struct proact_kernel *k = NULL;
    struct proact_image junk = {.name = "junk.ptx", .text = "this is no PTX"};
    struct proact_map map = {.kind = PROACT_MAP_STENCIL, .range_bytes = 4};
    uint32_t first[] = {1, 0};
    struct proact_range range = {0, 4};

    (void)state;
    REFUSED(proact_kernel_load(b.p, &junk, "fill", &k, &b.err), PROACT_EINVAL, "junk.ptx");
    junk = (struct proact_image){.name = "t.ptx", .text = testing_ptx()};
    REFUSED(proact_kernel_load(b.p, &junk, "absent", &k, &b.err), PROACT_EINVAL,
            "t.ptx: no kernel is named 'absent'");
    free((void *)(uintptr_t)junk.text);
    REFUSED(proact_kernel_map(b.fill, 3, &testing_map, &b.err), PROACT_EINVAL,
            "kernel 'fill': map for argument 3, it takes 3");
    REFUSED(proact_kernel_map(b.fill, 0, &map, &b.err), PROACT_EINVAL,
            "the stencil map has 0 rows of 0 bytes");
    map = (struct proact_map){.kind = PROACT_MAP_CONTIGUOUS};
    REFUSED(proact_kernel_map(b.fill, 0, &map, &b.err), PROACT_EINVAL, "range_bytes is 0");
    map = (struct proact_map){.kind = PROACT_MAP_CALLBACK};
    REFUSED(proact_kernel_map(b.fill, 0, &map, &b.err), PROACT_EINVAL, "callback is NULL");
    map = (struct proact_map){.kind = PROACT_MAP_TABLE};
    REFUSED(proact_kernel_map(b.fill, 0, &map, &b.err), PROACT_EINVAL, "`range_offsets`");
    map = (struct proact_map){
        .kind = PROACT_MAP_TABLE, .range_offsets = first, .ranges = &range, .cta_count = 1};
    REFUSED(proact_kernel_map(b.fill, 0, &map, &b.err), PROACT_EINVAL,
            "gives CTA 0 ranges 1 to 0");
    assert_int_equal(testing_fill(&b, 2), 0); /* the map is unchanged */
    testing_holds(&b, b.out, 2);
    first[0] = 0;
    assert_int_equal(proact_kernel_map(b.fill, 0, &map, &b.err), 0);
    REFUSED(testing_fill(&b, 2), PROACT_EINVAL, "a table of 1 CTAs, the grid has 79");
    map = (struct proact_map){.kind = PROACT_MAP_CONTIGUOUS, .range_bytes = N * 4};
    assert_int_equal(proact_kernel_map(b.fill, 0, &map, &b.err), 0);
    map = (struct proact_map){
        .kind = PROACT_MAP_STRIDED, .range_bytes = 300, .cta_stride_bytes = THREADS * 4};
    assert_int_equal(proact_kernel_map(b.fill, 0, &map, &b.err), 0);
    REFUSED(testing_fill(&b, 2), PROACT_EINVAL, "array 'out': its map gives byte");
    proact_kernel_destroy(NULL);
    proact_close(b.p);
}

static void launches(void **state)
{
    struct bench b = testing_open(&two), other = testing_open(&two);
    unsigned n = N;
    struct proact_arg args[] = {PROACT_ARRAY(b.out), PROACT_VALUE(n), PROACT_VALUE(n)};
    struct proact_grid grid = {.ctas = {CTAS}, .threads = {THREADS}};
    const struct proact_grid large = {.ctas = {65536, 65536}}, fat = {.threads = {1024, 2}},
                             wide = {.device_count = 3};
    const uint64_t eight = 8;

    (void)state;
    REFUSED(proact_launch(b.fill, &grid, args, 2, &b.err), PROACT_EINVAL,
            "kernel 'fill': 2 arguments given, it takes 3 before its partition");
    REFUSED(proact_launch(b.fill, &large, args, 3, &b.err), PROACT_EINVAL,
            "a grid of 65536 x 65536 x 1 CTAs");
    REFUSED(proact_launch(b.fill, &fat, args, 3, &b.err), PROACT_EINVAL,
            "1024 x 2 x 1 threads a CTA, 1024 possible");
    REFUSED(proact_launch(b.fill, &wide, args, 3, &b.err), PROACT_EINVAL,
            "split over 3 devices, there are 2");
    args[2] = PROACT_VALUE(eight);
    REFUSED(proact_launch(b.fill, &grid, args, 3, &b.err), PROACT_EINVAL,
            "argument 2 has 8 bytes, its parameter 4");
    args[2] = (struct proact_arg){0};
    REFUSED(proact_launch(b.fill, &grid, args, 3, &b.err), PROACT_EINVAL,
            "argument 2 is empty");
    args[2] = (struct proact_arg){.array = b.out, .value = &n, .bytes = sizeof n};
    REFUSED(proact_launch(b.fill, &grid, args, 3, &b.err), PROACT_EINVAL,
            "argument 2 is an array and a value of 4 bytes, too few for its address");
    args[2] = PROACT_VALUE(n);
    args[0] = PROACT_VALUE(eight);
    REFUSED(proact_launch(b.fill, &grid, args, 3, &b.err), PROACT_EINVAL,
            "argument 0 has a map and must be an array");
    args[0] = PROACT_ARRAY(other.out);
    REFUSED(proact_launch(b.fill, &grid, args, 3, &b.err), PROACT_EINVAL,
            "argument 0 is an array of another session");
    proact_close(other.p);
    assert_int_equal(testing_fill(&b, 4), 0);
    testing_holds(&b, b.out, 4);
    proact_close(b.p);
}

static void blocks(void **state)
{
    struct bench b = testing_open(&two), other = testing_open(&two);
    struct proact_kernel *k = testing_kernel(&b, "places");
    const struct proact_grid grid = {.ctas = {CTAS}, .threads = {THREADS}};
    const unsigned char bytes[16] = {0};
    const struct {
        size_t size;
        struct proact_relocation relocation;
        const char *message;
    } cases[] = {
        {15, {0, b.out, 0}, "a parameter buffer of 15 bytes, its parameters have 16"},
        {16, {9, b.out, 0}, "the relocation at byte 9 is outside the 16 bytes"},
        {16, {UINT32_MAX, b.out, 0}, "the relocation at byte 4294967295 is outside"},
        {16, {0, other.out, 0}, "or its array belongs to another session"},
        {16, {0, NULL, 0}, "the relocation at byte 0 names no array"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct proact_parameter_buffer block = {bytes, cases[i].size,
                                                      &cases[i].relocation, 1};

        REFUSED(proact_launch_buffer(k, &grid, &block, &b.err), PROACT_EINVAL,
                cases[i].message);
    }
    proact_close(other.p);
    proact_close(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sessions), cmocka_unit_test(plans),
        cmocka_unit_test(arrays),   cmocka_unit_test(kernels_and_maps),
        cmocka_unit_test(launches), cmocka_unit_test(blocks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
