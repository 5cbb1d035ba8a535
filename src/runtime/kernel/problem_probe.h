/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Candidates of a problem that launches are timed under. A recording has the candidate that
   is fastest with the modelled difference between a timed launch and a recorded one. */

#include <stdbool.h>

#include "runtime/kernel/problem_record.h"

struct launch_problem;

/* Best plan of the model for a launch in a recording. */
struct plan_candidate problem_best_recorded(const struct plan_problem *p);
/* Lists the candidates to time: the default, the best by the model, that for recordings,
   and the next best, three in all; or every one. */
void problem_probe_list(struct launch_problem *q, const struct problem_choice *choice,
                        const struct plan_candidate *recorded, bool every);
void problem_probe_drop(struct launch_problem *q, unsigned candidate);
void problem_probe_clear(struct launch_problem *q);
/* Time of a launch under a candidate, or of one in a recording; 0: it was not timed. */
double problem_timed_ns(const struct launch_problem *q, unsigned candidate,
                        bool is_recorded);
/* The candidate with the least time. */
unsigned problem_fastest(const struct launch_problem *q, bool is_recorded);
