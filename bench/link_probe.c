/* SPDX-License-Identifier: Apache-2.0 */
/* Fewer bytes than on hardware: what a start costs is small against each of these. */
#include "link_probe.h"

#include <string.h>

enum {
    COPIES_BYTES = 256 << 20, /* of all copies of one size together, or */
    COPIES_MAX = 64,
    BROADCAST_BYTES = 64 << 20, /* of one device to each other */
    CTA_BYTES = 4 << 20,        /* of one CTA in a kernel that copies, or */
    KERNEL_BYTES = 48 << 20,    /* of them all */
    RUNS_BYTES = 64 << 20,      /* or what fits into the buffer with its gaps */
    RUNS_STRIDE = 128,
    ROUNDS = 200,
    WAITS = 64
};

/* As link.cu has them. */
struct link_copy {
    device_addr from, to[LINK_PEERS];
    uint64_t vectors;
    uint32_t targets;
};
struct link_runs {
    device_addr to;
    uint64_t words;
    uint32_t run_shift, stride;
};
struct link_ping {
    device_addr here, there;
    uint32_t rounds, begins;
};

struct copies {
    uint64_t bytes, count;
    bool rotated; /* one stream sends to one peer after the other */
};

static unsigned peer_of(unsigned device, unsigned turn)
{
    return (device + 1 + turn) % LINK_DEVICES;
}

static void queue_copies(struct link_machine *m, unsigned device, unsigned s, void *context)
{
    const struct copies *c = context;
    struct link_device *d = &m->device[device];
    struct proact_error err = {""};

    for (uint64_t i = 0; i < c->count; i++) {
        unsigned turn = c->rotated ? (unsigned)(i % LINK_PEERS) : s;

        link_must(m->backend->copy(d->stream[s], m->device[peer_of(device, turn)].target,
                                   d->source, c->bytes, &err),
                  &err);
    }
}

static double copies(struct link_machine *m, const struct link_question *q)
{
    uint64_t count = COPIES_BYTES / q->peers / q->bytes;
    struct copies c = {.bytes = q->bytes, .count = count < COPIES_MAX ? count : COPIES_MAX};

    if (c.count == 0)
        c.count = 1;
    double ns = link_time(m, 1, (unsigned)q->peers, queue_copies, &c);

    return (double)(c.bytes * c.count * q->peers) / ns;
}

static double copy_time(struct link_machine *m, const struct link_question *q)
{
    return (double)q->bytes / copies(m, q) / 1000;
}

static double broadcast(struct link_machine *m, const struct link_question *q)
{
    bool rotated = q->peers == 1;
    struct copies c = {
        .bytes = BROADCAST_BYTES, .count = rotated ? LINK_PEERS : 1, .rotated = rotated};
    double ns = link_time(m, LINK_DEVICES, rotated ? 1 : LINK_PEERS, queue_copies, &c);

    return (double)BROADCAST_BYTES * LINK_PEERS / ns;
}

struct kernel {
    struct device_function *function;
    const struct link_question *question;
    const void *parameters;
    size_t parameter_bytes;
};

static void queue_kernel(struct link_machine *m, unsigned device, unsigned s, void *context)
{
    const struct kernel *k = context;
    struct proact_error err = {""};
    struct device_launch launch = {
        .grid = {(uint32_t)k->question->ctas, 1, 1},
        .block = {(uint32_t)k->question->threads, 1, 1},
        .parameters = k->parameters,
        .parameter_bytes = k->parameter_bytes,
    };

    link_must(m->backend->launch(m->device[device].stream[s], k->function, &launch, &err),
              &err);
}

static double stores(struct link_machine *m, const struct link_question *q)
{
    uint64_t step = q->ctas * q->threads * 64; /* what link_copy does in one go */
    uint64_t bytes =
        q->ctas * CTA_BYTES < KERNEL_BYTES ? q->ctas * CTA_BYTES : KERNEL_BYTES;
    struct link_copy c = {.from = m->device[0].source, .targets = (uint32_t)q->peers};

    bytes = (bytes + step - 1) / step * step;
    c.vectors = bytes / 16;
    for (unsigned i = 0; i < LINK_PEERS; i++)
        c.to[i] = m->device[peer_of(0, i)].target;
    struct kernel k = {m->device[0].copy, q, &c, sizeof c};

    return (double)(bytes * q->peers) / link_time(m, 1, 1, queue_kernel, &k);
}

static double runs(struct link_machine *m, const struct link_question *q)
{
    uint64_t stride = 2 * q->bytes < RUNS_STRIDE ? RUNS_STRIDE : 2 * q->bytes;
    uint64_t room = LINK_BUFFER_BYTES / stride * q->bytes;
    uint64_t bytes = room < RUNS_BYTES ? room : RUNS_BYTES;
    struct link_runs r = {.to = m->device[q->peers].target,
                          .words = bytes / 4,
                          .run_shift = (uint32_t)__builtin_ctzll(q->bytes),
                          .stride = (uint32_t)stride};
    struct kernel k = {m->device[0].runs, q, &r, sizeof r};

    return (double)bytes / link_time(m, 1, 1, queue_kernel, &k);
}

static double local_copy(struct link_machine *m, const struct link_question *q)
{
    (void)q;
    struct link_device *d = &m->device[0];
    struct proact_error err = {""};
    double ns = 0;

    link_must(m->backend->record(d->stream[0], d->from, &err), &err);
    link_must(m->backend->copy(d->stream[0], d->target, d->source, LINK_BUFFER_BYTES, &err),
              &err);
    link_must(m->backend->record(d->stream[0], d->to, &err), &err);
    link_must(m->backend->synchronize(m->set, &err), &err);
    link_must(m->backend->elapsed(d->from, d->to, &ns, &err), &err);
    return 2.0 * LINK_BUFFER_BYTES / ns;
}

static void queue_ping(struct link_machine *m, unsigned device, unsigned s, void *context)
{
    const struct link_question one = {.ctas = 1, .threads = 1};
    struct link_ping p = {.here = m->device[device].words,
                          .there = m->device[1 - device].words,
                          .rounds = ROUNDS,
                          .begins = device == 0};
    struct kernel k = {m->device[device].ping, &one, &p, sizeof p};

    (void)context;
    queue_kernel(m, device, s, &k);
}

/* Words count up, so this is asked once of a machine. */
static double ping_pong(struct link_machine *m, const struct link_question *q)
{
    (void)q;
    return link_time(m, 2, 1, queue_ping, NULL) / ROUNDS / 1000;
}

static void queue_waits(struct link_machine *m, unsigned device, unsigned s, void *context)
{
    const struct link_question *q = context;
    struct link_device *d = &m->device[device];
    struct proact_error err = {""};

    for (unsigned i = 0; i < WAITS; i++) {
        link_must(m->backend->wait_value(d->stream[s], d->words, 0, &err), &err);
        link_must(
            m->backend->copy(d->stream[s], m->device[1].target, d->source, q->bytes, &err),
            &err);
    }
}

static double wait_copy(struct link_machine *m, const struct link_question *q)
{
    struct link_question copy = *q;

    return link_time(m, 1, 1, queue_waits, &copy) / WAITS / 1000;
}

static const struct link_probe probes[] = {
    {"copies", "GB/s", copies},       {"copy-time", "us", copy_time},
    {"broadcast", "GB/s", broadcast}, {"stores", "GB/s", stores},
    {"runs", "GB/s", runs},           {"local-copy", "GB/s", local_copy},
    {"ping-pong", "us", ping_pong},   {"wait-copy", "us", wait_copy},
};

const struct link_probe *link_probe_find(const char *name)
{
    for (size_t i = 0; i < sizeof probes / sizeof *probes; i++)
        if (!strcmp(probes[i].name, name))
            return &probes[i];
    return NULL;
}
