/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that the Matrix Market reader accepts, and its messages for those that it
   refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "graph/graph.h"
#include "graph/matrix_market.h"
#include "graph/number_scan.h"
#include "graph/plain_text.h"

#define GENERAL "%%MatrixMarket matrix coordinate pattern general\n"
#define REAL "%%MatrixMarket matrix coordinate real general\n"

static struct matrix parse(const char *text)
{
    struct matrix m = {0};
    struct proact_error err = {""};

    if (matrix_market_parse("m.mtx", text, strlen(text), &m, &err))
        fail_msg("%s", err.text);
    return m;
}

static void reads_pattern(void **state)
{
    (void)state;
    struct matrix m =
        parse("%%matrixmarket MATRIX Coordinate Pattern General\r\n% a comment\n"
              "%another\n\n 3\t4 2 \n1 1\r\n\n  3  4\n\n");

    assert_int_equal(m.rows, 3);
    assert_int_equal(m.columns, 4);
    assert_int_equal(m.count, 2);
    assert_null(m.value);
    assert_int_equal(m.entry[1].row, 2);
    assert_int_equal(m.entry[1].column, 3);
    assert_string_equal(m.comment, "% a comment\n%another");
    assert_int_equal(m.sizes_line, 5);
    matrix_clear(&m);
}

static void reads_values(void **state)
{
    (void)state;
    static const char *const fields[] = {"real", "double", "integer"};
    char text[200];

    for (size_t i = 0; i < 3; i++) {
        snprintf(
            text, sizeof text,
            "%%%%MatrixMarket matrix coordinate %s general\n2 2 3\n1 2 -7\n2 1 +3\n2 2 0",
            fields[i]);
        struct matrix m = parse(text);

        assert_true(m.value[0] == -7 && m.value[1] == 3 && m.value[2] == 0);
        matrix_clear(&m);
    }
}

static void unfolds_symmetry(void **state)
{
    (void)state;
    struct matrix m =
        parse("%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 5\n3 3 9\n");

    assert_int_equal(m.count, 3); /* the diagonal occurs once */
    assert_int_equal(m.entry[1].row, 0);
    assert_int_equal(m.entry[1].column, 1);
    assert_true(m.value[1] == 5 && m.value[2] == 9);
    matrix_clear(&m);
    m = parse("%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 5\n");
    assert_true(m.value[0] == 5 && m.value[1] == -5);
    matrix_clear(&m);
}

/* Numbers are equal to those of strtod() bit for bit. */
static void scans_as_strtod(void **state)
{
    (void)state;
    static const char *const texts[] = {"1",      "-1.5",
                                        "+0.1",   ".5",
                                        "5.",     "-0",
                                        "1e3",    "1.7e-9",
                                        "1E+22",  "123456789012345678901234567890",
                                        "4e-7",   "0.0001",
                                        "1e-320", "3.14159265358979323846264338327950288",
                                        "1e308"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double want = strtod(texts[i], NULL), got = 99;

        assert_ptr_equal(scan_real(texts[i], &got), texts[i] + strlen(texts[i]));
        assert_memory_equal(&want, &got, sizeof got);
    }
    for (uint32_t i = 0; i < 20000; i++) {
        char text[40];
        double got;

        snprintf(text, sizeof text, "%.*g", (int)(i % 18 + 1),
                 sin(i) * pow(10, (int)(i % 40) - 20));
        assert_non_null(scan_real(text, &got));
        assert_true(got == strtod(text, NULL));
    }
    static const char *const none[] = {"",    "-",  ".",   "e5",   "nan",
                                       "inf", " 1", "\n1", "1e999"};
    double untouched = 42;

    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_null(scan_real(none[i], &untouched));
    assert_true(untouched == 42);
}

static void each_refusal_has_a_message(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "m.mtx: the file is empty, expected Matrix Market"},
        {"hello\n",
         "m.mtx:1: expected '%%MatrixMarket matrix coordinate ...', found 'hello'"},
        {"%%MatrixMarket tensor\n", "m.mtx:1: expected 'matrix', found 'tensor'"},
        {"%%MatrixMarket matrix array real general\n2 2\n",
         "m.mtx:1: expected 'coordinate' (dense arrays are not supported), "
         "found 'array real "
         "general'"},
        {"%%MatrixMarket matrix coordinate complex general\n",
         "m.mtx:1: expected 'pattern', 'integer', 'real' or 'double', found 'complex "
         "general'"},
        {"%%MatrixMarket matrix coordinate real hermitian\n",
         "m.mtx:1: expected 'general', 'symmetric' or 'skew-symmetric', found 'hermitian'"},
        {GENERAL "% only a comment",
         "m.mtx:2: expected the number of rows, found the end of "
         "the file"},
        {GENERAL "3 3\n1 1\n",
         "m.mtx:2: expected the number of entries, found the end of the "
         "line"},
        {GENERAL "3 3 1 9\n1 1\n", "m.mtx:2: expected exactly three numbers: rows, columns "
                                   "and "
                                   "entries, found '9'"},
        {GENERAL "3 3 2\n1 1\n",
         "m.mtx:4: the file ends after 1 of the 2 entries stated in line 2"},
        {GENERAL "3 3 1\n1 1\n2 2\n",
         "m.mtx:4: expected no more than the 1 entries stated in line 2, found '2 2'"},
        {GENERAL "3 3 1\nx 1\n", "m.mtx:3: expected the row, found 'x 1'"},
        {GENERAL "3 3 1\n1 2x\n", "m.mtx:3: expected the column, found '2x'"},
        {GENERAL "3 3 1\n-1 2\n", "m.mtx:3: expected the row, found '-1 2'"},
        {GENERAL "3 3 1\n1.5 2\n", "m.mtx:3: expected the row, found '1.5 2'"},
        {GENERAL "3 3 1\n4 1\n", "m.mtx:3: the row is 4, expected 1 to 3"},
        {GENERAL "3 3 1\n1 18446744073709551616\n",
         "m.mtx:3: expected the column, found '18446744073709551616'"},
        {GENERAL "3 3 1\n0 1\n",
         "m.mtx:3: the row is 0, but Matrix Market counts from 1 (to 3 here)"},
        {GENERAL "3 3 1\n1 1 1\n",
         "m.mtx:3: expected exactly two numbers: row and column, found '1'"},
        {REAL "3 3 1\n1 1\n", "m.mtx:3: expected a value, found the end of the line"},
        {REAL "3 3 1\n1 1 nan\n", "m.mtx:3: expected a value, found 'nan'"},
        {REAL "3 3 1\n1 1 2 3\n",
         "m.mtx:3: expected exactly three numbers: row, column and value, found '3'"},
        {GENERAL "3 3 1000000\n1 1\n", "m.mtx:2: the number of entries is 1000000, more "
                                       "than the rest of the file can hold (4)"},
        {GENERAL "4000000000 4000000000 1\n1 1\n",
         "m.mtx:2: the number of rows is 4000000000, more than the rest of the file can "
         "hold "
         "(1049024)"},
        {"%%MatrixMarket matrix coordinate real symmetric\n3 4 1\n1 1 1\n",
         "m.mtx:2: a symmetric matrix is square, found 3 rows and 4 columns"},
        {GENERAL "3 3 1\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
         "m.mtx:3: expected the row, found 'aaaaaaaaaaaaaaaaaaaaaaaa...'"},
        {GENERAL "3 3 1\n\x01 1\n", "m.mtx:3: expected the row, found '? 1'"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct matrix m = {.rows = 77};
        struct proact_error err = {""};

        assert_int_equal(
            matrix_market_parse("m.mtx", cases[i].text, strlen(cases[i].text), &m, &err),
            PROACT_EINVAL);
        assert_string_equal(err.text, cases[i].message);
        assert_int_equal(m.rows, 77); /* outputs are written only on success */
    }
}

static void detects_a_nul_byte(void **state)
{
    (void)state;
    static const char text[] = GENERAL "3 3 1\n1\0001\n";
    struct matrix m = {0};
    struct proact_error err = {""};

    assert_int_equal(matrix_market_parse("m.mtx", text, sizeof text - 1, &m, &err),
                     PROACT_EINVAL);
    assert_string_equal(err.text, "m.mtx:3: expected the column, found a NUL byte");
}

/* Writes `text` as gzip without its last `cut` bytes; `flip` damages the checksum. */
static void write_gzip(const char *path, const char *text, size_t cut, bool flip)
{
    gzFile gz = gzopen(path, "wb");

    assert_int_equal(gzwrite(gz, text, (unsigned)strlen(text)), strlen(text));
    gzclose(gz);
    char *packed;
    FILE *file = fopen(path, "rb");
    char bytes[4096];
    size_t n = fread(bytes, 1, sizeof bytes, file);

    packed = bytes;
    fclose(file);
    if (flip)
        packed[n - 6] ^= 0x55; /* in the checksum */
    file = fopen(path, "wb");
    assert_int_equal(fwrite(packed, 1, n - cut, file), n - cut);
    fclose(file);
}

static void reads_gzip_and_reports_truncation(void **state)
{
    (void)state;
    static const char text[] = GENERAL "3 3 2\n1 2\n2 3\n";
    struct matrix m = {0};
    struct proact_error err = {""};

    write_gzip("whole.mtx.gz", text, 0, false);
    assert_int_equal(matrix_market_read("whole.mtx.gz", &m, &err), PROACT_OK);
    assert_int_equal(m.count, 2);
    matrix_clear(&m);

    write_gzip("torn.mtx.gz", text, 12, false);
    assert_int_equal(matrix_market_read("torn.mtx.gz", &m, &err), PROACT_EINVAL);
    assert_non_null(strstr(err.text, "torn.mtx.gz: the gzip file is truncated: "
                                     "it ends after"));
    write_gzip("bad.mtx.gz", text, 0, true);
    assert_int_equal(matrix_market_read("bad.mtx.gz", &m, &err), PROACT_EINVAL);
    assert_non_null(strstr(err.text, "bad.mtx.gz: the gzip file is damaged near byte"));
    assert_int_equal(matrix_market_read("none.mtx", &m, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "none.mtx: No such file or directory");
    assert_int_equal(matrix_market_read(".", &m, &err), PROACT_EINVAL);
    assert_string_equal(err.text, ".: cannot be read: Is a directory");
}

/* 80 MiB of line ends compressed to 80 KiB. */
static void refuses_a_bomb(void **state)
{
    static char ends[1 << 20];
    gzFile gz = gzopen("bomb.mtx.gz", "wb");
    struct matrix m = {0};
    struct proact_error err = {""};

    (void)state;
    memset(ends, '\n', sizeof ends);
    gzputs(gz, GENERAL);
    for (int i = 0; i < 80; i++)
        assert_int_equal(gzwrite(gz, ends, sizeof ends), sizeof ends);
    gzclose(gz);
    assert_int_equal(matrix_market_read("bomb.mtx.gz", &m, &err), PROACT_EINVAL);
    char *from = strchr(err.text, ':') + 1, *rest;
    size_t packed = strtoull(from, &rest, 10);
    char expected[200];

    snprintf(expected, sizeof expected,
             " bytes of gzip data expand to more than %zu bytes, the limit for that size",
             packed * 64 + (64 << 20));
    assert_string_equal(rest, expected);
    assert_true(packed > 70000 && packed < 100000);
    remove("bomb.mtx.gz");
}

static void makes_a_graph(void **state)
{
    (void)state;
    struct matrix m = parse(GENERAL "% vertex i = i-th line of names.txt\n"
                                    "4 4 7\n3 1\n1 3\n2 3\n2 3\n2 2\n1 3\n4 3\n");
    struct graph g = {0};
    struct proact_error err = {""};
    static const uint32_t sources[] = {2, 0, 1, 3}, degrees[] = {1, 1, 1, 1};

    assert_int_equal(graph_from_matrix("m.mtx", &m, &g, &err), PROACT_OK);
    assert_int_equal(g.edge_count, 4);
    assert_int_equal(g.duplicates, 2);
    assert_int_equal(g.self_loops, 1);
    assert_memory_equal(g.source, sources, sizeof sources);
    assert_memory_equal(g.out_degree, degrees, sizeof degrees);
    assert_int_equal(g.in_first[2], 1);
    assert_int_equal(g.in_first[3], 4);
    assert_string_equal(g.names_file, "names.txt");
    graph_clear(&g);
    matrix_clear(&m);
}

static void refuses_other_matrices_as_graphs(void **state)
{
    (void)state;
    struct matrix m = parse(GENERAL "3 4 0\n");
    struct graph g = {0};
    struct proact_error err = {""};

    assert_int_equal(graph_from_matrix("m.mtx", &m, &g, &err), PROACT_EINVAL);
    assert_string_equal(
        err.text, "m.mtx:2: a graph needs a square matrix, found 3 rows and 4 columns");
    matrix_clear(&m);
    m = parse(GENERAL "0 0 0\n");
    assert_int_equal(graph_from_matrix("m.mtx", &m, &g, &err), PROACT_EINVAL);
    assert_string_equal(err.text, "m.mtx:2: a graph needs a vertex, found 0 rows");
    matrix_clear(&m);
}

static void names_file_is_next_to_the_graph(void **state)
{
    (void)state;
    static const char *const paths[] = {"/etc/passwd", "../up", ".hidden", "a/b", ""};

    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char text[200];
        struct graph g = {0};

        snprintf(text, sizeof text, "%s%% vertex i = i-th line of %s\n1 1 0\n", GENERAL,
                 paths[i]);
        struct matrix m = parse(text);

        assert_int_equal(graph_from_matrix("m.mtx", &m, &g, NULL), PROACT_OK);
        assert_null(g.names_file);
        graph_clear(&g);
        matrix_clear(&m);
    }
}

static void splits_lines(void **state)
{
    (void)state;
    char text[] = "one\r\n\nthree";
    size_t count;
    char **lines = plain_text_lines(text, strlen(text), &count);

    assert_int_equal(count, 3);
    assert_string_equal(lines[0], "one");
    assert_string_equal(lines[1], "");
    assert_string_equal(lines[2], "three");
    free(lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_pattern),
        cmocka_unit_test(reads_values),
        cmocka_unit_test(unfolds_symmetry),
        cmocka_unit_test(scans_as_strtod),
        cmocka_unit_test(each_refusal_has_a_message),
        cmocka_unit_test(detects_a_nul_byte),
        cmocka_unit_test(reads_gzip_and_reports_truncation),
        cmocka_unit_test(refuses_a_bomb),
        cmocka_unit_test(makes_a_graph),
        cmocka_unit_test(refuses_other_matrices_as_graphs),
        cmocka_unit_test(names_file_is_next_to_the_graph),
        cmocka_unit_test(splits_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
