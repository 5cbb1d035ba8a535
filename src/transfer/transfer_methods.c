/* SPDX-License-Identifier: Apache-2.0 */
#include "transfer/transfer_methods.h"

#include <string.h>

#include "base/fail.h"
#include "base/text.h"

/* All mechanisms. A new one is a file and a row here, and in the names below. */
static const struct transfer_method *const methods[] = {
    &transfer_bulk,    &transfer_inline,      &transfer_fused,
    &transfer_polling, &transfer_copy_engine, &transfer_hardware,
};
static const char *const names[] = {"bulk",        "inline",   "fused", "polling",
                                    "copy-engine", "hardware", NULL};

enum { METHOD_COUNT = sizeof methods / sizeof *methods };
_Static_assert(METHOD_COUNT + 1 == sizeof names / sizeof *names, "a name for each method");

const char *const *transfer_method_names(void)
{
    return names;
}

enum proact_status transfer_method_find(const char *name,
                                        const struct transfer_method **out,
                                        struct proact_error *err)
{
    const char *wanted = name ? name : "polling";
    struct text known = {0};

    for (unsigned m = 0; m < METHOD_COUNT; m++) {
        if (strcmp(methods[m]->name, wanted) == 0) {
            text_clear(&known);
            *out = methods[m];
            return PROACT_OK;
        }
        text_print(&known, "%s%s", m ? ", " : "", methods[m]->name);
    }
    fail(err, PROACT_EINVAL, "unknown method '%s': known are %s", wanted, known.data);
    text_clear(&known);
    return PROACT_EINVAL;
}

enum proact_status transfer_method_check(const struct transfer_method *m,
                                         const struct transfer_devices *devices,
                                         struct proact_error *err)
{
    if (m->needs_unit && !devices->backend->has_unit)
        return fail(
            err, PROACT_EREFUSED,
            "method '%s' needs a counting unit in the device, which the %s backend has "
            "not",
            m->name, devices->backend->name);
    for (unsigned from = 0; m->needs_peers && from < devices->count; from++)
        for (unsigned to = 0; to < devices->count; to++)
            if (from != to && !devices->backend->peer_access(devices->set, from, to))
                return fail(
                    err, PROACT_EREFUSED,
                    "method '%s' needs every device to reach its peers' memory, and "
                    "device %u cannot reach that of device %u: '%s' can do without",
                    m->name, from, to, transfer_method_whole()->name);
    return PROACT_OK;
}

const struct transfer_method *transfer_method_whole(void)
{
    return &transfer_bulk;
}
