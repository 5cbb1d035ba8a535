/* SPDX-License-Identifier: Apache-2.0 */
/* Staging of writes: the data is copied to locked memory first, so that the program may
   change it at once and never waits. The driver would block a copy from pageable memory
   until its turn. */
#include <stdlib.h>

#include "base/memory.h"
#include "device/cuda/cuda_set.h"

enum {
    ALIGNMENT = 256,
    BLOCKS_MAX = 8,       /* locking a block takes some 3 ms */
    FEW_BYTES = 64 << 10, /* for the first read */
};

static enum proact_status lock(struct device_set *set, size_t bytes, void **out,
                               struct proact_error *err)
{
    enum proact_status status = cuda_enter(set, 0, err);

    if (status)
        return status;
    return cuda_leave(set, 0, set->driver.host_alloc(out, bytes, CU_HOST_PORTABLE),
                      "cuMemHostAlloc", err);
}

static enum proact_status add_block(struct device_set *set, struct cuda_staging **out,
                                    struct proact_error *err)
{
    struct cuda_staging *s = must_calloc(1, sizeof *s);
    const bool is_for_reads = !set->read_stage;
    void *memory = NULL;
    enum proact_status status =
        lock(set, CUDA_STAGE_BYTES + (is_for_reads ? FEW_BYTES : 0), &memory, err);

    if (status) {
        free(s);
        return status;
    }
    s->block = memory;
    if (is_for_reads) {
        set->read_stage = s->block + CUDA_STAGE_BYTES;
        set->read_stage_bytes = FEW_BYTES;
        set->shares_read_stage = true;
    }
    s->next = set->staging;
    *out = set->staging = s;
    return PROACT_OK;
}

/* Finds a block with space, or NULL, and counts the blocks. */
static struct cuda_staging *find_room(const struct device_set *set, size_t bytes,
                                      unsigned *count)
{
    struct cuda_staging *found = NULL;

    *count = 0;
    for (struct cuda_staging *s = set->staging; s; s = s->next, ++*count)
        if (!found && CUDA_STAGE_BYTES - s->used >= bytes)
            found = s;
    return found;
}

/* Whether nothing is in flight. A program that waited for its only stream leaves nothing in
   flight; the query takes a microsecond. */
static bool staging_is_idle(struct device_set *set)
{
    const struct driver *v = &set->driver;
    bool is_idle = !set->is_taping && !set->is_capturing;

    for (struct device_stream *s = set->streams; s && is_idle; s = s->next) {
        if (!s->is_busy)
            continue;
        cuda_context_push(v, set->devices[s->device].context);
        is_idle = v->stream_query(s->stream) == 0;
        cuda_context_pop(v);
        s->is_busy = !is_idle;
    }
    return is_idle;
}

enum proact_status cuda_stage(struct device_set *set, size_t bytes, unsigned char **out,
                              struct proact_error *err)
{
    unsigned count;
    struct cuda_staging *s = find_room(set, bytes, &count);
    enum proact_status status = PROACT_OK;

    if (!s && count && staging_is_idle(set)) {
        cuda_staging_reset(set);
        s = set->staging;
    }
    if (!s && count < BLOCKS_MAX) {
        status = add_block(set, &s, err);
    } else if (!s && !(status = cuda_await(set, NULL, err))) {
        cuda_staging_reset(set);
        s = set->staging;
    }
    if (status)
        return status;
    *out = s->block + s->used;
    s->used += (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return PROACT_OK;
}

/* Empties all blocks for reuse: locking takes longer than copying through them. */
void cuda_staging_reset(struct device_set *set)
{
    for (struct cuda_staging *s = set->staging; s; s = s->next)
        s->used = 0;
}

static void unlock(struct device_set *set, void *memory)
{

    cuda_context_push(&set->driver, set->devices[0].context);
    set->driver.host_free(memory);
    cuda_context_pop(&set->driver);
}

/* Starts with a small buffer, the end of the first block of writes: otherwise the first
   read would lock memory. */
enum proact_status cuda_stage_for_read(struct device_set *set, size_t bytes,
                                       unsigned char **out, struct proact_error *err)
{
    const size_t wanted = bytes > FEW_BYTES ? CUDA_READ_STAGE_BYTES : FEW_BYTES;
    enum proact_status status = PROACT_OK;

    if (set->read_stage_bytes < wanted) {
        if (set->read_stage && !set->shares_read_stage)
            unlock(set, set->read_stage);
        set->shares_read_stage = false;
        set->read_stage = NULL;
        status = lock(set, wanted, &set->read_stage, err);
        set->read_stage_bytes = status ? 0 : wanted;
    }
    *out = set->read_stage;
    return status;
}

void cuda_staging_clear(struct device_set *set)
{
    if (set->read_stage && !set->shares_read_stage && !set->is_stuck)
        unlock(set, set->read_stage);
    set->read_stage = NULL;
    while (set->staging && !set->is_stuck) {
        struct cuda_staging *s = set->staging;

        set->staging = s->next;
        unlock(set, s->block);
        free(s);
    }
}
