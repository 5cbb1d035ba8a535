/* SPDX-License-Identifier: Apache-2.0 */
/* Flags: words that one device writes and another waits for. */
#include "link.h"
#include "link_query.h"

enum { ROUNDS = 200, WAITS = 64, LANDINGS = 32, KERNELS = 64 };

static device_addr word_of(const struct link_machine *m, unsigned device, unsigned n)
{
    return m->device[device].words + 4 * ((uint64_t)LINK_WORD_FREE + n);
}

static void queue_ping(struct link_machine *m, unsigned device, unsigned s, void *context)
{
    struct link_ping p = {.here = word_of(m, device, 0),
                          .there = word_of(m, 1 - device, 0),
                          .rounds = ROUNDS,
                          .begins = device == 0};

    (void)context;
    link_launch(m->device[device].stream[s], m, m->device[device].ping, 1, 1, &p, sizeof p);
}

static double once_cleared(void *context)
{
    struct link_query *a = context;

    link_clear_words(a->m);
    return link_once(a);
}

struct bench_sample flag_ping(struct link_machine *m, const struct link_question *q)
{
    struct link_query a = {.m = m, .q = q, .devices = 2, .streams = 1, .work = queue_ping};

    return link_us(bench_repeat(once_cleared, &a, m->backend->is_virtual), ROUNDS);
}

static void queue_waits(struct link_machine *m, unsigned device, unsigned s, void *context)
{
    const struct link_query *a = context;
    struct link_device *d = &m->device[device];
    struct proact_error err = {""};

    for (unsigned i = 0; i < WAITS; i++) {
        bench_must(
            m->backend->wait_value(d->stream[s], word_of(m, device, 0), 0, NULL, &err),
            &err);
        bench_must(m->backend->copy(d->stream[s], m->device[1].target, d->source,
                                    a->q->bytes, &err),
                   &err);
    }
}

struct bench_sample flag_waits(struct link_machine *m, const struct link_question *q)
{
    struct link_query a = {.m = m, .q = q, .devices = 1, .streams = 1, .work = queue_waits};
    struct bench_sample ns = link_measure(&a);

    link_verify(m, 1, q->bytes);
    return link_us(ns, WAITS);
}

/* A kernel of device 0 writes the word that its streams wait for. They copy, then write a
   word for a kernel of device 1, which writes one for the first kernel. */
static void queue_landing(struct link_machine *m, unsigned device, unsigned s,
                          void *context)
{
    const struct link_query *a = context;
    struct link_device *d = &m->device[0];
    struct proact_error err = {""};

    if (device == 1 && s == 0) {
        struct link_ping p = {.here = word_of(m, 1, 0),
                              .there = word_of(m, 0, 1),
                              .rounds = (uint32_t)a->count};

        link_launch(m->device[1].stream[0], m, m->device[1].ping, 1, 1, &p, sizeof p);
    } else if (device == 0 && s == 0) {
        struct link_ping p = {.here = word_of(m, 0, 1),
                              .there = word_of(m, 0, 0),
                              .rounds = (uint32_t)a->count,
                              .begins = 1};

        link_launch(d->stream[0], m, d->ping, 1, 1, &p, sizeof p);
        for (uint32_t i = 1; i <= a->count; i++) {
            bench_must(m->backend->wait_value(m->side, word_of(m, 0, 0), i, NULL, &err),
                       &err);
            bench_must(m->backend->copy(m->side, m->device[1].target, d->source,
                                        a->q->bytes, &err),
                       &err);
            bench_must(m->backend->write_value(m->side, word_of(m, 1, 0), i, &err), &err);
        }
    }
}

struct bench_sample flag_landing(struct link_machine *m, const struct link_question *q)
{
    struct link_query a = {.m = m,
                           .q = q,
                           .devices = 2,
                           .streams = 1,
                           .work = queue_landing,
                           .count = LANDINGS};
    struct bench_sample ns = bench_repeat(once_cleared, &a, m->backend->is_virtual);

    link_verify(m, 1, q->bytes);
    return link_us(ns, LANDINGS);
}

/* Each of two streams waits for an event of the other. */
static void queue_events(struct link_machine *m, unsigned device, unsigned s, void *context)
{
    struct proact_error err = {""};

    (void)s;
    (void)context;
    if (device)
        return;
    for (unsigned i = 0; i < 2 * WAITS; i++) {
        struct link_device *from = &m->device[i % 2], *to = &m->device[1 - i % 2];

        bench_must(m->backend->record(from->stream[0], from->to, &err), &err);
        bench_must(m->backend->wait_event(to->stream[0], from->to, &err), &err);
    }
}

struct bench_sample flag_events(struct link_machine *m, const struct link_question *q)
{
    struct link_query a = {
        .m = m, .q = q, .devices = 2, .streams = 1, .work = queue_events};

    return link_us(link_measure(&a), 2 * WAITS);
}

static void queue_step(struct link_machine *m, unsigned device, unsigned s, void *context)
{
    struct link_step p = {
        .here = word_of(m, device, 0), .peers = m->peers, .rounds = ROUNDS};

    (void)context;
    for (unsigned i = 0; i < m->peers; i++) { /* lane i has peer (device + 1 + i) */
        unsigned peer = (device + 1 + i) % m->devices;

        p.there[i] = word_of(m, peer, m->peers - 1 - i);
    }
    link_launch(m->device[device].stream[s], m, m->device[device].step, 1, 32, &p,
                sizeof p);
}

struct bench_sample flag_step(struct link_machine *m, const struct link_question *q)
{
    struct link_query a = {
        .m = m, .q = q, .devices = m->devices, .streams = 1, .work = queue_step};

    return link_us(bench_repeat(once_cleared, &a, m->backend->is_virtual), ROUNDS);
}

static void queue_empty(struct link_machine *m, unsigned device, unsigned s, void *context)
{
    (void)context;
    for (unsigned i = 0; i < KERNELS; i++)
        link_launch(m->device[device].stream[s], m, m->device[device].empty, 1, 32, NULL,
                    0);
}

struct bench_sample flag_empty(struct link_machine *m, const struct link_question *q)
{
    struct link_query a = {.m = m, .q = q, .devices = 1, .streams = 1, .work = queue_empty};

    return link_us(link_measure(&a), KERNELS);
}
