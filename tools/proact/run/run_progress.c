/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_progress.h"

#include <stdio.h>

void run_progress_init(struct run_progress *p, unsigned runs)
{
    *p = (struct run_progress){.runs = runs};
    progress_bar_init(&p->bar);
}

/* The completed fraction of a run. Each iteration counts as a hundredth if their number is
   unknown. */
static double part_done(const struct run_progress *p, unsigned iteration)
{
    double expected = p->iterations_expected ? p->iterations_expected : 100;
    double part = iteration / expected;

    return ((double)p->done + (part < 1 ? part : 1)) / p->runs;
}

void run_progress_step(void *context, unsigned iteration, double residual)
{
    struct run_progress *p = context;
    char text[96];

    if (!progress_bar_is_due(&p->bar))
        return;
    if (iteration)
        snprintf(text, sizeof text, "%s: iteration %u, change %.2g", p->label, iteration,
                 residual);
    else
        snprintf(text, sizeof text, "%s: iteration 0", p->label);
    progress_bar_draw(&p->bar, part_done(p, iteration), text);
}

void run_progress_next(struct run_progress *p, const char *label)
{
    p->label = label;
    run_progress_step(p, 0, 0);
}

void run_progress_done(struct run_progress *p, unsigned iterations)
{
    p->done++;
    p->iterations_expected = iterations;
}

void run_progress_clear(struct run_progress *p)
{
    progress_bar_clear(&p->bar);
}
