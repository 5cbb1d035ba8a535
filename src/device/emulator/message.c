/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/message.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Bytes on the way that a device may have before its CTAs must hold their stores. */
enum { CREDIT_BYTES = 2 << 20 };

struct waiter {
    struct sent_marks marks;
    void (*done)(struct emulated *d, void *subject, uint64_t detail);
    void *subject;
    uint64_t detail;
    struct waiter *next;
};

struct message *message_create(struct emulated *from, unsigned to, message_effect *effect,
                               uint32_t piece_count, uint64_t data_bytes)
{
    size_t pieces = piece_count * sizeof(struct piece);
    struct message *m = malloc(sizeof *m + pieces + data_bytes);

    if (!m)
        abort();
    memset(m, 0, sizeof *m);
    m->effect = effect;
    m->is_acknowledged = effect == store_pieces;
    m->is_change = effect != load_lanes;
    m->from = from->number;
    m->to = to;
    m->piece_count = piece_count;
    m->pieces = (struct piece *)(void *)m->room;
    m->data = m->room + pieces;
    return m;
}

void message_send(struct emulated *from, struct message *m, uint64_t ready_ps,
                  uint64_t packets)
{
    const struct device_set *set = from->set;
    const struct topology *t = set->topology;
    double link = t->link_gbps[from->number][m->to];
    uint64_t leaves = ready_ps;

    if (m->bytes) {
        struct device_traffic *traffic = &from->traffic[m->to];

        traffic->bytes += m->bytes;
        traffic->packets += packets;
        traffic->wire_bytes += (uint64_t)m->wire_bytes;
    }
    if (set->options.infinite_bandwidth)
        m->wire_bytes = 0;
    if (m->wire_bytes > 0 && link > 0) {
        uint64_t since =
            from->now_ps; /* work of one turn shares the way from its begin on */
        uint64_t out = serve(&from->out_free_ps, since,
                             ps_of_bytes(m->wire_bytes, t->fabric.egress_gbps));
        uint64_t way =
            serve(&from->link_free_ps[m->to], since, ps_of_bytes(m->wire_bytes, link));

        if (out > leaves)
            leaves = out;
        if (way > leaves)
            leaves = way;
    }
    m->arrive_ps = leaves + set->latency_ps;
    if (m->arrive_ps <
        from->last_arrival_ps[m->to]) /* one pair's messages keep their order */
        m->arrive_ps = from->last_arrival_ps[m->to];
    from->last_arrival_ps[m->to] = m->arrive_ps;
    if (m->is_acknowledged) {
        from->sent.to[m->to]++;
        from->unacknowledged_bytes += (uint64_t)m->wire_bytes;
    }
    from->outbox = must_grow(from->outbox, from->outbox_count, &from->outbox_capacity,
                             sizeof *from->outbox);
    from->outbox[from->outbox_count++] = m;
}

static struct message *answer_create(struct emulated *d, const struct message *m)
{
    struct message *answer =
        message_create(d, m->from, m->answered, 0, 32ull * m->lane_bytes);

    answer->is_change = false;
    answer->warp = m->warp;
    answer->subject = m->subject;
    answer->mask = m->mask;
    return answer;
}

void change_lanes(struct emulated *d, struct message *m)
{
    struct message *answer = m->answered ? answer_create(d, m) : NULL;
    unsigned char old[32];

    for (uint32_t rest = m->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        const unsigned char *operand = m->data + lane * m->lane_bytes;

        execute_atomic(m->op, (void *)(uintptr_t)m->address[lane], operand,
                       operand + 32ull * m->lane_bytes, old);
        if (answer)
            memcpy(answer->data + lane * m->lane_bytes, old, m->lane_bytes);
    }
    if (answer)
        message_send(d, answer, d->now_ps, 0);
}

void load_lanes(struct emulated *d, struct message *m)
{
    struct message *answer = answer_create(d, m);

    for (uint32_t rest = m->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);

        memcpy(answer->data + lane * m->lane_bytes, (void *)(uintptr_t)m->address[lane],
               m->lane_bytes);
    }
    answer->bytes = (uint64_t)__builtin_popcount(m->mask) * m->lane_bytes;
    answer->wire_bytes =
        model_wire_bytes(&d->set->topology->fabric, MODEL_SM, answer->bytes, answer->bytes);
    message_send(d, answer, d->now_ps + ps_of_ns(d->set->topology->device.l2_latency_ns),
                 1);
}

void store_pieces(struct emulated *d, struct message *m)
{
    (void)d;
    for (uint32_t i = 0; i < m->piece_count; i++)
        memcpy((void *)(uintptr_t)m->pieces[i].address, m->data + m->pieces[i].offset,
               m->pieces[i].bytes);
}

static void acknowledged(struct emulated *d, struct message *m)
{
    d->acknowledged.to[m->from] += m->detail;
    d->unacknowledged_bytes -= m->bytes;
    for (struct waiter **w = &d->waiters; *w;) {
        struct waiter *this = *w;
        bool ready = true;

        for (unsigned i = 0; i < d->set->count && ready; i++)
            ready = d->acknowledged.to[i] >= this->marks.to[i];
        if (!ready) {
            w = &this->next;
            continue;
        }
        *w = this->next;
        this->done(d, this->subject, this->detail);
        free(this);
    }
    if (d->held && d->unacknowledged_bytes < CREDIT_BYTES)
        d->credit_returned(d);
}

/* The message is here, and has passed the way in. */
static void performed(struct emulated *d, void *subject, uint64_t detail)
{
    struct message *m = subject;

    (void)detail;
    d->changes += m->is_change;
    m->effect(d, m);
    if (m->is_acknowledged) {
        d->owed[m->from]++;
        d->owed_bytes[m->from] += (uint64_t)m->wire_bytes;
        d->owed_at_ps[m->from] = d->now_ps;
    }
    free(m);
}

static void arrived(struct emulated *d, void *subject, uint64_t detail)
{
    struct message *m = subject;
    bool idle = d->in_free_ps <= d->now_ps;
    uint64_t done =
        serve(&d->in_free_ps, d->now_ps,
              ps_of_bytes(m->wire_bytes, d->set->topology->fabric.ingress_gbps));

    if (idle)
        performed(d, m, detail);
    else
        later(d, done, performed, m, detail); /* behind those that came before */
}

/* A machine with one bus for all: messages pass it in the order in which they are handed
   over. */
static void pass_bus(struct device_set *set, struct message *m)
{
    const struct topology_fabric *f = &set->topology->fabric;
    uint64_t leaves = m->arrive_ps - set->latency_ps;

    m->arrive_ps =
        serve(&set->bus_free_ps, leaves, ps_of_bytes(m->wire_bytes, f->egress_gbps)) +
        set->latency_ps;
}

static void acknowledge(struct emulated *d)
{
    for (unsigned to = 0; to < d->set->count; to++) {
        if (!d->owed[to])
            continue;
        struct message *m = message_create(d, to, acknowledged, 0, 0);

        m->detail = d->owed[to];
        m->bytes = d->owed_bytes[to];
        m->arrive_ps = d->owed_at_ps[to] + d->set->latency_ps;
        d->owed[to] = d->owed_bytes[to] = 0;
        later(&d->set->devices[to], m->arrive_ps, performed, m, 0);
    }
}

static int by_arrival(const void *left, const void *right)
{
    const struct message *a = *(struct message *const *)left,
                         *b = *(struct message *const *)right;

    if (a->arrive_ps != b->arrive_ps)
        return a->arrive_ps < b->arrive_ps ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

/* All messages in the order of time, then of senders, then as they were sent. */
static size_t gather(struct device_set *set)
{
    size_t count = 0;

    for (unsigned i = 0; i < set->count; i++) {
        struct emulated *from = &set->devices[i];

        acknowledge(from);
        for (size_t k = 0; k < from->outbox_count; k++) {
            set->mail = must_grow(set->mail, count, &set->mail_capacity, sizeof *set->mail);
            from->outbox[k]->number = count;
            set->mail[count++] = from->outbox[k];
        }
        from->outbox_count = 0;
    }
    if (count > 1 && set->topology->fabric.shared_bus)
        qsort(set->mail, count, sizeof *set->mail, by_arrival);
    return count;
}

void messages_deliver(struct device_set *set)
{
    size_t count = gather(set);

    for (size_t i = 0; i < count; i++) {
        struct message *m = set->mail[i];

        if (set->topology->fabric.shared_bus && m->wire_bytes > 0)
            pass_bus(set, m);
        later(&set->devices[m->to], m->arrive_ps, arrived, m, 0);
    }
}

bool all_acknowledged(const struct emulated *d)
{
    return !memcmp(&d->sent, &d->acknowledged, sizeof d->sent);
}

void when_acknowledged(struct emulated *d,
                       void (*done)(struct emulated *, void *, uint64_t), void *subject,
                       uint64_t detail)
{
    if (all_acknowledged(d)) {
        done(d, subject, detail);
        return;
    }
    struct waiter *w = must_calloc(1, sizeof *w), **end = &d->waiters;

    *w = (struct waiter){
        .marks = d->sent, .done = done, .subject = subject, .detail = detail};
    while (*end)
        end = &(*end)->next;
    *end = w;
}

bool credit_spent(const struct emulated *d)
{
    return d->unacknowledged_bytes >= CREDIT_BYTES;
}

void waiters_clear(struct emulated *d)
{
    while (d->waiters) {
        struct waiter *next = d->waiters->next;

        free(d->waiters);
        d->waiters = next;
    }
    for (size_t i = 0; i < d->outbox_count; i++)
        free(d->outbox[i]);
    free(d->outbox);
    for (size_t i = 0; i < d->agenda.count; i++)
        if (d->agenda.heap[i].happen == arrived || d->agenda.heap[i].happen == performed)
            free(d->agenda.heap[i].subject);
}
