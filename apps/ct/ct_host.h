/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Parts of the CT application on the host, in float64. */

#include "ct/ct.h"

/* Tables of a geometry. */
struct ct_tables {
    struct ct_geometry geometry;
    double *cosine, *sine; /* by view */
    double *edge;          /* detector coordinate v of the channels' edges, channels + 1 */
    struct ct_shape shape; /* with all views as one subset */
};

void ct_tables_init(struct ct_tables *t, const struct ct_geometry *g);
void ct_tables_clear(struct ct_tables *t);
bool ct_in_field(unsigned size, unsigned row, unsigned column);

enum { CT_SPAN_MAX = 256 }; /* channels that a footprint may reach */

/* Row of the system matrix of one pixel and one view. */
struct ct_row {
    unsigned first, count; /* channels */
    double weight[CT_SPAN_MAX];
};

void ct_row_make(const struct ct_tables *t, unsigned view, unsigned row, unsigned column,
                 struct ct_row *out);
/* A and A' for one slice and the views subset, subset + subsets, ... `rays` has all views;
   the other ones stay. Pixels outside the field are 0. */
void ct_forward(const struct ct_tables *t, const double *image, double *rays,
                unsigned subset, unsigned subsets);
void ct_backward(const struct ct_tables *t, const double *rays, double *image,
                 unsigned subset, unsigned subsets);

/* ---- Prior ---- */

double ct_prior_sum(const double *image, unsigned size); /* without beta */
/* Slope and curvature of the surrogate at one pixel, without beta. */
struct ct_slope {
    double slope, curvature;
};
struct ct_slope ct_prior_slope(const double *image, unsigned size, size_t pixel);
double ct_prior_curvature_max(void); /* 2 sum of w */

/* ---- Solvers ---- */

/* The options with defaults. */
enum proact_status ct_options_complete(const struct ct_scan *scan,
                                       const struct ct_options *given,
                                       struct ct_options *out, struct proact_error *err);
/* Number of the m-th subset: bit-reversed order. */
unsigned ct_subset_at(unsigned m, unsigned subsets);
/* Momentum factors of one update after the other. */
double ct_momentum_next(double *t);
/* The first image, [slice][row][column]; the caller frees it. */
double *ct_start_image(const struct ct_tables *t, const struct ct_scan *scan,
                       const struct ct_options *o);
/* Filtered back-projection of one slice. */
void ct_filtered_back_projection(const struct ct_tables *t, const double *measured,
                                 double *image);
/* Cost of all slices, and the errors of an image. `before` may be NULL. */
void ct_cost_on_host(const struct ct_tables *t, const struct ct_scan *scan, double beta,
                     const double *image, struct ct_state *state);
void ct_errors(const struct ct_scan *scan, const double *image, const double *before,
               struct ct_state *state);
