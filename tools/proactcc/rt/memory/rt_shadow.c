/* SPDX-License-Identifier: Apache-2.0 */
/* Registered memory. Its copy on the device is updated before a launch that receives its
   address. It is copied back where the host may read it again. */
#include "rt/rt.h"

/* A library's copy into pinned memory may still run. The host reads that memory next, so
   this waits. A copy into pageable memory is complete when the call returns. */
static enum proact_status shadow_await_interop(struct rt *rt, const struct rt_range *range,
                                               struct proact_error *err)
{
    const bool has_interop = rt->interop.calls || rt->interop.untracked;

    return range->is_locked && !range->is_newer_there && has_interop
               ? proact_wait(rt->session, err)
               : PROACT_OK;
}

enum cuda_error rt_shadow_in(struct rt *rt, struct rt_range *range)
{
    struct proact_error err = {""};
    enum proact_status status = shadow_await_interop(rt, range, &err);

    range->is_shown = true;
    proact_stream_set_current(rt->session, 0, NULL); /* the copy is written at once */
    if (!status && !range->array)
        status = proact_array_create(rt->session,
                                     &(struct proact_shape){"host memory", range->bytes, 1},
                                     &range->array, &err);
    if (!status && !range->is_newer_there) {
        status =
            proact_device0_write(rt->session, proact_array_address(range->array, 0),
                                 (const void *)(uintptr_t)range->first, range->bytes, &err);
        rt->moved.to_device += range->bytes;
    }
    if (!status)
        range->is_newer_there = true;
    return rt_error(rt, status, &err);
}

enum cuda_error rt_shadows_out(struct rt *rt)
{
    struct proact_error err = {""};
    enum proact_status status = PROACT_OK;

    for (size_t i = 0; i < rt->ranges.count && !status; i++) {
        struct rt_range *range = &rt->ranges.list[i];

        if (!range->is_newer_there)
            continue;
        status =
            proact_device0_read(rt->session, (void *)(uintptr_t)range->first,
                                proact_array_address(range->array, 0), range->bytes, &err);
        range->is_newer_there = false;
        rt->moved.to_host += range->bytes;
    }
    return rt_error(rt, status, &err);
}
