/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/distributed.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "runtime/derive.h"
#include "runtime/direct.h"

static int compare(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Where the launch has such arrays; free() it. */
static uint32_t *offsets_of(const struct launching *l, uint32_t *count)
{
    uint32_t *offset = must_calloc(l->place_count + 1, sizeof *offset);

    *count = 0;
    for (size_t i = 0; i < l->place_count; i++)
        if (l->places[i].array->part)
            offset[(*count)++] = l->places[i].offset;
    qsort(offset, *count, sizeof *offset, compare);
    return offset;
}

static bool are_the_same(const struct kernel_direct *d, const uint32_t *offset,
                         uint32_t count)
{
    return (d ? d->count : 0) == count &&
           (!count || memcmp(d->offset, offset, count * sizeof *offset) == 0);
}

/* Slots of the user's maps stay. */
static void make_anew(struct proact_kernel *k, uint32_t *offset, uint32_t count)
{
    kernel_slots_change(k);
    kernel_tables_drop(k);
    derivation_drop(k);
    direct_drop(k);
    if (!k->has_maps)
        k->slot_count = 0;
    if (count)
        direct_make(k, offset, count);
    else
        free(offset);
}

/* Between any two that may meet there. */
static enum proact_status check_atomics(const struct launching *l, struct proact_error *err)
{
    const struct proact_kernel *k = l->kernel;
    const struct proact *p = k->session;

    for (unsigned a = 0; k->direct && k->direct->through.updates && a < p->devices.count;
         a++)
        for (unsigned b = 0; b < p->devices.count; b++)
            if (!p->backend->peer_atomics(p->set, a, b))
                return fail(err, PROACT_EREFUSED,
                            "kernel '%s', %s:%" PRIu32
                            ": an atomic in a distributed array: device %u cannot do these "
                            "in the memory of device %u",
                            k->name, k->image->ptx->name, k->direct->through.updates, a, b);
    return PROACT_OK;
}

/* What has a map is sent. */
static enum proact_status check_maps(const struct launching *l, struct proact_error *err)
{
    const struct proact_kernel *k = l->kernel;

    for (unsigned s = 0; (k->has_maps || k->is_marked) && s < k->slot_count; s++) {
        const struct proact_array *a = launching_array(l, k->slot[s].offset);

        if (a && a->part)
            return fail(err, PROACT_EINVAL,
                        "kernel '%s': argument %u has a map, for array '%s', which is "
                        "distributed: it has no replicas to send to",
                        k->name, k->slot[s].arg, a->name);
    }
    return PROACT_OK;
}

enum proact_status distributed_settle(struct launching *l, struct proact_error *err)
{
    struct proact_kernel *k = l->kernel;
    uint32_t count, *offset;
    enum proact_status status = check_maps(l, err);

    if (status)
        return status;
    offset = offsets_of(l, &count);
    if (are_the_same(k->direct, offset, count)) {
        free(offset);
        return check_atomics(l, err);
    }
    if (k->session->recording) {
        free(offset);
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': which of its arrays are distributed is new: launch it "
                    "once, then record",
                    k->name);
    }
    make_anew(k, offset, count);
    return check_atomics(l, err);
}

/* Where it is not known by which pointers a kernel writes, by any. */
static bool writes(const struct launching *l, const struct proact_array *a)
{
    const uint32_t *offsets;
    uint32_t count;

    if (!l->kernel->may_write)
        return false;
    if (l->kernel->is_marked || !derivation_targets(l->kernel, &offsets, &count))
        return true;
    for (size_t i = 0; i < l->place_count; i++)
        for (uint32_t n = 0; l->places[i].array == a && n < count; n++)
            if (offsets[n] == l->places[i].offset)
                return true;
    return false;
}

enum proact_status distributed_await(const struct launching *l, struct order_place at,
                                     const struct proact_array *a, struct proact_error *err)
{
    return array_await_parts(l->kernel->session, a, at, writes(l, a), err);
}

void distributed_used(const struct launching *l)
{
    const struct proact *p = l->kernel->session;

    for (size_t i = 0; i < l->place_count; i++) {
        struct proact_array *a = l->places[i].array;
        const bool is_one = a->part && !launching_is_again(l, i);

        for (unsigned d = 0; is_one && d < p->devices.count; d++)
            if (l->binding ? l->binding->cta_first[d] != l->binding->cta_first[d + 1] : !d)
                array_account_parts(a, d, writes(l, a), l->sequence);
    }
}
