/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between device and host memory. The driver copies pageable memory through locked
   memory of its own and waits. With our staging buffer a write never waits, and a short
   read is faster. */
#include <string.h>

#include "base/memory.h"
#include "device/cuda/cuda_batch.h"

enum {
    DIRECT_BYTES = 1 << 20, /* not staged if the stream is idle */
    WIDE_BYTES = 4096,      /* minimum row; the driver copies shorter rows one by one */
    LONG_BYTES = 64 << 20   /* never staged; the call waits for the copy */
};

static const void *host(device_addr address)
{
    return (const void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

static struct device_rows one_row(device_addr to, device_addr from, size_t bytes)
{
    return (struct device_rows){to, from, bytes, 1, bytes, bytes};
}

/* Whether a large copy is as fast without staging: wide rows, or contiguous host memory. */
static bool host_copy_is_direct(const struct device_rows *r, size_t host_pitch)
{
    return (r->count == 1 || host_pitch == r->bytes || r->bytes >= WIDE_BYTES) &&
           r->bytes * r->count >= DIRECT_BYTES;
}

/* Number of rows per driver call: those that fit into `most` bytes of staging, or all if no
   staging is needed. */
static size_t at_once(const struct device_stream *s, const struct device_rows *r,
                      size_t host_pitch, size_t most)
{
    const size_t pitch = (size_t)s->set->devices[s->device].pitch_max;
    const bool takes = r->to_pitch <= pitch && r->from_pitch <= pitch;

    if (!takes || !r->bytes)
        return 1;
    if (host_copy_is_direct(r, host_pitch))
        return r->count;
    return r->bytes <= most ? most / r->bytes : 1;
}

static struct device_rows part_of(const struct device_rows *r, size_t first, size_t count)
{
    struct device_rows part = *r;

    part.to += first * r->to_pitch;
    part.from += first * r->from_pitch;
    part.count = r->count - first < count ? r->count - first : count;
    return part;
}

static cu_result carry_one(struct device_stream *s, const struct device_rows *r, bool is_in)
{
    const struct driver *v = &s->set->driver;

    return is_in ? v->copy_in(r->to, host(r->from), r->bytes, s->stream)
                 : v->copy_out((void *)(uintptr_t)r->to, r->from, r->bytes, s->stream);
}

static struct cu_rows_end end_of(device_addr at, size_t pitch, bool is_host)
{
    if (is_host)
        return (struct cu_rows_end){
            .memory = CU_MEMORY_HOST, .host = host(at), .pitch = pitch};
    return (struct cu_rows_end){.memory = CU_MEMORY_UNIFIED, .device = at, .pitch = pitch};
}

/* Copies rows; one by one if the driver rejects a pitch that it did not choose. */
static cu_result carry(struct device_stream *s, const struct device_rows *r, bool is_in)
{
    const struct cu_rows all = {.from = end_of(r->from, r->from_pitch, is_in),
                                .to = end_of(r->to, r->to_pitch, !is_in),
                                .width = r->bytes,
                                .height = r->count};
    cu_result result =
        r->count > 1 ? s->set->driver.copy_rows(&all, s->stream) : carry_one(s, r, is_in);

    if (r->count == 1 || result != CU_INVALID_VALUE)
        return result;
    result = 0;
    for (size_t i = 0; i < r->count && !result; i++) {
        const struct device_rows one = part_of(r, i, 1);

        result = carry_one(s, &one, is_in);
    }
    return result;
}

static const char *call_of(const struct device_rows *r, bool is_in)
{
    return r->count > 1 ? "cuMemcpy2DAsync"
           : is_in      ? "cuMemcpyHtoDAsync"
                        : "cuMemcpyDtoHAsync";
}

/* Writes without staging if there is nothing to wait for; the driver is then faster. The
   call waits for the end, since locked source memory is read later. `done` stays false if
   the stream is busy. */
static enum proact_status host_copy_write_direct(struct device_stream *s,
                                                 const struct device_rows *r, bool *done,
                                                 struct proact_error *err)
{
    const struct driver *v = &s->set->driver;
    enum proact_status status = cuda_use(s, err);

    if (status)
        return status;
    cu_result result = v->stream_query(s->stream);

    if (result)
        return cuda_leave(s->set, s->device, result == CU_NOT_READY ? 0 : result,
                          "cuStreamQuery", err);
    *done = true;
    result = carry(s, r, true);
    if (!result)
        result = v->stream_synchronize(s->stream);
    return cuda_leave(s->set, s->device, result, call_of(r, true), err);
}

static enum proact_status write_part(struct device_stream *s, const struct device_rows *r,
                                     struct proact_error *err)
{
    unsigned char *stage;
    enum proact_status status = cuda_stage(s->set, r->bytes * r->count, &stage, err);
    struct device_rows staged = *r;

    if (status || (status = cuda_use(s, err)))
        return status;
    for (size_t i = 0; i < r->count; i++)
        memcpy(stage + i * r->bytes, host(r->from + i * r->from_pitch), r->bytes);
    staged.from = (uintptr_t)stage;
    staged.from_pitch = r->bytes;
    return cuda_leave(s->set, s->device, carry(s, &staged, true), call_of(r, true), err);
}

/* Writes one row that exceeds the staging buffer. */
static enum proact_status write_pieces(struct device_stream *s, const struct device_rows *r,
                                       struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (size_t at = 0; at < r->bytes && !status; at += CUDA_STAGE_BYTES) {
        const size_t rest = r->bytes - at;
        const struct device_rows part = one_row(
            r->to + at, r->from + at, rest < CUDA_STAGE_BYTES ? rest : CUDA_STAGE_BYTES);

        status = write_part(s, &part, err);
    }
    return status;
}

static enum proact_status write_groups(struct device_stream *s, const struct device_rows *r,
                                       struct proact_error *err)
{
    const size_t some = r->bytes < CUDA_STAGE_BYTES ? CUDA_STAGE_BYTES / r->bytes : 1;
    enum proact_status status = PROACT_OK;

    for (size_t i = 0; i < r->count && !status; i += some) {
        const struct device_rows part = part_of(r, i, some);

        status = some > 1 || part.bytes <= CUDA_STAGE_BYTES ? write_part(s, &part, err)
                                                            : write_pieces(s, &part, err);
    }
    return status;
}

/* Writes the rows of one driver call. */
static enum proact_status write_some(struct device_stream *s, const struct device_rows *r,
                                     struct proact_error *err)
{
    const size_t bytes = r->bytes * r->count;
    enum proact_status status = PROACT_OK;
    bool done = false;

    if (bytes >= LONG_BYTES)
        status = cuda_await(s->set, s, err);
    if (host_copy_is_direct(r, r->from_pitch) && !status)
        status = host_copy_write_direct(s, r, &done, err);
    if (status || done)
        return status;
    if (bytes <= CUDA_STAGE_BYTES)
        return write_part(s, r, err);
    return r->count == 1 ? write_pieces(s, r, err) : write_groups(s, r, err);
}

enum proact_status cuda_write_rows(struct device_stream *s, const struct device_rows *rows,
                                   struct proact_error *err)
{
    enum proact_status status = device_rows_check(rows, err);
    const size_t some = at_once(s, rows, rows->from_pitch, CUDA_STAGE_BYTES);

    for (size_t i = 0; i < rows->count && rows->bytes && !status; i += some) {
        const struct device_rows part = part_of(rows, i, some);

        status = write_some(s, &part, err);
    }
    return status;
}

enum proact_status cuda_write(struct device_stream *s, device_addr to, const void *from,
                              size_t bytes, struct proact_error *err)
{
    const struct device_rows row = one_row(to, (uintptr_t)from, bytes);

    return bytes ? write_some(s, &row, err) : PROACT_OK;
}

/* Reads and waits for the end. */
static enum proact_status read_now(struct device_stream *s, const struct device_rows *r,
                                   struct proact_error *err)
{
    enum proact_status status = cuda_use(s, err);

    if (status)
        return status;
    cu_result result = carry(s, r, false);

    if (!result)
        result = s->set->driver.stream_synchronize(s->stream);
    s->is_busy = result != 0;
    return cuda_leave(s->set, s->device, result, call_of(r, false), err);
}

static enum proact_status read_staged(struct device_stream *s, const struct device_rows *r,
                                      struct proact_error *err)
{
    unsigned char *stage;
    struct device_rows staged = *r;
    enum proact_status status =
        cuda_stage_for_read(s->set, r->bytes * r->count, &stage, err);

    staged.to = (uintptr_t)stage;
    staged.to_pitch = r->bytes;
    if (status || (status = read_now(s, &staged, err)))
        return status;
    for (size_t i = 0; i < r->count; i++)
        memcpy((unsigned char *)(uintptr_t)r->to + i * r->to_pitch, stage + i * r->bytes,
               r->bytes);
    return PROACT_OK;
}

enum proact_status cuda_read_rows(struct device_stream *s, const struct device_rows *rows,
                                  struct proact_error *err)
{
    enum proact_status status = device_rows_check(rows, err);
    const size_t some = at_once(s, rows, rows->to_pitch, CUDA_READ_STAGE_BYTES);

    if (status || !rows->bytes || !rows->count)
        return status;
    /* Waits for words have a limit that this backend enforces; otherwise the driver's wait
       suffices. */
    if (s->set->wait_count)
        status = cuda_await(s->set, s, err);
    for (size_t i = 0; i < rows->count && !status; i += some) {
        const struct device_rows part = part_of(rows, i, some);

        status = part.bytes * part.count > CUDA_READ_STAGE_BYTES
                     ? read_now(s, &part, err)
                     : read_staged(s, &part, err);
    }
    return status;
}

enum proact_status cuda_read(struct device_stream *s, void *into, device_addr from,
                             size_t bytes, struct proact_error *err)
{
    const struct device_rows row = one_row((uintptr_t)into, from, bytes);

    return cuda_read_rows(s, &row, err);
}
