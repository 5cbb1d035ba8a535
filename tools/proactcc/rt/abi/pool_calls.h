/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Memory pools: the implemented calls of the CUDA runtime. */

#include "rt/abi/cuda_abi.h"

struct cuda_pool;
struct cuda_stream;
struct cuda_pool_access {
    struct cuda_memory_location where;
    int flags;
};

RT_API enum cuda_error cudaDeviceGetDefaultMemPool(struct cuda_pool **out, int device);
RT_API enum cuda_error cudaDeviceGetMemPool(struct cuda_pool **out, int device);
RT_API enum cuda_error cudaDeviceSetMemPool(int device, struct cuda_pool *pool);
RT_API enum cuda_error cudaMemPoolCreate(struct cuda_pool **out, const void *how);
RT_API enum cuda_error cudaMemPoolDestroy(struct cuda_pool *pool);
RT_API enum cuda_error cudaMemPoolTrimTo(struct cuda_pool *pool, size_t bytes);
RT_API enum cuda_error cudaMemPoolSetAttribute(struct cuda_pool *pool, int what,
                                               const void *value);
RT_API enum cuda_error cudaMemPoolGetAttribute(struct cuda_pool *pool, int what, void *out);
RT_API enum cuda_error cudaMemPoolSetAccess(struct cuda_pool *pool,
                                            const struct cuda_pool_access *list,
                                            size_t count);
RT_API enum cuda_error cudaMemPoolGetAccess(int *flags, struct cuda_pool *pool,
                                            const struct cuda_memory_location *where);
RT_API enum cuda_error cudaMallocFromPoolAsync(void **out, size_t bytes,
                                               struct cuda_pool *pool,
                                               struct cuda_stream *stream);
