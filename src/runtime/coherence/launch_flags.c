/* SPDX-License-Identifier: Apache-2.0 */
/* Shared writes of a launch in progress. Their target is the device-0 replica, where
   partial results are combined. */
#include "runtime/coherence/launch_flags.h"

#include "runtime/coherence/fetch.h"
#include "runtime/footprint/derive_flags.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/request/launching.h"
#include "runtime/session/array_order.h"
#include "runtime/session/partials.h"
#include "runtime/validity/array_validity.h"

/* Number of shared writes of a split launch. */
static size_t count_of(const struct launching *l)
{
    const bool are = l->binding && l->found.flags && l->kernel->session->devices.count > 1;

    return are ? l->found.flags->count : 0;
}

static uint64_t threads_of(const struct launching *l)
{
    uint64_t threads = 1;

    for (int i = 0; i < 3; i++)
        threads *= (uint64_t)l->grid[i] * l->threads[i];
    return threads;
}

static bool is_first_of_array(const struct launching *l, size_t n)
{
    const struct launch_flag *flags = l->found.flags->flag;

    for (size_t before = 0; before < n; before++)
        if (flags[before].array == flags[n].array)
            return false;
    return true;
}

static bool runs(const struct launching *l, unsigned device)
{
    return l->binding->cta_first[device] != l->binding->cta_first[device + 1];
}

enum proact_status idempotent_fetch(const struct launching *l, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (size_t n = 0; n < count_of(l) && !status; n++) {
        const struct launch_flag *f = &l->found.flags->flag[n];

        /* protocol: idempotent-fetch */
        status = array_fetch_device0(f->array, f->first, f->end, err);
        if (!status && f->kind)
            status = partials_ready(f->array, f->kind, threads_of(l), err);
    }
    return status;
}

/* Whether the devices other than device 0 accumulate partial results. */
static bool is_partial(const struct launch_flag *f)
{
    return partials_are_ready(f->array, f->kind);
}

void flags_partition(const struct launching *l, unsigned device,
                     struct proact_partition *partition)
{
    for (size_t n = 0; n < count_of(l); n++) {
        const struct launch_flag *f = &l->found.flags->flag[n];

        for (unsigned s = 0; s < l->binding->transfer.slot_count && device; s++)
            if (is_partial(f) && l->binding->array[s] == f->array)
                partition->slot[s].device0_offset = partials_home(f->array, device);
    }
}

enum proact_status flags_await(const struct launching *l, unsigned device,
                               struct proact_error *err)
{
    const struct order_place main = {device, TRANSFER_MAIN};
    enum proact_status status = PROACT_OK;

    for (size_t n = 0; n < count_of(l) && device && runs(l, device) && !status; n++)
        if (is_first_of_array(l, n) && !is_partial(&l->found.flags->flag[n]))
            /* protocol: idempotent-wait */
            status = array_await_peers(l->kernel->session, l->found.flags->flag[n].array,
                                       main, FIRST, err);
    return status;
}

enum proact_status flags_combine(const struct launching *l, unsigned device,
                                 struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (size_t n = 0; n < count_of(l) && device && runs(l, device) && !status; n++)
        if (is_partial(&l->found.flags->flag[n]))
            status = partials_combine(l->found.flags->flag[n].array, device, err);
    return status;
}

void flags_sent(const struct launching *l)
{
    for (size_t n = 0; n < count_of(l); n++)
        for (unsigned d = 1; d < l->kernel->session->devices.count; d++)
            if (runs(l, d))
                /* protocol: idempotent-sent */
                array_account_sent(l->found.flags->flag[n].array, d, FIRST, TRANSFER_MAIN,
                                   l->sequence, NULL);
}

void flags_written(const struct launching *l)
{
    for (size_t n = 0; n < count_of(l); n++) {
        const struct launch_flag *f = &l->found.flags->flag[n];

        /* protocol: idempotent-valid */
        array_written(f->array, f->first, f->end, FIRST);
    }
}
