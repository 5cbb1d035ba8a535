/* SPDX-License-Identifier: Apache-2.0 */
/* `proact model paper`: the recomputed figures next to the printed ones. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "command.h"
#include "model/model_command.h"
#include "model/paper.h"

static void print_paper_row(const struct paper_row *row)
{
    struct text values = {0};

    for (size_t i = 0; i < row->count; i++) {
        const struct paper_value *v = &row->value[i];

        text_print(&values, "%s%.*f%s%s", i ? "; " : "", v->digits, v->value,
                   v->unit[0] ? " " : "", v->unit);
    }
    printf("%-7s %-48s %-24s %-24s %s\n", row->figure, row->what, values.data, row->paper,
           row->reason);
    text_clear(&values);
}

int model_paper_command(int argc, char **argv)
{
    struct paper_row rows[PAPER_ROWS_MAX];

    if (argc > 1 && strcmp(argv[1], "--help") != 0 && strcmp(argv[1], "-h") != 0)
        return usage_error("model", "model paper takes no argument, found '%s'", argv[1]);
    if (argc > 1) {
        printf(
            "Usage: proact model paper\n\n"
            "Print the figures of the LogGOP paper (Groves et al. 2020), recomputed from "
            "its tables,\nnext to the printed ones, and the reason of each difference.\n\n"
            "Example:\n"
            "  proact model paper\n");
        return EXIT_FINE;
    }
    const size_t count = model_paper(rows);

    printf("%-7s %-48s %-24s %-24s %s\n", "figure", "value", "recomputed", "paper",
           "difference");
    for (size_t i = 0; i < count; i++)
        print_paper_row(&rows[i]);
    return EXIT_FINE;
}
