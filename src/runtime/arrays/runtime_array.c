/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/coherence/fetch.h"
#include "runtime/objects/array.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/request/need.h"
#include "runtime/session/array_order.h"
#include "runtime/session/lazy_devices.h"
#include "runtime/session/partials.h"
#include "runtime/session/program_streams.h"
#include "runtime/session/recording.h"
#include "runtime/session/replicas.h"
#include "runtime/session/runtime_wait.h"
#include "runtime/session/unified.h"
#include "runtime/validity/array_validity.h"
#include "runtime/validity/transition_cache.h"
#include "runtime/variables/known_bytes.h"
#include "runtime/version/binding_drop.h"

/* Unique name for messages and for the backend: "x", "x (2)", ... */
static char *name_of_its_own(const struct proact *p, const char *wanted)
{
    struct text name = {0};

    text_print(&name, "%s", wanted);
    for (unsigned number = 2;; number++) {
        const struct proact_array *a = p->arrays;

        while (a && strcmp(a->name, name.data) != 0)
            a = a->next;
        if (!a)
            return name.data;
        text_clear(&name);
        text_print(&name, "%s (%u)", wanted, number);
    }
}

/* Allocates one copy with the same address on all devices. */
static enum proact_status alloc_parts(struct proact_array *a, struct proact_error *err)
{
    struct proact *p = a->session;
    struct proact_error why;
    size_t part;
    enum proact_status status =
        p->backend->alloc_parts(p->set, a->bytes, &a->base[0], &part, &why);

    if (status)
        return fail(err, status, "array '%s', distributed: %s", a->name, why.text);
    a->part = part;
    for (unsigned d = 1; d < p->devices.count; d++)
        a->base[d] = a->base[0];
    return PROACT_OK;
}

static enum proact_status create(struct proact *p, const struct proact_shape *shape,
                                 enum array_sharing sharing, struct proact_array **out,
                                 struct proact_error *err)
{
    enum proact_status status = fail_if_null("proact_array_create(p, shape, out)",
                                             (const void *[]){p, shape, out}, err);

    if (status)
        return status;
    const char *name = shape->name ? shape->name : "array";
    size_t bytes;

    if (!shape->count || !shape->element_bytes ||
        __builtin_mul_overflow(shape->count, shape->element_bytes, &bytes))
        return fail(err, PROACT_EINVAL,
                    "array '%s': %zu elements of %zu bytes: both must be positive, and "
                    "the product must fit into 64 bits",
                    name, shape->count, shape->element_bytes);
    if (sharing == ARRAY_DISTRIBUTED && (status = lazy_devices_require(p, err)))
        return status;
    struct proact_array *a = must_calloc(1, sizeof *a);

    a->session = p;
    a->id = ++p->last_id;
    p->arrays_changed++;
    a->is_shared = sharing == ARRAY_MANAGED || sharing == ARRAY_PINNED;
    a->is_pinned = sharing == ARRAY_PINNED;
    a->name = name_of_its_own(p, name);
    a->count = shape->count;
    a->element_bytes = shape->element_bytes;
    a->bytes = bytes;
    a->validity_sequence = p->all_changed;
    unified_array_add(a);
    validity_init(&a->validity_map, bytes, all_devices(p));
    a->next = p->arrays;
    p->arrays = a;
    status = sharing == ARRAY_DISTRIBUTED && p->devices.count > 1
                 ? alloc_parts(a, err)
                 : array_replicas_make(a, sharing, err);
    if (status) {
        proact_array_destroy(a);
        return status;
    }
    *out = a;
    return PROACT_OK;
}

enum proact_status proact_array_create(struct proact *p, const struct proact_shape *shape,
                                       struct proact_array **out, struct proact_error *err)
{
    return create(p, shape, ARRAY_OWN, out, err);
}

enum proact_status proact_array_create_host_accessible(struct proact *p,
                                                       const struct proact_shape *shape,
                                                       bool is_pinned,
                                                       struct proact_array **out,
                                                       struct proact_error *err)
{
    return create(p, shape, is_pinned ? ARRAY_PINNED : ARRAY_MANAGED, out, err);
}

enum proact_status proact_array_create_distributed(struct proact *p,
                                                   const struct proact_shape *shape,
                                                   struct proact_array **out,
                                                   struct proact_error *err)
{
    return create(p, shape, ARRAY_DISTRIBUTED, out, err);
}

void proact_array_destroy(struct proact_array *a)
{
    if (!a)
        return;
    struct proact *p = a->session;
    struct proact_array **link = &p->arrays;
    struct device_replicas none = {.name = a->name};

    session_settle(p);
    for (struct proact_kernel *k = p->kernels; k; k = k->next)
        kernel_bindings_drop(k, a);
    recordings_forget(p, a);
    p->arrays_changed++;
    p->backend->replicas(p->set, &none);
    for (unsigned d = 0; d < (a->part ? 1 : p->devices.count); d++)
        if (a->base[d])
            p->backend->free(p->set, d, a->base[d]);
    while (*link != a)
        link = &(*link)->next;
    *link = a->next;
    partials_drop(a);
    transition_cache_destroy(a);
    known_bytes_drop(a);
    validity_clear(&a->validity_map);
    for (unsigned d = 0; d < p->devices.count; d++)
        spans_clear(&a->fresh[d].spans);
    free(a->name);
    free(a);
}

struct proact_range proact_array_partition(const struct proact_array *a, unsigned device)
{
    const uint64_t first = device * a->part, left = a->bytes > first ? a->bytes - first : 0;

    if (device >= a->session->devices.count || !left)
        return (struct proact_range){0, 0};
    return (struct proact_range){first, a->part && a->part < left ? a->part : left};
}

static enum proact_status check_range(const struct proact_array *a, size_t first,
                                      size_t count, struct proact_error *err)
{
    if (first <= a->count && count <= a->count - first)
        return PROACT_OK;
    if (count > SIZE_MAX - first)
        return fail(err, PROACT_EINVAL,
                    "array '%s': %zu elements from element %zu requested, it has %zu",
                    a->name, count, first, a->count);
    return fail(err, PROACT_EINVAL, "array '%s': elements %zu to %zu requested, it has %zu",
                a->name, first, first + count, a->count);
}

/* Writes the part of the range that the device stores. */
static enum proact_status write_on(struct proact_array *a, unsigned device,
                                   struct proact_range bytes, const unsigned char *from,
                                   uint64_t sequence, struct proact_error *err)
{
    struct proact *p = a->session;
    const struct order_place main = {device, TRANSFER_MAIN};
    const struct proact_range has = proact_array_partition(a, device);
    const uint64_t low =
        has.first_byte > bytes.first_byte ? has.first_byte : bytes.first_byte;
    const uint64_t end_has = has.first_byte + has.bytes,
                   end_all = bytes.first_byte + bytes.bytes,
                   end = end_has < end_all ? end_has : end_all;
    enum proact_status status;

    if (low >= end)
        return PROACT_OK;
    /* protocol: write-wait */
    status = a->part ? array_await_parts(p, a, main, true, err)
                     : array_await(p, a, main, true, err);
    if (!status)
        status = p->backend->write(p->devices.device[device].lane[TRANSFER_MAIN],
                                   a->base[device] + low, from + (low - bytes.first_byte),
                                   end - low, err);
    if (!status)
        /* protocol: write-done */
        status = order_record(&p->order, main, sequence, err);
    return status;
}

enum proact_status proact_array_write(struct proact_array *a, size_t first,
                                      const void *from, size_t count,
                                      struct proact_error *err)
{
    enum proact_status status = fail_if_null("proact_array_write(a, from)",
                                             (const void *[]){a, count ? from : ""}, err);

    if (status)
        return status;
    struct proact *p = a->session;
    status = check_range(a, first, count, err);

    if (p->recording)
        return fail(err, PROACT_EINVAL, "array '%s': a write cannot be recorded", a->name);
    if (status || !count)
        return status;
    /* protocol: streams-write (else: status = PROACT_OK;) */
    status = streams_join(p, err);
    if (status)
        return status;
    const uint64_t sequence = ++p->sequence, start = first * a->element_bytes;
    const struct proact_range bytes = {start, count * a->element_bytes};

    for (unsigned d = 0; d < devices_here(p) && !status; d++)
        status = write_on(a, d, bytes, from, sequence, err);
    for (unsigned d = 0; d < p->devices.count && a->part; d++)
        array_account_parts(a, d, true, sequence);
    a->used = sequence;
    unified_host_access(a, start, start + bytes.bytes);
    array_written(a, start, start + bytes.bytes,
                  p->lazy_devices.are_pending ? FIRST : all_devices(p));
    return status;
}

/* Fetches a range to one device. */
static enum proact_status array_fetch_device(struct proact_array *a, unsigned device,
                                             size_t first, size_t count,
                                             struct proact_error *err)
{
    struct transfer_need need = {0};
    const struct transfer_need *needs[PROACT_DEVICES_MAX] = {NULL};

    if (a->session->recording)
        return PROACT_OK; /* the wait fails */
    needs[device] = &need;
    spans_add(&need.spans, first * a->element_bytes, (first + count) * a->element_bytes);
    enum proact_status status = array_fetch(a, needs, err);

    need_clear(&need);
    return status;
}

enum proact_status proact_array_read_replica(struct proact_array *a, unsigned device,
                                             size_t first, void *into, size_t count,
                                             struct proact_error *err)
{
    enum proact_status status = fail_if_null("proact_array_read_replica(a, into)",
                                             (const void *[]){a, count ? into : ""}, err);

    if (status)
        return status;
    struct proact *p = a->session;
    status = check_range(a, first, count, err);

    if (status)
        return status;
    if (device >= p->devices.count)
        return fail(err, PROACT_EINVAL,
                    "array '%s': replica of device %u, there are %u devices", a->name,
                    device, p->devices.count);
    if ((device && (status = lazy_devices_require(p, err))) ||
        (status = array_fetch_device(a, device, first, count, err)))
        return status;
    /* protocol: read-wait */
    status = proact_wait(p, err);
    if (status || !count)
        return status;
    unified_host_access(a, first * a->element_bytes, (first + count) * a->element_bytes);
    return p->backend->read(p->devices.device[device].lane[TRANSFER_MAIN], into,
                            a->base[device] + first * a->element_bytes,
                            count * a->element_bytes, err);
}

enum proact_status proact_array_read(struct proact_array *a, size_t first, void *into,
                                     size_t count, struct proact_error *err)
{
    return proact_array_read_replica(a, 0, first, into, count, err);
}
