/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"
#include "base/fail.h"
#include "base/text.h"
#include "transfer/transfer.h"

extern const char kernel_agent[]; /* kernels/agent.cu, embedded as PTX */

static enum proact_status open_lanes(struct transfer_devices *t, unsigned device,
                                     struct proact_error *err)
{
    struct transfer_device *here = &t->device[device];
    enum proact_status status = PROACT_OK;

    for (int lane = 0; lane < TRANSFER_LANES && !status; lane++)
        if (!here->lane[lane])
            status = t->backend->stream_create(t->set, device, &here->lane[lane], err);
    return status;
}

/* A device before sm_70 cannot sleep, and its plans select the spinning agent. */
static enum proact_status agent_find(const struct device_backend *backend,
                                     struct transfer_device *here, struct proact_error *err)
{
    enum proact_status status =
        backend->function(here->module, "proact_agent_spin", &here->spinning, err);

    if (status)
        return status;
    status = backend->function(here->module, "proact_agent", &here->agent, err);
    if (status != PROACT_EREFUSED)
        return status;
    if (err)
        *err = (struct proact_error){""};
    return PROACT_OK;
}

static enum proact_status open_agent(struct transfer_devices *t, unsigned device,
                                     struct proact_error *err)
{
    const struct device_backend *backend = t->backend;
    struct transfer_device *here = &t->device[device];
    const uint64_t nothing = 0;
    enum proact_status status;

    if (here->status)
        return PROACT_OK;
    if ((status = backend->module_load(t->set, device, "agent.cu", kernel_agent,
                                       strlen(kernel_agent), &here->module, err)) ||
        (status = agent_find(backend, here, err)) ||
        (status = backend->alloc(t->set, device, sizeof nothing, &here->status, err)))
        return status;
    return backend->write(here->lane[TRANSFER_MAIN], here->status, &nothing, sizeof nothing,
                          err);
}

enum proact_status transfer_open(const struct device_backend *backend,
                                 struct device_set *set, uint64_t wait_limit_ns,
                                 bool only_first, struct transfer_devices *out,
                                 struct proact_error *err)
{
    struct transfer_devices t = {
        .backend = backend,
        .set = set,
        .count = backend->count(set),
        .wait_limit_ns = wait_limit_ns,
    };
    enum proact_status status =
        only_first ? open_lanes(&t, 0, err) : transfer_open_rest(&t, err);

    if (status)
        transfer_close(&t);
    else
        *out = t;
    return status;
}

enum proact_status transfer_open_rest(struct transfer_devices *t, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    for (unsigned d = 0; d < t->count && !status; d++)
        if (!(status = open_lanes(t, d, err)))
            status = open_agent(t, d, err);
    return status;
}

void transfer_close(struct transfer_devices *t)
{
    for (unsigned d = 0; d < t->count; d++) {
        struct transfer_device *here = &t->device[d];

        if (here->status)
            t->backend->free(t->set, d, here->status);
        if (here->module)
            t->backend->module_unload(here->module);
        if (here->combine_module)
            t->backend->module_unload(here->combine_module);
        for (int lane = 0; lane < TRANSFER_LANES; lane++)
            if (here->lane[lane])
                t->backend->stream_destroy(here->lane[lane]);
    }
    *t = (struct transfer_devices){0};
}

enum proact_status transfer_late(const struct transfer_devices *t, unsigned device,
                                 bool *is_late, struct transfer_late *out,
                                 struct proact_error *err)
{
    const struct transfer_device *here = &t->device[device];
    const uint64_t nothing = 0;
    uint64_t word = 0;
    enum proact_status status =
        t->backend->read(here->lane[TRANSFER_MAIN], &word, here->status, sizeof word, err);

    *is_late = !status && word != 0;
    if (!*is_late)
        return status;
    *out = (struct transfer_late){
        .slot = AGENT_LATE_SLOT(word),
        .chunk = AGENT_LATE_CHUNK(word),
        .epoch = AGENT_LATE_EPOCH(word),
    };
    return t->backend->write(here->lane[TRANSFER_MAIN], here->status, &nothing,
                             sizeof nothing, err);
}

bool transfer_late_is(const struct transfer_late *late, uint32_t epoch)
{
    return late->epoch == (epoch & AGENT_EPOCH_MASK);
}

static void wait_print_missing(const struct device_reason *why, uint32_t came, char *into,
                               size_t bytes)
{
    enum { NAMED = 4 };
    uint32_t cta[NAMED];
    uint32_t count = transfer_table_writers(why->table, why->chunk, cta, NAMED);
    struct text names = {0};

    for (uint32_t i = 0; i < count && i < NAMED; i++)
        text_print(&names, "%s%u", i ? ", " : "", why->cta_first + cta[i]);
    if (count > NAMED)
        text_print(&names, ", ... (%u in all)", count);
    snprintf(into, bytes, "%u of its writers did not finish, and its writers are CTA %s",
             count ? count - came % count : 0, names.data ? names.data : "none");
    text_clear(&names);
}

struct device_reason transfer_reason(const char *array, uint32_t chunk,
                                     const struct transfer_table *table, uint32_t cta_first)
{
    return (struct device_reason){.array = array,
                                  .chunk = chunk,
                                  .missing = wait_print_missing,
                                  .table = table,
                                  .cta_first = cta_first};
}

enum proact_status transfer_late_fail(const struct transfer_devices *t, unsigned device,
                                      const struct transfer_late *late,
                                      const struct transfer_tables *tables,
                                      const char *array, uint32_t cta_first,
                                      struct proact_error *err)
{
    uint32_t came = 0;
    device_addr counter = (device_addr)(uintptr_t)tables->resident[device].counter;
    enum proact_status status =
        t->backend->read(t->device[device].lane[TRANSFER_MAIN], &came,
                         counter + 4ull * late->chunk, sizeof came, err);
    const struct device_reason why =
        transfer_reason(array, late->chunk, &tables->table[device], cta_first);
    char who[DEVICE_LATE_BYTES], text[DEVICE_LATE_BYTES];

    if (status)
        return status;
    why.missing(&why, came, who, sizeof who);
    device_late_print(&why, device, (double)t->wait_limit_ns / 1e6, who, text);
    return fail(err, PROACT_ETIMEOUT, "%s", text);
}
