/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Properties of the fastest plan of each application and machine: Table II and figures 8
   and 9. */

#include "figures/figure.h"

/* Completes and adds the row of one study. `row` has the machine and the plan's name. */
typedef void figure_fastest_add(const struct figure_study *f, struct figure_row *row,
                                struct figure_rows *out);
enum proact_status figure_fastest_each(struct figure_session *s, figure_fastest_add *add,
                                       struct figure_rows *out, struct proact_error *err);

/* A row of a share, in percent, of the fastest decoupled plan, whose machine is a series.
   NAN: undefined. */
void figure_fastest_share(const struct figure_study *f, double share,
                          struct figure_row *row, struct figure_rows *out);
/* Adds the arithmetic mean of the defined values of each series, at "mean". */
void figure_fastest_means(struct figure_rows *rows);
