/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "als/als_devices.h"
#include "graph/complain.h"

enum { CTAS_MAX = 2048 };

struct als_pair {
    uint32_t user, item;
};

uint32_t als_each(size_t count, uint32_t least)
{
    size_t each = (count + CTAS_MAX - 1) / CTAS_MAX;

    return each > least ? (uint32_t)each : least;
}

void als_parts_init(const struct rating_rows *rows, struct als_parts *out)
{
    struct als_parts p = {0};

    p.first = app_calloc((size_t)rows->row_count + 1, sizeof *p.first);
    for (uint32_t row = 0; row < rows->row_count; row++) {
        uint32_t degree = rating_rows_degree(rows, row);

        p.first[row] = p.count;
        if (degree > ALS_PART_ENTRIES)
            p.count += (degree - 1) / ALS_PART_ENTRIES + 1;
    }
    p.first[rows->row_count] = p.count;
    p.part = app_calloc(p.count, sizeof *p.part);
    p.row = app_calloc(p.count, sizeof *p.row);
    for (uint32_t row = 0; row < rows->row_count; row++)
        for (uint32_t i = p.first[row]; i < p.first[row + 1]; i++) {
            uint32_t begin = rows->first[row] + (i - p.first[row]) * ALS_PART_ENTRIES;
            uint32_t end = rows->first[row + 1];

            if (end - begin > ALS_PART_ENTRIES)
                end = begin + ALS_PART_ENTRIES;
            p.part[i] = (struct als_part){begin, end};
            p.row[i] = row;
        }
    *out = p;
}

void als_parts_clear(struct als_parts *p)
{
    free(p->part);
    free(p->row);
    free(p->first);
    *p = (struct als_parts){0};
}

size_t als_element_bytes(const struct als_options *options)
{
    return options->is_single ? sizeof(float) : sizeof(double);
}

/* An array of `count` elements, at least one, with this content; NULL: none. */
static enum proact_status create_array(struct proact *p, struct proact_shape shape,
                                       const void *content, struct proact_array **out,
                                       struct proact_error *err)
{
    size_t count = shape.count;

    shape.count += count == 0;
    enum proact_status status = proact_array_create(p, &shape, out, err);

    if (!status && content && count)
        status = proact_array_write(*out, 0, content, count, err);
    return status;
}

/* The same for numbers in the type of the factors. */
static enum proact_status create_reals(struct als_devices *d, const char *name,
                                       size_t count, const double *content,
                                       struct proact_array **out, struct proact_error *err)
{
    struct proact_shape shape = {name, count, als_element_bytes(&d->options)};
    float *single = NULL;

    if (content && d->options.is_single) {
        single = app_calloc(count, sizeof *single);
        for (size_t i = 0; i < count; i++)
            single[i] = (float)content[i];
    }
    enum proact_status status =
        create_array(d->session, shape, single ? (const void *)single : content, out, err);

    free(single);
    return status;
}

/* Pairs and values of a list. */
static enum proact_status create_ratings(struct als_devices *d, const struct rating *rating,
                                         size_t count, struct proact_array **pairs,
                                         struct proact_array **values,
                                         struct proact_error *err)
{
    struct als_pair *pair = app_calloc(count, sizeof *pair);
    double *value = app_calloc(count, sizeof *value);
    struct proact_shape shape = {"ratings", count, sizeof *pair};

    for (size_t i = 0; i < count; i++) {
        pair[i] = (struct als_pair){rating[i].user, rating[i].item};
        value[i] = rating[i].value;
    }
    enum proact_status status = create_array(d->session, shape, pair, pairs, err);

    if (!status)
        status = create_reals(d, "values", count, value, values, err);
    free(pair);
    free(value);
    return status;
}

static enum proact_status create_list(struct als_devices *d, const struct rating *rating,
                                      size_t count, struct als_list *list,
                                      struct proact_error *err)
{
    uint32_t each = als_each(count, ALS_ERRORS_EACH);
    struct proact_shape sums = {"squared errors", (count + each - 1) / each,
                                sizeof(double)};
    enum proact_status status =
        create_ratings(d, rating, count, &list->rating, &list->value, err);

    list->count = count;
    return status ? status : create_array(d->session, sums, NULL, &list->sums, err);
}

/* Only for a side with hubs. A part leaves `rank` sums, or a matrix and a right side. */
static enum proact_status create_parts(struct als_devices *d, struct als_side *side,
                                       struct proact_error *err)
{
    const struct als_parts *p = &side->parts;
    const size_t rank = d->options.rank;
    size_t sums = d->options.update == ALS_SOLVE ? (rank + 1) * rank : rank;
    enum proact_status status;

    if (!p->count || d->options.update == ALS_STRATA)
        return PROACT_OK;
    struct proact_shape part = {"parts", p->count, sizeof *p->part};
    struct proact_shape row = {"rows of parts", p->count, sizeof *p->row};
    struct proact_shape first = {"parts by row", (size_t)side->rows->row_count + 1,
                                 sizeof *p->first};

    if ((status = create_array(d->session, part, p->part, &side->part, err)) ||
        (status = create_array(d->session, row, p->row, &side->part_row, err)) ||
        (status = create_array(d->session, first, p->first, &side->part_first, err)))
        return status;
    return create_reals(d, "sums of parts", p->count * sums, NULL, &side->part_sums, err);
}

static enum proact_status create_side(struct als_devices *d, struct als_side *side,
                                      const struct rating_rows *rows,
                                      struct proact_error *err)
{
    const bool is_users = side == &d->users;
    const size_t n = rows->row_count, ratings = d->set->training_count;
    const size_t factors = n * d->options.rank;
    uint32_t each = als_each(n, ALS_PENALTY_EACH);
    struct proact_shape first = {"ratings by row", n + 1, sizeof *rows->first};
    struct proact_shape index = {"rows of ratings", ratings, sizeof *rows->index};
    struct proact_shape sums = {"penalties", (n + each - 1) / each, sizeof(double)};
    const char *name = is_users ? "users" : "items";
    enum proact_status status;

    side->rows = rows;
    als_parts_init(rows, &side->parts);
    if ((status = create_array(d->session, first, rows->first, &side->first, err)) ||
        (status = create_array(d->session, sums, NULL, &side->penalty, err)) ||
        (status = create_reals(d, name, factors, side->start, &side->factors[0], err)) ||
        (status = create_parts(d, side, err)) || d->options.update == ALS_STRATA)
        return status;
    if (d->options.update == ALS_GRADIENT &&
        (status = create_reals(d, name, factors, NULL, &side->factors[1], err)))
        return status;
    if ((status = create_array(d->session, index, rows->index, &side->index, err)))
        return status;
    return create_reals(d, "values by row", ratings, rows->value, &side->value, err);
}

static enum proact_status create_strata(struct als_devices *d, struct proact_error *err)
{
    const size_t blocks = d->options.blocks;
    struct proact_shape first = {"ratings by block", blocks * blocks + 1, sizeof(uint32_t)};

    if (d->options.update != ALS_STRATA)
        return PROACT_OK;
    als_strata_init(d->set, d->options.blocks, &d->strata);
    enum proact_status status =
        create_array(d->session, first, d->strata.block_first, &d->block_first, err);

    return status ? status
                  : create_ratings(d, d->strata.rating, d->set->training_count,
                                   &d->block_rating, &d->block_value, err);
}

enum proact_status als_devices_init(struct als_devices *d, struct proact_error *err)
{
    const struct rating_set *set = d->set;
    enum proact_status status;

    if ((status = create_side(d, &d->users, &set->by_user, err)) ||
        (status = create_side(d, &d->items, &set->by_item, err)) ||
        (status = create_list(d, set->training, set->training_count, &d->training, err)) ||
        (status =
             create_list(d, set->validation, set->validation_count, &d->validation, err)))
        return status;
    return create_strata(d, err);
}

static void side_clear(struct als_side *side)
{
    struct proact_array *arrays[] = {side->first,     side->index,      side->value,
                                     side->part,      side->part_row,   side->part_first,
                                     side->part_sums, side->factors[0], side->factors[1],
                                     side->penalty};

    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        proact_array_destroy(arrays[i]);
    als_parts_clear(&side->parts);
}

void als_devices_clear(struct als_devices *d)
{
    struct proact_array *arrays[] = {
        d->training.rating,   d->training.value,   d->training.sums,
        d->validation.rating, d->validation.value, d->validation.sums,
        d->block_first,       d->block_rating,     d->block_value};

    proact_kernel_destroy(d->step);
    proact_kernel_destroy(d->part_step);
    proact_kernel_destroy(d->square_errors);
    proact_kernel_destroy(d->penalty);
    for (unsigned s = 0; s < ALS_BLOCKS_MAX; s++)
        proact_kernel_destroy(d->stratum[s]);
    side_clear(&d->users);
    side_clear(&d->items);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        proact_array_destroy(arrays[i]);
    als_strata_clear(&d->strata);
}
