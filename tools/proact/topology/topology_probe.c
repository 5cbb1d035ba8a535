/* SPDX-License-Identifier: Apache-2.0 */
#include "topology/topology_probe.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"

enum {
    LONG_BYTES = 64 << 20,
    MANY_BYTES = 16 << 20, /* with many emulated devices, whose copies cost host time */
    LEAST_BYTES = 1 << 20,
    NOISE_BYTES = 1 << 20,
    MANY = 8,
    SHORT_BYTES = 4,
    COPIES = 4,
    TRIES = 5,
    TRIES_MANY = 15,
};
#define BUDGET_NS 1300000000ull /* for all pairs; opening and filling are extra */

struct prober {
    const struct device_backend *b;
    struct device_set *set;
    struct proact_error *err;
    struct topology_probe *out;
    uint64_t began_ns;
    uint32_t gate; /* last value that opened a stream */
    struct {
        device_addr buffer, word;
        struct device_stream *stream, *other;
        struct device_event *from, *to;
    } device[TOPOLOGY_DEVICES_MAX];
};

static enum proact_status make_streams(struct prober *p, unsigned d)
{
    const struct device_backend *b = p->b;
    enum proact_status status = b->stream_create(p->set, d, &p->device[d].stream, p->err);

    if (status || (status = b->stream_create(p->set, d, &p->device[d].other, p->err)) ||
        (status = b->event_create(p->set, d, true, &p->device[d].from, p->err)) ||
        (status = b->event_create(p->set, d, true, &p->device[d].to, p->err)) ||
        (status = b->alloc(p->set, d, sizeof(uint32_t), &p->device[d].word, p->err)))
        return status;
    return b->fill(p->device[d].stream, p->device[d].word, 0, sizeof(uint32_t), p->err);
}

/* Buffers as long as the free memory of every device permits. */
static enum proact_status make_buffers(struct prober *p)
{
    unsigned made = 0;

    while (made < p->out->count) {
        enum proact_status status =
            p->b->alloc(p->set, made, p->out->bytes, &p->device[made].buffer, p->err);

        if (!status) {
            made++;
            continue;
        }
        if (status != PROACT_ENOSPACE || p->out->bytes / 2 < LEAST_BYTES)
            return status;
        while (made > 0) {
            made--;
            p->b->free(p->set, made, p->device[made].buffer);
        }
        p->out->bytes /= 2;
    }
    return PROACT_OK;
}

/* Noise, because zeros copy faster. */
static enum proact_status fill_buffers(struct prober *p)
{
    uint64_t *noise = must_calloc(NOISE_BYTES / sizeof *noise, sizeof *noise);
    uint64_t state = 1;
    enum proact_status status = PROACT_OK;

    for (size_t i = 0; i < NOISE_BYTES / sizeof *noise; i++)
        noise[i] = random_next(&state);
    for (unsigned d = 0; d < p->out->count && !status; d++) {
        device_addr to = p->device[d].buffer;
        struct device_stream *s = p->device[d].stream;

        status = p->b->write(s, to, noise, NOISE_BYTES, p->err);
        for (uint64_t have = NOISE_BYTES; have < p->out->bytes && !status; have *= 2)
            status = p->b->copy(s, to + have, to,
                                have < p->out->bytes - have ? have : p->out->bytes - have,
                                p->err);
    }
    free(noise);
    return status ? status : p->b->synchronize(p->set, p->err);
}

/* Time of `copies` copies that are queued while a gate blocks the stream, so that host time
   is excluded. */
static enum proact_status time_copies(struct prober *p, unsigned from, unsigned to,
                                      uint64_t bytes, unsigned copies, double *ns)
{
    const struct device_backend *b = p->b;
    struct device_stream *s = p->device[from].stream;
    device_addr word = p->device[from].word;
    enum proact_status status;

    p->gate++;
    if ((status = b->wait_value(s, word, p->gate, NULL, p->err)) ||
        (status = b->record(s, p->device[from].from, p->err)))
        return status;
    for (unsigned i = 0; i < copies && !status; i++)
        status = b->copy(s, p->device[to].buffer, p->device[from].buffer, bytes, p->err);
    if (status || (status = b->record(s, p->device[from].to, p->err)) ||
        (status = b->write_value(p->device[from].other, word, p->gate, p->err)) ||
        (status = b->synchronize(p->set, p->err)))
        return status;
    return b->elapsed(p->device[from].from, p->device[from].to, ns, p->err);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The median of `tries` measurements after one warm-up, which counts if it is the only
   one. */
static enum proact_status measure(struct prober *p, unsigned from, unsigned to,
                                  uint64_t bytes, unsigned copies, unsigned tries,
                                  double *ns)
{
    double all[TRIES_MANY] = {0};
    enum proact_status status = PROACT_OK;

    for (unsigned i = 0; i < tries && !status; i++)
        status = time_copies(p, from, to, bytes, copies, &all[i]);
    if (status)
        return status;
    if (tries > 1)
        qsort(all + 1, tries - 1, sizeof *all, compare);
    *ns = all[tries / 2];
    return PROACT_OK;
}

/* True if the pairs so far used more than their part of the budget; the pair then has one
   measurement. */
static bool is_late(const struct prober *p, unsigned pair)
{
    unsigned pairs = p->out->count * (p->out->count - 1);

    return p->b->is_virtual || clock_host_ns() - p->began_ns > BUDGET_NS / pairs * pair;
}

static enum proact_status probe_pair(struct prober *p, unsigned from, unsigned to,
                                     unsigned pair)
{
    bool once = pair > 0 && is_late(p, pair);
    uint64_t bytes = p->out->bytes;
    double ns = 0;
    enum proact_status status =
        measure(p, from, to, SHORT_BYTES, 1, p->b->is_virtual ? 1 : TRIES_MANY, &ns);

    if (status)
        return status;
    p->out->copy_us[from][to] = ns / 1e3;
    once |= p->b->is_virtual;
    unsigned copies = once ? 1 : COPIES;

    if ((status = measure(p, from, to, bytes, copies, once ? 1 : TRIES, &ns)))
        return status;
    p->out->gbps[from][to] = ns > 0 ? (double)bytes * copies / ns : 0;
    p->out->is_staged[from][to] = !p->b->peer_access(p->set, from, to);
    return PROACT_OK;
}

static enum proact_status probe(struct prober *p)
{
    unsigned count = p->out->count, pair = 0;
    enum proact_status status = PROACT_OK;

    for (unsigned d = 0; d < count && !status; d++)
        status = make_streams(p, d);
    if (status || (status = make_buffers(p)) || (status = fill_buffers(p)))
        return status;
    p->began_ns = clock_host_ns();
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < count && !status; j++)
            if (i != j)
                status = probe_pair(p, i, j, pair++);
    return status;
}

enum proact_status topology_probe(const struct device_backend *backend,
                                  const struct topology *topology,
                                  struct topology_probe *out, struct proact_error *err)
{
    struct topology_probe *found = must_calloc(1, sizeof *found);
    struct prober *p = must_calloc(1, sizeof *p);

    *p = (struct prober){.b = backend, .err = err, .out = found};
    enum proact_status status =
        backend->open(&(struct device_options){.topology = topology}, &p->set, err);

    if (!status) {
        found->count = backend->count(p->set);
        found->bytes = found->count > MANY ? MANY_BYTES : LONG_BYTES;
        status = probe(p);
        backend->close(p->set);
    }
    if (!status)
        *out = *found;
    free(found);
    free(p);
    return status;
}
