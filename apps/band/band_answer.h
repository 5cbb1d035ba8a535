/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Steps that the run and its reference share. */

#include "band/band.h"

/* The options with defaults. PROACT_EINVAL: the tolerance is below what f32 reaches. */
enum proact_status band_defaults(const struct band_options *given, struct band_options *out,
                                 struct proact_error *err);

/* The norm to which residuals are relative. */
double band_scale(const struct band_system *s);

/* Growth of the residual, from iteration to iteration. Starts zeroed. */
struct band_growth {
    unsigned seen, rising; /* residuals; the last ones that grew, in a row */
    double last, from;     /* the last residual, and the one before they grew */
};

/* PROACT_EINVAL if the residual has now grown in 10 iterations in a row, or is no number.
 */
enum proact_status band_watch_growth(struct band_growth *growth, double residual,
                                     struct proact_error *err);
