/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "band/band.h"
#include "graph/complain.h"
#include "graph/entry_list.h"
#include "graph/seeded.h"

enum { MATRIX_SEED = 21, SOLUTION_SEED = 22 };
#define BAND_ENTRIES_MAX ((uint64_t)1 << 33) /* 64 GiB on the host */
#define BAND_ROWS_MAX 0x80000000u            /* kernels add the half-width to a row */

static void make_solution(struct band_system *s)
{
    s->solution = app_calloc(s->rows, sizeof *s->solution);
    s->right = app_calloc(s->rows, sizeof *s->right);
    s->diagonal = app_calloc(s->rows, sizeof *s->diagonal);
    for (uint32_t i = 0; i < s->rows; i++)
        s->solution[i] = 2 * seeded_unit(SOLUTION_SEED, i) - 1;
}

static enum proact_status check_band_shape(const struct band_shape *shape,
                                           struct proact_error *err)
{
    if (shape->rows == 0 || shape->rows > BAND_ROWS_MAX)
        return complain(err, PROACT_EINVAL, "band: the rows are %u, expected 1 to %u",
                        shape->rows, BAND_ROWS_MAX);
    if (shape->half_width >= shape->rows)
        return complain(err, PROACT_EINVAL,
                        "band: the half-width is %u, expected less than the rows (%u)",
                        shape->half_width, shape->rows);
    uint64_t entries = (2 * (uint64_t)shape->half_width + 1) * shape->rows;

    if (entries > BAND_ENTRIES_MAX)
        return complain(
            err, PROACT_EINVAL,
            "band: %u rows of half-width %u have %llu entries, the limit is %llu",
            shape->rows, shape->half_width, (unsigned long long)entries,
            (unsigned long long)BAND_ENTRIES_MAX);
    if (!(shape->dominance > 0) || !isfinite(shape->dominance))
        return complain(err, PROACT_EINVAL, "band: the dominance is %g, expected above 0",
                        shape->dominance);
    return PROACT_OK;
}

/* Fills row i and returns its right side. */
static double generate_row(struct band_system *s, uint32_t i, double dominance)
{
    uint32_t half = s->half_width, low = i < half ? 0 : i - half;
    uint32_t high = s->rows - 1 - i < half ? s->rows - 1 : i + half;
    double *entry = s->diagonals + i, moduli = 0, sum = 0;
    size_t rows = s->rows;

    for (uint32_t j = low; j <= high; j++) {
        double a = -seeded_unit(MATRIX_SEED, pair_counter(i, j));

        entry[(j + half - i) * rows] = j == i ? 0 : a;
        moduli += j == i ? 0 : fabs(a);
    }
    s->diagonal[i] = entry[half * rows] = moduli > 0 ? dominance * moduli : 1;
    for (uint32_t j = low; j <= high; j++)
        sum += entry[(j + half - i) * rows] * s->solution[j];
    return sum;
}

enum proact_status band_generate(const struct band_shape *shape, struct band_system *out,
                                 struct proact_error *err)
{
    struct band_system s = {.rows = shape->rows, .half_width = shape->half_width};
    enum proact_status status = check_band_shape(shape, err);
    double square = 0;

    if (status)
        return status;
    s.diagonals = app_calloc((2 * (size_t)s.half_width + 1) * s.rows, sizeof *s.diagonals);
    make_solution(&s);
    for (uint32_t i = 0; i < s.rows; i++) {
        s.right[i] = generate_row(&s, i, shape->dominance);
        square += s.right[i] * s.right[i];
    }
    s.right_norm = sqrt(square);
    *out = s;
    return PROACT_OK;
}

/* Rows of a sorted matrix, with the sum of duplicates. */
static void keep_entries(struct band_system *s, const struct entry_list *sorted,
                         size_t count)
{
    uint32_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        uint32_t row = sorted->entry[i].row, column = sorted->entry[i].column;
        bool again =
            i && sorted->entry[i - 1].row == row && sorted->entry[i - 1].column == column;

        if (again) {
            s->value[kept - 1] += sorted->value[i];
            continue;
        }
        s->column[kept] = column;
        s->value[kept++] = sorted->value[i];
        s->first[row + 1] = kept;
    }
    for (uint32_t row = 0; row < s->rows; row++)
        if (s->first[row + 1] < s->first[row])
            s->first[row + 1] = s->first[row]; /* an empty row */
}

/* The half-width, the diagonal and the right side. */
static enum proact_status finish_rows(const char *path, struct band_system *s,
                                      struct proact_error *err)
{
    double square = 0;

    for (uint32_t row = 0; row < s->rows; row++) {
        for (uint32_t e = s->first[row]; e < s->first[row + 1]; e++) {
            uint32_t column = s->column[e],
                     apart = column > row ? column - row : row - column;

            s->half_width = apart > s->half_width ? apart : s->half_width;
            s->right[row] += s->value[e] * s->solution[column];
            if (column == row)
                s->diagonal[row] = s->value[e];
        }
        if (!(fabs(s->diagonal[row]) > 0))
            return complain(err, PROACT_EINVAL, "%s: row %u has a zero on the diagonal",
                            path, row + 1);
        square += s->right[row] * s->right[row];
    }
    s->right_norm = sqrt(square);
    return PROACT_OK;
}

static enum proact_status system_of_matrix(const char *path, const struct matrix *m,
                                           struct band_system *out,
                                           struct proact_error *err)
{
    if (m->rows != m->columns || m->rows == 0)
        return complain(err, PROACT_EINVAL,
                        "%s:%zu: a system needs a square matrix, found %u rows and %u "
                        "columns",
                        path, m->sizes_line, m->rows, m->columns);
    if (m->count > UINT32_MAX || m->rows > BAND_ROWS_MAX)
        return complain(err, PROACT_EINVAL,
                        "%s: %zu entries and %u rows, the limits are %u and %u", path,
                        m->count, m->rows, UINT32_MAX, BAND_ROWS_MAX);
    struct band_system s = {.rows = m->rows};
    struct entry_list sorted = entries_by_row(m);

    s.first = app_calloc((size_t)s.rows + 1, sizeof *s.first);
    s.column = app_calloc(m->count, sizeof *s.column);
    s.value = app_calloc(m->count, sizeof *s.value);
    make_solution(&s);
    keep_entries(&s, &sorted, m->count);
    entry_list_clear(&sorted);
    enum proact_status status = finish_rows(path, &s, err);

    if (status)
        band_system_clear(&s);
    else
        *out = s;
    return status;
}

enum proact_status band_read(const char *path, struct band_system *out,
                             struct proact_error *err)
{
    struct matrix m = {0};
    enum proact_status status = matrix_market_read(path, MATRIX_F64_VALUES, &m, err);

    if (!status)
        status = system_of_matrix(path, &m, out, err);
    matrix_clear(&m);
    return status;
}

void band_system_clear(struct band_system *s)
{
    free(s->diagonals);
    free(s->first);
    free(s->column);
    free(s->value);
    free(s->diagonal);
    free(s->right);
    free(s->solution);
    *s = (struct band_system){0};
}
