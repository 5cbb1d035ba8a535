/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs that the Matrix Market reader accepts, and its messages for those that it
   refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "apps/own_folder.h"
#include "graph/graph.h"
#include "graph/matrix_market.h"
#include "graph/plain_text.h"

#define GENERAL "%%MatrixMarket matrix coordinate pattern general\n"
#define REAL "%%MatrixMarket matrix coordinate real general\n"

static struct matrix parse(const char *text)
{
    struct matrix m = {0};
    struct proact_error err = {""};

    if (matrix_market_parse("m.mtx", text, strlen(text), MATRIX_NO_VALUES, &m, &err))
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
    assert_int_equal(m.entry[1].row, 2);
    assert_int_equal(m.entry[1].column, 3);
    assert_string_equal(m.comment, "% a comment\n%another");
    assert_int_equal(m.sizes_line, 5);
    matrix_clear(&m);
}

/* A graph has no use for values, so nothing that a program writes in their place fails. */
static void skips_values(void **state)
{
    (void)state;
    static const char *const fields[] = {"real", "double", "integer"};
    static const char *const values[] = {"-7",     "+3",       "1.0D+00", "nan",    "-inf",
                                         "1E310",  "1.5-300",  "****",    "0x1p-3", "1_dp",
                                         "NaN(0)", "Infinity", "1,5",     ".5",     "1e"};
    char text[200];

    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            snprintf(
                text, sizeof text,
                "%%%%MatrixMarket matrix coordinate %s general\n2 2 2\n1 2 %s\r\n2 1 %s",
                fields[f], values[v], values[v]);
            struct matrix m = parse(text);

            assert_int_equal(m.count, 2);
            assert_int_equal(m.entry[1].row, 1);
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
    matrix_clear(&m);
    m = parse("%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 5\n");
    assert_int_equal(m.count, 2);
    matrix_clear(&m);
}

/* Two entries among four million rows. */
static void reads_many_empty_rows(void **state)
{
    (void)state;
    struct matrix m = parse(GENERAL "4000000 4000000 2\n1 4000000\n4000000 2\n");
    struct graph g = {0};

    assert_int_equal(graph_from_matrix("m.mtx", &m, &g, NULL), PROACT_OK);
    assert_int_equal(g.vertex_count, 4000000);
    assert_int_equal(g.edge_count, 2);
    graph_clear(&g);
    matrix_clear(&m);
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
        {REAL "3 3 1\n1 1 \x01\n", "m.mtx:3: expected a value, found '?'"},
        {"\xef\xbb\xbf" GENERAL "3 3 0\n",
         "m.mtx:1: the file starts with a byte order mark of UTF-8: save it as ASCII, "
         "without a mark"},
        {"\xff\xfe%",
         "m.mtx:1: the file starts with a byte order mark of UTF-16: save it as ASCII, "
         "without a mark"},
        {"\xfe\xff",
         "m.mtx:1: the file starts with a byte order mark of UTF-16: save it as ASCII, "
         "without a mark"},
        {REAL "3 3 1\n1 1 2 3\n",
         "m.mtx:3: expected exactly three numbers: row, column and value, found '3'"},
        {GENERAL "3 3 1000000\n1 1\n", "m.mtx:2: the number of entries is 1000000, more "
                                       "than the rest of the file can hold (4)"},
        {GENERAL "4000000000 4000000000 1\n1 1\n",
         "m.mtx:2: the number of rows is 4000000000, more than the limit for a file of "
         "this size (67109312)"},
        {"%%MatrixMarket matrix coordinate real symmetric\n3 4 1\n1 1 1\n",
         "m.mtx:2: a symmetric matrix is square, found 3 rows and 4 columns"},
        {GENERAL "3 3 1\naaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
         "m.mtx:3: expected the row, found 'aaaaaaaaaaaaaaaaaaaaaaaa...'"},
        {GENERAL "3 3 1\n\x01 1\n", "m.mtx:3: expected the row, found '? 1'"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct matrix m = {.rows = 77};
        struct proact_error err = {""};

        assert_int_equal(matrix_market_parse("m.mtx", cases[i].text, strlen(cases[i].text),
                                             MATRIX_NO_VALUES, &m, &err),
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

    assert_int_equal(
        matrix_market_parse("m.mtx", text, sizeof text - 1, MATRIX_NO_VALUES, &m, &err),
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
    assert_int_equal(matrix_market_read("whole.mtx.gz", MATRIX_NO_VALUES, &m, &err),
                     PROACT_OK);
    assert_int_equal(m.count, 2);
    matrix_clear(&m);

    write_gzip("torn.mtx.gz", text, 12, false);
    assert_int_equal(matrix_market_read("torn.mtx.gz", MATRIX_NO_VALUES, &m, &err),
                     PROACT_EINVAL);
    assert_non_null(strstr(err.text, "torn.mtx.gz: the gzip file is truncated: "
                                     "it ends after"));
    write_gzip("bad.mtx.gz", text, 0, true);
    assert_int_equal(matrix_market_read("bad.mtx.gz", MATRIX_NO_VALUES, &m, &err),
                     PROACT_EINVAL);
    assert_non_null(strstr(err.text, "bad.mtx.gz: the gzip file is damaged near byte"));
    assert_int_equal(matrix_market_read("none.mtx", MATRIX_NO_VALUES, &m, &err),
                     PROACT_EINVAL);
    assert_string_equal(err.text, "none.mtx: No such file or directory");
    assert_int_equal(matrix_market_read(".", MATRIX_NO_VALUES, &m, &err), PROACT_EINVAL);
    assert_string_equal(err.text, ".: cannot be read: Is a directory");
}

static void write_bytes(const char *path, const char *mode, const char *bytes, size_t n)
{
    FILE *file = fopen(path, mode);

    assert_int_equal(fwrite(bytes, 1, n, file), n);
    fclose(file);
}

/* Block devices and tapes pad files with zeros; gzip ignores them. */
static void ignores_zeros_after_gzip(void **state)
{
    (void)state;
    static const char zeros[5000], junk[] = "\0\0junk";
    static const size_t counts[] = {1, 2, 17, 5000};
    struct matrix m = {0};
    struct proact_error err = {""};

    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        write_gzip("padded.mtx.gz", GENERAL "3 3 2\n1 2\n2 3\n", 0, false);
        write_bytes("padded.mtx.gz", "ab", zeros, counts[i]);
        if (matrix_market_read("padded.mtx.gz", MATRIX_NO_VALUES, &m, &err))
            fail_msg("%zu zeros: %s", counts[i], err.text);
        assert_int_equal(m.count, 2);
        matrix_clear(&m);
    }
    write_gzip("padded.mtx.gz", GENERAL "3 3 0\n", 0, false);
    write_bytes("padded.mtx.gz", "ab", junk, sizeof junk);
    assert_int_equal(matrix_market_read("padded.mtx.gz", MATRIX_NO_VALUES, &m, &err),
                     PROACT_EINVAL);
    assert_non_null(strstr(err.text, "the gzip file is damaged near byte"));
    remove("padded.mtx.gz");
}

static void names_archives(void **state)
{
    (void)state;
    static char tar[1024] = "graph/graph.mtx";
    static const struct {
        const char *bytes;
        size_t length;
        const char *what;
    } rows[] = {
        {"PK\3\4\24", 5, "a zip archive"},
        {"BZh91AY&SY", 10, "packed with bzip2"},
        {"\xfd"
         "7zXZ\0\0\4",
         8, "packed with xz"},
        {"\x28\xb5\x2f\xfd\x04", 5, "packed with Zstandard"},
        {"7z\xbc\xaf\x27\x1c", 6, "a 7-Zip archive"},
        {"\x1f\x9d\x90", 3, "packed with compress"},
        {tar, sizeof tar, "a tar archive"},
    };
    char expected[200];

    memcpy(tar + 257, "ustar", 6);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct matrix m = {0};
        struct proact_error err = {""};

        for (int packed = 0; packed < 2; packed++) { /* as .tar.gz */
            gzFile gz = gzopen("archive", packed ? "wb" : "wbT");

            assert_int_equal(gzwrite(gz, rows[i].bytes, (unsigned)rows[i].length),
                             rows[i].length);
            gzclose(gz);
            assert_int_equal(matrix_market_read("archive", MATRIX_NO_VALUES, &m, &err),
                             PROACT_EINVAL);
            snprintf(expected, sizeof expected, "archive: the file is %s: ", rows[i].what);
            if (strncmp(err.text, expected, strlen(expected)) != 0)
                fail_msg("expected '%s', found '%s'", expected, err.text);
        }
    }
    remove("archive");
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
    assert_int_equal(matrix_market_read("bomb.mtx.gz", MATRIX_NO_VALUES, &m, &err),
                     PROACT_EINVAL);
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
        cmocka_unit_test(skips_values),
        cmocka_unit_test(unfolds_symmetry),
        cmocka_unit_test(reads_many_empty_rows),
        cmocka_unit_test(each_refusal_has_a_message),
        cmocka_unit_test(detects_a_nul_byte),
        cmocka_unit_test(reads_gzip_and_reports_truncation),
        cmocka_unit_test(ignores_zeros_after_gzip),
        cmocka_unit_test(names_archives),
        cmocka_unit_test(refuses_a_bomb),
        cmocka_unit_test(makes_a_graph),
        cmocka_unit_test(refuses_other_matrices_as_graphs),
        cmocka_unit_test(names_file_is_next_to_the_graph),
        cmocka_unit_test(splits_lines),
    };

    return cmocka_run_group_tests(tests, own_folder_enter, own_folder_leave);
}
