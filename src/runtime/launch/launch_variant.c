/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/launch/launch_variant.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "runtime/access_sets/direct.h"
#include "runtime/kernel/runtime_kernel.h"
#include "runtime/objects/array.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/objects/session_image.h"
#include "runtime/request/launching.h"

static int compare(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Offsets of the distributed arrays; the caller frees them. */
static uint32_t *offsets_of(const struct launching *l, uint32_t *count)
{
    uint32_t *offset = must_calloc(l->relocation_count + 1, sizeof *offset);

    *count = 0;
    for (size_t i = 0; i < l->relocation_count; i++)
        if (l->relocations[i].array->part)
            offset[(*count)++] = l->relocations[i].offset;
    qsort(offset, *count, sizeof *offset, compare);
    return offset;
}

static bool are_the_same(const struct kernel_direct *d, const uint32_t *offset,
                         uint32_t count)
{
    return d && d->count == count && memcmp(d->offset, offset, count * sizeof *offset) == 0;
}

static bool uses_any(const struct launching *l)
{
    for (size_t i = 0; i < l->relocation_count; i++)
        if (l->relocations[i].array->part)
            return true;
    return false;
}

static struct proact_kernel *find_variant(struct proact_kernel *k, const uint32_t *offset,
                                          uint32_t count)
{
    struct proact_kernel *v = k->variants;

    while (v && !are_the_same(v->direct, offset, count))
        v = v->next_variant;
    return v;
}

/* Takes ownership of `offset`. */
static enum proact_status make_variant(struct launching *l, uint32_t *offset,
                                       uint32_t count, struct proact_kernel **out,
                                       struct proact_error *err)
{
    struct proact_kernel *k = l->kernel;
    enum proact_status status;

    if (k->session->recording)
        status = fail(err, PROACT_EINVAL,
                      "kernel '%s': it was not launched before with these arrays "
                      "distributed: launch it once, then record",
                      k->name);
    else
        status = kernel_variant_create(k, out, err);
    if (status)
        free(offset);
    else
        direct_make(*out, offset, count);
    return status;
}

/* Checks peer atomics between all pairs of devices. `line`: line of an atomic; 0: none. */
static enum proact_status check_atomics(const struct launching *l, uint32_t line,
                                        struct proact_error *err)
{
    const struct proact_kernel *k = l->kernel;
    const struct proact *p = k->session;

    for (unsigned a = 0; line && a < p->devices.count; a++)
        for (unsigned b = 0; b < p->devices.count; b++)
            if (!p->backend->peer_atomics(p->set, a, b))
                return fail(err, PROACT_EREFUSED,
                            "kernel '%s', %s:%" PRIu32
                            ": an atomic on a distributed array: device %u cannot "
                            "execute atomics in the memory of device %u",
                            k->name, k->image->ptx->name, line, a, b);
    return PROACT_OK;
}

/* Rejects maps of distributed arrays: a map describes transfers between replicas. */
static enum proact_status check_maps(const struct launching *l, struct proact_error *err)
{
    const struct proact_kernel *k = l->kernel;

    for (unsigned s = 0; (k->has_maps || k->is_annotated) && s < k->slot_count; s++) {
        const struct proact_array *a = launching_array(l, k->slot[s].offset);

        if (a && a->part)
            return fail(err, PROACT_EINVAL,
                        "kernel '%s': argument %u has a map, for array '%s', which is "
                        "distributed: it has no replicas to send to",
                        k->name, k->slot[s].arg, a->name);
    }
    return PROACT_OK;
}

/* Checks an annotated kernel, which cannot be rewritten. Takes ownership of `offset`. */
static enum proact_status check_annotated(const struct launching *l, uint32_t *offset,
                                          uint32_t count, struct proact_error *err)
{
    struct proact_kernel *k = l->kernel;

    if (k->direct && !are_the_same(k->direct, offset, count))
        direct_drop(k);
    if (k->direct)
        free(offset);
    else
        direct_make(k, offset, count);
    if (k->direct->through.updates_here && l->over > 1)
        return fail(err, PROACT_EREFUSED,
                    "kernel '%s', %s:%" PRIu32
                    ": an atomic on a distributed array has device scope, and an "
                    "annotated kernel runs unchanged: use system scope, as in "
                    "atomicAdd_system()",
                    k->name, k->image->ptx->name, k->direct->through.updates_here);
    return check_atomics(l, l->over > 1 ? k->direct->through.updates_surely : 0, err);
}

enum proact_status launch_variant(struct launching *l, struct proact_error *err)
{
    struct proact_kernel *k = l->kernel, *variant;
    uint32_t count, *offset;
    enum proact_status status = PROACT_OK;

    k->used = k;
    if (!uses_any(l) || (status = check_maps(l, err)))
        return status;
    offset = offsets_of(l, &count);
    if (k->is_annotated)
        return check_annotated(l, offset, count, err);
    variant = find_variant(k, offset, count);
    if (variant)
        free(offset);
    else if ((status = make_variant(l, offset, count, &variant, err)))
        return status;
    assert(variant);
    k->used = variant;
    l->kernel = variant;
    return check_atomics(l, variant->direct->through.updates, err);
}
