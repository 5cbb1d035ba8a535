/* SPDX-License-Identifier: Apache-2.0 */
#include "device/cuda/driver/driver.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

static const struct {
    const char *symbol;
    size_t offset;
    bool is_optional;
} entries[] = {
#define DRIVER(name, symbol, parameters) {#symbol, offsetof(struct driver, name), false},
#define OPTIONAL(name, symbol, parameters) {#symbol, offsetof(struct driver, name), true},
#include "device/cuda/driver/driver.def"
#undef OPTIONAL
#undef DRIVER
};

static enum proact_status find_entries(struct driver *d, struct proact_error *err)
{
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
        void *entry = dlsym(d->library, entries[i].symbol);

        if (!entry && !entries[i].is_optional)
            return fail(
                err, PROACT_ENODEV,
                "the CUDA driver has no %s: it is too old, CUDA 11.7 or later is required",
                entries[i].symbol);
        memcpy((char *)d + entries[i].offset, &entry, sizeof entry);
    }
    if (!d->event_elapsed)
        d->event_elapsed = d->event_elapsed_looking;
    return PROACT_OK;
}

enum proact_status driver_load(struct driver *d, struct proact_error *err)
{
    memset(d, 0, sizeof *d);
    d->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!d->library)
        return fail(err, PROACT_ENODEV, "no CUDA driver: %s", dlerror());
    return find_entries(d, err);
}

unsigned driver_queues(void)
{
    enum { MOST = 32 };
    const char *text = getenv("CUDA_DEVICE_MAX_CONNECTIONS");
    char *end = NULL;
    const long queues = text ? strtol(text, &end, 10) : DRIVER_QUEUES;

    if (text && (!*text || *end || queues < 1 || queues > MOST))
        return 0;
    return (unsigned)queues;
}

enum proact_status driver_start(const struct driver *d, cu_result *result,
                                struct proact_error *err)
{
    *result = d->init(0);
    if (*result)
        return fail(err, PROACT_ENODEV, "the CUDA driver %s: %s",
                    *result == CU_NO_DEVICE ? "finds no device" : "does not start",
                    driver_words(d, *result).text);
    return PROACT_OK;
}

enum proact_status driver_open(struct driver *d, struct proact_error *err)
{
    enum proact_status status = driver_load(d, err);
    cu_result result;

    return status ? status : driver_start(d, &result, err);
}

enum proact_status driver_status(cu_result result)
{
    switch (result) {
    case 0:
        return PROACT_OK;
    case CU_OUT_OF_MEMORY:
        return PROACT_ENOSPACE;
    case CU_NO_DEVICE:
    case CU_STUB:
        return PROACT_ENODEV;
    case CU_NOT_FOUND:
    case CU_LAUNCH_RESOURCES:
    case CU_COOPERATIVE_TOO_LARGE:
        return PROACT_EINVAL;
    case CU_INVALID_IMAGE:
    case CU_NO_BINARY:
    case CU_INVALID_PTX:
    case CU_UNSUPPORTED_PTX:
        return PROACT_EREFUSED;
    default: /* 700 to 719 are faults of kernels */
        return result >= 700 && result < 720 ? PROACT_EFAULT : PROACT_EDRIVER;
    }
}

struct driver_words driver_words(const struct driver *d, cu_result result)
{
    struct driver_words words;
    const char *name = NULL, *string = NULL;

    d->error_name(result, &name);
    d->error_string(result, &string);
    if (name && string)
        snprintf(words.text, sizeof words.text, "%s (%s)", name, string);
    else
        snprintf(words.text, sizeof words.text, "error %d without a description", result);
    return words;
}
