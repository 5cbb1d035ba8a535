/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of the probes, large enough that the cost of a start does not matter. An emulated
   machine, whose starts have a constant cost, transfers less. */
#include <string.h>

#include "link.h"
#include "link_query.h"

enum {
    COPIES_BYTES = 256 << 20, /* of all copies of one size together, at most COPIES_MAX */
    COPIES_MAX = 64,
    MORE = 4,                   /* times on hardware */
    BROADCAST_BYTES = 64 << 20, /* from one device to each other */
    CTA_BYTES = 4 << 20,        /* of one CTA in a kernel that copies, at most */
    KERNEL_BYTES = 48 << 20,    /* of all CTAs */
    RUNS_BYTES = 64 << 20,      /* at most what fits into the buffer with its gaps */
    RUNS_STRIDE = 128
};

static uint64_t more(const struct link_machine *m)
{
    return m->backend->is_virtual ? 1 : MORE;
}

static unsigned peer_of(const struct link_machine *m, unsigned device, unsigned turn)
{
    return (device + 1 + turn) % m->devices;
}

static void verify_peers(struct link_machine *m, uint64_t peers, uint64_t bytes)
{
    for (unsigned i = 0; i < peers; i++)
        link_verify(m, peer_of(m, 0, i), bytes);
}

static void queue_copies(struct link_machine *m, unsigned device, unsigned s, void *context)
{
    const struct link_query *a = context;
    struct link_device *d = &m->device[device];
    struct proact_error err = {""};

    for (uint64_t i = 0; i < a->count; i++) {
        unsigned turn = a->rotated ? (unsigned)(i % m->peers) : s;

        bench_must(m->backend->copy(d->stream[s],
                                    m->device[peer_of(m, device, turn)].target, d->source,
                                    a->bytes, &err),
                   &err);
    }
}

static struct bench_sample time_copies(struct link_machine *m,
                                       const struct link_question *q, uint64_t *count)
{
    struct link_query a = {.m = m,
                           .q = q,
                           .devices = 1,
                           .streams = (unsigned)q->peers,
                           .work = queue_copies,
                           .bytes = q->bytes,
                           .count = COPIES_BYTES * more(m) / q->peers / q->bytes};

    a.count = a.count > COPIES_MAX ? COPIES_MAX : a.count == 0 ? 1 : a.count;
    struct bench_sample ns = link_measure(&a);

    verify_peers(m, q->peers, q->bytes);
    *count = a.count;
    return ns;
}

static struct bench_sample copies(struct link_machine *m, const struct link_question *q)
{
    uint64_t count;
    struct bench_sample ns = time_copies(m, q, &count);

    return bench_rate(ns, (double)(q->bytes * count * q->peers));
}

static struct bench_sample copy_time(struct link_machine *m, const struct link_question *q)
{
    uint64_t count;
    struct bench_sample ns = time_copies(m, q, &count);

    return link_us(ns, (double)(count * q->peers));
}

static struct bench_sample broadcast(struct link_machine *m, const struct link_question *q)
{
    bool rotated = q->peers == 1;
    struct link_query a = {.m = m,
                           .devices = m->devices,
                           .streams = rotated ? 1 : m->peers,
                           .work = queue_copies,
                           .bytes = BROADCAST_BYTES,
                           .count = rotated ? m->peers : 1,
                           .rotated = rotated};
    struct bench_sample ns = link_measure(&a);

    for (unsigned n = 0; n < m->devices; n++)
        link_verify(m, n, BROADCAST_BYTES);
    return bench_rate(ns, (double)BROADCAST_BYTES * m->peers);
}

static void queue_kernel(struct link_machine *m, unsigned device, unsigned s, void *context)
{
    const struct link_query *a = context;

    link_launch(m->device[device].stream[s], m, a->function, (uint32_t)a->q->ctas,
                (uint32_t)a->q->threads, a->parameters, a->parameter_bytes);
}

static struct link_query link_kernel_query(struct link_machine *m,
                                           const struct link_question *q,
                                           struct device_function *f,
                                           const void *parameters, size_t bytes)
{
    return (struct link_query){.m = m,
                               .q = q,
                               .devices = 1,
                               .streams = 1,
                               .work = queue_kernel,
                               .function = f,
                               .parameters = parameters,
                               .parameter_bytes = bytes};
}

static struct bench_sample stores(struct link_machine *m, const struct link_question *q)
{
    uint64_t step = q->ctas * q->threads * 16 * LINK_UNROLL;
    uint64_t most = KERNEL_BYTES * more(m);
    uint64_t bytes = q->ctas * CTA_BYTES * more(m);
    struct link_copy c = {.from = m->device[0].source, .targets = (uint32_t)q->peers};

    bytes = bytes < most ? bytes : most;
    bytes = (bytes + step - 1) / step * step;
    c.vectors = bytes / 16;
    for (unsigned i = 0; i < q->peers; i++)
        c.to[i] = m->device[peer_of(m, 0, i)].target;
    struct link_query a = link_kernel_query(m, q, m->device[0].copy, &c, sizeof c);
    struct bench_sample ns = link_measure(&a);

    verify_peers(m, q->peers, bytes);
    return bench_rate(ns, (double)(bytes * q->peers));
}

static struct bench_sample bulk_stores(struct link_machine *m,
                                       const struct link_question *q)
{
    const uint64_t block = 4 * LINK_BLOCK_WORDS, most = m->buffer_bytes / block;
    uint64_t blocks = KERNEL_BYTES * more(m) / block;
    struct link_bulk k = {.from = m->device[0].source,
                          .to = m->device[peer_of(m, 0, 0)].target,
                          .blocks = (uint32_t)(blocks < most ? blocks : most),
                          .ctas = (uint32_t)q->ctas};
    struct link_query a = link_kernel_query(m, q, m->device[0].bulk, &k, sizeof k);
    struct bench_sample ns = link_measure(&a);

    verify_peers(m, 1, k.blocks * block);
    return bench_rate(ns, (double)(k.blocks * block));
}

static struct bench_sample runs(struct link_machine *m, const struct link_question *q)
{
    uint64_t stride = 2 * q->bytes < RUNS_STRIDE ? RUNS_STRIDE : 2 * q->bytes;
    uint64_t room = m->buffer_bytes / stride * q->bytes;
    uint64_t bytes = room < RUNS_BYTES ? room : RUNS_BYTES;
    struct link_runs r = {.to = m->device[q->peers].target,
                          .words = bytes / 4,
                          .run_shift = (uint32_t)__builtin_ctzll(q->bytes),
                          .stride = (uint32_t)stride};
    struct link_query a = link_kernel_query(m, q, m->device[0].runs, &r, sizeof r);

    return bench_rate(link_measure(&a), (double)bytes);
}

static void queue_local(struct link_machine *m, unsigned device, unsigned s, void *context)
{
    struct link_device *d = &m->device[device];
    struct proact_error err = {""};

    (void)context;
    bench_must(m->backend->copy(d->stream[s], d->target, d->source, m->buffer_bytes, &err),
               &err);
}

static struct bench_sample local_copy(struct link_machine *m, const struct link_question *q)
{
    struct link_query a = {.m = m, .q = q, .devices = 1, .streams = 1, .work = queue_local};
    struct bench_sample ns = link_measure(&a);

    link_verify(m, 0, m->buffer_bytes);
    return bench_rate(ns, 2 * (double)m->buffer_bytes);
}

static const struct link_probe probes[] = {
    {"copies", "GB/s", copies, false},          {"copy-time", "us", copy_time, false},
    {"broadcast", "GB/s", broadcast, false},    {"stores", "GB/s", stores, false},
    {"bulk-stores", "GB/s", bulk_stores, true}, {"runs", "GB/s", runs, false},
    {"local-copy", "GB/s", local_copy, false},  {"ping-pong", "us", flag_ping, false},
    {"wait-copy", "us", flag_waits, false},     {"landing", "us", flag_landing, false},
    {"event-wait", "us", flag_events, false},   {"step", "us", flag_step, false},
    {"empty-kernel", "us", flag_empty, false},  {"rows", "us", rows_time, false},
};

const struct link_probe *link_probe_find(const char *name)
{
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++)
        if (!strcmp(probes[i].name, name))
            return &probes[i];
    return NULL;
}

bool link_can_answer(const struct link_machine *m, const struct link_probe *p,
                     const struct link_question *q)
{
    return (!p->needs_bulk || m->device[0].bulk) && q->peers <= m->peers &&
           q->bytes <= m->buffer_bytes;
}
