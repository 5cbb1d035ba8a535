/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/matrix_market.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "graph/complain.h"
#include "graph/number_scan.h"
#include "graph/plain_text.h"

enum { ENTRY_BYTES_MIN = 4 }; /* "1 1" and a line end */

/* Limit of rows that a header may claim, most of them empty: 16 per byte of the file, plus
   67 million, whose graph needs 2 GiB. */
enum { ROWS_A_BYTE = 16, ROWS_ANYWAY = 1 << 26 };

struct reader {
    const char *name, *at, *end;
    size_t line;
    enum matrix_values values;
    bool has_values, is_symmetric;
    double mirrored; /* value of an entry implied by symmetry over that of its origin */
    struct proact_error *err;
};

/* "expected ..., found `the rest of this line, shortened`". */
static enum proact_status expected(const struct reader *r, const char *what)
{
    char found[28];
    size_t n = 0;

    while (n < sizeof found - 4 && r->at[n] && r->at[n] != '\n' && r->at[n] != '\r') {
        found[n] = (char)(isprint((unsigned char)r->at[n]) ? r->at[n] : '?');
        n++;
    }
    bool more = n == sizeof found - 4 && r->at[n] && r->at[n] != '\n';

    memcpy(found + n, more ? "..." : "", more ? 4 : 1);
    if (r->at == r->end)
        return complain(r->err, PROACT_EINVAL,
                        "%s:%zu: expected %s, found the end of the file", r->name, r->line,
                        what);
    if (n == 0)
        return complain(r->err, PROACT_EINVAL, "%s:%zu: expected %s, found %s", r->name,
                        r->line, what, *r->at ? "the end of the line" : "a NUL byte");
    return complain(r->err, PROACT_EINVAL, "%s:%zu: expected %s, found '%s'", r->name,
                    r->line, what, found);
}

static void skip_blanks(struct reader *r)
{
    while (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')
        r->at++;
}

/* Skips to the next line that is not blank. */
static void skip_empty_lines(struct reader *r)
{
    for (skip_blanks(r); *r->at == '\n'; skip_blanks(r)) {
        r->at++;
        r->line++;
    }
}

static enum proact_status end_line(struct reader *r, const char *what)
{
    skip_blanks(r);
    if (r->at != r->end && *r->at != '\n')
        return expected(r, what);
    if (r->at != r->end) {
        r->at++;
        r->line++;
    }
    return PROACT_OK;
}

/* Skips `word`, in any case; false if the next word differs. */
static bool next_word(struct reader *r, const char *word)
{
    size_t length = strlen(word);

    skip_blanks(r);
    if (strncasecmp(r->at, word, length) != 0 || isalnum((unsigned char)r->at[length]) ||
        r->at[length] == '-')
        return false;
    r->at += length;
    return true;
}

/* The encoding that a byte order mark at the start states; NULL: there is no mark. */
static const char *marked_encoding(const struct reader *r)
{
    static const struct {
        size_t length;
        const char *bytes, *encoding;
    } marks[] = {
        {3, "\xef\xbb\xbf", "UTF-8"},
        {4, "\xff\xfe\0\0", "UTF-32"}, /* before UTF-16, which is a part of it */
        {4, "\0\0\xfe\xff", "UTF-32"},
        {2, "\xff\xfe", "UTF-16"},
        {2, "\xfe\xff", "UTF-16"},
    };

    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if ((size_t)(r->end - r->at) >= marks[i].length &&
            memcmp(r->at, marks[i].bytes, marks[i].length) == 0)
            return marks[i].encoding;
    return NULL;
}

static enum proact_status read_banner(struct reader *r)
{
    const char *encoding = marked_encoding(r);

    if (encoding)
        return complain(r->err, PROACT_EINVAL,
                        "%s:1: the file starts with a byte order mark of %s: save it as "
                        "ASCII, without a mark",
                        r->name, encoding);
    if (!next_word(r, "%%MatrixMarket"))
        return expected(r, "'%%MatrixMarket matrix coordinate ...'");
    if (!next_word(r, "matrix"))
        return expected(r, "'matrix'");
    if (!next_word(r, "coordinate"))
        return expected(r, "'coordinate' (dense arrays are not supported)");
    r->has_values = !next_word(r, "pattern");
    if (r->has_values && !next_word(r, "real") && !next_word(r, "double") &&
        !next_word(r, "integer"))
        return expected(r, "'pattern', 'integer', 'real' or 'double'");
    bool is_skew = next_word(r, "skew-symmetric");

    r->is_symmetric = is_skew || next_word(r, "symmetric");
    r->mirrored = is_skew ? -1 : 1;
    if (!r->is_symmetric && !next_word(r, "general"))
        return expected(r, "'general', 'symmetric' or 'skew-symmetric'");
    return end_line(r, "the end of the line");
}

/* Stores the comment block, which may name related files. */
static void read_comment(struct reader *r, struct matrix *m)
{
    const char *from = r->at, *to = from;

    for (;;) {
        skip_empty_lines(r);
        if (*r->at != '%')
            break;
        while (*r->at && *r->at != '\n')
            r->at++;
        to = r->at;
    }
    m->comment = app_calloc((size_t)(to - from) + 1, 1);
    memcpy(m->comment, from, (size_t)(to - from));
}

/* An unsigned number that is a complete word; NULL if there is none. */
static const char *scan_word(const struct reader *r, uint64_t *out)
{
    const char *after = scan_unsigned(r->at, out);
    bool alone = after && (after == r->end || strchr(" \t\r\n", *after));

    return alone ? after : NULL;
}

static enum proact_status read_count(struct reader *r, const char *what, const char *bound,
                                     uint64_t most, uint64_t *out)
{
    skip_blanks(r);
    const char *after = scan_word(r, out);

    if (!after)
        return expected(r, what);
    if (*out > most)
        return complain(r->err, PROACT_EINVAL, "%s:%zu: %s is %llu, more than %s (%llu)",
                        r->name, r->line, what, (unsigned long long)*out, bound,
                        (unsigned long long)most);
    r->at = after;
    return PROACT_OK;
}

static enum proact_status read_sizes(struct reader *r, struct matrix *m)
{
    uint64_t rows, columns, count;
    uint64_t bytes = (uint64_t)(r->end - r->at);
    uint64_t most = bytes * ROWS_A_BYTE + ROWS_ANYWAY;
    const char *limit = "the limit for a file of this size";
    enum proact_status status;

    if (most > UINT32_MAX)
        most = UINT32_MAX;
    m->sizes_line = r->line;
    if ((status = read_count(r, "the number of rows", limit, most, &rows)) ||
        (status = read_count(r, "the number of columns", limit, most, &columns)) ||
        (status = read_count(r, "the number of entries", "the rest of the file can hold",
                             bytes / ENTRY_BYTES_MIN, &count)) ||
        (status = end_line(r, "exactly three numbers: rows, columns and entries")))
        return status;
    if (r->is_symmetric && rows != columns)
        return complain(r->err, PROACT_EINVAL,
                        "%s:%zu: a symmetric matrix is square, found %llu rows and %llu "
                        "columns",
                        r->name, m->sizes_line, (unsigned long long)rows,
                        (unsigned long long)columns);
    m->rows = (uint32_t)rows;
    m->columns = (uint32_t)columns;
    m->count = (size_t)count;
    return PROACT_OK;
}

static enum proact_status read_index(struct reader *r, const char *what, uint32_t most,
                                     uint32_t *out)
{
    uint64_t index;

    skip_blanks(r);
    const char *after = scan_word(r, &index);

    if (!after)
        return expected(r, what);
    if (index == 0)
        return complain(r->err, PROACT_EINVAL,
                        "%s:%zu: %s is 0, but Matrix Market counts from 1 (to %u here)",
                        r->name, r->line, what, most);
    if (index > most)
        return complain(r->err, PROACT_EINVAL, "%s:%zu: %s is %llu, expected 1 to %u",
                        r->name, r->line, what, (unsigned long long)index, most);
    r->at = after;
    *out = (uint32_t)index - 1;
    return PROACT_OK;
}

/* Skips a value, which is a word of any kind: Fortran also writes 1.0D+00, NaN and ****. */
static enum proact_status skip_entry_value(struct reader *r)
{
    skip_blanks(r);
    if (!isgraph((unsigned char)*r->at))
        return expected(r, "a value");
    while (isgraph((unsigned char)*r->at))
        r->at++;
    return PROACT_OK;
}

/* Reads a value, which must be as r->values requests. */
static enum proact_status read_entry_value(struct reader *r, double *out)
{
    skip_blanks(r);
    const char *after = scan_real(r->at, out);
    bool alone = after && (after == r->end || strchr(" \t\r\n", *after));
    bool is_finite = alone && isfinite(*out);

    if (r->values == MATRIX_INT32_VALUES &&
        !(is_finite && fabs(*out) <= INT32_MAX && *out == trunc(*out)))
        return expected(r, "an integer from -2147483647 to 2147483647");
    if (r->values == MATRIX_F32_VALUES && !(is_finite && fabs(*out) <= (double)FLT_MAX))
        return expected(r, "a finite number in the range of f32");
    if (!is_finite)
        return expected(r, "a finite number in the range of f64");
    r->at = after;
    return PROACT_OK;
}

static enum proact_status read_entry(struct reader *r, const struct matrix *m,
                                     struct matrix_entry *entry, double *value)
{
    enum proact_status status;

    *value = 1;
    if ((status = read_index(r, "the row", m->rows, &entry->row)) ||
        (status = read_index(r, "the column", m->columns, &entry->column)))
        return status;
    if (r->has_values &&
        (status = r->values ? read_entry_value(r, value) : skip_entry_value(r)))
        return status;
    return end_line(r, r->has_values ? "exactly three numbers: row, column and value"
                                     : "exactly two numbers: row and column");
}

static void append_entry(struct matrix *m, struct matrix_entry entry, double value)
{
    m->entry[m->count] = entry;
    if (m->value)
        m->value[m->count] = value;
    m->count++;
}

static enum proact_status read_entries(struct reader *r, struct matrix *m)
{
    size_t stated = m->count, room = r->is_symmetric ? 2 * stated : stated;
    enum proact_status status;

    m->count = 0;
    m->entry = app_calloc(room, sizeof *m->entry);
    m->value = r->values ? app_calloc(room, sizeof *m->value) : NULL;
    for (size_t i = 0; i < stated; i++) {
        struct matrix_entry entry = {0};
        double value;

        skip_empty_lines(r);
        if (r->at == r->end)
            return complain(r->err, PROACT_EINVAL,
                            "%s:%zu: the file ends after %zu of the %zu entries stated in "
                            "line %zu",
                            r->name, r->line, i, stated, m->sizes_line);
        if ((status = read_entry(r, m, &entry, &value)))
            return status;
        append_entry(m, entry, value);
        if (r->is_symmetric && entry.row != entry.column)
            append_entry(m, (struct matrix_entry){entry.column, entry.row},
                         r->mirrored * value);
    }
    skip_empty_lines(r);
    if (r->at != r->end) {
        char what[80];

        snprintf(what, sizeof what, "no more than the %zu entries stated in line %zu",
                 stated, m->sizes_line);
        return expected(r, what);
    }
    return PROACT_OK;
}

enum proact_status matrix_market_parse(const char *name, const char *text, size_t bytes,
                                       enum matrix_values values, struct matrix *out,
                                       struct proact_error *err)
{
    struct reader r = {.name = name,
                       .at = text,
                       .end = text + bytes,
                       .line = 1,
                       .values = values,
                       .err = err};
    struct matrix m = {0};
    enum proact_status status;

    if (bytes == 0)
        return complain(err, PROACT_EINVAL, "%s: the file is empty, expected Matrix Market",
                        name);
    if ((status = read_banner(&r)))
        return status;
    read_comment(&r, &m);
    if ((status = read_sizes(&r, &m)) || (status = read_entries(&r, &m))) {
        matrix_clear(&m);
        return status;
    }
    *out = m;
    return PROACT_OK;
}

enum proact_status matrix_market_read(const char *path, enum matrix_values values,
                                      struct matrix *out, struct proact_error *err)
{
    char *text;
    size_t bytes;
    enum proact_status status = plain_text_read(path, &text, &bytes, err);

    if (!status) {
        status = matrix_market_parse(path, text, bytes, values, out, err);
        free(text);
    }
    return status;
}

void matrix_clear(struct matrix *m)
{
    free(m->entry);
    free(m->value);
    free(m->comment);
    *m = (struct matrix){0};
}
