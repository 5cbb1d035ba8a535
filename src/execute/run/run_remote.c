/* SPDX-License-Identifier: Apache-2.0 */
/* Remote accesses: the values that the host receives and returns. */
#include <string.h>

#include "execute/run/run.h"

/* Operands of a store or atomic: 32 lanes of access.bytes, followed by the second
   operands. */
static void pack_operands(struct execute_warp *w, const struct site *s, uint32_t mask,
                          unsigned char *out)
{
    unsigned bytes = s->access.bytes;

    if (s->access.kind == EXECUTE_LOAD)
        return;
    if (s->access.kind == EXECUTE_STORE && s->count == 1 && s->width == bytes) {
        memcpy(out, op_register(&w->registers, s->value[0]), (size_t)LANES * bytes);
        return;
    }
    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);

        if (s->access.kind == EXECUTE_STORE) {
            for (unsigned n = 0; n < s->count; n++) {
                const unsigned char *from = op_register(&w->registers, s->value[n]);

                memcpy(out + l * bytes + n * s->element, from + l * s->width, s->element);
            }
            continue;
        }
        const unsigned char *operand = op_register(&w->registers, s->operand);

        memcpy(out + l * bytes, operand + l * s->width, bytes);
        if (s->second != PLACE_NONE) {
            const unsigned char *second = op_register(&w->registers, s->second);

            memcpy(out + (LANES + l) * bytes, second + l * s->width, bytes);
        }
    }
}

enum execute_verdict access_remote(struct execute_warp *w, const struct execute_op *op,
                                   const struct site *s, const struct execute_access *a)
{
    const struct execute_host *host = w->grid->launch.host;
    unsigned char operands[2 * LANES * 32];

    pack_operands(w, s, a->mask, operands);
    w->remote = a->mask;
    w->remote_op = op;
    return host->remote(host->context, w, a, op, a->kind == EXECUTE_LOAD ? NULL : operands);
}

/* Writes returned values to the registers of loads and atomics. */
static void unpack(struct execute_warp *w, const struct execute_op *op, uint32_t mask,
                   const unsigned char *data)
{
    const struct site *s = &w->sites[op->extra];

    if (op->code == CODE_FENCE || !data || s->access.kind == EXECUTE_STORE ||
        s->value[0] == PLACE_NONE)
        return;
    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);

        for (unsigned n = 0; n < s->count; n++) {
            unsigned char *to = op_register(&w->registers, s->value[n]);

            site_extend(s, to + l * s->width, data + l * s->access.bytes + n * s->element);
        }
    }
}

void execute_complete(struct execute_warp *w, uint32_t mask, const unsigned char *data)
{
    const struct execute_op *ops = w->ops;

    if (w->remote & mask) { /* completed before the call of remote() has returned */
        unpack(w, w->remote_op, w->remote & mask, data);
        w->remote &= ~mask;
    }
    for (uint32_t n = 0; n < w->group_count; n++) {
        struct group *g = &w->groups[n];

        if (g->state != GROUP_REMOTE || !(g->waiting & mask))
            continue;
        unpack(w, &ops[g->pc - 1], g->waiting & mask, data);
        g->waiting &= ~mask;
        if (!g->waiting)
            groups_wake(w, n);
    }
}
