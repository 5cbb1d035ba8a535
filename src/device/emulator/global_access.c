/* SPDX-License-Identifier: Apache-2.0 */
/* What executing warps ask of the device: global memory near and far, fences, clocks. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "device/emulator/checked.h"
#include "device/emulator/message.h"
#include "device/emulator/span_log.h"

enum { LANES = 32, LINE_SHIFT = 7, SECTOR_SHIFT = 5 };

/* When this warp's instruction is, within the turn. */
static uint64_t instant(const struct emulated *d, const struct execute_warp *w)
{
    const struct topology_device *t = &d->set->topology->device;

    return d->now_ps + (uint64_t)((double)execute_warp_issued(w) * t->dependent_cycles *
                                  PS / t->clock_ghz);
}

/* One line of the L2 is touched in `sectors` of its four sectors. */
static inline void touch_line(struct emulated *d, uint64_t line, uint32_t sectors)
{
    uint32_t *held = &d->l2_lines[(line ^ line >> 17) & d->l2_mask];

    d->usage.sectors += sectors;
    if (*held != (uint32_t)line) {
        *held = (uint32_t)line;
        d->usage.missed_sectors += sectors;
    }
}

static void touch_run(struct emulated *d, uint64_t first, uint64_t bytes)
{
    for (uint64_t at = first; at < first + bytes;) {
        uint64_t end = ((at >> LINE_SHIFT) + 1) << LINE_SHIFT;

        if (end > first + bytes)
            end = first + bytes;
        touch_line(d, at >> LINE_SHIFT,
                   (uint32_t)(((end - 1) >> SECTOR_SHIFT) - (at >> SECTOR_SHIFT) + 1));
        at = end;
    }
}

static void touch_scattered(struct emulated *d, const struct execute_access *a)
{
    uint64_t last = ~0ull;

    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        uint64_t address = a->address[__builtin_ctz(rest)];
        uint64_t sector = address >> SECTOR_SHIFT;

        if (sector != last)
            touch_line(d, address >> LINE_SHIFT, 1);
        last = sector;
    }
}

static void touch(struct emulated *d, const struct execute_access *a)
{
    uint64_t missed = d->usage.missed_sectors;

    if (a->shape == EXECUTE_UNIT)
        touch_run(d, a->address[0], (uint64_t)LANES * a->bytes);
    else if (a->shape == EXECUTE_EQUAL)
        touch_run(d, a->address[__builtin_ctz(a->mask)], a->bytes);
    else
        touch_scattered(d, a);
    if (a->kind == EXECUTE_LOAD || a->kind == EXECUTE_ATOMIC) {
        d->usage.loads++;
        d->usage.missed_loads += d->usage.missed_sectors != missed;
    }
}

static enum execute_verdict refuse(struct emulated *d, struct execute_warp *w,
                                   const struct execute_access *a, unsigned lane,
                                   const char *what)
{
    struct execute_cta *c = execute_warp_cta(w);
    const struct device_memory *memory = &d->set->memory;
    const struct allocation *nearest = NULL;
    uint64_t address = a->address[lane];
    uint32_t thread[3];
    char place[128] = "no allocation lies below it";

    memory_find(memory, address, &nearest);
    if (nearest)
        snprintf(place, sizeof place,
                 "byte %" PRIu64 " of an allocation of %" PRIu64 " bytes on device %u",
                 address - nearest->first, nearest->end - nearest->first,
                 memory_device(memory, address));
    execute_warp_thread(w, lane, thread);
    snprintf(
        c->fault, sizeof c->fault,
        "kernel '%s', line %u, CTA (%u,%u,%u), thread (%u,%u,%u): %u bytes at 0x%" PRIx64
        " are %s: %s",
        d->current->run->name, a->line, c->id[0], c->id[1], c->id[2], thread[0], thread[1],
        thread[2], a->bytes, address, what, place);
    return EXECUTE_FAULT;
}

/* The slow way: each lane by itself. GO if all are here, TAKEN if some are not. */
static enum execute_verdict look_up(struct emulated *d, struct execute_warp *w,
                                    const struct execute_access *a,
                                    struct known_range *known)
{
    enum execute_verdict verdict = EXECUTE_GO;
    const struct device_memory *memory = &d->set->memory;

    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        uint64_t address = a->address[lane];
        const struct allocation *in = memory_find(memory, address, NULL);

        if (!in || address + a->bytes > in->end)
            return refuse(d, w, a, lane, "out of bounds");
        unsigned owner = memory_device(memory, address);

        if (owner == d->number) {
            *known = (struct known_range){in->first, in->end};
        } else {
            verdict = EXECUTE_TAKEN;
            if (d->set->topology->link_gbps[d->number][owner] <= 0)
                return refuse(d, w, a, lane, "on a device without a direct link");
        }
    }
    return verdict;
}

static bool within(const struct known_range *known, const struct execute_access *a)
{
    uint64_t low = a->address[__builtin_ctz(a->mask)], high = low;

    if (a->shape == EXECUTE_UNIT) {
        high = a->address[LANES - 1];
    } else if (a->shape == EXECUTE_SCATTERED) {
        for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
            uint64_t x = a->address[__builtin_ctz(rest)];

            low = x < low ? x : low;
            high = x > high ? x : high;
        }
    }
    return low >= known->first && high + a->bytes <= known->end;
}

static int misaligned_lane(const struct execute_access *a)
{
    if (a->shape != EXECUTE_SCATTERED) {
        unsigned lane = (unsigned)__builtin_ctz(a->mask);

        return a->address[lane] & (a->align - 1) ? (int)lane : -1;
    }
    for (uint32_t rest = a->mask; rest; rest &= rest - 1)
        if (a->address[__builtin_ctz(rest)] & (a->align - 1))
            return __builtin_ctz(rest);
    return -1;
}

/* A fence takes as long as a load; what a strong load waits is among the CTA's stalls. */
static void count_fence(struct emulated *d, const struct execute_warp *w)
{
    if (!d->usage.fenced)
        d->usage.fenced = w;
    d->usage.fences += d->usage.fenced == w;
}

static enum execute_verdict access_global(void *context, struct execute_warp *w,
                                          const struct execute_access *a)
{
    struct emulated *d = context;
    struct resident *r = d->current;
    struct known_range *known = &r->run->known[a->number];
    enum execute_verdict verdict = EXECUTE_GO;
    int lane = misaligned_lane(a);

    if (lane >= 0)
        return refuse(d, w, a, (unsigned)lane, "misaligned");
    if (!within(known, a))
        verdict = look_up(d, w, a, known);
    if (verdict == EXECUTE_FAULT)
        return verdict;
    if (!checked_access(d, w, a))
        return EXECUTE_FAULT;
    if (a->order != EXECUTE_WEAK) {
        if (a->order >= EXECUTE_RELEASE)
            count_fence(d, w);
        r->poll_line = a->line;
        r->poll_address = a->address[__builtin_ctz(a->mask)];
    }
    d->usage.stores += a->kind != EXECUTE_LOAD;
    if (verdict == EXECUTE_GO)
        touch(d, a);
    return verdict;
}

static void local_lane(const struct execute_access *a, const struct execute_op *op,
                       const unsigned char *operands, unsigned lane, unsigned char *result)
{
    void *memory = (void *)(uintptr_t)a->address[lane];
    const unsigned char *operand = operands + lane * a->bytes;

    if (a->kind == EXECUTE_LOAD)
        memcpy(result + lane * a->bytes, memory, a->bytes);
    else if (a->kind == EXECUTE_STORE)
        memcpy(memory, operand, a->bytes);
    else
        execute_atomic(op, memory, operand, operand + LANES * a->bytes,
                       result + lane * a->bytes);
}

/* A store to one peer: runs of neighbouring bytes become pieces, each its own packets. */
static void send_store(struct emulated *d, struct execute_warp *w,
                       const struct execute_access *a, unsigned to, uint32_t mask,
                       const unsigned char *operands)
{
    const struct topology_fabric *f = &d->set->topology->fabric;
    uint32_t bytes = a->bytes * (uint32_t)__builtin_popcount(mask);
    struct message *m = message_create(d, to, store_pieces, LANES, bytes);
    uint32_t used = 0;
    uint64_t packets = 0;

    m->piece_count = 0;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);
        struct piece *last = m->piece_count ? &m->pieces[m->piece_count - 1] : NULL;

        memcpy(m->data + used, operands + lane * a->bytes, a->bytes);
        if (last && last->address + last->bytes == a->address[lane])
            last->bytes += a->bytes;
        else
            m->pieces[m->piece_count++] = (struct piece){a->address[lane], a->bytes, used};
        used += a->bytes;
    }
    for (uint32_t i = 0; i < m->piece_count; i++) {
        m->wire_bytes +=
            model_wire_bytes(f, MODEL_SM, m->pieces[i].bytes, m->pieces[i].bytes);
        packets += model_packets(f, MODEL_SM, m->pieces[i].bytes, m->pieces[i].bytes);
    }
    m->bytes = bytes;
    d->usage.sent_bytes += bytes;
    message_send(d, m, instant(d, w), packets);
    span_link(d, to, d->now_ps, d->out_free_ps, bytes);
}

static void answered(struct emulated *d, struct message *m)
{
    execute_complete(m->warp, m->mask, m->data);
    resident_wake(d, m->subject);
}

/* A load or an atomic to one peer: the lanes' addresses and operands travel. */
static void send_request(struct emulated *d, struct execute_warp *w,
                         const struct execute_access *a, const struct execute_op *op,
                         unsigned to, uint32_t mask, const unsigned char *operands)
{
    bool loads = a->kind == EXECUTE_LOAD;
    uint64_t operand_bytes = loads ? 0 : 2ull * LANES * a->bytes;
    struct message *m =
        message_create(d, to, loads ? load_lanes : change_lanes, 0, operand_bytes);

    if (a->kind == EXECUTE_REDUCTION)
        m->is_acknowledged = true;
    else
        m->answered = answered;
    m->warp = w;
    m->subject = d->current;
    m->op = op;
    m->mask = mask;
    m->lane_bytes = a->bytes;
    memcpy(m->address, a->address, sizeof m->address);
    if (!loads) {
        memcpy(m->data, operands, operand_bytes);
        m->bytes = (uint64_t)__builtin_popcount(mask) * a->bytes;
    }
    m->wire_bytes =
        __builtin_popcount(mask) *
        model_wire_bytes(&d->set->topology->fabric, MODEL_SM, a->bytes, a->bytes);
    message_send(d, m, instant(d, w), (uint64_t)__builtin_popcount(mask));
}

static enum execute_verdict access_remote(void *context, struct execute_warp *w,
                                          const struct execute_access *a,
                                          const struct execute_op *op,
                                          const unsigned char *operands)
{
    struct emulated *d = context;
    uint32_t of_device[DEVICES_MAX] = {0};
    unsigned char result[LANES * 64];
    bool answers = a->kind == EXECUTE_LOAD || a->kind == EXECUTE_ATOMIC;

    for (uint32_t rest = a->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);

        of_device[memory_device(&d->set->memory, a->address[lane])] |= 1u << lane;
    }
    for (unsigned to = 0; to < d->set->count; to++) {
        uint32_t mask = of_device[to];

        if (!mask)
            continue;
        if (to == d->number) {
            for (uint32_t rest = mask; rest; rest &= rest - 1)
                local_lane(a, op, operands, (unsigned)__builtin_ctz(rest), result);
            if (answers)
                execute_complete(w, mask, result);
        } else if (a->kind == EXECUTE_STORE) {
            send_store(d, w, a, to, mask, operands);
        } else {
            send_request(d, w, a, op, to, mask, operands);
        }
    }
    return answers ? EXECUTE_WAIT : EXECUTE_TAKEN;
}

static void fence_over(struct emulated *d, void *subject, uint64_t mask)
{
    struct resident *r = subject;

    execute_complete(r->fenced_warp, (uint32_t)mask, NULL);
    r->fenced_warp = NULL;
    resident_wake(d, r);
}

static enum execute_verdict fence(void *context, struct execute_warp *w, uint32_t mask,
                                  enum execute_order order, enum execute_scope scope,
                                  uint32_t line)
{
    struct emulated *d = context;

    (void)line;
    checked_fence(d, w, order, scope);
    count_fence(d, w);
    if (scope != EXECUTE_SYS || all_acknowledged(d) || d->current->fenced_warp)
        return EXECUTE_GO;
    d->current->fenced_warp = w;
    when_acknowledged(d, fence_over, d->current, mask);
    return EXECUTE_WAIT;
}

static void barrier(void *context, struct execute_cta *cta)
{
    checked_barrier(context, cta->user);
}

static uint64_t clock_cycles(void *context, struct execute_warp *w)
{
    const struct emulated *d = context;

    return (uint64_t)((double)instant(d, w) * d->set->topology->device.clock_ghz / PS);
}

static uint64_t globaltimer(void *context, struct execute_warp *w)
{
    return instant(context, w) / PS;
}

static void print(void *context, const char *text, size_t length)
{
    const struct device_options *o = &((const struct emulated *)context)->set->options;

    if (o->print)
        o->print(o->print_context, text, length);
}

void host_callbacks(struct emulated *d)
{
    d->host = (struct execute_host){
        .context = d,
        .access = access_global,
        .remote = access_remote,
        .fence = fence,
        .barrier = d->set->check ? barrier : NULL,
        .clock = clock_cycles,
        .globaltimer = globaltimer,
        .print = print,
    };
}
