/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Figures 3 and 8 to 11 of Groves et al. 2020, recomputed from its Tables I and II. The
   paper leaves several points open; docs/model.md states the readings. */

#include <stddef.h>

enum { PAPER_VALUES = 4, PAPER_ROWS_MAX = 32 };

struct paper_value {
    double value;
    int digits;       /* after the point */
    const char *unit; /* "" for a ratio */
};

/* One comparison. Texts are static. */
struct paper_row {
    const char *figure, *what;
    struct paper_value value[PAPER_VALUES];
    size_t count;
    const char *paper;  /* as the paper prints it; "-": nothing */
    const char *reason; /* of a difference; "none" */
};

/* Recomputes all rows; returns their number. */
size_t model_paper(struct paper_row out[PAPER_ROWS_MAX]);
