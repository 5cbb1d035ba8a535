/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/metis.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "graph/complain.h"
#include "graph/number_scan.h"

enum { CONSTRAINTS_MAX = 64 };

struct metis_reader {
    const char *name, *at, *end;
    size_t line;
    enum matrix_values values;
    unsigned skipped; /* numbers before the neighbours: a size and the weights */
    bool has_weights; /* of edges */
    struct proact_error *err;
};

/* "name:line: expected WHAT, found 'word'". */
static enum proact_status metis_expected(const struct metis_reader *r, const char *what)
{
    int length = (int)strcspn(r->at, " \t\r\n");

    if (r->at == r->end || !length)
        return complain(r->err, PROACT_EINVAL,
                        "%s:%zu: expected %s, found the end of the %s", r->name, r->line,
                        what, r->at == r->end ? "file" : "line");
    return complain(r->err, PROACT_EINVAL, "%s:%zu: expected %s, found '%.*s'", r->name,
                    r->line, what, length > 40 ? 40 : length, r->at);
}

static void metis_skip_blanks(struct metis_reader *r)
{
    while (r->at < r->end && strchr(" \t\r", *r->at))
        r->at++;
}

static void metis_next_line(struct metis_reader *r)
{
    while (r->at < r->end && *r->at != '\n')
        r->at++;
    if (r->at < r->end)
        r->at++;
    r->line++;
}

/* Skips the lines that start with %. A blank line is a vertex without neighbours. */
static void metis_skip_comments(struct metis_reader *r)
{
    while (r->at < r->end && *r->at == '%')
        metis_next_line(r);
}

static bool metis_line_ends(struct metis_reader *r)
{
    metis_skip_blanks(r);
    return r->at == r->end || *r->at == '\n';
}

static enum proact_status metis_integer(struct metis_reader *r, const char *what,
                                        uint64_t most, uint64_t *out)
{
    metis_skip_blanks(r);
    const char *after = scan_unsigned(r->at, out);

    if (!after || (after != r->end && !strchr(" \t\r\n", *after)))
        return metis_expected(r, what);
    if (*out > most)
        return complain(r->err, PROACT_EINVAL, "%s:%zu: %s is %llu, the limit is %llu",
                        r->name, r->line, what, (unsigned long long)*out,
                        (unsigned long long)most);
    r->at = after;
    return PROACT_OK;
}

/* The format is three digits, of which leading ones may be missing: vertices have sizes,
   vertices have weights, edges have weights. */
static enum proact_status read_metis_format(struct metis_reader *r)
{
    uint64_t format = 0, weights = 1;
    enum proact_status status;

    if (metis_line_ends(r))
        return PROACT_OK;
    if ((status = metis_integer(r, "the format", 111, &format)))
        return status;
    if (format % 10 > 1 || format / 10 % 10 > 1)
        return complain(r->err, PROACT_EINVAL,
                        "%s:%zu: the format is %llu, expected digits 0 and 1", r->name,
                        r->line, (unsigned long long)format);
    bool has_vertex_weights = format / 10 % 10;

    if (!metis_line_ends(r) &&
        (status = metis_integer(r, "the number of weights", CONSTRAINTS_MAX, &weights)))
        return status;
    r->has_weights = format % 10;
    r->skipped = (unsigned)(format / 100 + (has_vertex_weights ? weights : 0));
    return PROACT_OK;
}

static enum proact_status read_metis_sizes(struct metis_reader *r, struct matrix *m)
{
    uint64_t vertices, edges, bytes = (uint64_t)(r->end - r->at);
    enum proact_status status;

    metis_skip_comments(r);
    m->sizes_line = r->line;
    if ((status = metis_integer(r, "the number of vertices", bytes, &vertices)) ||
        (status = metis_integer(r, "the number of edges", bytes, &edges)) ||
        (status = read_metis_format(r)))
        return status;
    if (!metis_line_ends(r))
        return metis_expected(r, "the end of the line after vertices, edges and format");
    if (vertices > UINT32_MAX)
        return complain(r->err, PROACT_EINVAL,
                        "%s:%zu: the number of vertices is %llu, the limit is %u", r->name,
                        r->line, (unsigned long long)vertices, UINT32_MAX);
    metis_next_line(r);
    m->rows = m->columns = (uint32_t)vertices;
    m->count = (size_t)edges * 2;
    return PROACT_OK;
}

static enum proact_status read_metis_weight(struct metis_reader *r, double *out)
{
    metis_skip_blanks(r);
    const char *after = scan_real(r->at, out);
    double most = r->values == MATRIX_INT32_VALUES ? INT32_MAX
                  : r->values == MATRIX_F32_VALUES ? (double)FLT_MAX
                                                   : DBL_MAX;

    if (!after || (after != r->end && !strchr(" \t\r\n", *after)) ||
        (r->values && !(fabs(*out) <= most)) ||
        (r->values == MATRIX_INT32_VALUES && *out != trunc(*out)))
        return metis_expected(r, r->values == MATRIX_INT32_VALUES
                                     ? "a weight, an integer of 32 bits"
                                     : "a finite weight");
    r->at = after;
    return PROACT_OK;
}

static enum proact_status read_metis_vertex(struct metis_reader *r, struct matrix *m,
                                            uint32_t vertex, size_t room)
{
    enum proact_status status;
    uint64_t number;

    for (unsigned i = 0; i < r->skipped; i++)
        if ((status =
                 metis_integer(r, "a size or weight of the vertex", UINT64_MAX, &number)))
            return status;
    while (!metis_line_ends(r)) {
        double weight = 1;

        if ((status = metis_integer(r, "a neighbour", m->rows, &number)))
            return status;
        if (number == 0)
            return complain(
                r->err, PROACT_EINVAL,
                "%s:%zu: a neighbour is 0, but METIS counts from 1 (to %u here)", r->name,
                r->line, m->rows);
        if (r->has_weights && (status = read_metis_weight(r, &weight)))
            return status;
        if (m->count == room)
            return complain(
                r->err, PROACT_EINVAL,
                "%s:%zu: more neighbours than twice the %zu edges stated in line "
                "%zu",
                r->name, r->line, room / 2, m->sizes_line);
        m->entry[m->count] = (struct matrix_entry){vertex, (uint32_t)number - 1};
        if (m->value)
            m->value[m->count] = weight;
        m->count++;
    }
    metis_next_line(r);
    return PROACT_OK;
}

/* Every edge must be listed by both vertices: the sums over all entries of a mix of (i, j)
   and of (j, i) are then equal. */
static bool is_symmetric(const struct matrix *m)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < m->count; i++) {
        uint64_t row = m->entry[i].row, column = m->entry[i].column;
        uint64_t forth = (row << 32 | column) * 0x9e3779b97f4a7c15u;
        uint64_t back = (column << 32 | row) * 0x9e3779b97f4a7c15u;

        sum += (forth ^ forth >> 29) * 0xbf58476d1ce4e5b9u;
        sum -= (back ^ back >> 29) * 0xbf58476d1ce4e5b9u;
    }
    return sum == 0;
}

static enum proact_status read_metis_vertices(struct metis_reader *r, struct matrix *m)
{
    size_t room = m->count;
    enum proact_status status;

    m->count = 0;
    m->entry = app_calloc(room + 1, sizeof *m->entry);
    m->value = r->values ? app_calloc(room + 1, sizeof *m->value) : NULL;
    for (uint32_t v = 0; v < m->rows; v++) {
        metis_skip_comments(r);
        /* A last vertex without neighbours may have no line. */
        if (r->at == r->end && v + 1 < m->rows)
            return complain(r->err, PROACT_EINVAL,
                            "%s:%zu: the file ends after %u of the %u vertices stated in "
                            "line %zu",
                            r->name, r->line, v, m->rows, m->sizes_line);
        if ((status = read_metis_vertex(r, m, v, room)))
            return status;
    }
    if (m->count != room)
        return complain(
            r->err, PROACT_EINVAL,
            "%s: %zu neighbours, expected twice the %zu edges stated in line %zu", r->name,
            m->count, room / 2, m->sizes_line);
    if (!is_symmetric(m))
        return complain(r->err, PROACT_EINVAL,
                        "%s: an edge is listed by only one of its vertices", r->name);
    return PROACT_OK;
}

enum proact_status metis_parse(const char *name, const char *text, size_t bytes,
                               enum matrix_values values, struct matrix *out,
                               struct proact_error *err)
{
    struct metis_reader r = {.name = name,
                             .at = text,
                             .end = text + bytes,
                             .line = 1,
                             .values = values,
                             .err = err};
    struct matrix m = {.comment = app_calloc(1, 1)};
    enum proact_status status = read_metis_sizes(&r, &m);

    if (!status)
        status = read_metis_vertices(&r, &m);
    if (status)
        matrix_clear(&m);
    else
        *out = m;
    return status;
}
