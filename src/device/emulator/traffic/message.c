/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/traffic/message.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Bytes in flight of a device at which its CTAs must wait with stores. */
enum { CREDIT_BYTES = 2 << 20 };

struct waiter {
    struct sent_marks marks;
    void (*done)(struct emulated *d, void *subject, uint64_t detail);
    void *subject;
    uint64_t detail;
    bool owns; /* the subject is a message */
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

void message_destroy(struct message *m)
{
    free(m);
}

uint64_t message_send(struct emulated *from, struct message *m, uint64_t ready_ps,
                      uint64_t packets)
{
    const struct device_set *set = from->set;
    const struct topology *t = set->topology;
    double link = t->link_gbps[from->number][m->to];
    uint64_t leaves = ready_ps;

    if (packets) {
        struct device_traffic *traffic = &from->traffic[m->to];

        traffic->bytes += m->bytes;
        traffic->packets += packets;
        traffic->wire_bytes += (uint64_t)m->wire_bytes;
    }
    if (set->options.infinite_bandwidth)
        m->wire_bytes = 0;
    if (m->wire_bytes > 0 && link > 0) {
        uint64_t since = from->now_ps; /* the messages of one turn overlap from its start */
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
    if (m->is_acknowledged) {
        m->sequence = ++from->sent.to[m->to];
        from->credit_bytes += m->credit;
    }
    from->outbox = must_grow(from->outbox, from->outbox_count, &from->outbox_capacity,
                             sizeof *from->outbox);
    from->outbox[from->outbox_count++] = m;
    return leaves;
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

uint64_t atomic_pass(struct emulated *d, uint64_t address)
{
    const struct topology_device *t = &d->set->topology->device;
    uint64_t key = address - d->base;
    struct atomic_place *place = &d->atomics[(key >> 2 ^ key >> 12) % ATOMIC_PLACES];

    if (place->address != address)
        *place = (struct atomic_place){.address = address};
    return serve(&place->free_ps, d->now_ps, ps_of_ns(t->atomic_ns));
}

/* Changes the words of the lanes. Without a different value it is no progress, as with CTAs
   that spin on a lock. */
void change_lanes(struct emulated *d, struct message *m)
{
    struct message *answer = m->answered ? answer_create(d, m) : NULL;
    uint64_t through = d->now_ps;
    unsigned char old[32];

    m->is_change = false;

    for (uint32_t rest = m->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        const unsigned char *operand = m->data + lane * m->lane_bytes;

        if (answer)
            checked_arrival(d, &m->checked, m->address[lane]);
        execute_atomic(m->op, (void *)(uintptr_t)m->address[lane], operand,
                       operand + 32ull * m->lane_bytes, old);
        through = atomic_pass(d, m->address[lane]);
        m->is_change |=
            memcmp(old, (void *)(uintptr_t)m->address[lane], m->lane_bytes) != 0;
        if (answer)
            memcpy(answer->data + lane * m->lane_bytes, old, m->lane_bytes);
    }
    if (answer)
        message_send(d, answer, through, 0);
}

void load_lanes(struct emulated *d, struct message *m)
{
    struct message *answer = answer_create(d, m);

    for (uint32_t rest = m->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);

        checked_arrival(d, &m->checked, m->address[lane]);
        memcpy(answer->data + lane * m->lane_bytes, (void *)(uintptr_t)m->address[lane],
               m->lane_bytes);
    }
    answer->bytes = (uint64_t)__builtin_popcount(m->mask) * m->lane_bytes;
    answer->wire_bytes = m->answer_wire_bytes;
    message_send(d, answer, d->now_ps + ps_of_ns(d->set->topology->device.l2_latency_ns),
                 m->answer_packets);
}

void store_pieces(struct emulated *d, struct message *m)
{
    (void)d;
    for (uint32_t i = 0; i < m->piece_count; i++)
        memcpy((void *)(uintptr_t)m->pieces[i].address, m->data + m->pieces[i].offset,
               m->pieces[i].bytes);
}

bool credit_spent(const struct emulated *d)
{
    return d->credit_bytes >= CREDIT_BYTES;
}

static void acknowledged(struct emulated *d, struct message *m)
{
    d->acknowledged.to[m->from] = m->detail;
    d->credit_bytes -= m->credit;
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
    if (d->stalled && !credit_spent(d))
        d->credit_returned(d);
}

/* Performs a message that has passed the ingress. */
static void performed(struct emulated *d, void *subject, uint64_t detail)
{
    struct message *m = subject;

    (void)detail;
    m->effect(d, m);
    d->changes += m->is_change;
    if (m->is_acknowledged) {
        arrivals_note(&d->arrivals[m->from], m->sequence);
        d->owed[m->from] = true;
        d->owed_credit[m->from] += m->credit;
        d->owed_at_ps[m->from] = d->now_ps;
    }
    free(m);
}

static void performed_in_turn(struct emulated *d, void *subject, uint64_t detail)
{
    d->arriving--;
    performed(d, subject, detail);
}

/* Ingress time of a message. Concurrent copies from several senders slow each other down;
   the slowdown of two senders is half of that of three or more. */
static uint64_t way_in_ps(struct emulated *d, const struct message *m)
{
    const struct topology_fabric *f = &d->set->topology->fabric;
    uint64_t work_ps = ps_of_bytes(m->wire_bytes, f->ingress_gbps);
    unsigned others = 0;

    if (!m->is_part || f->copy_meeting <= 0)
        return work_ps;
    for (unsigned i = 0; i < d->set->count && others < 2; i++)
        others +=
            i != m->from && d->part_in_ps[i] && d->part_in_ps[i] + 2 * work_ps > d->now_ps;
    return others
               ? ps_of_ns((double)work_ps / PS * (1 + (f->copy_meeting - 1) * others / 2))
               : work_ps;
}

static void arrived(struct emulated *d, void *subject, uint64_t detail)
{
    struct message *m = subject;
    bool idle = d->in_free_ps <= d->now_ps && !d->arriving;
    uint64_t done = serve(&d->in_free_ps, d->now_ps, way_in_ps(d, m));

    if (m->is_part)
        d->part_in_ps[m->from] = done;
    if (idle) {
        performed(d, m, detail);
        return;
    }
    d->arriving++;
    later(d, done, performed_in_turn, m, detail); /* after earlier arrivals */
}

static int by_arrival(const void *a, const void *b)
{
    const struct message *x = *(struct message *const *)a, *y = *(struct message *const *)b;

    if (x->arrive_ps != y->arrive_ps)
        return x->arrive_ps < y->arrive_ps ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Number of the shared path that a message takes, or -1: the bus, or the bridge from one
   group to another. */
static int path_of(const struct topology *t, const struct message *m)
{
    const unsigned from = t->groups.of[m->from], to = t->groups.of[m->to];

    if (t->fabric.shared_bus)
        return 0;
    return from == to ? -1 : (int)(from * TOPOLOGY_DEVICES_MAX + to);
}

/* Applies shared paths: the messages of a window pass them in the order of their arrival.
 */
static void pass_paths(struct device_set *set)
{
    const struct topology *t = set->topology;
    const double gbps =
        t->fabric.shared_bus ? t->fabric.egress_gbps : t->groups.bridge_gbps;

    struct message **all = NULL;
    size_t count = 0, capacity = 0;

    for (unsigned i = 0; i < set->count; i++)
        for (size_t k = 0; k < set->devices[i].outbox_count; k++) {
            all = must_grow(all, count, &capacity, sizeof *all);
            all[count] = set->devices[i].outbox[k];
            all[count]->number = k;
            count++;
        }
    if (count > 1)
        qsort(all, count, sizeof *all, by_arrival);
    for (size_t k = 0; k < count; k++) {
        uint64_t leaves = all[k]->arrive_ps - set->latency_ps;
        const int path = path_of(t, all[k]);

        if (all[k]->wire_bytes > 0 && path >= 0)
            leaves = serve(&set->paths_free_ps[path], leaves,
                           ps_of_bytes(all[k]->wire_bytes, gbps));
        all[k]->arrive_ps = leaves + set->latency_ps;
    }
    free(all);
}

static void acknowledge(struct emulated *d)
{
    for (unsigned to = 0; to < d->set->count; to++) {
        if (!d->owed[to])
            continue;
        struct message *m = message_create(d, to, acknowledged, 0, 0);

        m->detail = d->arrivals[to].all_up_to;
        m->credit = d->owed_credit[to];
        m->arrive_ps = d->owed_at_ps[to] + d->set->latency_ps;
        d->owed[to] = false;
        d->owed_credit[to] = 0;
        later(&d->set->devices[to], m->arrive_ps, performed, m, 0);
    }
}

void messages_deliver(struct device_set *set)
{
    if (set->paths_free_ps)
        pass_paths(set);
    for (unsigned i = 0; i < set->count; i++) {
        struct emulated *from = &set->devices[i];

        acknowledge(from);
        for (size_t k = 0; k < from->outbox_count; k++) {
            struct message *m = from->outbox[k];

            later(&set->devices[m->to], m->arrive_ps, arrived, m, 0);
        }
        from->outbox_count = 0;
    }
}

bool all_acknowledged(const struct emulated *d)
{
    return !memcmp(&d->sent, &d->acknowledged, sizeof d->sent);
}

static struct waiter *wait_for(struct emulated *d, struct waiter it)
{
    struct waiter *w = must_calloc(1, sizeof *w), **end = &d->waiters;

    *w = it;
    while (*end)
        end = &(*end)->next;
    *end = w;
    return w;
}

static void wait_for_all(struct emulated *d, struct waiter it)
{
    wait_for(d, it)->marks = d->sent;
}

void when_acknowledged(struct emulated *d,
                       void (*done)(struct emulated *, void *, uint64_t), void *subject,
                       uint64_t detail)
{
    if (all_acknowledged(d))
        done(d, subject, detail);
    else
        wait_for_all(d,
                     (struct waiter){.done = done, .subject = subject, .detail = detail});
}

void when_reached(struct emulated *d, unsigned to, uint64_t sequence,
                  void (*done)(struct emulated *, void *, uint64_t), void *subject)
{
    if (d->acknowledged.to[to] >= sequence)
        done(d, subject, 0);
    else
        wait_for(d, (struct waiter){.done = done, .subject = subject})->marks.to[to] =
            sequence;
}

void send_when_acknowledged(struct emulated *d,
                            void (*send)(struct emulated *, void *, uint64_t),
                            struct message *m)
{
    wait_for_all(d, (struct waiter){.done = send, .subject = m, .owns = true});
}

void waiters_clear(struct emulated *d)
{
    while (d->waiters) {
        struct waiter *next = d->waiters->next;

        if (d->waiters->owns)
            free(d->waiters->subject);
        free(d->waiters);
        d->waiters = next;
    }
    for (size_t i = 0; i < d->outbox_count; i++)
        free(d->outbox[i]);
    free(d->outbox);
    for (unsigned i = 0; i < DEVICES_MAX; i++)
        arrivals_clear(&d->arrivals[i]);
    for (size_t i = 0; i < d->agenda.count; i++)
        if (d->agenda.heap[i].happen == arrived || d->agenda.heap[i].happen == performed ||
            d->agenda.heap[i].happen == performed_in_turn)
            free(d->agenda.heap[i].subject);
}
