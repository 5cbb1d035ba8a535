/* SPDX-License-Identifier: Apache-2.0 */
/* Load of the links by the bytes of a launch, from device to device. */
#include <math.h>

#include "model/predict.h"

enum {
    RUN_BYTES = 512, /* a warp that stores 16 bytes per lane */
    CTA_THREADS = 256
};

struct model_problem model_problem_complete(const struct topology *t,
                                            const struct model_problem *given)
{
    struct model_problem p = *given;

    p.devices = p.devices ? p.devices : t->device_count;
    p.senders = p.senders ? p.senders : p.devices;
    p.receivers = p.receivers ? p.receivers : p.devices - 1;
    p.run_bytes = p.run_bytes ? p.run_bytes : RUN_BYTES;
    p.threads = p.threads ? p.threads : CTA_THREADS;
    p.arrays = p.arrays ? p.arrays : 1;
    p.slots = p.slots ? p.slots : 1;
    p.copies = p.copies > p.receivers ? p.copies : p.receivers;
    p.chunk_share = p.chunk_share > 0 ? p.chunk_share : 1;
    p.sent_share = p.sent_share > 0 ? p.sent_share : 1;
    return p;
}

/* Bytes from device to device, in times of the bytes to one receiver. Without a matrix,
   each sender sends to the devices after it. */
static double traffic_of(const struct model_problem *p, unsigned from, unsigned to)
{
    if (p->sent)
        return (double)p->sent[from * p->devices + to] / (double)p->bytes;
    return from < p->senders && from != to &&
           (to + p->devices - from - 1) % p->devices < p->receivers;
}

/* ns per byte on the wire between two devices. Without a link the bytes pass the host. */
static double traffic_pair_ns(const struct topology *t, unsigned from, unsigned to,
                              double wire)
{
    const struct topology_fabric *f = &t->fabric;
    const double gbps = t->link_gbps[from][to];

    return gbps > 0 ? wire / fmin(gbps, fmin(f->egress_gbps, f->ingress_gbps))
                    : 2 / t->host_gbps;
}

/* Bytes over the busiest bridge between two groups. */
static double traffic_bridge(const struct topology *t, const struct model_problem *p)
{
    double flows[TOPOLOGY_DEVICES_MAX], most = 0;

    for (unsigned g = 0; g < p->devices; g++) {
        for (unsigned i = 0; i < TOPOLOGY_DEVICES_MAX; i++)
            flows[i] = 0;
        for (unsigned from = 0; from < p->devices; from++)
            for (unsigned to = 0; to < p->devices && t->groups.of[from] == g; to++)
                if (t->groups.of[to] != g)
                    flows[t->groups.of[to]] += traffic_of(p, from, to);
        for (unsigned i = 0; i < TOPOLOGY_DEVICES_MAX; i++)
            most = fmax(most, flows[i]);
    }
    return most;
}

/* Load of one device: its sends, one after another or at once, and its arrivals. */
static double traffic_device_ns(const struct topology *t, const struct model_problem *p,
                                unsigned device, double serial, double wire)
{
    double out = 0, in = 0, sum = 0, longest = 0;

    for (unsigned other = 0; other < p->devices; other++) {
        const double share = traffic_of(p, device, other);
        const double ns = share * traffic_pair_ns(t, device, other, wire);

        if (other == device)
            continue;
        in += traffic_of(p, other, device);
        out += share;
        sum += ns;
        longest = fmax(longest, ns);
    }
    return fmax(fmax(serial * sum, longest), fmax(out * wire / t->fabric.egress_gbps,
                                                  in * wire / t->fabric.ingress_gbps));
}

/* The device whose copies take longest, one after another. */
static unsigned traffic_slowest(const struct topology *t, const struct model_problem *p)
{
    unsigned slowest = 0;
    double most = -1;

    for (unsigned from = 0; from < p->devices; from++) {
        double sum = 0;

        for (unsigned to = 0; to < p->devices; to++)
            if (to != from)
                sum += traffic_of(p, from, to) * traffic_pair_ns(t, from, to, 1);
        if (sum > most) {
            most = sum;
            slowest = from;
        }
    }
    return slowest;
}

/* Load of the bridge or bus from a device to another one, in times of what the device sends
   over it. All senders share it. */
static double traffic_shared(const struct topology *t, const struct model_problem *p,
                             unsigned from, unsigned to)
{
    double all = 0, own = 0;

    for (unsigned i = 0; i < p->devices; i++)
        for (unsigned k = 0; k < p->devices; k++) {
            if (i == k ||
                (!t->fabric.shared_bus && (t->groups.of[i] != t->groups.of[from] ||
                                           t->groups.of[k] != t->groups.of[to])))
                continue;
            all += traffic_of(p, i, k);
            own += i == from ? traffic_of(p, i, k) : 0;
        }
    return all / own;
}

struct model_engine model_engine_to_all(const struct topology *t,
                                        const struct model_problem *given,
                                        uint64_t run_bytes)
{
    const struct model_problem p = model_problem_complete(t, given);
    const struct topology_fabric *f = &t->fabric;
    const double wire =
        model_wire_bytes(f, MODEL_COPY_ENGINE, run_bytes, run_bytes) / (double)run_bytes;
    const unsigned from = traffic_slowest(t, &p);
    struct model_engine e = {.streams = MODEL_COPY_STREAMS,
                             .first_ns = 1000 * f->copy_first_us,
                             .start_ns = 1000 * f->copy_start_us,
                             .turn_ns = 1000 * f->copy_turn_us,
                             .latency_ns = f->latency_ns,
                             .engine_ns = wire / f->egress_gbps,
                             .port_ns = wire / f->ingress_gbps};

    for (unsigned k = 1; k < p.devices; k++) {
        const unsigned to = (from + k) % p.devices;
        struct model_engine_to *r = &e.to[e.receivers];
        const bool is_bridged =
            t->groups.bridge_gbps > 0 && t->groups.of[from] != t->groups.of[to];

        if (traffic_of(&p, from, to) <= 0)
            continue;
        *r = (struct model_engine_to){.share = traffic_of(&p, from, to),
                                      .link_ns = traffic_pair_ns(t, from, to, wire),
                                      .path = f->shared_bus ? 0 : t->groups.of[to]};
        if (f->shared_bus || is_bridged)
            r->path_ns = traffic_shared(t, &p, from, to) * wire /
                         (f->shared_bus ? f->egress_gbps : t->groups.bridge_gbps);
        e.receivers++;
    }
    return e;
}

double model_gap_to_all(const struct topology *t, const struct model_problem *given,
                        enum model_initiator who, double serial, uint64_t run_bytes)
{
    const struct model_problem p = model_problem_complete(t, given);
    const struct topology_fabric *f = &t->fabric;
    const double wire = model_wire_bytes(f, who, run_bytes, run_bytes) / (double)run_bytes;
    double most = 0, all = 0;

    for (unsigned from = 0; from < p.devices; from++) {
        most = fmax(most, traffic_device_ns(t, &p, from, serial, wire));
        for (unsigned to = 0; to < p.devices && f->shared_bus; to++)
            all += from == to ? 0 : traffic_of(&p, from, to);
    }
    if (t->groups.bridge_gbps > 0)
        most = fmax(most, traffic_bridge(t, &p) * wire / t->groups.bridge_gbps);
    return fmax(most, all * wire / f->egress_gbps);
}
