/* SPDX-License-Identifier: Apache-2.0 */
#include "model/pages_time.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/model.h"

enum { MAX = TOPOLOGY_DEVICES_MAX, RESOURCES_MAX = 5 };

/* Busy times of the resources. Devices of a group share the link to the host, as under one
   PCIe switch. */
struct pages_load {
    const struct topology *t;
    double out[MAX], in[MAX], link[MAX][MAX];
    double to_host[MAX], from_host[MAX]; /* by group, or by device */
    double bridge[MAX][MAX], bus;
};

static bool has_bridges(const struct topology *t)
{
    return t->groups.bridge_gbps > 0;
}

static unsigned pages_host_link(const struct topology *t, unsigned device)
{
    return t->fabric.shared_bus ? 0 : has_bridges(t) ? t->groups.of[device] : device;
}

/* Bytes on the wire: whole packets of a copy engine, or of single accesses. */
static double pages_wire_of(const struct topology *t, double bytes, bool is_copy)
{
    const struct topology_fabric *f = &t->fabric;
    const enum model_initiator who = is_copy ? MODEL_COPY_ENGINE : MODEL_SM;
    const uint64_t packet = (uint64_t)(is_copy ? f->copy_payload_bytes : f->payload_bytes);

    return model_wire_bytes(f, who, (uint64_t)bytes, packet ? packet : 1);
}

/* Resources on the way from one place to another; returns their number. */
static unsigned pages_way(struct pages_load *l, unsigned from, unsigned to,
                          double *resource[RESOURCES_MAX], double gbps[RESOURCES_MAX])
{
    const struct topology *t = l->t;
    unsigned n = 0;
    const bool is_direct =
        from != PAGES_HOST && to != PAGES_HOST && t->link_gbps[from][to] > 0;

    if (!is_direct) {
        if (from != PAGES_HOST)
            resource[n] = &l->to_host[pages_host_link(t, from)], gbps[n++] = t->host_gbps;
        if (to != PAGES_HOST)
            resource[n] = &l->from_host[pages_host_link(t, to)], gbps[n++] = t->host_gbps;
        return n;
    }
    resource[n] = &l->out[from], gbps[n++] = t->fabric.egress_gbps;
    resource[n] = &l->in[to], gbps[n++] = t->fabric.ingress_gbps;
    resource[n] = &l->link[from][to], gbps[n++] = t->link_gbps[from][to];
    if (t->fabric.shared_bus)
        resource[n] = &l->bus, gbps[n++] = t->fabric.egress_gbps;
    if (has_bridges(t) && t->groups.of[from] != t->groups.of[to])
        resource[n] = &l->bridge[t->groups.of[from]][t->groups.of[to]],
        gbps[n++] = t->groups.bridge_gbps;
    return n;
}

static void pages_load_add(struct pages_load *l, unsigned from, unsigned to, double bytes,
                           bool is_copy)
{
    double *resource[RESOURCES_MAX], gbps[RESOURCES_MAX];
    const unsigned count = pages_way(l, from, to, resource, gbps);
    const bool is_host = from == PAGES_HOST || to == PAGES_HOST;
    const double wire = is_host ? bytes : pages_wire_of(l->t, bytes, is_copy);

    for (unsigned i = 0; i < count; i++)
        *resource[i] += wire / gbps[i];
}

/* The busiest resource on the way. */
static double pages_load_ns(struct pages_load *l, unsigned from, unsigned to)
{
    double *resource[RESOURCES_MAX], gbps[RESOURCES_MAX], most = 0;
    const unsigned count = pages_way(l, from, to, resource, gbps);

    for (unsigned i = 0; i < count; i++)
        most = fmax(most, *resource[i]);
    return most;
}

/* Places of the machine: its devices, and the host as the last one. */
static unsigned pages_place(const struct topology *t, unsigned index)
{
    return index < t->device_count ? index : PAGES_HOST;
}

static void pages_wait_for(double wait_ns[MAX], unsigned device, double ns)
{
    if (device != PAGES_HOST)
        wait_ns[device] = fmax(wait_ns[device], ns);
}

void pages_moves_time(const struct topology *t, const struct pages_moves *m,
                      double wait_ns[TOPOLOGY_DEVICES_MAX])
{
    struct pages_load *l = must_calloc(1, sizeof *l);

    l->t = t;
    for (unsigned a = 0; a <= t->device_count; a++)
        for (unsigned b = 0; b <= t->device_count; b++) {
            const unsigned from = pages_place(t, a), to = pages_place(t, b);

            if (m->migrated[from][to] > 0)
                pages_load_add(l, from, to, m->migrated[from][to], true);
            if (m->loaded[from][to] + m->stored[from][to] > 0)
                pages_load_add(l, from, to, m->loaded[from][to] + m->stored[from][to],
                               false);
        }
    for (unsigned d = 0; d < t->device_count; d++)
        wait_ns[d] = 0;
    for (unsigned a = 0; a <= t->device_count; a++)
        for (unsigned b = 0; b <= t->device_count; b++) {
            const unsigned from = pages_place(t, a), to = pages_place(t, b);

            if (m->migrated[from][to] + m->loaded[from][to] > 0)
                pages_wait_for(wait_ns, to, pages_load_ns(l, from, to));
            if (m->stored[from][to] > 0)
                pages_wait_for(wait_ns, from, pages_load_ns(l, from, to));
        }
    free(l);
}
