/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses to other devices, and operations that wait for their acknowledgements. */
#include <string.h>

#include "device/emulator/check/checked.h"
#include "device/emulator/span_log.h"
#include "device/emulator/traffic/global_access.h"
#include "device/emulator/traffic/message.h"

enum { LANES = 32, LANE_BYTES_MAX = 32 };

/* Access of lanes, either of the current turn or one that waited. */
struct request {
    struct execute_warp *warp;
    struct resident *resident;
    const struct execute_op *op;
    enum execute_kind kind;
    struct checked_lanes checked;
    uint32_t mask, lane_bytes;
    const uint64_t *address;
    const unsigned char *operands;
    uint64_t ready_ps;
};

static void local_lane(const struct request *q, unsigned lane, unsigned char *result)
{
    void *memory = (void *)(uintptr_t)q->address[lane];
    const unsigned char *operand = q->operands + lane * q->lane_bytes;

    if (q->kind == EXECUTE_LOAD)
        memcpy(result + lane * q->lane_bytes, memory, q->lane_bytes);
    else if (q->kind == EXECUTE_STORE)
        memcpy(memory, operand, q->lane_bytes);
    else
        execute_atomic(q->op, memory, operand, operand + LANES * q->lane_bytes,
                       result + lane * q->lane_bytes);
}

/* Joins adjacent bytes of consecutive lanes to pieces; returns their number. */
static uint32_t find_pieces(const struct request *q, uint32_t mask, struct piece *pieces)
{
    uint32_t count = 0, used = 0;

    for (uint32_t rest = mask; rest; rest &= rest - 1, used += q->lane_bytes) {
        uint64_t address = q->address[__builtin_ctz(rest)];
        struct piece *last = count ? &pieces[count - 1] : NULL;

        if (last && last->address + last->bytes == address)
            last->bytes += q->lane_bytes;
        else
            pieces[count++] = (struct piece){address, q->lane_bytes, used};
    }
    return count;
}

static uint64_t send_in_order(struct emulated *d, const struct request *q,
                              struct message *m, uint64_t packets)
{
    return access_send(d, q->resident, m, q->ready_ps, packets);
}

static void send_store(struct emulated *d, const struct request *q, unsigned to,
                       uint32_t mask)
{
    const struct topology_fabric *f = &d->set->topology->fabric;
    uint32_t bytes = q->lane_bytes * (uint32_t)__builtin_popcount(mask), used = 0;
    struct message *m = message_create(d, to, store_pieces, LANES, bytes);
    uint64_t packets = 0;

    m->piece_count = find_pieces(q, mask, m->pieces);
    for (uint32_t rest = mask; rest; rest &= rest - 1, used += q->lane_bytes)
        memcpy(m->data + used, q->operands + (unsigned)__builtin_ctz(rest) * q->lane_bytes,
               q->lane_bytes);
    for (uint32_t i = 0; i < m->piece_count; i++) {
        uint32_t run = m->pieces[i].bytes;

        m->wire_bytes += model_wire_bytes(f, MODEL_SM, run, run);
        packets += model_packets(f, MODEL_SM, run, run);
    }
    m->bytes = bytes;
    m->credit = (uint64_t)m->wire_bytes;
    d->usage.sent_bytes += bytes;
    span_link(d, to, d->now_ps, send_in_order(d, q, m, packets), bytes);
}

static void answered(struct emulated *d, struct message *m)
{
    execute_complete(m->warp, m->mask, m->data);
    resident_wake(d, m->subject);
}

static void carry_lanes(struct message *m, const struct request *q, uint32_t mask)
{
    m->warp = q->warp;
    m->subject = q->resident;
    m->op = q->op;
    m->checked = q->checked;
    m->mask = mask;
    m->lane_bytes = q->lane_bytes;
    memcpy(m->address, q->address, sizeof m->address);
}

/* Requests a load: one packet without data per packet of the answer. */
static void send_load(struct emulated *d, const struct request *q, unsigned to,
                      uint32_t mask)
{
    const struct topology_fabric *f = &d->set->topology->fabric;
    struct message *m = message_create(d, to, load_lanes, 0, 0);
    struct piece pieces[LANES];
    uint32_t count = find_pieces(q, mask, pieces);

    carry_lanes(m, q, mask);
    m->answered = answered;
    for (uint32_t i = 0; i < count; i++) {
        m->answer_wire_bytes +=
            model_wire_bytes(f, MODEL_SM, pieces[i].bytes, pieces[i].bytes);
        m->answer_packets += model_packets(f, MODEL_SM, pieces[i].bytes, pieces[i].bytes);
    }
    m->wire_bytes = (double)m->answer_packets * f->header_bytes;
    send_in_order(d, q, m, m->answer_packets);
}

static void send_atomic(struct emulated *d, const struct request *q, unsigned to,
                        uint32_t mask)
{
    uint64_t lanes = (uint64_t)__builtin_popcount(mask), operands = 2ull * LANES;
    struct message *m = message_create(d, to, change_lanes, 0, operands * q->lane_bytes);

    carry_lanes(m, q, mask);
    memcpy(m->data, q->operands, operands * q->lane_bytes);
    m->bytes = lanes * q->lane_bytes;
    m->wire_bytes = (double)lanes * model_wire_bytes(&d->set->topology->fabric, MODEL_SM,
                                                     q->lane_bytes, q->lane_bytes);
    if (q->kind == EXECUTE_REDUCTION) {
        m->is_acknowledged = true;
        m->credit = (uint64_t)m->wire_bytes;
        d->usage.sent_bytes += m->bytes;
    } else {
        m->answered = answered;
    }
    span_link(d, to, d->now_ps, send_in_order(d, q, m, lanes), lanes * q->lane_bytes);
}

static void perform_here(const struct request *q, uint32_t mask)
{
    unsigned char result[LANES * LANE_BYTES_MAX];

    for (uint32_t rest = mask; rest; rest &= rest - 1)
        local_lane(q, (unsigned)__builtin_ctz(rest), result);
    if (q->kind == EXECUTE_LOAD || q->kind == EXECUTE_ATOMIC)
        execute_complete(q->warp, mask, result);
}

static void perform(struct emulated *d, const struct request *q)
{
    uint32_t of_device[DEVICES_MAX] = {0};

    for (uint32_t rest = q->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);

        of_device[memory_device(&d->set->memory, q->address[lane])] |= 1u << lane;
    }
    for (unsigned to = 0; to < d->set->count; to++) {
        if (!of_device[to])
            continue;
        if (to == d->number)
            perform_here(q, of_device[to]);
        else if (q->kind == EXECUTE_STORE)
            send_store(d, q, to, of_device[to]);
        else if (q->kind == EXECUTE_LOAD)
            send_load(d, q, to, of_device[to]);
        else
            send_atomic(d, q, to, of_device[to]);
    }
}

/* Performs a release after all earlier stores are acknowledged. */
static void release(struct emulated *d, void *subject, uint64_t detail)
{
    struct message *m = subject;
    struct resident *r = m->subject;
    const struct request q = {.warp = m->warp,
                              .resident = r,
                              .op = m->op,
                              .kind = (enum execute_kind)m->detail,
                              .checked = m->checked,
                              .mask = m->mask,
                              .lane_bytes = m->lane_bytes,
                              .address = m->address,
                              .operands = m->data,
                              .ready_ps = d->now_ps};

    (void)detail;
    d->changes++;
    perform(d, &q);
    if (q.kind == EXECUTE_STORE || q.kind == EXECUTE_REDUCTION)
        execute_complete(q.warp, q.mask, NULL);
    resident_wake(d, r);
    message_destroy(m);
}

static enum execute_verdict release_later(struct emulated *d, const struct request *q)
{
    uint64_t operands = q->operands ? 2ull * LANES * q->lane_bytes : 0;
    struct message *m = message_create(d, d->number, NULL, 0, operands);

    carry_lanes(m, q, q->mask);
    m->detail = q->kind;
    if (operands)
        memcpy(m->data, q->operands, operands);
    send_when_acknowledged(d, release, m);
    return EXECUTE_WAIT;
}

enum execute_verdict access_far(void *context, struct execute_warp *w,
                                const struct execute_access *a, const struct execute_op *op,
                                const unsigned char *operands)
{
    struct emulated *d = context;
    const struct request q = {.warp = w,
                              .resident = d->current,
                              .op = op,
                              .kind = a->kind,
                              .checked = checked_lanes(d, w, a),
                              .mask = a->mask,
                              .lane_bytes = a->bytes,
                              .address = a->address,
                              .operands = operands,
                              .ready_ps = instant(d, w)};

    if (checked_is_store(d, a) && !checked_store(d, w, a, operands))
        return EXECUTE_FAULT;
    if (a->order >= EXECUTE_RELEASE && a->scope == EXECUTE_SYS && !all_acknowledged(d))
        return release_later(d, &q);
    perform(d, &q);
    return a->kind == EXECUTE_LOAD || a->kind == EXECUTE_ATOMIC ? EXECUTE_WAIT
                                                                : EXECUTE_TAKEN;
}

static void fence_over(struct emulated *d, void *subject, uint64_t mask)
{
    struct execute_warp *w = subject;

    execute_complete(w, (uint32_t)mask, NULL);
    resident_wake(d, execute_warp_cta(w)->user);
}

enum execute_verdict fence_global(void *context, struct execute_warp *w, uint32_t mask,
                                  enum execute_order order, enum execute_scope scope,
                                  uint32_t line)
{
    struct emulated *d = context;

    (void)line;
    checked_fence(d, w, order, scope);
    d->usage.strong++;
    count_fence(d, w, scope);
    if (scope != EXECUTE_SYS || all_acknowledged(d))
        return EXECUTE_GO;
    when_acknowledged(d, fence_over, w, mask);
    return EXECUTE_WAIT;
}
