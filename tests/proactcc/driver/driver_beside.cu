/* SPDX-License-Identifier: Apache-2.0 */
/* A library of the program that calls the driver. */
#include <cuda.h>

CUresult allocate(CUdeviceptr *out, size_t bytes)
{
    return cuMemAlloc(out, bytes);
}
