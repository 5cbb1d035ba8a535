/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Trials of a session: the state that autotune/trial.h advances. */

#include <stdbool.h>
#include <stdint.h>

enum trial_way { TRIAL_SETTLED, TRIAL_SPLIT, TRIAL_WHOLE, TRIAL_WAYS };

struct trial {
    enum trial_way way;    /* current mode of the launches */
    bool is_under_way;     /* an experiment is running; otherwise `way` was the fastest */
    bool is_timed;         /* the timed part of a period, after the initial transfers */
    uint64_t from_ns;      /* start of the period */
    uint64_t work_ns;      /* work of its launches, by their faster mode */
    uint64_t launches;     /* its launches; outside experiments: launches since a probe */
    uint64_t next;         /* launch count of the session for the next experiment */
    double by[TRIAL_WAYS]; /* time per work; 0: not measured */
};
