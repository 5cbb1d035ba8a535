/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Fit of LogGOP parameters to times of messages (Groves et al. 2020, III and IV). A curve
   is a list of lines, each for a range of sizes, with the least absolute relative
   deviations; a minority of wrong times does not move it. */

#include <stddef.h>

enum { FIT_PIECES_MAX = 4, FIT_DECADES = 10 };

struct fit_point {
    double bytes, ns;
    double
        scale_ns; /* of the deviation; 0: the median time of the size, and ns is positive */
};

/* base_ns + ns_per_byte * bytes, from from_bytes to the next piece. ns_per_byte is not
   negative. */
struct fit_piece {
    double from_bytes, base_ns, ns_per_byte;
};

struct fit_curve {
    unsigned count; /* of pieces; 0: there were no points */
    struct fit_piece piece[FIT_PIECES_MAX];
    double error; /* mean relative deviation of the points */
    /* Points further than a quarter of their scale from the curve: their share, and the
       median of measured over fitted time. A share of 0.1 and more indicates a second
       mode. */
    double far_share, far_factor;
};

/* Fits points in any order, several of one size included. The number of pieces has the
   smallest Schwarz criterion for Laplace-distributed relative deviations; every piece has
   at least three sizes. Points with a size or a time that is not positive and finite are
   left out. */
void fit_curve_find(const struct fit_point *points, size_t count, struct fit_curve *out);
double fit_curve_ns(const struct fit_curve *c, double bytes);

/* Relative errors of predictions, by decade of size: decade d has sizes from 10^d to
   10^(d+1). */
struct fit_error {
    unsigned count;
    double median, p95;
};
struct fit_errors {
    struct fit_error all, decade[FIT_DECADES];
};
/* `predicted` has a time for each point. */
void fit_errors_find(const struct fit_point *measured, const double *predicted,
                     size_t count, struct fit_errors *out);
