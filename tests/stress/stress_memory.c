/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "stress/stress.h"

/* Memory in use on all GPUs of this computer, as NVML reports it; 0 without NVML. */
static double gpus_bytes(void)
{
    struct {
        unsigned long long total, free, used;
    } memory;
    double sum = 0;
    unsigned count = 0;
    void *device, *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);

    if (!library)
        return 0;
    int (*init)(void) = (int (*)(void))(uintptr_t)dlsym(library, "nvmlInit_v2");
    int (*count_of)(unsigned *) =
        (int (*)(unsigned *))(uintptr_t)dlsym(library, "nvmlDeviceGetCount_v2");
    int (*find)(unsigned, void **) = (int (*)(unsigned, void **))(uintptr_t)dlsym(
        library, "nvmlDeviceGetHandleByIndex_v2");
    int (*by_index)(void *, void *) =
        (int (*)(void *, void *))(uintptr_t)dlsym(library, "nvmlDeviceGetMemoryInfo");

    if (init && count_of && find && by_index && !init() && !count_of(&count))
        for (unsigned d = 0; d < count; d++)
            if (!find(d, &device) && !by_index(device, &memory))
                sum += (double)memory.used;
    return sum; /* the library stays loaded for later calls */
}

/* Without these settings, the top of a thread's arena stays allocated, and thread caches
   count as memory in use. */
void stress_memory_settle(char **argv)
{
    static const char name[] = "GLIBC_TUNABLES";

    mallopt(M_ARENA_MAX, 1);
    if (!getenv(name) && !setenv(name, "glibc.malloc.tcache_count=0", 1))
        execv("/proc/self/exe", argv); /* if it fails, the count is less exact */
}

bool stress_driver_left(unsigned *out)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    unsigned (*left)(void) =
        library ? (unsigned (*)(void))(uintptr_t)dlsym(library, "fake_cuda_left") : NULL;

    *out = left ? left() : 0;
    return left != NULL;
}

double stress_host_bytes(void)
{
    struct mallinfo2 info = mallinfo2();

    return (double)info.uordblks + (double)info.hblkhd;
}

struct stress_memory stress_memory_now(bool has_gpus)
{
    struct stress_memory m = {.device_bytes = has_gpus ? gpus_bytes() : 0};
    double page = (double)sysconf(_SC_PAGESIZE);
    char line[128] = "", *rest;

    malloc_trim(0);
    FILE *f = fopen("/proc/self/statm", "r");

    if (f) {
        if (fgets(line, sizeof line, f)) {
            m.mapped_bytes = strtod(line, &rest) * page;
            m.resident_bytes = strtod(rest, NULL) * page;
        }
        fclose(f);
    }
    m.host_bytes = stress_host_bytes();
    return m;
}
