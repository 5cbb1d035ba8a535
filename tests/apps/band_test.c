/* SPDX-License-Identifier: Apache-2.0 */
/* Jacobi's method on emulated devices. x equals the reference bit for bit on any number of
   devices with every method, matrix and type. The checker of the emulator is on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "apps/own_folder.h"
#include "band/band.h"

struct where {
    const char *machine, *method;
    unsigned devices;
    uint64_t seed;
};

static struct proact *open_where(const struct where *where)
{
    const struct proact_options how = {
        .machine = where->machine,
        .device_count = where->devices,
        .seed = where->seed,
        .check = true,
        .plan = {.method = where->method, .chunk_bytes = 4096, .transfer_threads = 256}};
    struct proact_error err = {""};
    struct proact *p;

    if (proact_open(&how, &p, &err))
        fail_msg("%s on %u: %s", where->method, where->devices, err.text);
    return p;
}

static struct band_system generate(uint32_t rows, uint32_t half_width, double dominance)
{
    const struct band_shape shape = {rows, half_width, dominance};
    struct band_system s = {0};
    struct proact_error err = {""};

    if (band_generate(&shape, &s, &err))
        fail_msg("%s", err.text);
    return s;
}

static struct band_result expect(const struct band_system *s,
                                 const struct band_options *options)
{
    struct band_result want = {0};
    struct proact_error err = {""};

    if (band_reference(s, options, &want, &err))
        fail_msg("%s", err.text);
    return want;
}

/* Returns the bytes that were sent. */
static uint64_t try_run(const struct band_system *s, const struct band_options *options,
                        const struct where *where, const struct band_result *want)
{
    struct band_result r = {0};
    struct proact_error err = {""};
    struct proact *p = open_where(where);

    if (band_run(p, s, options, &r, &err))
        fail_msg("%s on %u: %s", where->method, where->devices, err.text);
    proact_close(p);
    assert_int_equal(r.iterations, want->iterations);
    assert_int_equal(r.converged, want->converged);
    assert_true(fabs(r.residual - want->residual) <= 1e-9 * want->residual);
    assert_memory_equal(r.x.any, want->x.any, s->rows * (r.type == BAND_F32 ? 4u : 8u));
    uint64_t bytes = r.statistics.bytes;

    band_clear(&r);
    return bytes;
}

static void x_is_the_same_everywhere(void **state)
{
    static const unsigned devices[] = {2, 4, 16};
    struct band_system s = generate(700, 5, 1.1);
    const struct band_options options = {.iterations_max = 20};
    struct band_result want = expect(&s, &options);

    (void)state;
    assert_false(want.converged);
    try_run(&s, &options, &(struct where){"v100x16", "bulk", 1, 1}, &want);
    for (const char *const *method = proact_method_names(); *method; method++)
        for (size_t n = 0; n < sizeof devices / sizeof *devices; n++)
            for (uint64_t seed = 1; seed <= 2; seed++)
                try_run(&s, &options, &(struct where){"v100x16", *method, devices[n], seed},
                        &want);
    band_clear(&want);
    band_system_clear(&s);
}

static const char tridiagonal[] = "%%MatrixMarket matrix coordinate real symmetric\n";

/* A tridiagonal matrix with a long last row, some entries stated twice. */
static void write_matrix(const char *path, unsigned rows)
{
    FILE *file = fopen(path, "w");

    fputs(tridiagonal, file);
    fprintf(file, "%u %u %u\n", rows, rows, 3 * rows - 2);
    for (unsigned i = 1; i <= rows; i++)
        fprintf(file, "%u %u 4\n", i, i);
    for (unsigned i = 1; i < rows; i++)
        fprintf(file, "%u %u -1\n%u %u -.%u\n", i + 1, i, i + 1, i, 1 + i % 7);
    fclose(file);
}

static void types_and_matrices_are_the_same(void **state)
{
    struct band_system systems[2] = {generate(500, 7, 1.3)};

    (void)state;
    write_matrix("band.mtx", 500);
    assert_int_equal(band_read("band.mtx", &systems[1], NULL), PROACT_OK);
    remove("band.mtx");
    for (int type = BAND_F64; type <= BAND_F32; type++)
        for (unsigned i = 0; i < 2; i++) {
            const struct band_options options = {.type = (enum band_type)type,
                                                 .tolerance = 1e-5};
            struct band_result want = expect(&systems[i], &options);

            assert_true(want.converged && want.iterations > 5);
            assert_true(band_error(&systems[i], &want) < 1e-3);
            try_run(&systems[i], &options, &(struct where){"v100x4", "polling", 4, 1},
                    &want);
            try_run(&systems[i], &options, &(struct where){"h200x4", "fused", 3, 2}, &want);
            try_run(&systems[i], &options, &(struct where){"v100x4", "inline", 1, 2},
                    &want);
            band_clear(&want);
        }
    band_system_clear(&systems[0]);
    band_system_clear(&systems[1]);
}

/* One row, a diagonal, and a matrix without zeros. */
static void small_systems(void **state)
{
    static const uint32_t shapes[][2] = {{1, 0}, {40, 0}, {17, 16}, {33, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct band_system s = generate(shapes[i][0], shapes[i][1], 1.5);
        const struct band_options options = {.tolerance = 1e-8};
        struct band_result want = expect(&s, &options);

        assert_true(want.converged);
        try_run(&s, &options, &(struct where){"v100x4", "fused", 4, 1}, &want);
        band_clear(&want);
        band_system_clear(&s);
    }
}

/* Each iteration sends half_width elements at both sides of each boundary, and the sums. */
static void only_boundaries_and_sums_are_sent(void **state)
{
    enum { ROWS = 2048, CTAS = 16, HALF = 9, DEVICES = 4, LAUNCHES = 31 };
    struct band_system s = generate(ROWS, HALF, 1.1);
    const struct band_options options = {.iterations_max = LAUNCHES - 1, .tolerance = -1};
    struct band_result want = expect(&s, &options);
    uint64_t bytes =
        try_run(&s, &options, &(struct where){"v100x4", "fused", DEVICES, 1}, &want);

    (void)state;
    assert_in_range(bytes, 1, LAUNCHES * (DEVICES - 1) * (2 * HALF * 8 + CTAS * 16));
    band_clear(&want);
    band_system_clear(&s);
    write_matrix("band.mtx", ROWS); /* a sparse matrix, too */
    assert_int_equal(band_read("band.mtx", &s, NULL), PROACT_OK);
    remove("band.mtx");
    assert_int_equal(s.half_width, 1);
    want = expect(&s, &options);
    bytes = try_run(&s, &options, &(struct where){"v100x4", "fused", DEVICES, 1}, &want);
    assert_in_range(bytes, 1, LAUNCHES * (DEVICES - 1) * (2 * 8 + CTAS * 16));
    band_clear(&want);
    band_system_clear(&s);
}

static void expect_error(const struct band_system *s, const struct band_options *options,
                         const char *message)
{
    struct band_result r = {.iterations = 77};
    struct proact_error err = {""};
    struct proact *p = open_where(&(struct where){"v100x4", "fused", 2, 1});

    assert_int_equal(band_reference(s, options, &r, &err), PROACT_EINVAL);
    assert_string_equal(err.text, message);
    assert_int_equal(band_run(p, s, options, &r, &err), PROACT_EINVAL);
    assert_string_equal(err.text, message);
    assert_int_equal(r.iterations, 77); /* outputs are written only on success */
    proact_close(p);
}

static void divergence_and_tolerances_are_refused(void **state)
{
    struct band_system s = generate(200, 3, 0.5);
    const struct band_options f64 = {.iterations_max = 500};
    const struct band_options f32 = {.type = BAND_F32, .tolerance = 1e-7};
    struct band_result r = {0};
    struct proact_error err = {""};

    (void)state;
    assert_int_equal(band_reference(&s, &f64, &r, &err), PROACT_EINVAL);
    assert_non_null(strstr(err.text, "diverges: the residual grew in 10 iterations in a "
                                     "row, from "));
    expect_error(&s, &f64, err.text);
    expect_error(&s, &f32,
                 "band: the tolerance is 1e-07, but f32 reaches no residual below 1e-06");
    band_system_clear(&s);
}

static void read_refused(const char *text, const char *message)
{
    FILE *file = fopen("bad.mtx", "w");
    struct band_system s = {.rows = 77};
    struct proact_error err = {""};

    fputs(text, file);
    fclose(file);
    assert_int_equal(band_read("bad.mtx", &s, &err), PROACT_EINVAL);
    assert_string_equal(err.text, message);
    assert_int_equal(s.rows, 77);
    remove("bad.mtx");
}

#define GENERAL "%%MatrixMarket matrix coordinate real general\n"

static void other_matrices_are_refused(void **state)
{
    const struct band_shape wide = {10, 10, 1.1}, flat = {10, 1, 0}, none = {0, 0, 1.1};
    const struct band_shape vast = {1u << 31, 1u << 20, 1.1};
    struct band_system s;
    struct proact_error err;

    (void)state;
    read_refused(GENERAL "3 3 3\n1 1 2\n2 3 1\n3 3 1\n",
                 "bad.mtx: row 2 has a zero on the diagonal");
    read_refused(GENERAL "2 2 4\n1 1 2\n2 2 1\n2 2 -1\n1 2 1\n",
                 "bad.mtx: row 2 has a zero on the diagonal");
    read_refused(GENERAL "2 3 1\n1 1 2\n",
                 "bad.mtx:2: a system needs a square matrix, found 2 rows and 3 columns");
    read_refused(GENERAL "1 1 1\n1 1 nan\n",
                 "bad.mtx:3: expected a finite number in the range of f64, found 'nan'");
    assert_int_equal(band_generate(&wide, &s, &err), PROACT_EINVAL);
    assert_string_equal(err.text,
                        "band: the half-width is 10, expected less than the rows (10)");
    assert_int_equal(band_generate(&flat, &s, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "band: the dominance is 0, expected above 0");
    assert_int_equal(band_generate(&vast, &s, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "band: 2147483648 rows of half-width 1048576 have "
                                  "4503601774854144 entries, the limit is 8589934592");
    assert_int_equal(band_generate(&none, &s, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "band: the rows are 0, expected 1 to 2147483648");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(x_is_the_same_everywhere),
        cmocka_unit_test(types_and_matrices_are_the_same),
        cmocka_unit_test(small_systems),
        cmocka_unit_test(only_boundaries_and_sums_are_sent),
        cmocka_unit_test(divergence_and_tolerances_are_refused),
        cmocka_unit_test(other_matrices_are_refused),
    };

    return cmocka_run_group_tests(tests, own_folder_enter, own_folder_leave);
}
