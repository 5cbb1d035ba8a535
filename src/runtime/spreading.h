/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Before a launch of a program is split: replicas that stayed behind what happened on the
   first device alone are brought up to date. */

#include "runtime/launching.h"

struct spreading {
    uint64_t bytes; /* of the arrays that stayed behind */
    uint64_t
        by_launches; /* of these, of those that no copy changed: a launch there may have */
};

/* What there is to do for the arrays that the launch is given. */
struct spreading spreading_of(const struct launching *l);
enum proact_status spread_arrays(const struct launching *l, struct proact_error *err);
