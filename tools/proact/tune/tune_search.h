/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Search of the plans of an application: state, and its steps. */

#include "run/run_study.h"
#include "tune/tune.h"
#include "tune/tune_candidates.h"

struct tune_search {
    const struct tune_request *tune;
    const struct run_request *request;
    const struct topology *topology;
    struct run_plans *plans;
    struct profile_key *shapes;
    size_t shape_count;
    struct tune_candidates candidates;
    struct tune_facts facts;
    unsigned iterations;
    uint64_t until_ns; /* 0: no limit */
    bool differs;
    /* Plans of the shapes, if they are not all the best one. */
    const struct profile_candidate **plans_of; /* by shape; NULL: not refined */
    double mixed_ns, mixed_spread_ns;          /* of an iteration with them */
    unsigned mixed_runs, mixed_timed;
};

/* A time or a number of a whole run, per iteration. */
double tune_search_share(const struct tune_search *s, double total);
/* The fastest timed candidate, else the best predicted one that is possible; NULL: none. */
const struct profile_candidate *tune_search_best(const struct tune_search *s);
/* Writes the best plan so far for each shape: a search that is killed keeps what it
   measured. */
enum proact_status tune_search_save(const struct tune_search *s, struct proact_error *err);
/* One step of a coordinate search: each shape in turn tries the best plans of other
   methods, while the other shapes keep theirs. */
enum proact_status tune_search_refine(struct tune_search *s, struct proact_error *err);
