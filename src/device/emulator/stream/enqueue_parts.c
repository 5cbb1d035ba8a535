/* SPDX-License-Identifier: Apache-2.0 */
/* Distributed memory: host writes, reads, fills and copies become one operation per
   partition. */
#include "device/emulator/machine.h"
#include "device/emulator/stream/enqueue.h"
#include "device/emulator/stream/stream.h"

/* Number of bytes from the address to the end of its partition, at most `bytes`; all of
   them for other memory, or if they exceed the allocation. */
static size_t left(const struct device_set *set, device_addr address, size_t bytes)
{
    const struct allocation *in = memory_find(&set->memory, address, NULL);

    if (!in || !in->part || bytes > in->end - address)
        return bytes;
    const uint64_t rest = memory_part(in, address).end - address;

    return rest < bytes ? (size_t)rest : bytes;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

enum proact_status parts_copy(struct device_stream *s, device_addr to, device_addr from,
                              size_t bytes, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    do {
        const size_t n = least(left(s->set, to, bytes), left(s->set, from, bytes));
        status = enqueue_copy(s, to, from, n, err);
        to += n;
        from += n;
        bytes -= n;
    } while (bytes && !status);
    return status;
}

/* Distance from the first byte of the first range to the end of the last one. */
static size_t hull(const struct device_rows *r, size_t pitch)
{
    return (r->count - 1) * pitch + r->bytes;
}

enum proact_status parts_copy_rows(struct device_stream *s, const struct device_rows *rows,
                                   struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    if (!rows->count || !rows->bytes ||
        (left(s->set, rows->to, hull(rows, rows->to_pitch)) >= hull(rows, rows->to_pitch) &&
         left(s->set, rows->from, hull(rows, rows->from_pitch)) >=
             hull(rows, rows->from_pitch)) ||
        (status = device_rows_check(rows, err)))
        return status ? status : enqueue_copy_rows(s, rows, err);
    for (size_t i = 0; i < rows->count && !status; i++)
        status = parts_copy(s, rows->to + i * rows->to_pitch,
                            rows->from + i * rows->from_pitch, rows->bytes, err);
    return status;
}

enum proact_status parts_write(struct device_stream *s, device_addr to, const void *from,
                               size_t bytes, struct proact_error *err)
{
    const unsigned char *next = from;
    enum proact_status status = PROACT_OK;

    do {
        const size_t n = left(s->set, to, bytes);
        status = enqueue_write(s, to, next, n, err);
        to += n;
        next += n;
        bytes -= n;
    } while (bytes && !status);
    return status;
}

enum proact_status parts_read(struct device_stream *s, void *into, device_addr from,
                              size_t bytes, struct proact_error *err)
{
    unsigned char *next = into;
    enum proact_status status = PROACT_OK;

    do {
        const size_t n = left(s->set, from, bytes);
        status = enqueue_read(s, next, from, n, err);
        from += n;
        next += n;
        bytes -= n;
    } while (bytes && !status);
    return status;
}

enum proact_status parts_fill(struct device_stream *s, device_addr to, unsigned char value,
                              size_t bytes, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    do {
        const size_t n = left(s->set, to, bytes);
        status = enqueue_fill(s, to, value, n, err);
        to += n;
        bytes -= n;
    } while (bytes && !status);
    return status;
}
