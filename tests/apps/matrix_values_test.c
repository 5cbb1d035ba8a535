/* SPDX-License-Identifier: Apache-2.0 */
/* Values of Matrix Market files: those that the reader keeps, its messages for those that
   it refuses, and the weights of a graph. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "graph/graph.h"
#include "graph/matrix_market.h"

#define GENERAL "%%MatrixMarket matrix coordinate pattern general\n"
#define REAL "%%MatrixMarket matrix coordinate real general\n"

static struct matrix parse(enum matrix_values values, const char *text)
{
    struct matrix m = {0};
    struct proact_error err = {""};

    if (matrix_market_parse("m.mtx", text, strlen(text), values, &m, &err))
        fail_msg("%s", err.text);
    return m;
}

static void keeps_values(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        double value;
    } numbers[] = {
        {"-7", -7},
        {"+3", 3},
        {"1.0D+00", 1},
        {"2.5d1", 25},
        {"1.5-300", 1.5e-300},
        {"1.5+100", 1.5e100},
        {".5", .5},
        {"-.5E1", -5},
        {"4.", 4},
        {"1e-400", 0},
        {"0.1", 0.1},
        {"1e308", 1e308},
        {"0.1000000000000000055511151231257827021181583404541015625D0", 0.1},
    };
    char text[200];

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        snprintf(text, sizeof text, "%s2 3 2\n1 2 %s\r\n2 3 %s", REAL, numbers[i].word,
                 numbers[i].word);
        struct matrix m = parse(MATRIX_F64_VALUES, text);

        assert_int_equal(m.count, 2);
        assert_true(m.value[0] == numbers[i].value && m.value[1] == numbers[i].value);
        matrix_clear(&m);
    }
    struct matrix m = parse(MATRIX_INT32_VALUES,
                            REAL "1 3 3\n1 1 2.0\n1 2 -2147483647\n1 3 2147483647\n");

    assert_int_equal(m.rows, 1);
    assert_int_equal(m.columns, 3);
    assert_true(m.value[0] == 2 && m.value[1] == -INT32_MAX && m.value[2] == INT32_MAX);
    matrix_clear(&m);
}

static void pattern_has_values_of_1(void **state)
{
    (void)state;
    struct matrix m = parse(MATRIX_F32_VALUES, GENERAL "2 2 2\n1 2\n2 1\n");

    assert_true(m.value[0] == 1 && m.value[1] == 1);
    matrix_clear(&m);
    m = parse(MATRIX_NO_VALUES, REAL "2 2 1\n1 2 5\n");
    assert_null(m.value);
    matrix_clear(&m);
}

/* An entry that symmetry implies has the value of its origin, or the negative of it. */
static void mirrors_values(void **state)
{
    (void)state;
    struct matrix m =
        parse(MATRIX_F64_VALUES,
              "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 5\n3 3 9\n");

    assert_int_equal(m.count, 3);
    assert_true(m.value[0] == 5 && m.value[1] == 5 && m.value[2] == 9);
    matrix_clear(&m);
    m = parse(MATRIX_INT32_VALUES, "%%MatrixMarket matrix coordinate integer "
                                   "skew-symmetric\n2 2 1\n2 1 5\n");
    assert_true(m.value[0] == 5 && m.value[1] == -5);
    matrix_clear(&m);
}

static void refuses_values(void **state)
{
    (void)state;
    static const struct {
        enum matrix_values values;
        const char *word, *expected;
    } cases[] = {
        {MATRIX_F64_VALUES, "nan", "a finite number in the range of f64"},
        {MATRIX_F64_VALUES, "-inf", "a finite number in the range of f64"},
        {MATRIX_F64_VALUES, "1E310", "a finite number in the range of f64"},
        {MATRIX_F64_VALUES, "-1D+309", "a finite number in the range of f64"},
        {MATRIX_F64_VALUES, "****", "a finite number in the range of f64"},
        {MATRIX_F64_VALUES, "0x1p-3", "a finite number in the range of f64"},
        {MATRIX_F64_VALUES, "1e", "a finite number in the range of f64"},
        {MATRIX_F64_VALUES, "1,5", "a finite number in the range of f64"},
        {MATRIX_F64_VALUES, "-", "a finite number in the range of f64"},
        {MATRIX_F64_VALUES, ".", "a finite number in the range of f64"},
        {MATRIX_F32_VALUES, "1e39", "a finite number in the range of f32"},
        {MATRIX_F32_VALUES, "NaN", "a finite number in the range of f32"},
        {MATRIX_INT32_VALUES, "1.5", "an integer from -2147483647 to 2147483647"},
        {MATRIX_INT32_VALUES, "2147483648", "an integer from -2147483647 to 2147483647"},
        {MATRIX_INT32_VALUES, "-2147483648", "an integer from -2147483647 to 2147483647"},
        {MATRIX_INT32_VALUES, "Infinity", "an integer from -2147483647 to 2147483647"},
    };
    char text[200], message[200];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct matrix m = {0};
        struct proact_error err = {""};

        snprintf(text, sizeof text, "%s2 2 2\n1 1 1\n1 2 %s\n", REAL, cases[i].word);
        snprintf(message, sizeof message, "m.mtx:4: expected %s, found '%s'",
                 cases[i].expected, cases[i].word);
        assert_int_equal(
            matrix_market_parse("m.mtx", text, strlen(text), cases[i].values, &m, &err),
            PROACT_EINVAL);
        assert_string_equal(err.text, message);
        assert_null(m.value);
    }
}

/* Of duplicates the smallest weight is kept, in any order. */
static void graph_has_weights(void **state)
{
    (void)state;
    struct matrix m =
        parse(MATRIX_INT32_VALUES, REAL "4 4 7\n3 1 4\n1 3 9\n2 3 -5\n2 3 6\n2 2 1\n"
                                        "1 3 7\n4 3 8\n");
    struct graph g = {0};
    static const uint32_t sources[] = {2, 0, 1, 3};
    static const double weights[] = {4, 7, -5, 8};

    assert_int_equal(graph_from_matrix("m.mtx", &m, &g, NULL), PROACT_OK);
    assert_memory_equal(g.source, sources, sizeof sources);
    assert_memory_equal(g.weight, weights, sizeof weights);
    graph_clear(&g);
    matrix_clear(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_values),      cmocka_unit_test(pattern_has_values_of_1),
        cmocka_unit_test(mirrors_values),    cmocka_unit_test(refuses_values),
        cmocka_unit_test(graph_has_weights),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
