/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A study: one application on one machine under several methods. Each method is compared
   with one device, and with runs that send nothing (PROACT V). */

#include "run/run_application.h"
#include "run/run_median.h"
#include "terms.h"
#include "topology/topology.h"

enum { RUN_COPIES_BYTES = 256, RUN_PLAN_BYTES = 512 };

/* One method. An undefined term is NAN. */
struct run_row {
    const char *method;      /* borrowed */
    uint64_t chunk_bytes;    /* of its plan; 0: the default */
    unsigned threads;        /* likewise, of the agent */
    struct run_time time;    /* T(m) */
    struct run_time skipped; /* E(m): the same without transfers */
    struct terms terms;
    struct proact_statistics statistics;
    /* Unified memory: the fastest hint, and the time of every hint. UNIFIED_OFF: the row is
       a method. A time of 0: the machine has no hints. */
    enum proact_unified hint;
    uint64_t hint_ns[PROACT_UNIFIED_PREFETCH + 1];
    char copies[RUN_COPIES_BYTES]; /* proact_plan_copies() of its sessions, or "" */
    char plan[RUN_PLAN_BYTES];     /* of auto: what was selected; else "" */
    bool equal;                    /* the answer equals that of one device */
    size_t differs_at;             /* the first byte that differs, if any */
};

struct run_study {
    struct run_outcome one;             /* one device; owns the answer and the schedule */
    struct run_time one_time, uncopied; /* T1; T(bulk) - C */
    struct terms_base base;
    bool emulated;
    bool replayed;  /* the rows are times by recorded costs, without an answer */
    bool is_single; /* `one` is the run of the only row, on all devices */
    unsigned device_count, row_count;
    struct run_row row[RUN_METHODS_MAX];
};

/* `topology` is the machine with only the devices in use. --trace records only the
   method. */
enum proact_status run_study_make(const struct run_application *application, void *work,
                                  const struct run_request *request,
                                  const struct topology *topology, struct run_study *out,
                                  struct proact_error *err);
const char *run_hint_name(enum proact_unified hint);
/* Writes the plans of the kernels that the application has destroyed: "inline, 64 kB
   chunks" if they are equal, else with the names of the kernels. */
void run_plan_note(const struct proact *p, char out[RUN_PLAN_BYTES]);
/* Writes proact_plan_copies() of the session, or "". */
void run_copies_note(const struct proact *p, char out[RUN_COPIES_BYTES]);
/* Runs of single plans of an application, each compared with the run on one device. */
struct run_plans;
struct run_plan {
    const char *method;   /* NULL: left to the session */
    uint64_t chunk_bytes; /* 0: the default */
    unsigned threads;     /* likewise */
    bool skips;           /* E(m): no transfers, and no comparison */
    /* Called with the session before and after the run; NULL: none. */
    void (*opened)(void *context, struct proact *p);
    void (*closing)(void *context, struct proact *p);
    void *context;
};
/* Runs the application on one device. run_plans_close() in any case. */
enum proact_status run_plans_open(const struct run_application *application, void *work,
                                  const struct run_request *request,
                                  const struct topology *topology, struct run_plans **out,
                                  struct proact_error *err);
/* PROACT_EREFUSED: the machine does not support the plan. */
enum proact_status run_plans_time(struct run_plans *plans, const struct run_plan *plan,
                                  struct run_row *out, struct proact_error *err);
const struct run_study *run_plans_study(const struct run_plans *plans);
void run_plans_close(struct run_plans *plans); /* NULL is allowed */

bool run_study_differs(const struct run_study *s);
void run_study_clear(struct run_study *s);
