/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Timed runs of one application, each in a session of its own: no run depends on the clock
   or the memory of another one. */

#include "run/run_progress.h"
#include "run/run_study.h"
#include "run/run_trace.h"

/* What all runs of a study have in common. */
struct run_maker {
    const struct run_application *application;
    void *work;
    const struct run_request *request;
    const struct topology *topology;
    struct run_progress progress;
    struct run_study *study;
    char copies[RUN_COPIES_BYTES]; /* of the last session, as the plan */
    char plan[RUN_PLAN_BYTES];
    struct proact_quanta *quanta; /* NULL: all is executed */
    bool has_opened;              /* the session of the last run */
    struct proact
        *gpus; /* open between the runs, for the contexts of the GPUs; NULL: none */
    struct run_clock clock; /* of the last run */
    /* The launches of runs without an answer: of the run on one device, or of a sample. */
    const struct repeat_schedule *schedule;
    struct proact_error *err;
};

struct run_case {
    const char *method;
    const char *label;    /* of the progress; NULL: the method */
    uint64_t chunk_bytes; /* 0: the request's */
    unsigned threads;     /* likewise */
    unsigned devices;
    bool instant;  /* transfers take no time */
    bool watched;  /* with time stamps, which cost time on hardware */
    bool skips;    /* no transfers: the answer is wrong */
    bool executes; /* despite --replay */
    enum proact_unified unified;
    unsigned seed_offset;
    struct run_trace *trace;
    const struct run_plan *hooks; /* called with the session; NULL: none */
};

/* The plan of a row, on all devices. */
struct run_case run_case_of(const struct run_study *study, const struct run_row *row);
void run_maker_close(struct run_maker *m);
enum proact_status run_timed_once(struct run_maker *m, const struct run_case *run,
                                  struct run_outcome *out);
/* --runs times, but once for a trace. Emulated runs have consecutive seeds. `row`: each
   answer is compared with that of one device, if not NULL. `out`: as run_median(). */
enum proact_status run_timed_often(struct run_maker *m, const struct run_case *run,
                                   struct run_row *row, struct run_outcome *out,
                                   struct run_time *time);
