/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <proact/proact.h>

/* An array to make, of shape.count elements, at least one. */
struct array_plan {
    struct proact_shape shape;
    const void *content; /* NULL: undefined */
    struct proact_array **out;
};

/* Makes arrays in order and stops at the first failure. The caller destroys those that were
   made. PROACT_ENOSPACE: the message states the bytes of all arrays and of the device. */
enum proact_status arrays_make(struct proact *p, const struct array_plan *plans,
                               size_t count, struct proact_error *err);
