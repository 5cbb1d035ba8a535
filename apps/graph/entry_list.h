/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Sorted entries of a matrix. */

#include "graph/matrix_market.h"

struct entry_list {
    struct matrix_entry *entry;
    double *value; /* NULL: the matrix has no values */
};

/* The entries in the order of columns, then rows, or of rows, then columns; duplicates in
   the order of the matrix. Time and memory are linear. The caller clears the result. */
struct entry_list entries_by_column(const struct matrix *m);
struct entry_list entries_by_row(const struct matrix *m);
void entry_list_clear(struct entry_list *list);
