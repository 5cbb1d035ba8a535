/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/memory.h"
#include "figures/figure.h"

void figure_rows_add(struct figure_rows *rows, const struct figure_row *row)
{
    rows->row = must_grow(rows->row, rows->count, &rows->capacity, sizeof *rows->row);
    rows->row[rows->count++] = *row;
}

void figure_rows_clear(struct figure_rows *rows)
{
    free(rows->row);
    *rows = (struct figure_rows){0};
}
