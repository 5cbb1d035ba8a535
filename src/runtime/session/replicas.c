/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/session/replicas.h"

#include "runtime/objects/array.h"
#include "runtime/objects/session.h"

static struct device_replicas replicas_of(const struct proact_array *a)
{
    struct device_replicas r = {.name = a->name, .bytes = a->bytes};

    for (unsigned d = 0; d < a->session->devices.count; d++)
        r.base[d] = a->base[d];
    return r;
}

static enum proact_status alloc(struct proact *p, unsigned device, size_t bytes,
                                enum array_sharing sharing, device_addr *out,
                                struct proact_error *err)
{
    const bool is_shared = sharing == ARRAY_MANAGED || sharing == ARRAY_PINNED;

    if (!is_shared || device || !p->backend->alloc_shared)
        return p->backend->alloc(p->set, device, bytes, out, err);
    return p->backend->alloc_shared(p->set, device, bytes, sharing == ARRAY_PINNED, out,
                                    err);
}

enum proact_status array_replicas_make(struct proact_array *a, enum array_sharing sharing,
                                       struct proact_error *err)
{
    struct proact *p = a->session;
    enum proact_status status = PROACT_OK;

    for (unsigned d = 0; d < devices_here(p) && !status; d++)
        if (!a->base[d])
            status = alloc(p, d, a->bytes, sharing, &a->base[d], err);
    if (status)
        return status;
    struct device_replicas r = replicas_of(a);

    p->backend->replicas(p->set, &r);
    return PROACT_OK;
}
