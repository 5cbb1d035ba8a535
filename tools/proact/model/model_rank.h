/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Candidates of a launch in the order of their predicted time. */

#include "model/predict.h"

enum { RANK_MAX = 80, RANK_FLIPS_MAX = 2 * TOPOLOGY_ESTIMATES_MAX };

struct rank_row {
    enum model_sender who;
    struct model_schedule chunks; /* first_bytes 0: it sends no chunks */
    struct model_time time;
};

/* A change of an estimated key after which another candidate is clearly faster than
   model_rank_first(). */
struct rank_flip {
    const char *key; /* static */
    double factor;
    unsigned row; /* number of the fastest candidate then */
};

struct model_ranking {
    struct rank_row rows[RANK_MAX]; /* fastest first */
    unsigned count;
    double bulk_ns;
    struct rank_flip flips[RANK_FLIPS_MAX];
    unsigned flip_count;
};

/* The fastest candidate that a GPU can execute: not the transfer unit. */
const struct rank_row *model_rank_first(const struct model_ranking *r);
void model_rank(const struct topology *t, const struct model_problem *p,
                struct model_ranking *out);
