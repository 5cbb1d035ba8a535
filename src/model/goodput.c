/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model.h"

#include <math.h>

/* A range shorter than a packet, sent by an SM, costs as much as the next longer range in
   the measured table, if there is one. Partial stores travel with byte enables. */
static double short_run_wire(const struct topology_fabric *f, double bytes)
{
    for (unsigned i = 0; i < f->wire_count; i++) {
        if (bytes <= f->wire[i].run_bytes)
            return f->wire[i].wire_bytes;
    }
    return bytes + f->header_bytes;
}

/* A range of consecutive bytes: full packets, and one more for the remainder. */
static double run_wire(const struct topology_fabric *f, enum model_initiator who,
                       double bytes)
{
    double payload = who == MODEL_SM ? f->payload_bytes : f->copy_payload_bytes;
    double header = who == MODEL_SM ? f->header_bytes : f->copy_header_bytes;
    double whole = floor(bytes / payload), rest = bytes - whole * payload;
    double wire = whole * (payload + header);

    if (rest > 0)
        wire += who == MODEL_SM ? short_run_wire(f, rest) : rest + header;
    return wire;
}

double model_wire_bytes(const struct topology_fabric *f, enum model_initiator who,
                        uint64_t bytes, uint64_t run_bytes)
{
    if (bytes == 0)
        return 0;
    if (run_bytes == 0 || run_bytes > bytes)
        run_bytes = bytes;
    uint64_t runs = bytes / run_bytes, rest = bytes % run_bytes;

    return (double)runs * run_wire(f, who, (double)run_bytes) +
           run_wire(f, who, (double)rest);
}

double model_goodput_gbps(const struct topology_fabric *f, enum model_initiator who,
                          uint64_t run_bytes)
{
    if (run_bytes == 0)
        return 0;
    return f->egress_gbps * (double)run_bytes / run_wire(f, who, (double)run_bytes);
}

uint64_t model_packets(const struct topology_fabric *f, enum model_initiator who,
                       uint64_t bytes, uint64_t run_bytes)
{
    double payload = who == MODEL_SM ? f->payload_bytes : f->copy_payload_bytes;

    if (bytes == 0)
        return 0;
    if (run_bytes == 0 || run_bytes > bytes)
        run_bytes = bytes;
    return bytes / run_bytes * (uint64_t)ceil((double)run_bytes / payload) +
           (uint64_t)ceil((double)(bytes % run_bytes) / payload);
}

double model_copy_ns(const struct topology *t, unsigned from, unsigned to, uint64_t bytes)
{
    const struct topology_fabric *f = &t->fabric;
    double start_ns = f->copy_start_us * 1000;

    if (from == to) /* read and written: the measured rate counts both */
        return start_ns + 2 * (double)bytes / t->device.memory_gbps;
    if (t->link_gbps[from][to] <= 0) /* to the host, then from the host */
        return start_ns + 2 * (double)bytes / t->host_gbps;
    double gbps = fmin(t->link_gbps[from][to], fmin(f->egress_gbps, f->ingress_gbps));

    return start_ns + run_wire(f, MODEL_COPY_ENGINE, (double)bytes) / gbps;
}
