/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* State of a launch problem, and the list of those of a kernel. */

#include "plan/candidates.h"
#include "runtime/kernel/problem_record.h"
#include "runtime/kernel/problem_timer.h"
#include "transfer/transfer.h"

struct launching;
struct proact_kernel;

/* Modelled time of a launch in a recording, and its difference from a timed launch. */
struct recorded_cost {
    double ns, more_ns;
};

enum problem_state { PROBLEM_UNMEASURED, PROBLEM_PROBING, PROBLEM_PLANNED };

struct launch_problem {
    struct launch_problem *next;
    uint32_t grid[3], threads[3];
    unsigned over;
    uint64_t digest; /* of the write set; 0: maps of the user */
    uint64_t bytes[PROACT_SLOTS_MAX];
    struct transfer_plan constraint; /* under which the plan was made */
    enum problem_state state;
    struct transfer_plan plan, recorded;     /* of single launches, and in recordings */
    struct plan_candidate *candidates;       /* while probing: those to time */
    struct candidate_time *times;            /* of each */
    struct recorded_cost *recorded_costs;    /* of each */
    unsigned candidate_count, launched, now; /* launched: under the present one */
    struct problem_timer timer;
    double kernel_ns;          /* without transfers; 0: no timed launch has ended yet */
    uint64_t launches, queued; /* all; those that followed another one without a wait */
    struct plan_candidate usual, selected; /* the default, and that of `plan` */
    double recorded_ns;          /* modelled, under the plan of recordings; 0: not known */
    struct plan_record record;   /* of the settled plan */
    struct plan_candidate other; /* the slower one of two that problem_compare() had */
    bool has_other, uses_other;  /* uses_other: `selected` and `other` are exchanged */
    bool is_recorded;            /* a recording has the plan */
    bool sends_nothing;          /* the plan was made without readers on other devices */
    bool was_measured;           /* it is the fastest of those that were timed */
    char why[160], why_recorded[160];
    bool gave_recorded; /* the last launch has the plan of recordings */
};

struct kernel_problems {
    struct launch_problem *first; /* the last used one */
    unsigned count;
    uint64_t changes;
};

/* Whether all arguments that the kernel writes are arrays. */
bool problem_has_arrays(const struct launching *l);
/* The launch's problem under the present constraint; NULL: it has none. */
struct launch_problem *problem_look_up(const struct launching *l);
/* The same, created if it does not exist, and moved to the front of the list. */
struct launch_problem *problem_find(const struct launching *l);
