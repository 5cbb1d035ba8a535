/* SPDX-License-Identifier: Apache-2.0 */
/* What a program writes is copied here first, so that the program may change it at once and
   never waits: the driver would hold up a copy from ordinary memory until its turn. */
#include <stdlib.h>

#include "base/memory.h"
#include "device/cuda/cuda_set.h"

enum { BLOCK_BYTES = 8 << 20, ALIGNMENT = 256 };
#define FULL_BYTES ((size_t)512 << 20)

static enum proact_status add_block(struct device_set *set, size_t bytes,
                                    struct proact_error *err)
{
    struct cuda_staging *s = must_calloc(1, sizeof *s);
    enum proact_status status = cuda_enter(set, 0, err);
    void *memory = NULL;

    s->bytes = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
    if (!status) {
        cu_result result = set->driver.host_alloc(&memory, s->bytes, CU_HOST_PORTABLE);

        status = cuda_leave(set, 0, result, "cuMemHostAlloc", err);
    }
    if (status) {
        free(s);
        return status;
    }
    s->block = memory;
    s->next = set->staging;
    set->staging = s;
    return PROACT_OK;
}

static size_t bytes_held(const struct device_set *set)
{
    size_t bytes = 0;

    for (const struct cuda_staging *s = set->staging; s; s = s->next)
        bytes += s->bytes;
    return bytes;
}

enum proact_status cuda_stage(struct device_set *set, size_t bytes, unsigned char **out,
                              struct proact_error *err)
{
    struct cuda_staging *s = set->staging;
    enum proact_status status = PROACT_OK;

    if (!s || s->bytes - s->used < bytes) {
        if (bytes_held(set) >= FULL_BYTES && !(status = cuda_await(set, NULL, err)))
            cuda_staging_rest(set);
        if (!status && (!set->staging || set->staging->bytes - set->staging->used < bytes))
            status = add_block(set, bytes, err);
        if (status)
            return status;
        s = set->staging;
    }
    *out = s->block + s->used;
    s->used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (s->used > s->bytes)
        s->used = s->bytes;
    return PROACT_OK;
}

static void drop(struct device_set *set, struct cuda_staging *s)
{
    cu_context was;

    set->driver.context_push(set->devices[0].context);
    set->driver.host_free(s->block);
    set->driver.context_pop(&was);
    free(s);
}

/* One block stays for the next time. */
void cuda_staging_rest(struct device_set *set)
{
    while (set->staging && set->staging->next) {
        struct cuda_staging *next = set->staging->next;

        set->staging->next = next->next;
        drop(set, next);
    }
    if (set->staging)
        set->staging->used = 0;
}

void cuda_staging_clear(struct device_set *set)
{
    if (set->is_stuck)
        return;
    cuda_staging_rest(set);
    if (set->staging)
        drop(set, set->staging);
    set->staging = NULL;
}
