/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "figures/figure.h"

extern const struct figure figure_2, figure_4, figure_6, figure_7, figure_8, figure_9,
    figure_10, figure_table2, figure_table2_planner;

/* In the order of their runs: those after 7 use its studies. */
const struct figure *const figures[] = {
    &figure_2, &figure_4, &figure_6,  &figure_7, &figure_table2, &figure_table2_planner,
    &figure_8, &figure_9, &figure_10, NULL,
};

const struct figure *figure_find(const char *name, size_t length)
{
    for (size_t i = 0; figures[i]; i++)
        if (strlen(figures[i]->name) == length &&
            strncmp(figures[i]->name, name, length) == 0)
            return figures[i];
    return NULL;
}
