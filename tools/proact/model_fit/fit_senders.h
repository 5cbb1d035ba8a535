/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* LogGOP parameters of each initiator, from the times of a sweep and from the keys of a
   machine file, and the errors of both. */

#include "model/fit.h"
#include "sweep/sweep.h"

enum { FIT_SINGLE, FIT_PIPELINED, FIT_MODES };

/* Time of `depth` messages of m bytes:

       max(single(m), start(m) + depth * period(m))

   single(m) = o + max(g, O m, G m) + L + S of an idle initiator, and period(m) = o + max(g,
   O m, G m) of a busy one. */
struct fit_times {
    struct fit_curve single, start, period;
};

struct fit_sender {
    enum model_sender who;
    size_t points; /* 0: not measured */
    size_t sizes;
    uint64_t least_bytes, most_bytes;
    struct fit_times times; /* of every second size */
    struct model_loggop measured[FIT_MODES];
    struct fit_errors fit, derived; /* of all depths, on the sizes that were not fitted */
};

struct fit_senders {
    struct topology keys; /* of the derived parameters */
    double L, S;          /* from the round trip of a flag */
    struct fit_sender sender[MODEL_SENDERS];
    struct fit_error fit, derived; /* of all initiators */
};

/* `keys` has at least two devices. */
void fit_senders_find(const struct sweep *s, const struct topology *keys,
                      struct fit_senders *out);
/* Derived parameters for messages of that size. */
struct model_loggop fit_sender_derive(const struct topology *keys, enum model_sender who,
                                      int mode, uint64_t bytes);
