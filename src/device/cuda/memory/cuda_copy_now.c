/* SPDX-License-Identifier: Apache-2.0 */
/* Driver calls of a copy, on any thread, and the location of its sides. */
#include "device/cuda/cuda_set.h"

unsigned cuda_memory_device(const struct device_set *set, device_addr address)
{
    for (unsigned i = 0; i < set->count; i++) {
        const struct cuda_device *d = &set->devices[i];

        for (size_t k = 0; k < d->memory_count; k++)
            if (address >= d->memory[k].address &&
                address - d->memory[k].address < d->memory[k].bytes)
                return i;
    }
    return set->count;
}

bool cuda_reach_each_other(const struct device_set *set, unsigned a, unsigned b)
{
    return a >= set->count || b >= set->count || a == b ||
           (set->devices[a].reaches[b] && set->devices[b].reaches[a]);
}

/* Copies one range. Without peer access the driver copies through the host, which cannot be
   captured. */
static cu_result copy_one(struct device_stream *s, const struct device_rows *r)
{
    const struct device_set *set = s->set;
    unsigned to = cuda_memory_device(set, r->to), from = cuda_memory_device(set, r->from);

    if (!cuda_reach_each_other(set, to, from))
        return set->driver.copy_peer(r->to, set->devices[to].context, r->from,
                                     set->devices[from].context, r->bytes, s->stream);
    return set->driver.copy(r->to, r->from, r->bytes, s->stream);
}

/* Copies ranges in one call. The driver may reject a pitch within a device that it did not
   choose; the ranges are then copied one by one, except in a graph, whose parts would
   exceed their counted size. */
cu_result cuda_copy_now(struct device_stream *s, const struct device_rows *r)
{
    const struct cu_rows all = {
        .from = {.memory = CU_MEMORY_UNIFIED, .device = r->from, .pitch = r->from_pitch},
        .to = {.memory = CU_MEMORY_UNIFIED, .device = r->to, .pitch = r->to_pitch},
        .width = r->bytes,
        .height = r->count};
    struct device_rows one = *r;
    cu_result result =
        r->count > 1 ? s->set->driver.copy_rows(&all, s->stream) : copy_one(s, r);

    if (r->count == 1 || result != CU_INVALID_VALUE || s->set->is_capturing)
        return result;
    result = 0;
    for (size_t i = 0; i < r->count && !result; i++) {
        result = copy_one(s, &one);
        one.to += r->to_pitch;
        one.from += r->from_pitch;
    }
    return result;
}
