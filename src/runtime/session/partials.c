/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/session/partials.h"

#include <stdlib.h>
#include <string.h>

#include "access/shared_writes/scatters.h"
#include "base/memory.h"
#include "combine.h"
#include "runtime/objects/array.h"
#include "runtime/objects/session.h"
#include "runtime/session/array_order.h"
#include "runtime/validity/array_validity.h"

static enum combine_how how_of(uint32_t kind)
{
    const enum ptx_part type = access_reduction_type(kind);
    const bool is_signed = type == PTX_PART_S32 || type == PTX_PART_S64;

    switch (access_reduction_operation(kind)) {
    case PTX_PART_MIN:
        return is_signed ? COMBINE_MIN_SIGNED : COMBINE_MIN;
    case PTX_PART_MAX:
        return is_signed ? COMBINE_MAX_SIGNED : COMBINE_MAX;
    case PTX_PART_AND:
        return COMBINE_AND;
    case PTX_PART_OR:
        return COMBINE_OR;
    case PTX_PART_XOR:
        return COMBINE_XOR;
    default:
        return access_reduction_is_float(kind) ? COMBINE_ADD_FLOAT : COMBINE_ADD;
    }
}

/* Bytes after the last complete element are unused. */
static size_t elements(const struct proact_array *a, uint32_t kind)
{
    return a->bytes / access_reduction_bytes(kind);
}

void partials_drop(struct proact_array *a)
{
    struct proact *p = a->session;

    for (unsigned d = 0; d < p->devices.count; d++)
        if (a->partials.at[d])
            p->backend->free(p->set, d, a->partials.at[d]);
    a->partials = (struct array_partials){0};
}

static bool have_memory(struct proact_array *a)
{
    struct proact *p = a->session;
    struct array_partials *partials = &a->partials;

    for (unsigned d = 1; d < p->devices.count && !partials->is_refused; d++)
        if (!partials->at[d] &&
            p->backend->alloc(p->set, d, a->bytes, &partials->at[d], NULL)) {
            partials_drop(a);
            partials->is_refused = true;
        }
    return !partials->is_refused;
}

static bool is_one_byte(uint64_t neutral)
{
    return neutral == 0 || neutral == UINT32_MAX || neutral == UINT64_MAX;
}

/* The host writes neutral elements that are not one repeated byte: signed extremes and
   -0. */
static enum proact_status fill(struct proact_array *a, unsigned device, uint32_t kind,
                               struct proact_error *err)
{
    struct proact *p = a->session;
    struct device_stream *main = p->devices.device[device].lane[TRANSFER_MAIN];
    const uint64_t neutral = access_reduction_neutral(kind);
    const unsigned bytes = access_reduction_bytes(kind);
    const size_t count = elements(a, kind);
    const device_addr to = a->partials.at[device];

    if (is_one_byte(neutral))
        return p->backend->fill(main, to, neutral & 0xff, count * bytes, err);
    unsigned char *image = must_calloc(count + 1, bytes);

    for (size_t n = 0; n < count; n++)
        memcpy(image + n * bytes, &neutral, bytes);
    enum proact_status status = p->backend->write(main, to, image, count * bytes, err);

    free(image);
    return status;
}

/* Indirect stores leave nothing to combine. */
static bool partials_amortize(const struct proact_array *a, uint32_t kind, uint64_t threads)
{
    return kind != ACCESS_SCATTERED && (a->bytes <= PARTIALS_ALWAYS_BYTES ||
                                        elements(a, kind) / PARTIALS_A_THREAD <= threads);
}

enum proact_status partials_ready(struct proact_array *a, uint32_t kind, uint64_t threads,
                                  struct proact_error *err)
{
    struct proact *p = a->session;
    struct array_partials *partials = &a->partials;
    enum proact_status status = PROACT_OK;

    partials->are_used =
        partials_amortize(a, kind, threads) && elements(a, kind) && have_memory(a);
    if (!partials->are_used ||
        (partials->kind == kind && partials->generation == p->generation))
        return PROACT_OK;
    partials->kind = 0;
    for (unsigned d = 1; d < p->devices.count && !status; d++)
        if (!(status = transfer_combine_load(&p->devices, d, err)))
            status = fill(a, d, kind, err);
    if (status)
        return status;
    partials->kind = kind;
    partials->generation = p->generation;
    return PROACT_OK;
}

bool partials_are_ready(const struct proact_array *a, uint32_t kind)
{
    return kind && a->partials.are_used && a->partials.kind == kind;
}

long long partials_home(const struct proact_array *a, unsigned device)
{
    return (long long)(a->partials.at[device] - a->base[device]);
}

/* Follows all uses of the device-0 replica. The kernel of device 0 and other combining
   devices may still run. */
enum proact_status partials_combine(const struct proact_array *a, unsigned device,
                                    struct proact_error *err)
{
    struct proact *p = a->session;
    const struct order_place main = {device, TRANSFER_MAIN};
    const uint32_t kind = a->partials.kind;
    const struct combine_work work = {
        .to = (void *)(uintptr_t)a->base[0],
        .from = (void *)(uintptr_t)a->partials.at[device],
        .count = elements(a, kind),
        .neutral = access_reduction_neutral(kind),
        .how = how_of(kind),
        .is_wide = access_reduction_bytes(kind) == 8,
    };
    /* protocol: combine-wait (else: enum proact_status status = PROACT_OK;) */
    enum proact_status status = array_await_peers(p, a, main, FIRST, err);

    return status ? status : transfer_combine(&p->devices, device, &work, err);
}
