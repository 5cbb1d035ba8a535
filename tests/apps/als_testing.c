/* SPDX-License-Identifier: Apache-2.0 */
#include "apps/als_testing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "als/ratings_read.h"

static struct rating_set divide(const char *name, struct ratings *ratings)
{
    struct rating_set set;
    struct proact_error err = {""};

    if (rating_set_create(name, ratings, &set, &err))
        fail_msg("%s", err.text);
    ratings_clear(ratings);
    return set;
}

struct rating_set als_insteval(void)
{
    struct ratings ratings;
    struct proact_error err = {""};

    if (ratings_read(PROACT_SOURCE "/data/insteval_ratings.mtx.gz", &ratings, &err))
        fail_msg("%s", err.text);
    return divide("InstEval", &ratings);
}

struct rating_set als_planted(uint32_t users, uint32_t items, size_t draws)
{
    const struct ratings_plan plan = {users, items, draws, 0};
    struct ratings ratings;

    ratings_plant(&plan, &ratings);
    return divide("planted", &ratings);
}

struct als_result als_run_on(const struct als_place *place, const struct rating_set *set,
                             const struct als_options *options)
{
    const struct proact_options how = {
        .machine = place->machine,
        .device_count = place->devices,
        .seed = place->seed,
        .check = place->check,
        .plan = {.method = place->method, .chunk_bytes = 4096, .transfer_threads = 256}};
    struct proact_error err = {""};
    struct als_result result;
    struct proact *p;

    if (proact_open(&how, &p, &err) || als_run(p, set, options, &result, &err))
        fail_msg("%s on %u: %s", place->method, place->devices, err.text);
    proact_close(p);
    return result;
}
