/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Reads Matrix Market: coordinate format; pattern, integer, real or double values; general,
   symmetric or skew-symmetric. https://math.nist.gov/MatrixMarket/formats.html */

#include <proact/status.h>
#include <stddef.h>
#include <stdint.h>

struct matrix_entry {
    uint32_t row, column; /* from 0 here, from 1 in the file */
};

/* Entries in the file's order; what symmetry implies follows its entry. Start from zero. */
struct matrix {
    uint32_t rows, columns;
    size_t count;
    struct matrix_entry *entry;
    double *value;     /* NULL: pattern */
    char *comment;     /* the lines that begin with %, without the first; never NULL */
    size_t sizes_line; /* where the file says how large it is, for messages */
};

/* `text` is NUL-terminated at `bytes` and borrowed for the call; `name` is for messages,
   which read "name:line: what was expected, what was found". Memory is bounded by the
   text's size. */
enum proact_status matrix_market_parse(const char *name, const char *text, size_t bytes,
                                       struct matrix *out, struct proact_error *err);

/* The same for a file, plain or gzip. */
enum proact_status matrix_market_read(const char *path, struct matrix *out,
                                      struct proact_error *err);
void matrix_clear(struct matrix *m);
