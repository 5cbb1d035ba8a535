/* SPDX-License-Identifier: Apache-2.0 */
#include "als/rating_set.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "graph/complain.h"
#include "graph/entry_limit.h"
#include "graph/seeded.h"

enum { SEED_VALIDATION = 1 };
static const double validation_share = 0.1;

/* The entries are sorted. */
static enum proact_status refuse_ratings(const char *name, const struct ratings *r,
                                         struct proact_error *err)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct rating *e = &r->entry[i], *before = i ? e - 1 : NULL;
        unsigned long long user = ratings_user_id(r, e->user);
        unsigned long long item = ratings_item_id(r, e->item);

        if (!isfinite(e->value))
            return complain(err, PROACT_EINVAL,
                            "%s: the rating of item %llu by user %llu is %g, expected a "
                            "finite number",
                            name, item, user, e->value);
        if (before && before->user == e->user && before->item == e->item)
            return complain(err, PROACT_EINVAL,
                            "%s: user %llu has two ratings of item %llu: %g and %g", name,
                            user, item, before->value, e->value);
    }
    return PROACT_OK;
}

static bool is_validation(const struct rating *e)
{
    uint64_t pair = (uint64_t)e->user << 32 | e->item;

    return seeded_unit(SEED_VALIDATION, pair) < validation_share;
}

static void divide_ratings(const struct ratings *r, struct rating_set *s)
{
    s->training = app_calloc(r->count, sizeof *s->training);
    s->validation = app_calloc(r->count, sizeof *s->validation);
    for (size_t i = 0; i < r->count; i++)
        if (is_validation(&r->entry[i]))
            s->validation[s->validation_count++] = r->entry[i];
        else
            s->training[s->training_count++] = r->entry[i];
}

static void subtract_mean(struct rating_set *s)
{
    double training = 0, validation = 0;

    for (size_t i = 0; i < s->training_count; i++)
        s->mean += s->training[i].value;
    s->mean /= (double)s->training_count;
    for (size_t i = 0; i < s->training_count; i++) {
        double *value = &s->training[i].value;

        *value -= s->mean;
        training += *value * *value;
    }
    for (size_t i = 0; i < s->validation_count; i++) {
        double *value = &s->validation[i].value;

        *value -= s->mean;
        validation += *value * *value;
    }
    s->training_deviation = sqrt(training / (double)s->training_count);
    if (s->validation_count)
        s->validation_deviation = sqrt(validation / (double)s->validation_count);
}

static void build_rows(const struct rating_set *s, bool by_user, struct rating_rows *rows)
{
    rows->row_count = by_user ? s->user_count : s->item_count;
    rows->first = app_calloc((size_t)rows->row_count + 1, sizeof *rows->first);
    rows->index = app_calloc(s->training_count, sizeof *rows->index);
    rows->value = app_calloc(s->training_count, sizeof *rows->value);
    uint32_t *place = app_calloc(rows->row_count, sizeof *place);

    for (size_t i = 0; i < s->training_count; i++)
        rows->first[(by_user ? s->training[i].user : s->training[i].item) + 1]++;
    for (uint32_t row = 0; row < rows->row_count; row++)
        rows->first[row + 1] += rows->first[row];
    memcpy(place, rows->first, rows->row_count * sizeof *place);
    for (size_t i = 0; i < s->training_count; i++) {
        const struct rating *e = &s->training[i];
        uint32_t at = place[by_user ? e->user : e->item]++;

        rows->index[at] = by_user ? e->item : e->user;
        rows->value[at] = e->value;
    }
    free(place);
}

static void count_unknown(struct rating_set *s)
{
    for (size_t i = 0; i < s->validation_count; i++) {
        uint32_t user = s->validation[i].user;

        if (rating_rows_degree(&s->by_user, user))
            continue;
        s->unknown_ratings++;
        s->unknown_users += i == 0 || s->validation[i - 1].user != user;
    }
}

enum proact_status rating_set_create(const char *name, const struct ratings *ratings,
                                     struct rating_set *out, struct proact_error *err)
{
    struct ratings sorted = *ratings;
    struct rating_set s = {.user_count = ratings->user_count,
                           .item_count = ratings->item_count};

    const uint32_t rows = s.user_count > s.item_count ? s.user_count : s.item_count;

    if (ratings->count > ENTRIES_MAX || rows > ENTRIES_MAX)
        return complain(err, PROACT_EINVAL,
                        "%s: %zu ratings, %u users and %u items, expected at most %u of "
                        "each",
                        name, ratings->count, s.user_count, s.item_count, ENTRIES_MAX);
    sorted.entry = app_calloc(ratings->count, sizeof *sorted.entry);
    if (ratings->count)
        memcpy(sorted.entry, ratings->entry, ratings->count * sizeof *sorted.entry);
    ratings_sort(&sorted);
    enum proact_status status = refuse_ratings(name, &sorted, err);

    if (!status)
        divide_ratings(&sorted, &s);
    free(sorted.entry);
    if (!status && !s.training_count)
        status = complain(err, PROACT_EINVAL,
                          "%s: none of the %zu ratings is left to train with", name,
                          ratings->count);
    if (status) {
        rating_set_clear(&s);
        return status;
    }
    subtract_mean(&s);
    build_rows(&s, true, &s.by_user);
    build_rows(&s, false, &s.by_item);
    count_unknown(&s);
    *out = s;
    return PROACT_OK;
}

uint32_t rating_rows_degree(const struct rating_rows *rows, uint32_t row)
{
    return rows->first[row + 1] - rows->first[row];
}

uint32_t rating_rows_degree_max(const struct rating_rows *rows)
{
    uint32_t most = 0;

    for (uint32_t row = 0; row < rows->row_count; row++)
        if (rating_rows_degree(rows, row) > most)
            most = rating_rows_degree(rows, row);
    return most;
}

static void rating_rows_clear(struct rating_rows *rows)
{
    free(rows->first);
    free(rows->index);
    free(rows->value);
}

void rating_set_clear(struct rating_set *s)
{
    free(s->training);
    free(s->validation);
    rating_rows_clear(&s->by_user);
    rating_rows_clear(&s->by_item);
    *s = (struct rating_set){0};
}
