/* SPDX-License-Identifier: Apache-2.0 */
#include "als/ratings.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "graph/complain.h"
#include "graph/seeded.h"

enum { PLANTED_RANK = 8, PLANTED_MEAN = 3 };
/* Seeds of the pairs, the factors of both sides, and the noise. */
enum { SEED_PAIRS = 11, SEED_USERS = 12, SEED_ITEMS = 13, SEED_NOISE = 14, SEED_STEP = 16 };
static const double planted_noise = 0.5;

/* A stable counting sort by one of the two numbers. */
static void ratings_sort_by(struct ratings *r, bool by_user, struct rating *sorted)
{
    uint32_t keys = by_user ? r->user_count : r->item_count;
    size_t *place = app_calloc((size_t)keys + 1, sizeof *place);

    for (size_t i = 0; i < r->count; i++)
        place[(by_user ? r->entry[i].user : r->entry[i].item) + 1]++;
    for (uint32_t key = 0; key < keys; key++)
        place[key + 1] += place[key];
    for (size_t i = 0; i < r->count; i++)
        sorted[place[by_user ? r->entry[i].user : r->entry[i].item]++] = r->entry[i];
    free(place);
    free(r->entry);
    r->entry = sorted;
}

void ratings_sort(struct ratings *r)
{
    ratings_sort_by(r, false, app_calloc(r->count, sizeof *r->entry));
    ratings_sort_by(r, true, app_calloc(r->count, sizeof *r->entry));
}

static double *planted_factors(uint64_t seed, uint32_t rows)
{
    double *factor = app_calloc((size_t)rows * PLANTED_RANK, sizeof *factor);

    for (size_t i = 0; i < (size_t)rows * PLANTED_RANK; i++)
        factor[i] = seeded_normal(seed, i);
    return factor;
}

static void ratings_fill_planted(struct ratings *r, uint64_t shift)
{
    double *users = planted_factors(SEED_USERS + shift, r->user_count);
    double *items = planted_factors(SEED_ITEMS + shift, r->item_count);

    for (size_t i = 0; i < r->count; i++) {
        struct rating *e = &r->entry[i];
        const double *p = users + (size_t)e->user * PLANTED_RANK;
        const double *q = items + (size_t)e->item * PLANTED_RANK;
        uint64_t pair = (uint64_t)e->user << 32 | e->item;

        e->value = PLANTED_MEAN;
        for (unsigned k = 0; k < PLANTED_RANK; k++)
            e->value += p[k] * q[k] / sqrt(PLANTED_RANK);
        e->value += planted_noise * seeded_normal(SEED_NOISE + shift, pair);
    }
    free(users);
    free(items);
}

void ratings_plant(const struct ratings_plan *plan, struct ratings *out)
{
    struct ratings r = {
        .user_count = plan->users, .item_count = plan->items, .count = plan->draws};
    uint64_t shift = plan->seed * SEED_STEP;
    size_t distinct = 0;

    r.entry = app_calloc(r.count, sizeof *r.entry);
    for (size_t i = 0; i < r.count; i++) {
        r.entry[i].user = (uint32_t)(seeded_bits(SEED_PAIRS + shift, 2 * i) % plan->users);
        r.entry[i].item =
            (uint32_t)(seeded_bits(SEED_PAIRS + shift, 2 * i + 1) % plan->items);
    }
    ratings_sort(&r);
    for (size_t i = 0; i < r.count; i++) {
        const struct rating *last = distinct ? &r.entry[distinct - 1] : NULL;

        if (!last || last->user != r.entry[i].user || last->item != r.entry[i].item)
            r.entry[distinct++] = r.entry[i];
    }
    r.count = distinct;
    ratings_fill_planted(&r, shift);
    *out = r;
}

uint64_t ratings_user_id(const struct ratings *r, uint32_t user)
{
    return r->user_id ? r->user_id[user] : (uint64_t)user + 1;
}

uint64_t ratings_item_id(const struct ratings *r, uint32_t item)
{
    return r->item_id ? r->item_id[item] : (uint64_t)item + 1;
}

void ratings_clear(struct ratings *r)
{
    free(r->entry);
    free(r->user_id);
    free(r->item_id);
    *r = (struct ratings){0};
}
