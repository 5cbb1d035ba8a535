/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A figure of the evaluation (PROACT II-C, III-A, V): one file with one `struct figure`,
   and a row in figures_table.c. A figure measures rows; its picture and its table follow
   from the rows alone. */

#include "figures/figure_session.h"

enum { FIGURE_WORD_BYTES = 64 };

/* One value. The rows of one panel share a chart and a table. */
struct figure_row {
    char panel[FIGURE_WORD_BYTES]; /* usually the machine */
    char machine[FIGURE_WORD_BYTES];
    char series[FIGURE_WORD_BYTES]; /* a line, a bar of each group, or a row of the table */
    char at[FIGURE_WORD_BYTES];     /* the position, which is a column of the table */
    double x;                       /* the position of a line; otherwise 0 */
    double value;                   /* NAN: undefined */
    char note[FIGURE_WORD_BYTES];   /* such as a plan; or "" */
};

/* Starts zeroed. */
struct figure_rows {
    struct figure_row *row;
    size_t count, capacity;
};

void figure_rows_add(struct figure_rows *rows, const struct figure_row *row);
void figure_rows_clear(struct figure_rows *rows);

enum figure_chart {
    FIGURE_LINES, /* over the positions, in the order of x */
    FIGURE_BARS,  /* a group for each position */
    FIGURE_HEAT,  /* series by position, by colour */
    FIGURE_NOTES  /* a table of the notes, without a chart */
};

struct figure {
    const char *name; /* for --only */
    const char *file; /* without its suffix */
    const char *title;
    const char *unit;   /* of the values */
    const char *across; /* the positions */
    const char *down;   /* the series */
    enum figure_chart chart;
    enum proact_status (*run)(struct figure_session *s, struct figure_rows *out,
                              struct proact_error *err);
};

extern const struct figure *const figures[]; /* ends with NULL */
/* NULL: there is none of that name. */
const struct figure *figure_find(const char *name, size_t length);
