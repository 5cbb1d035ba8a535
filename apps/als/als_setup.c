/* SPDX-License-Identifier: Apache-2.0 */
#include "als/als_setup.h"

#include <math.h>
#include <stdlib.h>

#include "graph/complain.h"
#include "graph/seeded.h"

enum { SEED_START_USERS = 2, SEED_START_ITEMS = 3 };
enum { BLOCKS_DEFAULT = 16, SWEEPS_SOLVE = 20, SWEEPS_DESCENT = 100 };
static const double start_deviation = 0.1;

static uint32_t smaller_side(const struct rating_set *set)
{
    return set->user_count < set->item_count ? set->user_count : set->item_count;
}

static enum proact_status refuse_options(const struct rating_set *set,
                                         const struct als_options *o,
                                         struct proact_error *err)
{
    uint32_t rows = smaller_side(set);

    if (o->rank < 1 || o->rank > ALS_RANK_MAX)
        return complain(err, PROACT_EINVAL, "als: rank %u is not from 1 to %d", o->rank,
                        ALS_RANK_MAX);
    if (!(o->lambda > 0) || !isfinite(o->lambda))
        return complain(err, PROACT_EINVAL, "als: lambda %g is not a number above 0",
                        o->lambda);
    if (!(o->gamma > 0) || !isfinite(o->gamma))
        return complain(err, PROACT_EINVAL, "als: gamma %g is not a number above 0",
                        o->gamma);
    if (o->blocks > ALS_BLOCKS_MAX)
        return complain(err, PROACT_EINVAL, "als: %u blocks, expected 1 to %d", o->blocks,
                        ALS_BLOCKS_MAX);
    if (o->update == ALS_STRATA && o->blocks > rows)
        return complain(err, PROACT_EINVAL, "als: %u blocks for %u users and %u items",
                        o->blocks, set->user_count, set->item_count);
    if (o->is_paper_kernel && o->update != ALS_GRADIENT)
        return complain(err, PROACT_EINVAL,
                        "als: only the update by gradient has the paper's kernel");
    return PROACT_OK;
}

enum proact_status als_defaults(const struct rating_set *set,
                                const struct als_options *given, struct als_options *out,
                                struct proact_error *err)
{
    struct als_options o = *given;
    uint32_t rows = smaller_side(set);
    double gamma = o.update == ALS_STRATA ? 0.02 : 0.005;

    o.lambda = o.lambda != 0 ? o.lambda : 0.1;
    o.gamma = o.gamma != 0 ? o.gamma : gamma;
    o.tolerance = o.tolerance != 0 ? o.tolerance : 1e-5;
    o.report_sweeps = o.report_sweeps ? o.report_sweeps : 1;
    if (!o.blocks)
        o.blocks = rows < BLOCKS_DEFAULT ? rows : BLOCKS_DEFAULT;
    if (!o.sweeps_max)
        o.sweeps_max = o.update == ALS_SOLVE ? SWEEPS_SOLVE : SWEEPS_DESCENT;
    enum proact_status status = refuse_options(set, &o, err);

    if (!status)
        *out = o;
    return status;
}

double *als_start(const struct rating_rows *rows, bool is_users, unsigned rank)
{
    uint64_t seed = is_users ? SEED_START_USERS : SEED_START_ITEMS;
    double *factor = app_calloc((size_t)rows->row_count * rank, sizeof *factor);

    for (size_t i = 0; i < (size_t)rows->row_count * rank; i++)
        factor[i] = start_deviation * seeded_normal(seed, i);
    return factor;
}

/* Block b has the rows r with r * blocks / rows == b. */
uint32_t als_strata_first_row(uint32_t rows, unsigned blocks, unsigned block)
{
    return (uint32_t)(((uint64_t)block * rows + blocks - 1) / blocks);
}

static size_t block_number(const struct rating_set *set, unsigned blocks,
                           const struct rating *r)
{
    unsigned a = (unsigned)((uint64_t)r->user * blocks / set->user_count);
    unsigned b = (unsigned)((uint64_t)r->item * blocks / set->item_count);

    return (size_t)((b + blocks - a) % blocks) * blocks + a;
}

void als_strata_init(const struct rating_set *set, unsigned blocks, struct als_strata *out)
{
    size_t count = (size_t)blocks * blocks;
    struct als_strata s = {.blocks = blocks};
    uint32_t *place = app_calloc(count, sizeof *place);

    s.block_first = app_calloc(count + 1, sizeof *s.block_first);
    s.rating = app_calloc(set->training_count, sizeof *s.rating);
    for (size_t i = 0; i < set->training_count; i++)
        s.block_first[block_number(set, blocks, &set->training[i]) + 1]++;
    for (size_t b = 0; b < count; b++) {
        s.block_first[b + 1] += s.block_first[b];
        place[b] = s.block_first[b];
    }
    for (size_t i = 0; i < set->training_count; i++)
        s.rating[place[block_number(set, blocks, &set->training[i])]++] = set->training[i];
    free(place);
    *out = s;
}

void als_strata_clear(struct als_strata *s)
{
    free(s->block_first);
    free(s->rating);
    *s = (struct als_strata){0};
}

double als_gamma(const struct als_options *options, unsigned sweep)
{
    if (options->update != ALS_STRATA)
        return options->gamma;
    return options->gamma / (1 + 0.1 * (sweep - 1));
}

void als_clear(struct als_result *r)
{
    free(r->users);
    free(r->items);
    free(r->errors);
    *r = (struct als_result){0};
}
