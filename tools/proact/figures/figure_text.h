/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The table of a figure as text, and the order of panels, series and positions that the
   table and the picture share. */

#include "base/text.h"
#include "figures/figure.h"

enum { FIGURE_NAMES_MAX = 64 };

/* Distinct words in the order of their first rows; borrowed from the rows. More than
   FIGURE_NAMES_MAX are left out. */
struct figure_names {
    unsigned count;
    const char *name[FIGURE_NAMES_MAX];
};

/* One panel: its rows, with their series and positions. Positions are in ascending order
   of x where rows have one. */
struct figure_panel {
    const char *name;
    const struct figure_rows *rows;
    struct figure_names series, at;
};

struct figure_names figure_panel_names(const struct figure_rows *rows);
struct figure_panel figure_panel_of(const struct figure_rows *rows, const char *name);
/* NULL: not measured. */
const struct figure_row *figure_panel_row(const struct figure_panel *panel, unsigned series,
                                          unsigned at);
/* Appends the value, or the plan of a figure of notes. */
void figure_text_value(const struct figure *figure, const struct figure_row *row,
                       struct text *to);

void figure_text_print(const struct figure *figure, const struct figure_rows *rows,
                       struct text *to);
