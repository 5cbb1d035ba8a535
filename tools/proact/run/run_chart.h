/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The speedups of a study as a bar chart in a terminal, with the ideal as a vertical line.
 */

#include "run/run_report.h"

struct run_chart {
    unsigned columns; /* of a line */
    bool blocks;      /* Unicode block elements; otherwise ASCII */
};

/* The width of the terminal on stdout, else $COLUMNS, else 80; blocks where the locale's
   character set is UTF-8. */
struct run_chart run_chart_for_stdout(void);
void run_chart_print(const struct run_report *r, const struct run_chart *chart, FILE *to);
