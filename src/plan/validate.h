/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Validation of a joint assignment (joint.h) in timed windows of the running program. One
   assignment after another runs for a window: the settled one, all split, all on one
   device, and the second minimum of the search. All on one device is skipped if these
   launches already take longer by themselves. Another assignment replaces the settled one
   if it is faster by more than 5 % and the measured spread. Each launch counts with the
   time of its faster label, so the windows need not contain the same launches.

   The windows are charged to the budget, less the time of the same work in the fastest
   part. A window that exceeds the budget ends, and so does the validation.

   Until the first validation, problems with edges run under one mode. Otherwise their
   arrays would move for each problem that waits for its probe.

   The caller waits for the devices where a window begins or ends, and passes the time. */

#include "plan/budget.h"
#include "plan/joint.h"

enum validation_assignment {
    VALIDATION_SETTLED,
    VALIDATION_SPLIT,
    VALIDATION_SINGLE,
    VALIDATION_SECOND,
    VALIDATION_ASSIGNMENTS
};

struct validation {
    enum validation_assignment now; /* assignment of the launches */
    bool is_under_way;              /* otherwise `now` was the fastest */
    unsigned part;                  /* of the window: the initial transfers, then halves */
    uint64_t from_ns;               /* start of the part */
    uint64_t work_ns;               /* work of its launches, by their faster labels */
    uint64_t launches;           /* its launches; outside windows: launches since a probe */
    uint64_t launches_least;     /* launches that contain the program's loop often enough */
    uint64_t checks;             /* checks of the budget in the part */
    uint64_t next;               /* launch count of the session for the next validation */
    double half;                 /* time per work of the first timed half */
    uint64_t took_ns, worked_ns; /* time and work of the ended parts of all windows */
    double fastest;              /* their least time per work; 0: no part has ended */
    uint64_t charged_ns;         /* to the budget */
    /* Time per work of a window, and difference of its halves as a share; 0: unknown. */
    double time[VALIDATION_ASSIGNMENTS], spread[VALIDATION_ASSIGNMENTS];
};

/* Counts a launch. */
void validation_launched(struct validation *v, double work_ns);
/* Whether the caller shall call validation_may_advance(): a part of a window, a check of
   the budget in it, or the interval between two validations may end after `launches`
   launches of the session. */
bool validation_is_due(const struct validation *v, uint64_t launches);
/* Whether the caller shall wait and call validation_advance(). Called when it is due.
   Without budget it claims the budget: probes of a program with many kernels would use it
   up, and no assignment would ever be compared. */
bool validation_may_advance(struct validation *v, const struct joint_table *t,
                            struct plan_budget *budget);
/* Charges the part until `now_ns`, ends it after enough launches and begins the next one;
   or begins a validation. The devices are idle. */
void validation_advance(struct validation *v, const struct joint_table *t,
                        uint64_t launches, uint64_t now_ns, struct plan_budget *budget);
/* Label of a problem under the present assignment. */
unsigned validation_label(const struct validation *v, const struct joint_node *n,
                          bool has_edges);
/* validation_disturb() ends the windows because a probe follows; without windows `t` is not
   read. validation_timed() ends the probe: problems under one mode may switch together. */
void validation_disturb(struct validation *v, const struct joint_table *t);
void validation_timed(struct validation *v, const struct joint_table *t);
