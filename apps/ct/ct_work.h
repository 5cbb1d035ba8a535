/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A reconstruction on the devices: arrays, kernels and their launches. */

#include "ct/ct_host.h"

/* Arrays have the elements of the kernels. Slices are padded to whole CTAs. */
struct ct_arrays {
    struct proact_array *measured, *weight, *view, *edge; /* inputs */
    struct proact_array *residual;                        /* of a subset */
    struct proact_array *all_residual, *curvature, *sums;
    struct proact_array *image, *shown; /* shown: a copy that other devices may read */
    struct proact_array *old[2];        /* update i reads [i % 2] and writes the other */
};

struct ct_kernels {
    struct proact_kernel *residual, *back, *update, *cost, *show;
};

struct ct_work {
    struct proact *session;
    const struct ct_scan *scan; /* borrowed */
    struct ct_options options;
    struct ct_tables tables;
    struct ct_arrays arrays;
    struct ct_kernels kernels;
    uint32_t set_up_devices;      /* that project before the clock; 0: all */
    size_t pixels;                /* of all slices, without padding */
    unsigned updates;             /* made, for the parity */
    double *start, *extrapolated; /* the state before the first iteration */
    double *before, *now;         /* images on the host */
    unsigned done;                /* iterations before the run, from a checkpoint */
    double momentum;              /* of ct_momentum_next() */
    struct ct_state state;
};

/* Arrays without content, and kernels. ct_work_clear() follows in any case. */
enum proact_status ct_work_init(struct ct_work *w, struct proact *p,
                                const struct ct_scan *scan, const struct ct_options *given,
                                struct proact_error *err);
void ct_work_clear(struct ct_work *w);

/* Copies `count` float64 values to or from an array of the kernels' type. */
enum proact_status ct_put(const struct ct_work *w, struct proact_array *to,
                          const double *from, size_t count, struct proact_error *err);
enum proact_status ct_get(const struct ct_work *w, struct proact_array *from, double *to,
                          size_t count, struct proact_error *err);
/* The same for images, which are padded on the devices. */
enum proact_status ct_put_image(const struct ct_work *w, struct proact_array *to,
                                const double *image, struct proact_error *err);
enum proact_status ct_get_image(const struct ct_work *w, struct proact_array *from,
                                double *image, struct proact_error *err);
/* The array of views (struct ct_view). */
enum proact_status ct_put_views(const struct ct_work *w, struct proact_error *err);

unsigned ct_cost_ctas(const struct ct_work *w); /* of one slice */
/* The shape of one subset; all subsets have as many CTAs. */
struct ct_shape ct_subset_shape(const struct ct_work *w, unsigned subset, unsigned subsets);
/* to = weight (A image - measured), which is `residual` or `all_residual`. */
enum proact_status ct_launch_residual(const struct ct_work *w, struct proact_array *image,
                                      struct proact_array *to, const struct ct_shape *shape,
                                      struct proact_error *err);
/* sum = A' all_residual. */
enum proact_status ct_launch_back(const struct ct_work *w, struct proact_array *sum,
                                  const struct ct_shape *shape, struct proact_error *err);
