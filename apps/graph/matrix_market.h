/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Reader of the entries of Matrix Market files: coordinate format; pattern, integer, real
   or double; general, symmetric or skew-symmetric; square or rectangular.
   https://math.nist.gov/MatrixMarket/formats.html */

#include <proact/status.h>
#include <stddef.h>
#include <stdint.h>

struct matrix_entry {
    uint32_t row, column; /* from 0 here, from 1 in the file */
};

/* What the values of the file must be. Numbers have the syntax of C or Fortran (1.0D+00,
   1.5-300). A value that is NaN, infinite or not representable is refused with its line. */
enum matrix_values {
    MATRIX_NO_VALUES,    /* they are skipped and need not be numbers */
    MATRIX_INT32_VALUES, /* integers from -2147483647 to 2147483647, also written as 2.0 */
    MATRIX_F32_VALUES,   /* finite as f32 */
    MATRIX_F64_VALUES,   /* finite as f64 */
};

/* Entries in the order of the file; an entry implied by symmetry follows its origin. Starts
   zeroed. */
struct matrix {
    uint32_t rows, columns;
    size_t count;
    struct matrix_entry *entry;
    double *value;     /* by entry; 1 in a pattern matrix; NULL for MATRIX_NO_VALUES */
    char *comment;     /* the lines that start with %, except the first; never NULL */
    size_t sizes_line; /* line with the size, for messages */
};

/* `text` has a NUL at `bytes` and is borrowed for the call. `name` is for messages of the
   form "name:line: what was expected, what was found". Memory is bounded by the text's
   size and 67 million rows. */
enum proact_status matrix_market_parse(const char *name, const char *text, size_t bytes,
                                       enum matrix_values values, struct matrix *out,
                                       struct proact_error *err);

/* The same for a plain or gzip file. */
enum proact_status matrix_market_read(const char *path, enum matrix_values values,
                                      struct matrix *out, struct proact_error *err);
void matrix_clear(struct matrix *m);
