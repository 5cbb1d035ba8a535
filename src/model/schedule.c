/* SPDX-License-Identifier: Apache-2.0 */
/* Copies queued after the chunks of a kernel are a two-stage pipeline. The kernel completes
   the chunks at a constant rate, and a copy engine sends complete chunks in order. The time
   is

       max over k: time of chunk k complete + copies of chunks k to n

   With chunks of first + (i - 1) * step bytes this sum is quadratic in k. Its maximum is
   therefore at an end or at the vertex, for any number of chunks. */
#include <math.h>

#include "model/model.h"

/* Values of four H200s (docs/performance.md), for a machine that does not have them. */
static const double unknown_gbps = 394, unknown_start_ns = 2180, unknown_turn_ns = 3400,
                    unknown_wait_ns = 2900, unknown_meeting = 1.85;

/* Incast of copies from several senders. Each start cost grows by the factor, and the cost
   of the bytes by half of the addition, because copies do not always coincide. This fits
   the measurements (tests/model/schedule_test.c). */
static void meet(struct model_copies *c, double meeting)
{
    c->start_ns *= meeting;
    c->ns_per_byte *= (1 + meeting) / 2;
}

struct model_copies model_copies_of(const struct topology *t, unsigned streams,
                                    unsigned senders, uint64_t bytes, double ratio)
{
    const uint64_t much = 16 << 20;
    const struct topology_fabric *f = &t->fabric;
    bool knows = f->egress_gbps > 0 && f->ingress_gbps > 0;
    double start_ns = knows ? f->copy_start_us * 1000 : unknown_start_ns;
    double peers = t->device_count > 1 ? t->device_count - 1 : 1;
    double first_ns = fmax(f->copy_first_us - f->copy_start_us, 0) * 1000;
    struct model_copies c = {.bytes = bytes, .streams = streams};

    for (unsigned peer = 1; peer < t->device_count && knows; peer++)
        c.ns_per_byte += (model_copy_ns(t, 0, peer, much) - start_ns) / (double)much;
    if (!knows)
        c.ns_per_byte = peers / unknown_gbps;
    if (peers > 1)
        start_ns = fmax(start_ns, knows ? f->copy_turn_us * 1000 : unknown_turn_ns);
    c.start_ns = peers * start_ns;
    c.wait_ns = knows ? t->device.wait_value_us * 1000 + first_ns : unknown_wait_ns;
    c.compute_ns = ratio * c.ns_per_byte * (double)bytes;
    if (senders > 1 && peers > 1)
        meet(&c, fmax(knows ? f->copy_meeting : unknown_meeting, 1));
    return c;
}

/* Interval between the copies of two chunks, without their bytes. A single stream waits
   again for each chunk; with several streams one waits while others copy. The model assumes
   that the bytes of long chunks hide none of that wait: this fits the measurements best
   (tests/model/schedule_test.c). */
static double gap_ns(const struct model_copies *c)
{
    return fmax(c->start_ns, (c->wait_ns + c->start_ns) / c->streams);
}

/* Bytes of the first k chunks, assuming that the last chunk is not among them. */
static double sum_bytes(const struct model_schedule *s, double k)
{
    return (double)s->first_bytes * k + (double)s->step_bytes * k * (k - 1) / 2;
}

/* Number of chunks. The last one absorbs a remainder of less than half a chunk. */
double model_schedule_chunks(const struct model_schedule *s, uint64_t bytes)
{
    double first = (double)s->first_bytes, step = (double)s->step_bytes;
    double total = (double)bytes;

    if (s->step_bytes == 0)
        return fmax(ceil(total / first), 1);
    if (total <= first / 2)
        return 1;
    return floor((sqrt(first * first + 2 * step * (total - first / 2)) - first) / step) + 1;
}

/* Time from the start of the kernel to the end of the last copy, if only chunk k delays
   it. */
static double schedule_delay(const struct model_copies *c, const struct model_schedule *s,
                             double chunks, double k)
{
    double total = (double)c->bytes;
    double complete = k < chunks ? sum_bytes(s, k) / total : 1;

    return complete * c->compute_ns + (total - sum_bytes(s, k - 1)) * c->ns_per_byte +
           (chunks - k + 1) * gap_ns(c);
}

double model_schedule_ns(const struct model_copies *c, const struct model_schedule *s)
{
    if (c->bytes == 0)
        return c->compute_ns;
    double chunks = model_schedule_chunks(s, c->bytes),
           pace = c->compute_ns / (double)c->bytes;
    double first = (double)s->first_bytes, step = (double)s->step_bytes;
    double most =
        fmax(schedule_delay(c, s, chunks, 1), schedule_delay(c, s, chunks, chunks));

    if (chunks > 2)
        most = fmax(most, schedule_delay(c, s, chunks, chunks - 1));
    if (chunks > 2 && step > 0 && pace < c->ns_per_byte) {
        double vertex = (gap_ns(c) + c->ns_per_byte * (first - 1.5 * step) -
                         pace * (first - 0.5 * step)) /
                        (step * (pace - c->ns_per_byte));
        double low = fmin(fmax(floor(vertex), 1), chunks - 1);

        most = fmax(most, schedule_delay(c, s, chunks, low));
        most = fmax(most, schedule_delay(c, s, chunks, fmin(low + 1, chunks - 1)));
    }
    return most + c->wait_ns + c->start_ns - gap_ns(c);
}

struct model_schedule model_schedule_best(const struct model_copies *c,
                                          uint64_t least_bytes, uint64_t most_bytes)
{
    struct model_schedule best = {most_bytes, 0};
    double best_ns = model_schedule_ns(c, &best);

    /* From large to small: of two equal schedules, the one with fewer copies is chosen. */
    for (uint64_t first = most_bytes; first >= least_bytes && first; first /= 2)
        for (uint64_t step = most_bytes; step >= least_bytes / 2; step /= 2) {
            struct model_schedule s = {first, step < least_bytes ? 0 : step};
            double ns = model_schedule_ns(c, &s);

            if (ns < best_ns) {
                best_ns = ns;
                best = s;
            }
            if (s.step_bytes == 0)
                break;
        }
    return best;
}
