/* SPDX-License-Identifier: Apache-2.0 */
/* Interoperation with external libraries on device 0. For the other devices their work is
   one operation on the kernel stream of device 0 that may access all memory. */
#include <proact/interop.h>

#include "base/fail.h"
#include "runtime/arrays/first_device.h"
#include "runtime/arrays/texels.h"
#include "runtime/coherence/fetch.h"
#include "runtime/objects/array.h"
#include "runtime/objects/session.h"
#include "runtime/session/program_streams.h"
#include "runtime/validity/array_validity.h"

static const struct order_place first_main = {0, TRANSFER_MAIN};

static enum proact_status check(const struct proact *p, struct proact_error *err)
{
    if (!p->backend->interop_begin)
        return fail(err, PROACT_EREFUSED,
                    "machine '%s' is emulated: libraries for GPUs cannot run there",
                    p->topology.name);
    if (p->recording)
        return fail(err, PROACT_EINVAL, "interoperation cannot be recorded");
    return PROACT_OK;
}

static struct device_stream *stream(const struct proact *p)
{
    return p->devices.device[0].lane[TRANSFER_MAIN];
}

void proact_interop_attach_thread(struct proact *p)
{
    if (p->backend->interop_attach_thread)
        p->backend->interop_attach_thread(p->set, 0);
}

enum proact_status proact_interop_begin(struct proact *p, struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_interop_begin(p)", (const void *[]){p}, err);

    if (status)
        return status;
    status = check(p, err);

    if (status || (p->has_interop && p->interop_sequence == p->sequence))
        return status;
    if ((status = device0_fetch_all(p, err)))
        return status;
    /* protocol: interop-await */
    status = first_await_all(p, err);
    if (!status)
        /* protocol: interop-streams-before */
        status = streams_join(p, err);
    if (!status)
        /* protocol: interop-begin */
        status = p->backend->interop_begin(stream(p), err);
    if (status)
        return status;
    p->has_interop = true;
    p->interop_sequence = p->sequence;
    return PROACT_OK;
}

enum proact_status proact_interop_end(struct proact *p,
                                      const struct proact_interop_writes *writes,
                                      struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_interop_end(p, writes)", (const void *[]){p, writes}, err);

    if (status)
        return status;
    for (size_t i = 0; i < writes->count; i++)
        if (!writes->arrays || !writes->arrays[i] || writes->arrays[i]->session != p)
            return fail(err, PROACT_EINVAL,
                        "interoperation: written array %zu is no array of the session", i);
    status = check(p, err);

    if (!status)
        /* protocol: interop-streams-after */
        status = streams_join(p, err);
    if (!status)
        /* protocol: interop-end */
        status = p->backend->interop_end(stream(p), err);
    if (status)
        return status;
    uint64_t sequence = ++p->sequence;

    /* A library may use unnamed memory as workspace: all arrays count as used, and only the
       named ones as written. */
    /* protocol: interop-used */
    p->all_used = sequence;
    for (size_t i = 0; i < writes->count; i++)
        array_written(writes->arrays[i], 0, writes->arrays[i]->bytes, FIRST);
    if (writes->all_arrays) {
        p->all_changed = sequence;
        session_variables_used(p);
        texels_written(p);
    }
    /* protocol: interop-done (else: return PROACT_OK;) */
    return order_record(&p->order, first_main, sequence, err);
}

enum proact_status proact_interop_stream_create(struct proact *p, void **out,
                                                struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_interop_stream_create(p, out)", (const void *[]){p, out}, err);

    if (status)
        return status;
    status = check(p, err);

    return status ? status : p->backend->interop_stream_create(p->set, 0, out, err);
}

void proact_interop_stream_destroy(struct proact *p, void *stream)
{
    p->backend->interop_stream_destroy(p->set, 0, stream);
}
