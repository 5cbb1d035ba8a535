/* SPDX-License-Identifier: Apache-2.0 */
/* Open waits of streams for words; the host watches them (cuda_await.c). */
#include "base/memory.h"
#include "device/cuda/cuda_set.h"

void cuda_wait_add(const struct cuda_wait *wait)
{
    struct device_set *set = wait->stream->set;

    set->waits = must_grow(set->waits, set->wait_count, &set->wait_capacity, sizeof *wait);
    set->waits[set->wait_count++] = *wait;
}

void cuda_waits_forget(struct device_set *set, const struct device_stream *only)
{
    size_t kept = 0;

    for (size_t i = 0; i < set->wait_count; i++) {
        const struct cuda_wait w = set->waits[i];

        if (only && w.stream != only)
            set->waits[kept++] = w;
        else if (w.before)
            cuda_mark_back(set, w.stream->device, false, w.before);
    }
    set->wait_count = kept;
}
