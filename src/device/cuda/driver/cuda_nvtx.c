/* SPDX-License-Identifier: Apache-2.0 */
/* Names for a profiler: a range around what is queued, on the host's thread, which
   profilers also show over the work on the device. Only where one listens, which it says by
   NVTX_INJECTION64_PATH; through NVIDIA's library, which speaks to it. */
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
        "/usr/local/cuda/lib64/libnvtx3interop.so.1", /* where no path leads */
        "libnvToolsExt.so.1",                         /* CUDA 12 and before */
        "/usr/local/cuda/lib64/libnvToolsExt.so.1",
    };
    const char *profiler = getenv("NVTX_INJECTION64_PATH");
    struct cuda_nvtx n = {NULL, NULL};

    for (size_t i = 0; profiler && *profiler && i < sizeof names / sizeof names[0]; i++) {
        /* It stays open: the profiler keeps what it was told. */
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

/* Copies are queued by the thousand: nothing is written where nobody listens. */
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
