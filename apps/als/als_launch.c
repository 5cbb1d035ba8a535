/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

#include "als/als_devices.h"
#include "graph/complain.h"

extern const char kernel_als_gradient[], kernel_als_solve[], kernel_als_strata[],
    kernel_als_errors[];

enum { WARP = 32, WIDE_CTA = 256, SOLVE_CTA = 128, THREAD_CTA = 128 }; /* threads */
enum { STRATA_USERS_ARG = 3, STRATA_ITEMS_ARG = 4 }; /* arguments of als_strata_*() */

/* A number in the type of the factors. */
struct als_real {
    double wide;
    float single;
};

static struct als_real real_of(double value)
{
    return (struct als_real){value, (float)value};
}

static struct proact_arg real_arg(const struct als_devices *d, const struct als_real *value)
{
    if (d->options.is_single)
        return (struct proact_arg){.value = &value->single, .bytes = sizeof value->single};
    return (struct proact_arg){.value = &value->wide, .bytes = sizeof value->wide};
}

/* Factors of the smallest kernel that has `rank` of them. */
static unsigned factors_of_kernel(unsigned rank)
{
    return rank <= 16 ? 16 : rank <= 32 ? 32 : rank <= 64 ? 64 : ALS_RANK_MAX;
}

unsigned als_parity(const struct als_options *options, unsigned sweep)
{
    return options->update == ALS_GRADIENT ? sweep % 2 : 0;
}

/* Kernel `stem` for the type and, with `by_rank`, the rank. */
static enum proact_status load_kernel(struct als_devices *d, const char *text,
                                      const char *stem, bool by_rank,
                                      struct proact_kernel **out, struct proact_error *err)
{
    struct proact_image image = {.name = stem, .text = text};
    const char *type = d->options.is_single ? "f32" : "f64";
    char name[64];

    if (by_rank)
        snprintf(name, sizeof name, "%s_%s_%u", stem, type,
                 factors_of_kernel(d->options.rank));
    else
        snprintf(name, sizeof name, "%s_%s", stem, type);
    return proact_kernel_load(d->session, &image, name, out, err);
}

/* In stratum s, CTA a writes the rows of block a + shift. */
static enum proact_status map_blocks(const struct als_devices *d,
                                     struct proact_kernel *kernel, unsigned arg,
                                     unsigned shift, struct proact_error *err)
{
    const unsigned blocks = d->options.blocks;
    const bool is_users = arg == STRATA_USERS_ARG;
    const uint32_t rows = is_users ? d->set->user_count : d->set->item_count;
    const uint64_t row_bytes = (uint64_t)d->options.rank * als_element_bytes(&d->options);
    uint32_t offsets[ALS_BLOCKS_MAX + 1] = {0};
    struct proact_range ranges[ALS_BLOCKS_MAX];

    for (unsigned a = 0; a < blocks; a++) {
        unsigned block = (a + shift) % blocks;
        uint32_t first = als_strata_first_row(rows, blocks, block);
        uint32_t end = als_strata_first_row(rows, blocks, block + 1);

        offsets[a + 1] = a + 1;
        ranges[a] = (struct proact_range){first * row_bytes, (end - first) * row_bytes};
    }
    const struct proact_map map = {.kind = PROACT_MAP_TABLE,
                                   .range_offsets = offsets,
                                   .ranges = ranges,
                                   .cta_count = blocks};

    return proact_kernel_map(kernel, arg, &map, err);
}

static enum proact_status load_strata(struct als_devices *d, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (unsigned s = 0; s < d->options.blocks && !status; s++) {
        struct proact_kernel **kernel = &d->stratum[s];

        if ((status = load_kernel(d, kernel_als_strata, "als_strata", true, kernel, err)) ||
            (status = map_blocks(d, *kernel, STRATA_USERS_ARG, 0, err)) ||
            (status = map_blocks(d, *kernel, STRATA_ITEMS_ARG, s, err)))
            return status;
    }
    return status;
}

static enum proact_status load_update(struct als_devices *d, struct proact_error *err)
{
    const bool is_solve = d->options.update == ALS_SOLVE;
    const char *text = is_solve ? kernel_als_solve : kernel_als_gradient;
    const char *step = is_solve                     ? "als_solve"
                       : d->options.is_paper_kernel ? "als_gradient_thread"
                                                    : "als_gradient";
    const char *parts = is_solve ? "als_solve_parts" : "als_gradient_parts";

    if (d->options.update == ALS_STRATA)
        return load_strata(d, err);
    enum proact_status status = load_kernel(d, text, step, true, &d->step, err);

    if (!status && (d->users.parts.count || d->items.parts.count))
        status = load_kernel(d, text, parts, true, &d->part_step, err);
    return status;
}

enum proact_status als_kernels_load(struct als_devices *d, struct proact_error *err)
{
    enum proact_status status = load_update(d, err);

    if (!status)
        status = load_kernel(d, kernel_als_errors, "als_square_errors", false,
                             &d->square_errors, err);
    if (!status)
        status = load_kernel(d, kernel_als_errors, "als_penalty", false, &d->penalty, err);
    return status;
}

bool als_kernels_are_split(const struct als_devices *d)
{
    bool split = true;

    if (d->step)
        split = !proact_kernel_refusal(d->step);
    if (d->part_step)
        split = split && !proact_kernel_refusal(d->part_step);
    for (unsigned s = 0; s < ALS_BLOCKS_MAX; s++)
        if (d->stratum[s])
            split = split && !proact_kernel_refusal(d->stratum[s]);
    return split;
}

static struct proact_grid als_grid_of(uint32_t work, uint32_t work_per_cta,
                                      uint32_t threads)
{
    uint32_t ctas = work / work_per_cta + (work % work_per_cta != 0);

    return (struct proact_grid){.ctas = {ctas}, .threads = {threads}};
}

static struct proact_grid solve_grid(const struct als_devices *d, uint32_t rows)
{
    unsigned factors = factors_of_kernel(d->options.rank);
    unsigned threads = factors <= WARP ? SOLVE_CTA : factors;

    return als_grid_of(rows, threads / factors, threads);
}

/* The parts of the hubs of `side`. */
static enum proact_status launch_parts(struct als_devices *d, const struct als_side *side,
                                       struct proact_array *own, struct proact_array *other,
                                       struct proact_error *err)
{
    const uint32_t parts = side->parts.count, rank = d->options.rank;

    if (d->options.update == ALS_GRADIENT) {
        const struct proact_grid grid = als_grid_of(parts, 1, WIDE_CTA);
        const struct proact_arg args[] = {PROACT_ARRAY(side->part),
                                          PROACT_ARRAY(side->part_row),
                                          PROACT_ARRAY(side->index),
                                          PROACT_ARRAY(side->value),
                                          PROACT_ARRAY(own),
                                          PROACT_ARRAY(other),
                                          PROACT_ARRAY(side->part_sums),
                                          PROACT_VALUE(rank)};

        return proact_launch(d->part_step, &grid, args, sizeof args / sizeof *args, err);
    }
    const struct proact_grid grid = solve_grid(d, parts);
    const struct proact_arg args[] = {
        PROACT_ARRAY(side->part), PROACT_ARRAY(side->index),     PROACT_ARRAY(side->value),
        PROACT_ARRAY(other),      PROACT_ARRAY(side->part_sums), PROACT_VALUE(parts),
        PROACT_VALUE(rank)};

    return proact_launch(d->part_step, &grid, args, sizeof args / sizeof *args, err);
}

/* Updates the rows of one side. Without hubs the kernel does not read its arguments of
   parts. */
static enum proact_status launch_side(struct als_devices *d, const struct als_side *side,
                                      struct proact_array *own, struct proact_array *other,
                                      struct proact_array *to, struct proact_error *err)
{
    const struct als_options *o = &d->options;
    const bool is_gradient = o->update == ALS_GRADIENT;
    const uint32_t rows = side->rows->row_count, parts = side->parts.count, rank = o->rank;
    const struct als_real gamma = real_of(o->gamma), lambda = real_of(o->lambda);
    struct proact_arg args[16];
    size_t n = 0;
    enum proact_status status = PROACT_OK;

    if (parts && (status = launch_parts(d, side, own, other, err)))
        return status;
    args[n++] = PROACT_ARRAY(side->first);
    args[n++] = PROACT_ARRAY(side->index);
    args[n++] = PROACT_ARRAY(side->value);
    args[n++] = PROACT_ARRAY(parts ? side->part_first : side->first);
    args[n++] = PROACT_ARRAY(parts ? side->part_sums : side->value);
    if (is_gradient)
        args[n++] = PROACT_ARRAY(own);
    args[n++] = PROACT_ARRAY(other);
    args[n++] = PROACT_ARRAY(to);
    args[n++] = PROACT_VALUE(rows);
    args[n++] = PROACT_VALUE(parts);
    args[n++] = PROACT_VALUE(rank);
    if (is_gradient)
        args[n++] = real_arg(d, &gamma);
    args[n++] = real_arg(d, &lambda);
    const struct proact_grid grid = !is_gradient ? solve_grid(d, rows)
                                    : o->is_paper_kernel
                                        ? als_grid_of(rows, THREAD_CTA, THREAD_CTA)
                                        : als_grid_of(rows, WIDE_CTA / WARP, WIDE_CTA);

    return proact_launch(d->step, &grid, args, n, err);
}

static enum proact_status launch_strata(struct als_devices *d, unsigned sweep,
                                        struct proact_error *err)
{
    const uint32_t blocks = d->options.blocks, rank = d->options.rank;
    const struct proact_grid grid = als_grid_of(blocks, 1, WARP);
    const struct als_real gamma = real_of(als_gamma(&d->options, sweep));
    const struct als_real lambda = real_of(d->options.lambda);
    enum proact_status status = PROACT_OK;

    for (uint32_t stratum = 0; stratum < blocks && !status; stratum++) {
        const struct proact_arg args[] = {PROACT_ARRAY(d->block_first),
                                          PROACT_ARRAY(d->block_rating),
                                          PROACT_ARRAY(d->block_value),
                                          PROACT_ARRAY(d->users.factors[0]),
                                          PROACT_ARRAY(d->items.factors[0]),
                                          PROACT_VALUE(blocks),
                                          PROACT_VALUE(stratum),
                                          PROACT_VALUE(rank),
                                          real_arg(d, &gamma),
                                          real_arg(d, &lambda)};

        status = proact_launch(d->stratum[stratum], &grid, args, sizeof args / sizeof *args,
                               err);
    }
    return status;
}

enum proact_status als_sweep_launch(struct als_devices *d, unsigned sweep,
                                    struct proact_error *err)
{
    const struct als_side *u = &d->users, *v = &d->items;
    const unsigned from = als_parity(&d->options, sweep - 1);
    const unsigned to = als_parity(&d->options, sweep);

    if (d->options.update == ALS_STRATA)
        return launch_strata(d, sweep, err);
    enum proact_status status =
        launch_side(d, u, u->factors[from], v->factors[from], u->factors[to], err);

    /* The gradient reads the old users, the solution of the items the new ones. */
    return status
               ? status
               : launch_side(d, v, v->factors[from], u->factors[from], v->factors[to], err);
}

static enum proact_status launch_square_errors(struct als_devices *d,
                                               const struct als_list *list, unsigned parity,
                                               struct proact_error *err)
{
    const uint32_t count = (uint32_t)list->count, rank = d->options.rank;
    const uint32_t each = als_each(list->count, ALS_ERRORS_EACH);
    const struct proact_grid grid = als_grid_of(count, each, WIDE_CTA);
    const struct proact_arg args[] = {
        PROACT_ARRAY(list->rating),
        PROACT_ARRAY(list->value),
        PROACT_ARRAY(d->users.factors[parity]),
        PROACT_ARRAY(d->items.factors[parity]),
        PROACT_ARRAY(list->sums),
        PROACT_VALUE(count),
        PROACT_VALUE(each),
        PROACT_VALUE(rank),
    };

    if (!count)
        return PROACT_OK;
    return proact_launch(d->square_errors, &grid, args, sizeof args / sizeof *args, err);
}

static enum proact_status launch_penalty(struct als_devices *d, const struct als_side *side,
                                         unsigned parity, struct proact_error *err)
{
    const uint32_t rows = side->rows->row_count, rank = d->options.rank;
    const uint32_t each = als_each(rows, ALS_PENALTY_EACH);
    const struct proact_grid grid = als_grid_of(rows, each, WIDE_CTA);
    const struct proact_arg args[] = {
        PROACT_ARRAY(side->first),   PROACT_ARRAY(side->factors[parity]),
        PROACT_ARRAY(side->penalty), PROACT_VALUE(rows),
        PROACT_VALUE(each),          PROACT_VALUE(rank)};

    return proact_launch(d->penalty, &grid, args, sizeof args / sizeof *args, err);
}

enum proact_status als_errors_launch(struct als_devices *d, unsigned sweep,
                                     struct proact_error *err)
{
    const unsigned parity = als_parity(&d->options, sweep);
    enum proact_status status;

    if ((status = launch_square_errors(d, &d->training, parity, err)) ||
        (status = launch_square_errors(d, &d->validation, parity, err)) ||
        (status = launch_penalty(d, &d->users, parity, err)))
        return status;
    return launch_penalty(d, &d->items, parity, err);
}
