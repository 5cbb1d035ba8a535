/* SPDX-License-Identifier: Apache-2.0 */
#include "ct/ct_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/complain.h"

extern const char kernel_ct_f32[], kernel_ct_f64[];

/* ---- Elements of the kernels' type ---- */

static size_t work_padded_pixels(const struct ct_work *w)
{
    return (size_t)w->scan->slices * w->tables.shape.pixel_ctas * CT_PIXELS;
}

enum proact_status ct_put(const struct ct_work *w, struct proact_array *to,
                          const double *from, size_t count, struct proact_error *err)
{
    if (!w->options.single)
        return proact_array_write(to, 0, from, count, err);
    float *single = app_calloc(count, sizeof *single);

    for (size_t i = 0; i < count; i++)
        single[i] = (float)from[i];
    enum proact_status status = proact_array_write(to, 0, single, count, err);

    free(single);
    return status;
}

enum proact_status ct_get(const struct ct_work *w, struct proact_array *from, double *to,
                          size_t count, struct proact_error *err)
{
    enum proact_status status = proact_array_read(from, 0, to, count, err);

    if (!status && w->options.single)
        for (size_t i = count; i > 0; i--) {
            float single;

            memcpy(&single, (const char *)to + (i - 1) * sizeof single, sizeof single);
            to[i - 1] = (double)single;
        }
    return status;
}

/* Place of the pixels from column x on, a multiple of CT_TILE_X, in the padded form, whose
   tiles have pieces of rows. The rows of all slices are counted. */
static size_t work_piece(const struct ct_work *w, size_t row, size_t x)
{
    const struct ct_shape *shape = &w->tables.shape;
    const size_t slice = row / shape->size, in_slice = row % shape->size;
    const size_t tile = slice * shape->pixel_ctas +
                        in_slice / CT_TILE_Y * shape->tile_columns + x / CT_TILE_X;

    return tile * CT_PIXELS + in_slice % CT_TILE_Y * CT_TILE_X;
}

static size_t piece_bytes(size_t row_pixels, size_t x)
{
    return (row_pixels - x < CT_TILE_X ? row_pixels - x : CT_TILE_X) * sizeof(double);
}

static void work_pad(const struct ct_work *w, const double *image, double *padded)
{
    const size_t n = w->tables.shape.size;

    for (size_t row = 0; row < n * w->scan->slices; row++)
        for (size_t x = 0; x < n; x += CT_TILE_X)
            memcpy(padded + work_piece(w, row, x), image + row * n + x, piece_bytes(n, x));
}

static void work_unpad(const struct ct_work *w, const double *padded, double *image)
{
    const size_t n = w->tables.shape.size;

    for (size_t row = 0; row < n * w->scan->slices; row++)
        for (size_t x = 0; x < n; x += CT_TILE_X)
            memcpy(image + row * n + x, padded + work_piece(w, row, x), piece_bytes(n, x));
}

enum proact_status ct_put_image(const struct ct_work *w, struct proact_array *to,
                                const double *image, struct proact_error *err)
{
    double *padded = app_calloc(work_padded_pixels(w), sizeof *padded);

    work_pad(w, image, padded);
    enum proact_status status = ct_put(w, to, padded, work_padded_pixels(w), err);

    free(padded);
    return status;
}

enum proact_status ct_get_image(const struct ct_work *w, struct proact_array *from,
                                double *image, struct proact_error *err)
{
    double *padded = app_calloc(work_padded_pixels(w), sizeof *padded);
    enum proact_status status = ct_get(w, from, padded, work_padded_pixels(w), err);

    if (!status)
        work_unpad(w, padded, image);
    free(padded);
    return status;
}

/* struct ct_view of the kernels. A slope or top below `shortest` channels counts as an
 * edge. */
static void work_fill_view(const struct ct_work *w, unsigned v, double out[CT_VIEW_REALS])
{
    const struct ct_shape *shape = &w->tables.shape;
    const double shortest = w->options.single ? 1e-6 : 1e-12;
    const double c = w->tables.cosine[v], s = w->tables.sine[v];
    const double big = fmax(fabs(c), fabs(s)), small = fmin(fabs(c), fabs(s));
    const double slope = shape->scale * small, top = shape->scale * (big - small);
    const double wide = 0.5 * shape->scale * (big + small), height = shape->pixel / big;
    const double ramp = 1 / fmax(slope, shortest);
    const double of_view[CT_VIEW_REALS] = {c,
                                           s,
                                           wide,
                                           ramp,
                                           wide * ramp,
                                           0.5 * slope * height,
                                           1 / fmax(top, shortest),
                                           top * height};

    memcpy(out, of_view, sizeof of_view);
}

enum proact_status ct_put_views(const struct ct_work *w, struct proact_error *err)
{
    const size_t count = (size_t)CT_VIEW_REALS * w->scan->geometry.views;
    double *view = app_calloc(count, sizeof *view);

    for (unsigned v = 0; v < w->scan->geometry.views; v++)
        work_fill_view(w, v, view + (size_t)CT_VIEW_REALS * v);
    enum proact_status status = ct_put(w, w->arrays.view, view, count, err);

    free(view);
    return status;
}

/* ---- Launches ---- */

struct ct_shape ct_subset_shape(const struct ct_work *w, unsigned subset, unsigned subsets)
{
    struct ct_shape shape = w->tables.shape;
    unsigned views = (shape.views + subsets - 1) / subsets;

    shape.subset = subset;
    shape.subsets = subsets;
    shape.ray_ctas = (views * shape.channels + CT_RAYS - 1) / CT_RAYS;
    return shape;
}

enum proact_status ct_launch_residual(const struct ct_work *w, struct proact_array *image,
                                      struct proact_array *to, const struct ct_shape *shape,
                                      struct proact_error *err)
{
    const struct ct_arrays *a = &w->arrays;
    struct proact_grid grid = {.ctas = {shape->ray_ctas * w->scan->slices},
                               .threads = {CT_THREADS},
                               .device_count = w->set_up_devices};
    struct proact_arg args[] = {
        PROACT_ARRAY(image),   PROACT_ARRAY(a->measured), PROACT_ARRAY(a->weight),
        PROACT_ARRAY(a->view), PROACT_ARRAY(a->edge),     PROACT_ARRAY(to),
        PROACT_VALUE(*shape),
    };

    return proact_launch(w->kernels.residual, &grid, args, sizeof args / sizeof *args, err);
}

enum proact_status ct_launch_back(const struct ct_work *w, struct proact_array *sum,
                                  const struct ct_shape *shape, struct proact_error *err)
{
    struct proact_grid grid = {.ctas = {shape->pixel_ctas * w->scan->slices},
                               .threads = {CT_THREADS},
                               .device_count = w->set_up_devices};
    struct proact_arg args[] = {PROACT_ARRAY(w->arrays.all_residual),
                                PROACT_ARRAY(w->arrays.view), PROACT_ARRAY(sum),
                                PROACT_VALUE(*shape)};

    return proact_launch(w->kernels.back, &grid, args, sizeof args / sizeof *args, err);
}

/* ---- Arrays and kernels ---- */

unsigned ct_cost_ctas(const struct ct_work *w)
{
    const struct ct_shape *shape = &w->tables.shape;
    unsigned rays = shape->views * shape->channels, pixels = shape->size * shape->size;
    unsigned most = rays > pixels ? rays : pixels;

    return (most + CT_COST_SPAN - 1) / CT_COST_SPAN;
}

static enum proact_status work_make_arrays(struct ct_work *w, struct proact_error *err)
{
    struct ct_arrays *a = &w->arrays;
    const struct ct_geometry *g = &w->scan->geometry;
    size_t rays = (size_t)w->scan->slices * g->views * g->channels;
    size_t all_rays = (size_t)w->scan->slices * w->tables.shape.ray_ctas * CT_RAYS;
    size_t subset_rays = (size_t)w->scan->slices *
                         ct_subset_shape(w, 0, w->options.subsets).ray_ctas * CT_RAYS;
    size_t pixels = work_padded_pixels(w),
           real = w->options.single ? sizeof(float) : sizeof(double);
    const struct {
        struct proact_shape shape;
        struct proact_array **out;
    } arrays[] = {
        {{"measurements", rays, real}, &a->measured},
        {{"weights", rays, real}, &a->weight},
        {{"views", (size_t)CT_VIEW_REALS * g->views, real}, &a->view},
        {{"channel edges", g->channels + 1UL, real}, &a->edge},
        {{"residual", subset_rays, real}, &a->residual},
        {{"residual of all views", all_rays, real}, &a->all_residual},
        {{"curvature", pixels, real}, &a->curvature},
        {{"image", pixels, real}, &a->image},
        {{"image of the cost", pixels, real}, &a->shown},
        {{"extrapolation, even", pixels, real}, &a->old[0]},
        {{"extrapolation, odd", pixels, real}, &a->old[1]},
        {{"sums", (size_t)ct_cost_ctas(w) * w->scan->slices, sizeof(struct ct_sums)},
         &a->sums},
    };
    enum proact_status status = PROACT_OK;

    for (size_t i = 0; !status && i < sizeof arrays / sizeof *arrays; i++)
        status = proact_array_create(w->session, &arrays[i].shape, arrays[i].out, err);
    return status;
}

static enum proact_status work_load_kernels(struct ct_work *w, struct proact_error *err)
{
    struct proact_image single = {.name = "ct_f32.cu", .text = kernel_ct_f32};
    struct proact_image both = {.name = "ct_f64.cu", .text = kernel_ct_f64};
    const struct {
        const char *name;
        struct proact_kernel **out;
    } kernels[] = {
        {"ct_residual", &w->kernels.residual}, {"ct_back", &w->kernels.back},
        {"ct_update", &w->kernels.update},     {"ct_cost", &w->kernels.cost},
        {"ct_show", &w->kernels.show},
    };
    enum proact_status status = PROACT_OK;

    for (size_t i = 0; !status && i < sizeof kernels / sizeof *kernels; i++)
        status = proact_kernel_load(w->session, w->options.single ? &single : &both,
                                    kernels[i].name, kernels[i].out, err);
    return status;
}

enum proact_status ct_work_init(struct ct_work *w, struct proact *p,
                                const struct ct_scan *scan, const struct ct_options *given,
                                struct proact_error *err)
{
    *w = (struct ct_work){.session = p, .scan = scan};
    enum proact_status status = ct_options_complete(scan, given, &w->options, err);

    if (status)
        return status;
    ct_tables_init(&w->tables, &scan->geometry);
    w->pixels = (size_t)scan->slices * scan->geometry.size * scan->geometry.size;
    status = work_make_arrays(w, err);
    return status ? status : work_load_kernels(w, err);
}

void ct_work_clear(struct ct_work *w)
{
    struct ct_arrays *a = &w->arrays;
    struct proact_array *arrays[] = {a->measured,  a->weight, a->view,   a->edge,
                                     a->residual,  a->sums,   a->image,  a->shown,
                                     a->curvature, a->old[0], a->old[1], a->all_residual};
    struct proact_kernel *kernels[] = {w->kernels.residual, w->kernels.back,
                                       w->kernels.update, w->kernels.cost, w->kernels.show};

    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        proact_kernel_destroy(kernels[i]);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        proact_array_destroy(arrays[i]);
    ct_tables_clear(&w->tables);
    free(w->start);
    free(w->extrapolated);
    free(w->before);
    free(w->now);
}
