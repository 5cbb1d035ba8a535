/* SPDX-License-Identifier: Apache-2.0 */
/* NVTX ranges for profilers, around operations queued on a host thread; profilers also
   project them onto the work of the device. They are active only if NVTX_INJECTION64_PATH
   names a profiler, and use NVIDIA's library. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda/cuda_set.h"

static void find(void *library, const char *symbol, void *out)
{
    void *entry = dlsym(library, symbol);

    memcpy(out, &entry, sizeof entry);
}

struct cuda_nvtx cuda_nvtx_open(void)
{
    static const char *const names[] = {
        "libnvtx3interop.so.1",                       /* CUDA 13 */
        "/usr/local/cuda/lib64/libnvtx3interop.so.1", /* outside the library search path */
        "libnvToolsExt.so.1",                         /* CUDA 12 and earlier */
        "/usr/local/cuda/lib64/libnvToolsExt.so.1",
    };
    const char *profiler = getenv("NVTX_INJECTION64_PATH");
    struct cuda_nvtx n = {NULL, NULL};

    for (size_t i = 0; profiler && *profiler && i < sizeof names / sizeof names[0]; i++) {
        /* The library stays open, since the profiler keeps references. */
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);

        if (!library)
            continue;
        find(library, "nvtxRangePushA", &n.push);
        find(library, "nvtxRangePop", &n.pop);
        if (n.push && n.pop)
            return n;
    }
    return (struct cuda_nvtx){NULL, NULL};
}

void cuda_nvtx_begin(const struct device_set *set, const char *name)
{
    if (set->nvtx.push)
        set->nvtx.push(name);
}

void cuda_nvtx_end(const struct device_set *set)
{
    if (set->nvtx.push)
        set->nvtx.pop();
}

/* Starts the range of a copy. Copies are frequent, so no name is formatted without a
   profiler. */
void cuda_carry_begin(struct device_set *set, const struct device_reason *what, unsigned to)
{
    char name[DEVICE_REASON_BYTES], chunk[32] = "";

    if (!set->nvtx.push)
        return;
    if (what->chunk != DEVICE_WHOLE)
        snprintf(chunk, sizeof chunk, "chunk %u of ", what->chunk);
    snprintf(name, sizeof name, "%sarray '%.60s' to device %u", chunk,
             what->array ? what->array : "", to);
    set->nvtx.push(name);
}

void cuda_carry_end(struct device_set *set)
{
    cuda_nvtx_end(set);
}
