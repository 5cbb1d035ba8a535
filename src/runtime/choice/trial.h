/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What was settled by the times of single launches (coupling.h) is held against the program
   as it runs: for a while as settled, then with all split that can be, then with all whole,
   unless whole launches took longer by themselves than that, and the fastest stays. A
   launch counts as much as its faster way takes, so that it does not matter which launches
   a while happens to have. Until the first of these, which is when all were timed that the
   program runs, those that are coupled all go one way: with some split and some whole,
   their arrays would go to and fro for every one that waits for its look. */

#include <proact/status.h>
#include <stdbool.h>
#include <stdint.h>

struct choice;
struct proact;
struct proact_error;

enum trial_way { TRIAL_SETTLED, TRIAL_SPLIT, TRIAL_WHOLE, TRIAL_WAYS };

struct trial {
    enum trial_way way;    /* that launches go now */
    bool is_under_way;     /* else `way` was the fastest */
    bool is_timed;         /* the while under way, in which what the way needs has moved */
    uint64_t from_ns;      /* it began, */
    uint64_t work_ns;      /* and has had launches of so much by their faster way */
    uint64_t launches;     /* and so many; outside of trials: since a look */
    uint64_t next;         /* of the session's launches, for the next trial */
    double by[TRIAL_WAYS]; /* time by work; 0: not tried */
};

/* Before a launch that may be split: waits, where a while is over. */
enum proact_status trial_step(struct proact *p, struct proact_error *err);
/* Of one that was settled: whether it is split now; and where it is launched, so that that
   counts. */
void trial_choose(struct choice *c);
void trial_launched(struct choice *c);
/* One that was never timed, and cannot be now, goes as the others do. */
bool trial_splits_new(const struct proact *p);
/* One is to be timed: what was begun is of no use. And once it was: all that go one way may
   go another. */
void trial_disturb(struct proact *p);
void trial_timed(struct proact *p);
