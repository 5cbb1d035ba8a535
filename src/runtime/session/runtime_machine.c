/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/session/runtime_machine.h"

#include <proact/proact.h>
#include <pthread.h>
#include <string.h>

#include "topology/machine_nearest.h"

/* Rates and times of a device that the driver does not state. */
static void machine_complete_device(struct topology_device *d,
                                    const struct topology_device *like)
{
    struct topology_device all = *like;

    memcpy(all.name, d->name, sizeof all.name);
    all.capability = d->capability;
    all.sm_count = d->sm_count;
    all.threads_per_sm = d->threads_per_sm;
    all.ctas_per_sm = d->ctas_per_sm;
    all.threads_per_cta = d->threads_per_cta;
    all.shared_bytes_per_sm = d->shared_bytes_per_sm;
    all.shared_bytes_per_cta = d->shared_bytes_per_cta;
    all.memory_bytes = d->memory_bytes;
    all.l2_bytes = d->l2_bytes ? d->l2_bytes : like->l2_bytes;
    if (d->clock_ghz > 0)
        all.clock_ghz = d->clock_ghz;
    if (d->memory_gbps > 0 && !machine_same_chip(d->name, like->name))
        all.memory_gbps = d->memory_gbps;
    *d = all;
}

/* The machine most similar to the GPUs of this computer. Its file is read once. */
static struct {
    pthread_mutex_t lock;
    bool is_known;
    struct topology machine; /* of another compute capability: there is none */
} machine_like = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const struct topology *machine_like_find(const struct topology *t)
{
    const struct machine_traits traits = {.model = t->device.name,
                                          .capability = t->device.capability,
                                          .devices = t->device_count};

    pthread_mutex_lock(&machine_like.lock);
    if (!machine_like.is_known)
        machine_nearest(t->name, &traits, &machine_like.machine, NULL);
    machine_like.is_known = true;
    pthread_mutex_unlock(&machine_like.lock);
    return &machine_like.machine;
}

/* Keys that the driver does not state, from the shipped machine with the same chip, or with
   the same compute capability. Without one they stay 0, and the planner keeps the default
   method. */
static void machine_complete(struct topology *t)
{
    const struct topology *like = machine_like_find(t);

    if (like->device.capability != t->device.capability)
        return;
    machine_complete_device(&t->device, &like->device);
    t->fabric = like->fabric;
    t->fabric.name[0] = 0; /* the driver does not state the kind of the links */
    t->host_gbps = like->host_gbps;
    for (unsigned from = 0; from < t->device_count; from++)
        for (unsigned to = 0; to < t->device_count; to++)
            t->link_gbps[from][to] = from == to ? 0 : like->link_gbps[0][1];
    memcpy(t->estimates, like->estimates, sizeof t->estimates);
    t->estimate_count = like->estimate_count;
}

enum proact_status runtime_machine(const char *machine, struct topology *out,
                                   const struct device_backend **backend,
                                   struct proact_error *err)
{
    bool is_here = machine && strcmp(machine, PROACT_MACHINE_LOCAL) == 0;

    *backend = &device_cuda;
    if (is_here || !machine) {
        const enum proact_status status = device_cuda.find(out, is_here ? err : NULL);

        if (!status)
            machine_complete(out);
        if (!status || is_here)
            return status;
    }
    *backend = &device_emulator;
    return topology_load(machine ? machine : RUNTIME_MACHINE_DEFAULT, out, err);
}
