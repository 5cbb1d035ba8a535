/* SPDX-License-Identifier: Apache-2.0 */
/* Device-0 operations of a CUDA program. They access the memory of device 0 only; other
   replicas become stale until they are needed. */
#include "runtime/arrays/first_device.h"

#include <inttypes.h>

#include "base/fail.h"
#include "runtime/coherence/fetch.h"
#include "runtime/coherence/own_parts.h"
#include "runtime/objects/array.h"
#include "runtime/objects/session.h"
#include "runtime/request/need.h"
#include "runtime/session/array_order.h"
#include "runtime/session/lazy_devices.h"
#include "runtime/session/program_streams.h"
#include "runtime/session/recording.h"
#include "runtime/session/runtime_wait.h"
#include "runtime/validity/array_validity.h"
#include "runtime/variables/known_bytes.h"
#include "runtime/variables/known_constants.h"

static const struct order_place first_main = {0, TRANSFER_MAIN};

uint64_t proact_array_address(const struct proact_array *a, unsigned device)
{
    return device < a->session->devices.count ? a->base[device] : 0;
}

struct proact_array *proact_array_find(struct proact *p, uint64_t address, uint64_t *byte)
{
    for (struct proact_array *a = p->arrays; a; a = a->next)
        if (address - a->base[0] < a->bytes) {
            *byte = address - a->base[0];
            return a;
        }
    return NULL;
}

/* Array that contains the bytes; NULL for a variable of a module. */
static enum proact_status array_of(struct proact *p, const char *what, uint64_t address,
                                   size_t bytes, struct proact_array **out,
                                   struct proact_error *err)
{
    uint64_t byte = 0;
    struct proact_array *a = proact_array_find(p, address, &byte);

    if (p->recording && !a)
        return fail(err, PROACT_EINVAL, "a %s of a variable cannot be recorded", what);
    if (p->recording)
        recording_add_array(p, a);
    if (a && bytes > a->bytes - byte)
        return fail(err, PROACT_EINVAL,
                    "%s: %zu bytes from byte %" PRIu64 " of array '%s', it has %zu", what,
                    bytes, byte, a->name, a->bytes);
    *out = a;
    return PROACT_OK;
}

static enum proact_status check_none_recorded(const struct proact *p, const char *what,
                                              struct proact_error *err)
{
    return p->recording ? fail(err, PROACT_EINVAL, "a %s cannot be recorded", what)
                        : PROACT_OK;
}

static enum proact_status await(struct proact *p, const struct proact_array *a, bool writes,
                                struct proact_error *err)
{
    if (a && a->part)
        return array_await_parts(p, a, first_main, writes, err);
    return a ? array_await(p, a, first_main, writes, err) : PROACT_OK;
}

enum proact_status first_done(struct proact *p, uint64_t sequence, struct proact_error *err)
{
    if (p->recording)
        return order_record(&p->order, first_main, sequence, err);
    order_note(&p->order, first_main, sequence);
    return PROACT_OK;
}

enum proact_status first_await_all(struct proact *p, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    if (p->first_awaited == p->last_sent) /* no transfer since the last wait */
        return PROACT_OK;
    for (struct proact_array *a = p->arrays; a && !status; a = a->next)
        status = await(p, a, true, err);
    if (!status)
        p->first_awaited = p->last_sent;
    return status;
}

enum proact_status first_done_all(struct proact *p, struct proact_error *err)
{
    p->all_changed = p->sequence;
    return first_done_some(p, err);
}

enum proact_status first_done_some(struct proact *p, struct proact_error *err)
{
    p->all_used = p->sequence;
    session_variables_used(p);
    if (p->recording)
        recording_note_first(p);
    return first_done(p, p->sequence, err);
}

/* A constant is also a variable; its contents are cached on the host. */
static void variable_written(struct proact *p, const struct device_rows *rows,
                             const void *what)
{
    p->variables++;
    if (what)
        known_constants_write(p, rows->to, what, rows->bytes);
    else
        p->constants++;
}

/* The written bytes, if the host has them as one range; otherwise NULL. */
static const void *known(const struct device_rows *rows, const void *what)
{
    return rows->count == 1 ? what : NULL;
}

/* Records an operation that wrote rows of `to` and may have read `from`. `what`: result of
   known(). */
static enum proact_status done(struct proact *p, struct proact_array *to,
                               const struct device_rows *rows, const void *what,
                               struct proact_array *from, struct proact_error *err)
{
    const uint64_t before = known_bytes_before(to);

    p->sequence++;
    if (to) {
        uint64_t first = rows->to - to->base[0];

        to->used = p->sequence;
        if (to->part)
            array_account_parts(to, 0, true, p->sequence);
        const size_t rows_tracked = array_has_replicas(to) ? rows->count : 0;

        for (size_t i = 0; i < rows_tracked; i++, first += rows->to_pitch)
            array_written(to, first, first + rows->bytes, FIRST);
        if (rows->count == 1)
            known_bytes_follow(to, before, rows->to - to->base[0], what, rows->bytes);
    } else
        variable_written(p, rows, what);
    if (from)
        from->used = p->sequence;
    if (from && from->part)
        array_account_parts(from, 0, false, p->sequence);
    return first_done(p, p->sequence, err);
}

static enum proact_status done_one(struct proact *p, struct proact_array *to,
                                   uint64_t address, size_t bytes, struct proact_error *err)
{
    return done(p, to, &(struct device_rows){.to = address, .bytes = bytes, .count = 1},
                NULL, NULL, err);
}

static struct device_stream *stream(const struct proact *p)
{
    return p->devices.device[0].lane[TRANSFER_MAIN];
}

/* Bytes from the first to the last row. */
static size_t hull(size_t bytes, size_t count, size_t pitch)
{
    size_t ahead, all;

    return __builtin_mul_overflow(count - 1, pitch, &ahead) ||
                   __builtin_add_overflow(ahead, bytes, &all)
               ? SIZE_MAX
               : all;
}

/* Fetches the rows to device 0. */
static enum proact_status device0_fetch_rows(struct proact_array *a,
                                             const struct device_rows *rows,
                                             struct proact_error *err)
{
    struct transfer_need need = {0};
    const struct transfer_need *needs[PROACT_DEVICES_MAX] = {&need};
    uint64_t first = a ? rows->from - a->base[0] : 0;

    if (!a || a->session->devices.count == 1)
        return PROACT_OK;
    for (size_t i = 0; i < rows->count; i++, first += rows->from_pitch)
        spans_add(&need.spans, first, first + rows->bytes);
    enum proact_status status = array_fetch(a, needs, err);

    need_clear(&need);
    return status;
}

static struct device_rows rows_of(const struct proact_copy_2d *r)
{
    return (struct device_rows){r->to,        r->from,     r->row_bytes,
                                r->row_count, r->to_pitch, r->from_pitch};
}

enum proact_status proact_device0_write_2d(struct proact *p,
                                           const struct proact_copy_2d *rows,
                                           struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_device0_write_2d(p, copy)", (const void *[]){p, rows}, err);

    if (status)
        return status;
    const struct device_rows r = rows_of(rows);
    struct proact_array *a = NULL;
    if (!r.from && r.bytes && r.count)
        return fail(err, PROACT_EINVAL, "a write from host address 0");
    status = check_none_recorded(p, "write", err);

    if (status || (status = device_rows_check(&r, err)) || !r.count ||
        (status =
             array_of(p, "write", r.to, hull(r.bytes, r.count, r.to_pitch), &a, err)) ||
        !r.bytes || (status = streams_enter(p, err)))
        return status;
    if (!(status = await(p, a, true, err)))
        status = device_write_rows(p->backend, stream(p), &r, err);
    streams_leave(p);
    streams_copied(p, true, r.bytes * r.count);
    return status ? status
                  : done(p, a, &r, known(&r, (const void *)(uintptr_t)r.from), NULL, err);
}

bool proact_host_register(struct proact *p, void *memory, size_t bytes)
{
    struct proact_error err;

    return p->backend->host_lock && !p->backend->host_lock(p->set, memory, bytes, &err);
}

void proact_host_unregister(struct proact *p, void *memory)
{
    if (p->backend->host_unlock)
        p->backend->host_unlock(p->set, memory);
}

enum proact_status proact_device0_write(struct proact *p, uint64_t to, const void *from,
                                        size_t bytes, struct proact_error *err)
{
    return proact_device0_write_2d(
        p, &(struct proact_copy_2d){to, (uintptr_t)from, bytes, 1, bytes, bytes}, err);
}

enum proact_status proact_device0_read_2d(struct proact *p,
                                          const struct proact_copy_2d *rows,
                                          struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_device0_read_2d(p, copy)", (const void *[]){p, rows}, err);

    if (status)
        return status;
    const struct device_rows r = rows_of(rows);
    struct proact_array *a = NULL;
    if (!r.to && r.bytes && r.count)
        return fail(err, PROACT_EINVAL, "a read to host address 0");
    status = check_none_recorded(p, "read", err);

    if (!status)
        status = device_rows_check(&r, err);
    if (!status && r.count)
        status = array_of(p, "read", r.from, hull(r.bytes, r.count, r.from_pitch), &a, err);
    if (!status && r.bytes)
        status = device0_fetch_rows(a, &r, err);
    streams_copied(p, false, r.bytes * r.count);
    return status ? status : session_read_first(p, &r, err);
}

enum proact_status proact_device0_read(struct proact *p, void *into, uint64_t from,
                                       size_t bytes, struct proact_error *err)
{
    return proact_device0_read_2d(
        p, &(struct proact_copy_2d){(uintptr_t)into, from, bytes, 1, bytes, bytes}, err);
}

enum proact_status proact_device0_copy_2d(struct proact *p,
                                          const struct proact_copy_2d *rows,
                                          struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_device0_copy_2d(p, copy)", (const void *[]){p, rows}, err);

    if (status)
        return status;
    const struct device_rows r = rows_of(rows);
    struct proact_array *a = NULL, *b = NULL;
    status = device_rows_check(&r, err);

    if (status || !r.count ||
        (status = array_of(p, "copy", r.to, hull(r.bytes, r.count, r.to_pitch), &a, err)) ||
        (status =
             array_of(p, "copy", r.from, hull(r.bytes, r.count, r.from_pitch), &b, err)) ||
        !r.bytes)
        return status;
    if (own_parts_copies(a, b, &r))
        return own_parts_copy(a, b, &r, err);
    const void *what = b ? known_bytes_find(b, r.from - b->base[0], r.bytes) : NULL;

    if ((status = device0_fetch_rows(b, &r, err)) || (status = streams_enter(p, err)))
        return status;
    if (!(status = await(p, a, true, err)) && !(status = await(p, b, false, err)))
        status = p->backend->copy_rows(stream(p), &r, err);
    streams_leave(p);
    if ((a && a->is_pinned) != (b && b->is_pinned))
        streams_copied(p, b && b->is_pinned, r.bytes * r.count);
    return status ? status : done(p, a, &r, known(&r, what), b, err);
}

enum proact_status proact_device0_copy(struct proact *p, uint64_t to, uint64_t from,
                                       size_t bytes, struct proact_error *err)
{
    return proact_device0_copy_2d(
        p, &(struct proact_copy_2d){to, from, bytes, 1, bytes, bytes}, err);
}

enum proact_status proact_device0_fill(struct proact *p, uint64_t to, unsigned char value,
                                       size_t bytes, struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_device0_fill(p)", (const void *[]){p}, err);

    if (status)
        return status;
    struct proact_array *a = NULL;
    status = array_of(p, "fill", to, bytes, &a, err);

    if (status || !bytes)
        return status;
    if (own_parts_fills(a))
        return own_parts_fill(a, to - a->base[0], value, bytes, err);
    if ((status = streams_enter(p, err)))
        return status;
    if (!(status = await(p, a, true, err)))
        status = p->backend->fill(stream(p), to, value, bytes, err);
    streams_leave(p);
    return status ? status : done_one(p, a, to, bytes, err);
}

enum proact_status proact_device0_fill_2d(struct proact *p,
                                          const struct proact_copy_2d *rows,
                                          unsigned char value, struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_device0_fill_2d(p, rows)", (const void *[]){p, rows}, err);

    if (status)
        return status;
    const struct device_rows r = rows_of(rows);
    struct proact_array *a = NULL;
    status = device_rows_check(&r, err);

    if (!status && r.count == 1)
        return proact_device0_fill(p, r.to, value, r.bytes, err);
    if (status || !r.count ||
        (status = array_of(p, "fill", r.to, hull(r.bytes, r.count, r.to_pitch), &a, err)) ||
        !r.bytes)
        return status;
    if (r.to_pitch == r.bytes)
        return proact_device0_fill(p, r.to, value, r.count * r.bytes, err);
    if ((status = streams_enter(p, err)))
        return status;
    if (!(status = await(p, a, true, err)))
        status = device_fill_rows(p->backend, stream(p), &r, value, err);
    streams_leave(p);
    return status ? status : done(p, a, &r, NULL, NULL, err);
}

enum proact_status proact_array_broadcast(struct proact_array *a, struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_array_broadcast(a)", (const void *[]){a}, err);

    if (status)
        return status;
    const struct transfer_need all = {.all = true};
    const struct transfer_need *needs[PROACT_DEVICES_MAX];
    status = lazy_devices_require(a->session, err);

    if (status)
        return status;
    if (a->session->recording)
        return fail(err, PROACT_EINVAL, "array '%s': a broadcast cannot be recorded",
                    a->name);
    for (unsigned d = 0; d < PROACT_DEVICES_MAX; d++)
        needs[d] = &all;
    if (a->is_shared)
        array_written(a, 0, a->bytes, FIRST);
    return array_fetch(a, needs, err);
}
