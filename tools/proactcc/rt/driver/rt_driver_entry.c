/* SPDX-License-Identifier: Apache-2.0 */
/* Lookup of driver calls by name. */
#include <string.h>

#include "rt/driver/rt_driver.h"

#define CALL(name, of, version)
#define ALIAS(name, of)
#define REFUSED(name, of, version) RT_API enum cuda_error name(void) DRIVER_NAME(name);
#include "rt/abi/driver_call.def"
#undef CALL
#undef ALIAS
#undef REFUSED

typedef void entry(void);

static const struct {
    const char *name;
    int version;
    entry *at;
} entries[] = {
#define CALL(name, of, version) {#of, version, (entry *)name},
#define REFUSED(name, of, version) CALL(name, of, version)
#define ALIAS(name, of)
#include "rt/abi/driver_call.def"
};

enum { FOUND, NOT_FOUND, VERSION_NOT_SUFFICIENT };

/* The newest call of that name that the CUDA version contains. */
static entry *find(const char *name, int version, int *result)
{
    size_t best = 0;
    bool is_known = false, is_found = false;

    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        if (strcmp(entries[i].name, name) != 0)
            continue;
        is_known = true;
        if (entries[i].version > version ||
            (is_found && entries[i].version < entries[best].version))
            continue;
        is_found = true;
        best = i;
    }
    *result = is_found ? FOUND : is_known ? VERSION_NOT_SUFFICIENT : NOT_FOUND;
    return is_found ? entries[best].at : NULL;
}

/* The flags are ignored: all default streams are one stream. */
static enum cuda_error look_up(const char *name, void **out, int version, int *result)
{
    int unused;
    entry *at;

    if (!name || !out)
        return cudaErrorInvalidValue;
    at = find(name, version, result ? result : &unused);
    memcpy(out, &at, sizeof at);
    return at || result ? cudaSuccess : cudaErrorSymbolNotFound;
}

enum cuda_error cuGetProcAddress_v2(const char *name, void **out, int version,
                                    unsigned long long flags, int *result)
{
    enum cuda_error error = look_up(name, out, version, result);

    (void)flags;
    return error == cudaErrorInvalidValue || *out ? error : cudaErrorSymbolNotFound;
}

enum cuda_error cuGetProcAddress(const char *name, void **out, int version,
                                 unsigned long long flags)
{
    return cuGetProcAddress_v2(name, out, version, flags, NULL);
}

enum cuda_error cudaGetDriverEntryPointByVersion(const char *name, void **out,
                                                 unsigned version, unsigned long long flags,
                                                 int *result)
{
    struct rt *rt = rt_enter();

    (void)flags;
    return rt_leave(rt, look_up(name, out, (int)version, result));
}

enum cuda_error cudaGetDriverEntryPoint(const char *name, void **out,
                                        unsigned long long flags, int *result)
{
    return cudaGetDriverEntryPointByVersion(name, out, CUDA_VERSION_HERE, flags, result);
}
