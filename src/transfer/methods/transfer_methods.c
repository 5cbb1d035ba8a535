/* SPDX-License-Identifier: Apache-2.0 */
#include "transfer/methods/transfer_methods.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"

/* All mechanisms. A new one is a file and a row here and in the names below. */
static const struct transfer_method *const methods[] = {
    &transfer_bulk,        &transfer_bulk_serial, &transfer_inline,
    &transfer_fused,       &transfer_polling,     &transfer_dynamic,
    &transfer_copy_engine, &transfer_relay,       &transfer_hardware,
};
static const char *const names[] = {"bulk",     "bulk-serial", "inline",      "fused",
                                    "polling",  "dynamic",     "copy-engine", "relay",
                                    "hardware", NULL};

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
    const char *wanted = name ? name : "fused";
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

/* Finds a method by the first `length` characters of `name`. */
static enum proact_status find_part(const char *name, size_t length,
                                    const struct transfer_method **out,
                                    struct proact_error *err)
{
    char *alone = must_strndup(name, length);
    enum proact_status status = transfer_method_find(alone, out, err);

    free(alone);
    return status;
}

/* Parses a number with an optional K, M or G; 0: invalid. */
static uint64_t read_bytes(const char *text)
{
    static const char units[] = "KMG";
    char *end;
    uint64_t bytes = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;

    if (!bytes)
        return 0;
    const char *unit = *end ? strchr(units, *end) : NULL;
    unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;

    if (end[unit ? 1 : 0] != '\0' || bytes > (uint64_t)INT64_MAX >> shift)
        return 0;
    return bytes << shift;
}

static enum proact_status fail_to_mix(const char *text, const struct transfer_method *body,
                                      const struct transfer_method *tail,
                                      struct proact_error *err)
{
    struct text can = {0};
    unsigned left = 0;

    for (unsigned m = 0; m < METHOD_COUNT; m++)
        left += methods[m]->mixes;
    for (unsigned m = 0; m < METHOD_COUNT; m++)
        if (methods[m]->mixes)
            text_print(&can, "%s%s", methods[m]->name,
                       --left > 1  ? ", "
                       : left == 1 ? " and "
                                   : "");
    fail(err, PROACT_EINVAL,
         "method '%s': '%s' and '%s' cannot share the chunks, two of %s can", text,
         body->name, tail->name, can.data);
    text_clear(&can);
    return PROACT_EINVAL;
}

enum proact_status transfer_methods_read(const char *text, struct transfer_plan *out,
                                         struct proact_error *err)
{
    const char *plus = text ? strchr(text, '+') : NULL;
    const struct transfer_method *body, *tail;
    enum proact_status status;

    if (!plus)
        return transfer_method_find(text, &out->method, err);
    size_t length = strcspn(plus + 1, ":");
    const char *bytes = plus[1 + length] ? plus + 1 + length + 1 : "1";

    if ((status = find_part(text, (size_t)(plus - text), &body, err)) ||
        (status = find_part(plus + 1, length, &tail, err)))
        return status;
    if (!body->mixes || !tail->mixes || body == tail)
        return fail_to_mix(text, body, tail, err);
    if (!read_bytes(bytes))
        return fail(err, PROACT_EINVAL,
                    "method '%s': '%s' is not a number of bytes of at least 1 (suffix K, "
                    "M or G)",
                    text, bytes);
    out->method = body;
    out->tail = tail;
    out->tail_bytes = read_bytes(bytes);
    return PROACT_OK;
}

enum proact_status transfer_method_check(const struct transfer_method *m,
                                         const struct transfer_devices *devices,
                                         struct proact_error *err)
{
    struct proact_error why = {""};
    enum proact_status status = PROACT_OK;

    if (m->needs_children && devices->backend->launches)
        status = devices->backend->launches(devices->set, &why);
    if (status)
        return fail(err, status, "method '%s': %s", m->name, why.text);
    if (m->needs_unit && !devices->backend->has_unit)
        return fail(
            err, PROACT_EREFUSED,
            "method '%s' needs a counting unit in the device, which the %s backend does "
            "not have",
            m->name, devices->backend->name);
    for (unsigned from = 0; m->needs_peers && from < devices->count; from++)
        for (unsigned to = 0; to < devices->count; to++)
            if (from != to && !devices->backend->peer_access(devices->set, from, to))
                return fail(
                    err, PROACT_EREFUSED,
                    "method '%s' needs every device to reach its peers' memory, and "
                    "device %u cannot reach that of device %u: '%s' does not need it",
                    m->name, from, to, transfer_method_whole()->name);
    return PROACT_OK;
}

const struct transfer_method *transfer_method_whole(void)
{
    return &transfer_bulk;
}
