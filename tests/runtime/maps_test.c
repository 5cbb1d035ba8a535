/* SPDX-License-Identifier: Apache-2.0 */
/* Maps of a plain kernel whose CTAs each write some columns of a table: maps larger than
   the array, and maps smaller than the kernel's writes. */
#include "runtime_testing.h"

#include "base/random.h"
#include "runtime/objects/runtime_map.h"

enum { COLUMNS = 8, WIDTH = 10 * COLUMNS, ROWS = 50, BYTES = COLUMNS * 4 };

struct table {
    struct bench b;
    struct proact_kernel *columns;
};

static struct table table_open(const struct proact_map *map)
{
    static const struct proact_options options = {.machine = "h200x4"};
    struct table t = {.b = testing_open(&options)};

    t.columns = testing_kernel(&t.b, "columns");
    if (proact_kernel_map(t.columns, 0, map, &t.b.err))
        fail_msg("%s", t.b.err.text);
    return t;
}

static enum proact_status launch(struct table *t)
{
    const unsigned width = WIDTH, rows = ROWS;
    const struct proact_grid grid = {.ctas = {WIDTH / COLUMNS}, .threads = {COLUMNS}};

    return proact_launch(t->columns, &grid,
                         (struct proact_arg[]){PROACT_ARRAY(t->b.out), PROACT_VALUE(width),
                                               PROACT_VALUE(rows)},
                         3, &t->b.err);
}

static void check(struct table *t)
{
    static uint32_t is[WIDTH * ROWS];

    if (launch(t))
        fail_msg("%s", t->b.err.text);
    assert_null(proact_kernel_refusal(t->columns));
    for (unsigned d = 0; d < 4; d++) {
        assert_int_equal(proact_array_read_replica(t->b.out, d, 0, is, WIDTH * ROWS, NULL),
                         0);
        for (unsigned i = 0; i < WIDTH * ROWS; i++)
            assert_int_equal(is[i], i + 1);
    }
    proact_close(t->b.p);
}

/* The numbers of ranges and rows exceed anything that could be enumerated. */
static void huge_maps_end_with_the_array(void **state)
{
    static const struct proact_map maps[] = {{.kind = PROACT_MAP_STRIDED,
                                              .range_bytes = BYTES,
                                              .range_count = UINT64_MAX,
                                              .stride_bytes = WIDTH * 4,
                                              .cta_stride_bytes = BYTES},
                                             {.kind = PROACT_MAP_STENCIL,
                                              .range_bytes = BYTES,
                                              .stride_bytes = WIDTH * 4,
                                              .rows_per_cta = UINT64_MAX}};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct table t = table_open(&maps[i]);

        check(&t);
    }
}

/* Ranges with a stride of 0 are one range. */
static void ranges_with_stride_zero_are_one(void **state)
{
    static const struct proact_map map = {.kind = PROACT_MAP_STRIDED,
                                          .range_bytes = BYTES,
                                          .range_count = UINT64_MAX,
                                          .cta_stride_bytes = BYTES};
    struct table t = table_open(&map);
    struct bench b;

    (void)state;
    const enum proact_status status = launch(&t);

    b = t.b;
    REFUSED(status, PROACT_EINVAL,
            "kernel 'columns': CTA 0 writes byte 320 of array 'out', which is not in the "
            "map of argument 0");
    proact_close(b.p);
}

static void a_map_that_is_too_small_is_refused(void **state)
{
    const struct proact_map map = {.kind = PROACT_MAP_STRIDED,
                                   .range_bytes = BYTES - 4,
                                   .range_count = ROWS,
                                   .stride_bytes = WIDTH * 4,
                                   .cta_stride_bytes = BYTES};
    struct table t = table_open(&map);
    struct bench b;

    (void)state;
    const enum proact_status status = launch(&t);

    b = t.b;
    REFUSED(status, PROACT_EINVAL,
            "kernel 'columns': CTA 0 writes byte 28 of array 'out', which is not in the "
            "map of argument 0");
    proact_close(b.p);
}

/* A map is the only knowledge about indirect stores. Check mode finds the bytes that it
   misses. */
static void an_opaque_map_is_checked(void **state)
{
    static const struct proact_options options = {.machine = "h200x4", .check = true};
    const unsigned n = N;

    (void)state;
    for (unsigned backwards = 0; backwards < 2; backwards++) {
        struct bench b = testing_open(&options);
        struct proact_kernel *k = testing_kernel(&b, "scatters");
        struct proact_array *where = testing_array(&b, "where");
        static unsigned relocations[N];

        for (unsigned i = 0; i < N; i++)
            relocations[i] = backwards ? N - 1 - i : i;
        assert_int_equal(proact_array_write(where, 0, relocations, N, &b.err), PROACT_OK);
        assert_int_equal(proact_kernel_map(k, 0, &testing_map, &b.err), PROACT_OK);
        const struct proact_arg args[] = {PROACT_ARRAY(b.out), PROACT_ARRAY(where),
                                          PROACT_VALUE(n)};

        assert_int_equal(
            proact_launch(k, &(struct proact_grid){.ctas = {CTAS}, .threads = {THREADS}},
                          args, 3, &b.err),
            PROACT_OK);
        assert_null(proact_kernel_refusal(k));
        if (backwards)
            REFUSED(proact_wait(b.p, &b.err), PROACT_EFAULT, "of array 'out' on device");
        else
            assert_int_equal(proact_wait(b.p, &b.err), PROACT_OK);
        proact_close(b.p);
    }
}

/* Halves that overlap, in descending order. */
static void halves(void *context, const uint32_t grid[3], const uint32_t cta[3],
                   proact_emit_range *emit, void *sink)
{
    unsigned *calls = context;

    (void)grid;
    ++*calls;
    for (unsigned y = ROWS; y-- > 0;) {
        const uint64_t first = y * WIDTH * 4 + cta[0] * BYTES;

        emit(sink, first + BYTES / 4, BYTES * 3 / 4);
        emit(sink, first, BYTES / 2);
    }
}

/* emit_ranges() is called a few times per CTA, not once per range. */
static void a_cta_is_queried_a_few_times(void **state)
{
    unsigned calls = 0;
    const struct proact_map map = {
        .kind = PROACT_MAP_CALLBACK, .emit_ranges = halves, .context = &calls};
    struct table t = table_open(&map);

    (void)state;
    check(&t);
    assert_in_range(calls, WIDTH / COLUMNS, 10 * WIDTH / COLUMNS);
}

enum { SMALL = 600 };
static const uint32_t small_grid[3] = {5, 3, 1};

/* Evaluates the map byte by byte, as the header defines it. */
static bool is_of(const struct proact_map *m, uint32_t cta, uint64_t byte)
{
    const uint64_t x = cta % small_grid[0] * m->range_bytes,
                   y = cta / small_grid[0] * m->rows_per_cta,
                   from = byte - m->offset_bytes - cta * m->cta_stride_bytes;
    bool is = false;

    if (byte < m->offset_bytes)
        return false;
    if (m->kind == PROACT_MAP_STENCIL) {
        const uint64_t row = (byte - m->offset_bytes) / m->stride_bytes,
                       column = (byte - m->offset_bytes) % m->stride_bytes;

        return row - y < m->rows_per_cta && column - x < m->range_bytes;
    }
    for (uint64_t j = 0; j < m->range_count; j++)
        is |= from - j * m->stride_bytes < m->range_bytes;
    return is;
}

static void any_map_equals_counting(void **state)
{
    uint64_t r = 3;

    (void)state;
    for (unsigned i = 0; i < 2000; i++) {
        const struct proact_map map = {.kind =
                                           i % 2 ? PROACT_MAP_STRIDED : PROACT_MAP_STENCIL,
                                       .range_bytes = 1 + random_below(&r, 20),
                                       .range_count = 1 + random_below(&r, 8),
                                       .rows_per_cta = 1 + random_below(&r, 6),
                                       .stride_bytes = 1 + random_below(&r, 60),
                                       .cta_stride_bytes = i % 2 ? random_below(&r, 60) : 0,
                                       .offset_bytes = random_below(&r, 100)};
        const uint32_t cta = (uint32_t)random_below(&r, 15);
        struct map_ranges in = {0};

        map_list(&(struct map_use){&map, small_grid, SMALL}, cta, &in);
        for (uint64_t byte = 0, n = 0; byte < SMALL; byte++) {
            n += n < in.count && byte == in.range[n].first_byte + in.range[n].bytes;
            const bool claimed = n < in.count && byte >= in.range[n].first_byte;

            if (claimed != is_of(&map, cta, byte))
                fail_msg("map %u: CTA %u, byte %u", i, cta, (unsigned)byte);
        }
        free(in.range);
    }
}

/* The sink of a table: every emitted range lies within the array. */
static void within(void *sink, const struct rows *rows)
{
    assert_true(rows->count == 1 || rows->bytes < rows->pitch);
    if (rows->count > 1)
        assert_in_range(rows_end(rows), rows->first + rows->bytes + 1, SMALL);
    *(uint64_t *)sink += rows->count > 1;
}

static void rows_lie_within_the_array(void **state)
{
    uint64_t r = 3, at_once = 0;

    (void)state;
    for (unsigned i = 0; i < 2000; i++) {
        const struct proact_map map = {.kind = PROACT_MAP_STRIDED,
                                       .range_bytes = 1 + random_below(&r, 20),
                                       .range_count = 1 + random_below(&r, 30),
                                       .stride_bytes = 1 + random_below(&r, 60),
                                       .offset_bytes = random_below(&r, 100)};

        map_emit(&(struct map_use){&map, small_grid, SMALL}, 0, within, &at_once);
    }
    assert_in_range(at_once, 200, 1800);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(huge_maps_end_with_the_array),
        cmocka_unit_test(ranges_with_stride_zero_are_one),
        cmocka_unit_test(a_map_that_is_too_small_is_refused),
        cmocka_unit_test(an_opaque_map_is_checked),
        cmocka_unit_test(a_cta_is_queried_a_few_times),
        cmocka_unit_test(any_map_equals_counting),
        cmocka_unit_test(rows_lie_within_the_array),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
