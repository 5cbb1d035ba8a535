/* SPDX-License-Identifier: Apache-2.0 */
#include "progress_bar.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

enum { BAR_WIDTH = 24 };
static const uint64_t redraw_ns = 100000000;
static const double estimate_from = 0.02; /* an earlier estimate is a guess */

void progress_bar_init(struct progress_bar *b)
{
    *b = (struct progress_bar){.shown = isatty(STDERR_FILENO),
                               .started_ns = clock_host_ns()};
}

bool progress_bar_is_due(struct progress_bar *b)
{
    if (!b->shown)
        return false;
    uint64_t now_ns = clock_host_ns();

    if (now_ns - b->drawn_ns < redraw_ns)
        return false;
    b->drawn_ns = now_ns;
    return true;
}

void progress_bar_draw(const struct progress_bar *b, double part, const char *text)
{
    char bar[BAR_WIDTH + 1];

    if (!b->shown)
        return;
    double spent_s = (double)(clock_host_ns() - b->started_ns) * 1e-9;

    part = part < 0 ? 0 : part > 1 ? 1 : part;
    memset(bar, '.', BAR_WIDTH);
    memset(bar, '#', (size_t)(part * BAR_WIDTH));
    bar[BAR_WIDTH] = '\0';
    fprintf(stderr, "\r[%s] %3.0f %%  %s", bar, part * 100, text);
    if (part > estimate_from)
        fprintf(stderr, ", %.0f s left", spent_s / part - spent_s);
    fprintf(stderr, "\033[K");
    fflush(stderr);
}

void progress_bar_clear(const struct progress_bar *b)
{
    if (b->shown)
        fprintf(stderr, "\r\033[K");
}
