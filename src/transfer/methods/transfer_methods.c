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

static bool method_mixes(const struct transfer_method *m)
{
    return m->mixes;
}

static bool method_needs_peers(const struct transfer_method *m)
{
    return m->needs_peers;
}

static bool method_of_gpus_needs_peers(const struct transfer_method *m)
{
    return m->needs_peers && !m->needs_unit;
}

/* "a, b and c": the names of the methods of one kind. */
static void methods_print(bool (*is_listed)(const struct transfer_method *m),
                          struct text *out)
{
    unsigned left = 0;

    for (unsigned m = 0; m < METHOD_COUNT; m++)
        left += is_listed(methods[m]);
    for (unsigned m = 0; m < METHOD_COUNT; m++)
        if (is_listed(methods[m]))
            text_print(out, "%s%s", methods[m]->name,
                       --left > 1  ? ", "
                       : left == 1 ? " and "
                                   : "");
}

void transfer_peer_methods_print(bool has_unit, struct text *out)
{
    methods_print(has_unit ? method_needs_peers : method_of_gpus_needs_peers, out);
}

bool transfer_pairs_explain(unsigned count, transfer_reaches *reaches, const void *context,
                            bool has_unit, struct text *out)
{
    struct text pairs = {0};
    bool any = false;
    const bool missing = transfer_pairs_print(count, reaches, context, &pairs);

    for (unsigned a = 0; a < count; a++)
        for (unsigned b = 0; b < count; b++)
            any |= a != b && reaches(context, a, b);
    if (missing && any)
        text_print(out, "%s under ", pairs.data);
    if (missing)
        transfer_peer_methods_print(has_unit, out);
    if (missing && !any)
        text_print(out, " are refused");
    text_clear(&pairs);
    return missing;
}

static enum proact_status fail_to_mix(const char *text, const struct transfer_method *body,
                                      const struct transfer_method *tail,
                                      struct proact_error *err)
{
    struct text can = {0};

    methods_print(method_mixes, &can);
    fail(err, PROACT_EINVAL,
         "method '%s': '%s' and '%s' cannot share the chunks, two of %s can", text,
         body->name, tail->name, can.data);
    text_clear(&can);
    return PROACT_EINVAL;
}

/* Method of the pairs without peer access: the one of the two that copies each chunk to
   each peer, else copies after the kernel. */
static const struct transfer_method *method_of_copies(const struct transfer_method *body,
                                                      const struct transfer_method *tail)
{
    const struct transfer_method *const of_plan[] = {body, tail};

    for (int n = 0; n < 2; n++)
        if (!of_plan[n]->needs_peers && !of_plan[n]->sends_to_all)
            return of_plan[n];
    return transfer_method_whole();
}

enum proact_status transfer_methods_read(const char *text, struct transfer_plan *out,
                                         struct proact_error *err)
{
    const char *plus = text ? strchr(text, '+') : NULL;
    const struct transfer_method *body, *tail;
    enum proact_status status;

    if (!plus) {
        out->copies = transfer_method_whole();
        return transfer_method_find(text, &out->method, err);
    }
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
    out->copies = method_of_copies(body, tail);
    out->tail_bytes = read_bytes(bytes);
    return PROACT_OK;
}

/* Whether some pair of devices has peer access. */
static bool any_reaches(const struct transfer_devices *t)
{
    bool any = false;

    for (unsigned from = 0; from < t->count; from++)
        for (unsigned to = 0; to < t->count; to++)
            any |= from != to && t->backend->peer_access(t->set, from, to);
    return any;
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
    if (m->needs_peers && devices->count > 1 && !any_reaches(devices))
        return fail(err, PROACT_EREFUSED,
                    "method '%s' needs a device that reaches a peer's memory, and none of "
                    "the %u devices does: '%s' does not need it",
                    m->name, devices->count, transfer_method_whole()->name);
    return PROACT_OK;
}

const struct transfer_method *transfer_method_whole(void)
{
    return &transfer_bulk;
}
