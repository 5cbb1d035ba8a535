/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of Groves et al. 2020, recomputed from the formulas. The values were derived by
   hand from Tables I and II, with the readings of docs/model.md. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "model/paper.h"

static void figures_are_recomputed(void **state)
{
    const struct {
        const char *figure, *what;
        size_t value;
        double expected, within;
    } known[] = {
        {"3", "put from get", 0, 72, 0.01},
        {"3", "put from get", 1, 3.48, 0.01},
        {"3", "S in device", 0, 81.83, 0.01},
        {"3", "S in device", 1, 69.11, 0.01},
        {"8", "fixed", 0, 1.15, 0.01},
        {"8", "fixed", 1, 2.55, 0.01},
        {"9", "maximum", 0, 2.5, 0.01},
        {"9", "pipelined at 100 B", 0, 2.5, 0.01},
        {"9", "pipelined at 100 B", 1, 73, 0.01},
        {"9", "same with ns per byte", 0, 1.16, 0.01},
        {"9", "same with ns per byte", 1, 3.72, 0.01},
        {"9", "same with ns per byte", 2, 273.42, 0.01},
        {"9", "single message", 0, 2.45, 0.01},
        {"9", "single message", 1, 2.49, 0.01},
        {"10", "8 B", 0, 0.78, 0.01},
        {"10", "8 B", 1, 1.25, 0.01},
        {"10", "gain", 0, 1.60, 0.01},
        {"10", "gain", 2, 1.495, 0.001},
        {"11", "host over device", 0, 1.51, 0.01},
        {"11", "host over device", 1, 1.27, 0.01},
        {"11", "host over device", 2, 1.03, 0.01},
        {"11", "device over host, put", 0, 1.09, 0.01},
        {"11", "get, a tenth", 0, 299, 0.01},
        {"11", "get, a tenth", 1, 1.26, 0.01},
        {"11", "same, device", 1, 1.09, 0.01},
        {"11", "pipelined", 0, 242, 0.01},
        {"11", "pipelined", 1, 2.0, 0.05},
        {"11", "pipelined", 2, 5.9, 0.05},
        {"11", "pipelined", 3, 3.4, 0.05},
        {"VIII", "launch", 0, 8.0, 0.01},
        {"VIII", "launch", 1, 9.1, 0.01},
    };
    struct paper_row rows[PAPER_ROWS_MAX];
    const size_t count = model_paper(rows);

    (void)state;
    assert_true(count <= PAPER_ROWS_MAX);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t at = 0;

        while (at < count &&
               (strcmp(rows[at].figure, known[i].figure) != 0 ||
                strncmp(rows[at].what, known[i].what, strlen(known[i].what)) != 0))
            at++;
        if (at == count)
            fail_msg("figure %s has no row '%s'", known[i].figure, known[i].what);
        const double value = rows[at].value[known[i].value].value;

        if (fabs(value - known[i].expected) > known[i].within)
            fail_msg("figure %s, %s: %.4f, expected %.4f", known[i].figure, known[i].what,
                     value, known[i].expected);
    }
}

static void rows_are_complete(void **state)
{
    struct paper_row rows[PAPER_ROWS_MAX];
    const size_t count = model_paper(rows);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        assert_true(rows[i].count >= 1 && rows[i].count <= PAPER_VALUES);
        assert_true(rows[i].paper[0] && rows[i].reason[0]);
        for (size_t k = 0; k < rows[i].count; k++)
            assert_true(isfinite(rows[i].value[k].value) && rows[i].value[k].unit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_recomputed),
        cmocka_unit_test(rows_are_complete),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
