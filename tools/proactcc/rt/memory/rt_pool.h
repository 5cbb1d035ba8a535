/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Memory pools. rt.h declares the changes of their counts. */

#include "rt/rt.h"

/* The attributes, by CUDA's numbers. The bytes that are reserved are in use or cached. */
enum {
    POOL_FLAGS = 3,
    POOL_THRESHOLD,
    POOL_RESERVED,
    POOL_RESERVED_HIGH,
    POOL_USED,
    POOL_USED_HIGH,
    POOL_ATTRIBUTES = POOL_USED_HIGH,
};

struct cuda_pool {
    /* by number: three flags, a threshold, bytes reserved (used or cached) and used, each
       now and at most */
    uint64_t attribute[POOL_ATTRIBUTES + 1];
};

struct cuda_pool *rt_pool_create(void);
