/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Ratings for the tests of als, and their runs. Failures end the test. */

#include "als/als.h"

/* data/insteval_ratings.mtx.gz */
struct rating_set als_insteval(void);
struct rating_set als_planted(uint32_t users, uint32_t items, size_t draws);

struct als_place {
    const char *machine, *method;
    unsigned devices;
    uint64_t seed;
    bool check;
};

/* Times and errors of a run on emulated devices. The caller clears the result. */
struct als_result als_run_on(const struct als_place *place, const struct rating_set *set,
                             const struct als_options *options);
