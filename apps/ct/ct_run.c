/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ct/ct_work.h"
#include "graph/complain.h"

enum {
    WARM_UPDATES = 4, /* both parities twice: with and without consumer prediction */
    WARM_SELECTED = 2 /* both parities with the plans that proact selects by these times */
};

static const double prior_delta = 10 * CT_WATER / 1000; /* 10 HU */

static enum proact_status ct_launch_update(struct ct_work *w, unsigned subset,
                                           const struct ct_step *step,
                                           struct proact_error *err)
{
    const struct ct_arrays *a = &w->arrays;
    struct ct_shape shape = ct_subset_shape(w, subset, w->options.subsets);
    struct proact_array *old = a->old[w->updates % 2], *next = a->old[(w->updates + 1) % 2];
    struct proact_grid grid = {.ctas = {shape.pixel_ctas * w->scan->slices},
                               .threads = {CT_THREADS}};
    struct proact_arg args[] = {
        PROACT_ARRAY(old),     PROACT_ARRAY(a->residual), PROACT_ARRAY(a->curvature),
        PROACT_ARRAY(a->view), PROACT_ARRAY(a->image),    PROACT_ARRAY(next),
        PROACT_VALUE(shape),   PROACT_VALUE(*step),
    };
    enum proact_status status = ct_launch_residual(w, old, a->residual, &shape, err);

    w->updates++;
    if (status)
        return status;
    return proact_launch(w->kernels.update, &grid, args, sizeof args / sizeof *args, err);
}

static enum proact_status ct_launch_show(const struct ct_work *w, struct proact_error *err)
{
    struct proact_grid grid = {.ctas = {w->tables.shape.pixel_ctas * w->scan->slices},
                               .threads = {CT_PIXELS}};
    struct proact_arg args[] = {PROACT_ARRAY(w->arrays.image),
                                PROACT_ARRAY(w->arrays.shown)};

    return proact_launch(w->kernels.show, &grid, args, sizeof args / sizeof *args, err);
}

/* ---- State ---- */

/* The cost of the image in `shown`. */
static enum proact_status ct_get_cost(struct ct_work *w, struct proact_error *err)
{
    const struct ct_arrays *a = &w->arrays;
    struct ct_shape shape = ct_subset_shape(w, 0, 1);
    struct ct_step step = {.delta = prior_delta};
    uint32_t slice_ctas = ct_cost_ctas(w), count = slice_ctas * w->scan->slices;
    struct proact_grid grid = {.ctas = {count}, .threads = {CT_THREADS}};
    struct proact_arg args[] = {
        PROACT_ARRAY(a->all_residual), PROACT_ARRAY(a->weight), PROACT_ARRAY(a->shown),
        PROACT_ARRAY(a->sums),         PROACT_VALUE(shape),     PROACT_VALUE(step),
        PROACT_VALUE(slice_ctas),
    };
    struct ct_sums *sums = app_calloc(count, sizeof *sums);
    enum proact_status status =
        ct_launch_residual(w, a->shown, a->all_residual, &shape, err);

    if (!status)
        status =
            proact_launch(w->kernels.cost, &grid, args, sizeof args / sizeof *args, err);
    if (!status)
        status = proact_array_read(a->sums, 0, sums, count, err);
    w->state.data = w->state.prior = 0;
    for (uint32_t i = 0; i < count && !status; i++) {
        w->state.data += sums[i].data;
        w->state.prior += w->options.beta * sums[i].prior;
    }
    w->state.cost = w->state.data + w->state.prior;
    free(sums);
    return status;
}

/* Reads the image and computes the errors. Only a copy of the image is read, because what
   device 0 reads is pushed to it from then on. */
static enum proact_status ct_look(struct ct_work *w, struct proact_error *err)
{
    double *swap = w->before;
    enum proact_status status = ct_launch_show(w, err);

    w->before = w->now;
    w->now = swap;
    if (!status)
        status = ct_get_image(w, w->arrays.shown, w->now, err);
    if (!status)
        ct_errors(w->scan, w->now, w->before, &w->state);
    return status;
}

/* ---- Checkpoints ---- */

enum { STATE_PARTS = 3 };

static void ct_list_parts(struct ct_work *w, double *image, struct app_part *parts)
{
    size_t bytes = w->pixels * sizeof *image;

    parts[0] = (struct app_part){"image", image, bytes};
    parts[1] = (struct app_part){"extrapolation", w->extrapolated, bytes};
    parts[2] = (struct app_part){"momentum", &w->momentum, sizeof w->momentum};
}

static enum proact_status ct_load(struct ct_work *w, struct proact_error *err)
{
    const struct app_checkpoint *c = &w->options.checkpoint;
    struct app_part parts[STATE_PARTS];

    if (!c->load)
        return PROACT_OK;
    ct_list_parts(w, w->start, parts);
    enum proact_status status = c->load(c->context, &w->done, parts, STATE_PARTS, err);

    if (!status && w->done > w->options.iterations)
        return complain(err, PROACT_EINVAL,
                        "the checkpoint is of iteration %u: expected at most %u", w->done,
                        w->options.iterations);
    return status;
}

/* Saves the state after ct_look(), if it is time. */
static enum proact_status ct_save(struct ct_work *w, unsigned iteration,
                                  struct proact_error *err)
{
    const struct app_checkpoint *c = &w->options.checkpoint;
    struct app_part parts[STATE_PARTS];

    if (!c->every || iteration % c->every)
        return PROACT_OK;
    enum proact_status status =
        ct_get_image(w, w->arrays.old[w->updates % 2], w->extrapolated, err);

    ct_list_parts(w, w->now, parts);
    return status ? status : c->save(c->context, iteration, parts, STATE_PARTS, err);
}

/* ---- Preparation ---- */

static enum proact_status ct_put_inputs(struct ct_work *w, struct proact_error *err)
{
    const struct ct_geometry *g = &w->scan->geometry;
    size_t rays = (size_t)w->scan->slices * g->views * g->channels;
    enum proact_status status = ct_put_views(w, err);

    if (!status)
        status = ct_put(w, w->arrays.edge, w->tables.edge, g->channels + 1UL, err);
    return status ? status : ct_put(w, w->arrays.weight, w->scan->weight, rays, err);
}

/* image = A' W A image on the devices. The measurements are 0 then. */
static enum proact_status ct_apply(struct ct_work *w, double *image,
                                   struct proact_error *err)
{
    struct ct_shape shape = ct_subset_shape(w, 0, 1);
    size_t rays = (size_t)w->scan->slices * shape.views * shape.channels;
    double *zero = app_calloc(rays, sizeof *zero);
    enum proact_status status = ct_put(w, w->arrays.measured, zero, rays, err);

    free(zero);
    if (status || (status = ct_put_image(w, w->arrays.shown, image, err)) ||
        (status =
             ct_launch_residual(w, w->arrays.shown, w->arrays.all_residual, &shape, err)) ||
        (status = ct_launch_back(w, w->arrays.curvature, &shape, err)))
        return status;
    return ct_get_image(w, w->arrays.curvature, image, err);
}

/* curvature = A' W A 1 + beta 2 sum of w */
static enum proact_status ct_make_curvature(struct ct_work *w, struct proact_error *err)
{
    const struct ct_geometry *g = &w->scan->geometry;
    size_t rays = (size_t)w->scan->slices * g->views * g->channels;
    double *image = app_calloc(w->pixels, sizeof *image);

    for (size_t i = 0; i < w->pixels; i++)
        image[i] = ct_in_field(g->size, (unsigned)(i / g->size % g->size),
                               (unsigned)(i % g->size));
    w->set_up_devices = w->options.skips_transfers;
    enum proact_status status = ct_apply(w, image, err);

    w->set_up_devices = 0;

    for (size_t i = 0; i < w->pixels; i++)
        image[i] += w->options.beta * ct_prior_curvature_max();
    if (!status)
        status = ct_put_image(w, w->arrays.curvature, image, err);
    free(image);
    return status ? status : ct_put(w, w->arrays.measured, w->scan->measured, rays, err);
}

static enum proact_status ct_reset(struct ct_work *w, struct proact_error *err)
{
    enum proact_status status = ct_put_image(w, w->arrays.image, w->start, err);

    w->updates = 0;
    return status ? status : ct_put_image(w, w->arrays.old[0], w->extrapolated, err);
}

/* Contents of the arrays that transfers would fill. */
static enum proact_status ct_fill(const struct ct_work *w, struct proact_error *err)
{
    struct ct_shape shape = ct_subset_shape(w, 0, w->options.subsets);
    size_t rays = (size_t)w->scan->slices * shape.ray_ctas * CT_RAYS;
    size_t count = (size_t)ct_cost_ctas(w) * w->scan->slices;
    double *zero = app_calloc(rays, sizeof *zero);
    struct ct_sums *sums = app_calloc(count, sizeof *sums);
    enum proact_status status = PROACT_OK;

    if (w->options.skips_transfers)
        status = ct_put(w, w->arrays.residual, zero, rays, err);
    if (!status && w->options.skips_transfers)
        status = proact_array_write(w->arrays.sums, 0, sums, count, err);
    if (!status && w->options.skips_transfers)
        status = ct_put_image(w, w->arrays.old[1], w->start, err);
    free(zero);
    free(sums);
    return status;
}

/* Kernel versions, tables and consumer predictions exist before the clock starts. */
static enum proact_status ct_warm(struct ct_work *w, struct proact_error *err)
{
    struct ct_step step = {.beta = w->options.beta, .delta = prior_delta, .length = 1};
    const unsigned subsets = w->options.subsets, least = WARM_UPDATES + WARM_SELECTED;
    enum proact_status status = PROACT_OK;

    assert(subsets > 0);
    for (unsigned i = 0; (i < subsets || i < least) && !status; i++) {
        status = ct_launch_update(w, ct_subset_at(i % subsets, subsets), &step, err);
        if (!status && i + 1 == WARM_UPDATES)
            status = proact_wait(w->session, err);
    }
    return status;
}

/* ---- Iterations ---- */

static enum proact_status ct_iterate(struct ct_work *w, unsigned iteration,
                                     struct proact_error *err)
{
    const struct ct_options *o = &w->options;
    struct ct_step step = {.beta = o->beta, .delta = prior_delta};

    step.length = 1 / (1 + o->relax * (iteration - 1));
    for (unsigned m = 0; m < o->subsets; m++) {
        step.momentum = o->no_momentum ? 0 : ct_momentum_next(&w->momentum);
        enum proact_status status =
            ct_launch_update(w, ct_subset_at(m, o->subsets), &step, err);

        if (status)
            return status;
    }
    return proact_wait(w->session, err);
}

static void ct_add(struct proact_statistics *sum, const struct proact_statistics *more)
{
    sum->bytes += more->bytes;
    sum->wire_bytes += more->wire_bytes;
    sum->packets += more->packets;
    sum->chunks += more->chunks;
    sum->kernel_ns += more->kernel_ns;
    sum->transfer_ns += more->transfer_ns;
    sum->overlap_ns += more->overlap_ns;
}

/* One iteration on the clock. */
static enum proact_status ct_time(struct ct_work *w, unsigned iteration,
                                  struct ct_result *out, struct proact_error *err)
{
    struct proact_statistics statistics;
    enum proact_status status = proact_wait(w->session, err); /* reads the clock */
    const uint64_t began = proact_now_ns(w->session);

    proact_statistics_reset(w->session);
    if (status || (status = ct_iterate(w, iteration, err)))
        return status;
    out->time_ns += proact_now_ns(w->session) - began;
    status = proact_statistics_get(w->session, PROACT_ALL_DEVICES, NULL, &statistics, err);
    if (!status)
        ct_add(&out->statistics, &statistics);
    return status;
}

static enum proact_status ct_iterate_all(struct ct_work *w, struct ct_result *out,
                                         struct proact_error *err)
{
    const struct ct_options *o = &w->options;
    const struct ct_state before = {.iteration = 0};
    enum proact_status status = PROACT_OK;

    if (o->progress)
        o->progress(o->context, &before);
    for (unsigned n = w->done + 1; n <= o->iterations && !out->converged; n++) {
        if ((status = ct_time(w, n, out, err)) || (status = ct_look(w, err)))
            return status;
        w->state.iteration = n;
        out->converged = w->state.change_hu < o->tolerance;
        if (o->monitor && (status = ct_get_cost(w, err)))
            return status;
        if (o->progress)
            o->progress(o->context, &w->state);
        if (n < o->iterations && (status = ct_save(w, n, err)))
            return status;
    }
    return ct_get_cost(w, err);
}

/* Inputs, the start, and everything that precedes the clock. */
static enum proact_status ct_prepare(struct ct_work *w, struct proact_error *err)
{
    enum proact_status status;

    double **shared = w->options.start;

    if (shared && !*shared)
        *shared = ct_start_image(&w->tables, w->scan, &w->options);
    if (shared) { /* a checkpoint replaces the copy */
        w->start = app_calloc(w->pixels, sizeof *w->start);
        memcpy(w->start, *shared, w->pixels * sizeof *w->start);
    } else {
        w->start = ct_start_image(&w->tables, w->scan, &w->options);
    }
    w->extrapolated = app_calloc(w->pixels, sizeof *w->extrapolated);
    memcpy(w->extrapolated, w->start, w->pixels * sizeof *w->extrapolated);
    w->momentum = 1;
    if ((status = ct_load(w, err)))
        return status;
    w->state.iteration = w->done;
    w->before = app_calloc(w->pixels, sizeof *w->before);
    w->now = app_calloc(w->pixels, sizeof *w->now);
    memcpy(w->now, w->start, w->pixels * sizeof *w->now);
    if ((status = ct_put_inputs(w, err)) || (status = ct_make_curvature(w, err)) ||
        (status = ct_fill(w, err)) || (status = ct_reset(w, err)) ||
        (status = ct_warm(w, err)) || (status = ct_reset(w, err)) ||
        (status = ct_look(w, err)))
        return status;
    return proact_wait(w->session, err);
}

enum proact_status ct_run(struct proact *p, const struct ct_scan *scan,
                          const struct ct_options *options, struct ct_result *out,
                          struct proact_error *err)
{
    struct ct_work w;
    struct ct_result result = {0};
    enum proact_status status = ct_work_init(&w, p, scan, options, err);

    if (!status && !(status = ct_prepare(&w, err)))
        status = ct_iterate_all(&w, &result, err);
    if (!status) {
        result.image = w.now;
        result.pixels = w.pixels;
        result.state = w.state;
        w.now = NULL;
        *out = result;
    }
    ct_work_clear(&w);
    return status;
}
