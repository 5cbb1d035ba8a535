/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_progress.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

enum { BAR_WIDTH = 24 };
static const uint64_t redraw_ns = 100000000;

void run_progress_init(struct run_progress *p, unsigned runs)
{
    const struct run_progress start = {
        .shown = isatty(STDERR_FILENO), .runs = runs, .started_ns = clock_host_ns()};

    *p = start;
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
    uint64_t now_ns = clock_host_ns();

    if (!p->shown || now_ns - p->drawn_ns < redraw_ns)
        return;
    p->drawn_ns = now_ns;
    double part = part_done(p, iteration);
    double spent_s = (double)(now_ns - p->started_ns) * 1e-9;
    char bar[BAR_WIDTH + 1];

    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', (size_t)(part * BAR_WIDTH));
    bar[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r[%s] %3.0f %%  %s: iteration %u", bar, part * 100, p->label,
            iteration);
    if (iteration)
        fprintf(stderr, ", change %.2g", residual);
    if (part > 0.02)
        fprintf(stderr, ", %.0f s left", spent_s / part - spent_s);
    fprintf(stderr, "\033[K");
    fflush(stderr);
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
    if (p->shown)
        fprintf(stderr, "\r\033[K");
}
