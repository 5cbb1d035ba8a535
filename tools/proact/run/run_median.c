/* SPDX-License-Identifier: Apache-2.0 */
#include "run/run_median.h"

#include <stdlib.h>

#include "base/clock.h"

struct run_clock run_clock_open(void)
{
    return (struct run_clock){.opened_ns = clock_host_ns()};
}

bool run_clock_start(struct run_clock *c)
{
    if (c->setup_ns)
        return false;
    c->setup_ns = clock_host_ns() - c->opened_ns;
    return true;
}

void run_outcome_clear(struct run_outcome *outcome)
{
    free(outcome->answer);
    free(outcome->schedule.launches);
    *outcome = (struct run_outcome){0};
}

void run_series_add(struct run_series *s, const struct run_outcome *outcome,
                    const struct run_clock *clock)
{
    struct run_outcome *kept = &s->outcome[s->count++];

    *kept = *outcome;
    s->setup_s += (double)clock->setup_ns / 1e9;
    if (s->count == 1)
        return;
    free(kept->answer);
    free(kept->schedule.launches);
    kept->answer = NULL;
    kept->schedule = (struct repeat_schedule){0};
}

static int compare_outcomes(const void *left, const void *right)
{
    const struct run_outcome *a = left, *b = right;

    return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

struct run_outcome run_median(struct run_series *s, struct run_time *time)
{
    struct run_outcome *all = s->outcome;
    const struct run_outcome first = all[0];
    const unsigned count = s->count;

    qsort(all, count, sizeof *all, compare_outcomes);
    struct run_outcome median = all[count / 2];

    *time = (struct run_time){.ns = median.time_ns,
                              .spread_ns = all[count - 1].time_ns - all[0].time_ns,
                              .runs = count,
                              .setup_s = s->setup_s / count};
    median.answer = first.answer;
    median.schedule = first.schedule;
    *s = (struct run_series){.count = 0};
    return median;
}

unsigned run_count(unsigned wanted, bool is_emulated)
{
    return wanted ? wanted : is_emulated ? 1 : RUN_RUNS_GPU;
}
