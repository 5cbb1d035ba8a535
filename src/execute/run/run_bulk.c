/* SPDX-License-Identifier: Apache-2.0 */
#include "execute/run/run_bulk.h"

static bool is_poisoned(const struct cta *c)
{
    return c->shared_written && c->face.grid->kernel->stores_bulk;
}

void bulk_publish(struct execute_warp *w)
{
    struct cta *c = w->cta;

    for (uint32_t i = 0; is_poisoned(c) && i < w->grid->shared_bytes; i++)
        if (c->shared_written[i] == BULK_OWN + w->index)
            c->shared_written[i] = BULK_PUBLISHED;
}

void bulk_meet(struct cta *c)
{
    uint32_t bytes = c->face.grid->shared_bytes;

    for (uint32_t i = 0; is_poisoned(c) && i < bytes; i++)
        if (c->shared_written[i] >= BULK_OWN)
            c->shared_written[i] = BULK_PUBLISHED;
}

void bulk_order(struct execute_warp *w)
{
    struct cta *c = w->cta;

    for (uint32_t i = 0; is_poisoned(c) && i < w->grid->shared_bytes; i++)
        if (c->shared_written[i] == BULK_OWN + w->index ||
            c->shared_written[i] == BULK_PUBLISHED)
            c->shared_written[i] = BULK_ORDERED;
}

static bool source_allowed(struct execute_warp *w, uint32_t line, unsigned lane,
                           uint64_t offset, uint32_t bytes)
{
    const unsigned char *written = w->cta->shared_written;
    uint32_t limit = w->grid->shared_bytes;

    if (bytes > limit || offset > limit - bytes) {
        warp_fault(w, line, lane,
                   "bulk store of %u bytes at offset %llu of shared memory, which has %u",
                   bytes, (unsigned long long)offset, limit);
        return false;
    }
    for (uint64_t i = offset; written && i < offset + bytes; i++)
        if (written[i] != BULK_ORDERED) {
            warp_fault(w, line, lane, "bulk store reads byte %llu of shared memory, %s",
                       (unsigned long long)i,
                       written[i] ? "stored with no fence.proxy.async between the two"
                                  : "where nothing was stored");
            return false;
        }
    return true;
}

static uint64_t address_of(const struct execute_warp *w, const struct site *s,
                           unsigned lane)
{
    const void *base = op_register(&w->registers, s->base);

    return s->base_bytes == 8 ? ((const uint64_t *)base)[lane] + (uint64_t)s->offset
                              : ((const uint32_t *)base)[lane] + (uint32_t)s->offset;
}

/* Destination and source of a lane's bulk store. Returns false after a fault. */
static bool find_lane(struct execute_warp *w, const struct execute_op *op, unsigned lane,
                      uint64_t *to, uint32_t *bytes, const unsigned char **from)
{
    const struct site *s = &w->sites[op->extra];
    uint64_t offset = address_of(w, s + 1, lane);

    *to = address_of(w, s, lane);
    *bytes = ((const uint32_t *)op_register(&w->registers, op->from[0]))[lane];
    if ((*to | offset | *bytes) % EXECUTE_BULK_ALIGN) {
        warp_fault(
            w, op->line, lane,
            "bulk store of %u bytes from offset %llu of shared memory to 0x%llx: all "
            "three must be multiples of %d",
            *bytes, (unsigned long long)offset, (unsigned long long)*to,
            EXECUTE_BULK_ALIGN);
        return false;
    }
    *from = w->cta->shared + offset;
    return source_allowed(w, op->line, lane, offset, *bytes);
}

/* A store of 16 bytes by one lane. */
static enum execute_verdict store_part(struct execute_warp *w, const struct execute_op *op,
                                       unsigned lane, uint64_t to,
                                       const unsigned char *from)
{
    const struct execute_host *host = w->grid->launch.host;
    struct execute_access a = w->sites[op->extra].access;
    unsigned char operands[2 * LANES * EXECUTE_BULK_ALIGN] = {
        0}; /* the format of any access */
    uint64_t address[LANES] = {0};

    address[lane] = to;
    a.mask = 1u << lane;
    a.shape = EXECUTE_EQUAL;
    a.scope = EXECUTE_GPU;
    a.address = address;
    enum execute_verdict verdict = host->access(host->context, w, &a);

    if (verdict == EXECUTE_GO)
        memcpy((void *)(uintptr_t)to, from, EXECUTE_BULK_ALIGN);
    if (verdict != EXECUTE_TAKEN && verdict != EXECUTE_WAIT)
        return verdict;
    memcpy(operands + lane * EXECUTE_BULK_ALIGN, from, EXECUTE_BULK_ALIGN);
    return host->remote(host->context, w, &a, op, operands);
}

static enum execute_verdict store_at_once(struct execute_warp *w,
                                          const struct execute_op *op,
                                          const struct execute_bulk *b)
{
    enum execute_verdict verdict = EXECUTE_GO;

    for (uint32_t rest = b->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctz(rest);

        for (uint32_t k = 0; k < b->bytes[lane] && verdict != EXECUTE_FAULT;
             k += EXECUTE_BULK_ALIGN)
            verdict = store_part(w, op, lane, b->address[lane] + k, b->from[lane] + k);
    }
    return verdict == EXECUTE_FAULT ? verdict : EXECUTE_GO;
}

enum access_result bulk_step(struct execute_warp *w, const struct execute_op *op,
                             uint32_t mask)
{
    const struct execute_host *host = w->grid->launch.host;
    const unsigned char *from[LANES] = {NULL};
    uint64_t address[LANES] = {0};
    uint32_t bytes[LANES] = {0};
    const struct execute_bulk b = {.step = op->detail[0],
                                   .mask = mask,
                                   .line = op->line,
                                   .pending = op->extra,
                                   .address = address,
                                   .bytes = bytes,
                                   .from = from};
    enum execute_verdict verdict = EXECUTE_GO;

    for (uint32_t rest = mask; rest && b.step == EXECUTE_BULK_STORE; rest &= rest - 1) {
        unsigned l = (unsigned)__builtin_ctz(rest);

        if (!find_lane(w, op, l, &address[l], &bytes[l], &from[l]))
            return ACCESS_FAULT;
    }
    w->remote = mask;
    w->remote_op = op;
    if (host->bulk)
        verdict = host->bulk(host->context, w, &b);
    else if (b.step == EXECUTE_BULK_STORE)
        verdict = store_at_once(w, op, &b);
    if (verdict == EXECUTE_FAULT) {
        warp_fault(w, op->line, (unsigned)__builtin_ctz(mask), "bulk store was refused");
        return ACCESS_FAULT;
    }
    if (verdict != EXECUTE_WAIT)
        w->remote = 0;
    return w->remote ? ACCESS_REMOTE : ACCESS_DONE;
}
