/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Memory accesses: address patterns, checks, and the choice of the component that performs
   the access. */
#include "execute/run/run_cluster.h"
#include "execute/warp/warp_move.h"

/* Address pattern of a full warp, computed here or with the register. False: no usable
   pattern. */
static bool find_lie(struct execute_warp *w, const struct site *s, uint32_t mask,
                     struct lie *lie)
{
    struct spread *spread;

    lie->form = LIE_ANY;
    if (mask != ~0u)
        return false;
    spread = op_register(&w->registers, s->spread);
    if (s->fresh)
        spread_find(spread, op_register(&w->registers, s->base), s->base_bytes);
    if (spread->kind == SPREAD_ANY ||
        (spread->stride != 0 && spread->stride != s->access.bytes))
        return false;
    bool is_line = spread->kind == SPREAD_LINE;

    lie->form = spread->stride ? (is_line ? LIE_UNIT : LIE_UNIT_HALVES)
                               : (is_line ? LIE_EQUAL : LIE_EQUAL_HALVES);
    lie->first = spread->first + (uint64_t)s->offset;
    lie->second = spread->second + (uint64_t)s->offset;
    if (s->base_bytes == 4) {
        lie->first = (uint32_t)lie->first;
        lie->second = (uint32_t)lie->second;
    }
    return true;
}

/* All 32 addresses. A register that needs no offset is used in place. */
static const uint64_t *addresses(struct execute_warp *w, const struct site *s,
                                 uint64_t *own)
{
    const void *base = op_register(&w->registers, s->base);
    const uint64_t *wide = base;
    const uint32_t *narrow = base;

    if (s->base_bytes == 8 && s->offset == 0)
        return wide;
    if (s->base_bytes == 8)
        for (unsigned l = 0; l < LANES; l++)
            own[l] = wide[l] + (uint64_t)s->offset;
    else
        for (unsigned l = 0; l < LANES; l++)
            own[l] = narrow[l] + (uint32_t)s->offset;
    return own;
}

/* True if the complete pattern is in bounds and aligned. Its addresses then become
   pointers. */
static bool lie_inside(const struct region *region, const struct site *s, struct lie *lie)
{
    uint64_t unit = lie->form == LIE_UNIT || lie->form == LIE_UNIT_HALVES;
    uint64_t reach = s->access.bytes * (unit ? LANES : 1), limit = region->bytes;
    uint64_t first = lie->first - region->start, second = lie->second - region->start;

    if (region->written || region->lane_bytes || reach > limit || first > limit - reach ||
        second > limit - s->access.bytes * (unit ? LANES / 2 : 1) ||
        ((first | second) & (s->access.align - 1)))
        return false;
    lie->first = (uint64_t)(uintptr_t)region->memory + first;
    lie->second = (uint64_t)(uintptr_t)region->memory + second;
    return true;
}

static enum access_result region_access(struct execute_warp *w, const struct execute_op *op,
                                        const struct region *region, uint32_t mask)
{
    const struct site *s = &w->sites[op->extra];
    struct lie lie;
    uint64_t own[LANES];

    if (s->access.kind >= EXECUTE_ATOMIC || !find_lie(w, s, mask, &lie) ||
        !lie_inside(region, s, &lie)) {
        const uint64_t *address = addresses(w, s, own);

        for (uint32_t left = mask; left; left &= left - 1) {
            unsigned l = (unsigned)__builtin_ctz(left);
            uint64_t offset = address[l] - region->start;

            if (!lane_allowed(w, region, s, l, offset))
                return ACCESS_FAULT;
            own[l] =
                (uint64_t)(uintptr_t)(region->memory + l * region->lane_bytes + offset);
        }
        lie.form = LIE_ANY;
        lie.address = own;
    }
    move_values(w, op, s, &lie, mask, false);
    return ACCESS_DONE;
}

/* Shared memory of several CTAs, one CTA after the other. */
static enum access_result cluster_access(struct execute_warp *w,
                                         const struct execute_op *op, uint64_t window,
                                         uint32_t mask)
{
    const struct site *s = &w->sites[op->extra];
    enum access_result result = ACCESS_DONE;
    uint64_t own[LANES];
    const uint64_t *address = addresses(w, s, own);
    struct region region;

    while (mask && result == ACCESS_DONE) {
        unsigned first = (unsigned)__builtin_ctz(mask);
        uint32_t same = 0;

        for (unsigned l = first; l < LANES; l++)
            same |= (uint32_t)((address[l] ^ address[first]) >> CLUSTER_SHIFT == 0) << l;
        same &= mask;
        if (!cluster_region(w, s, first, address[first], window, &region))
            return ACCESS_FAULT;
        result = region_access(w, op, &region, same);
        mask &= ~same;
    }
    return result;
}

/* `window`: start of shared memory in the address space. */
static __attribute__((noinline)) enum access_result shared_slowly(
    struct execute_warp *w, const struct execute_op *op, uint64_t window, uint32_t mask)
{
    const struct region region = shared_region(w, window);
    const struct site *s = &w->sites[op->extra];
    const struct execute_host *host = w->grid->launch.host;
    const enum access_result result = w->grid->kernel->maps
                                          ? cluster_access(w, op, window, mask)
                                          : region_access(w, op, &region, mask);

    if (host->shared && s->is_strong && s->access.kind >= EXECUTE_ATOMIC)
        host->shared(host->context, w, s->access.order);
    return result;
}

/* One word per lane of a full warp with a regular address pattern: the most frequent access
   of tiled kernels. */
static inline bool shared_words(struct execute_warp *w, const struct site *s)
{
    struct spread *spread = op_register(&w->registers, s->spread);

    if (s->fresh)
        spread_find(spread, op_register(&w->registers, s->base), s->base_bytes);
    uint64_t first = spread->first + (uint64_t)s->offset;
    uint64_t second = spread->second + (uint64_t)s->offset,
             limit = w->word_limits[spread->words];

    if (first >= limit || second >= limit || ((first | second) & 3))
        return false;
    if (s->access.kind == EXECUTE_LOAD)
        load_halves(op_register(&w->registers, s->value[0]), w->shared + first,
                    w->shared + second, spread->words);
    else
        store_halves(op_register(&w->registers, s->value[0]), w->shared + first,
                     w->shared + second, spread->words);
    return true;
}

static inline enum access_result memory_shared(struct execute_warp *w,
                                               const struct execute_op *op, uint32_t mask)
{
    const struct site *s = &w->sites[op->extra];

    if (mask == ~0u && s->is_word && shared_words(w, s))
        return ACCESS_DONE;
    return shared_slowly(w, op, 0, mask);
}

static enum execute_shape shape_of(const struct lie *lie, const uint64_t *address,
                                   uint32_t mask)
{
    static const enum execute_shape shapes[] = {[LIE_UNIT] = EXECUTE_UNIT,
                                                [LIE_EQUAL] = EXECUTE_EQUAL,
                                                [LIE_UNIT_HALVES] = EXECUTE_HALVES,
                                                [LIE_EQUAL_HALVES] = EXECUTE_SCATTERED};
    uint64_t first;
    bool is_equal = true;

    if (lie->form != LIE_ANY)
        return shapes[lie->form];
    first = address[__builtin_ctz(mask)];
    for (uint32_t left = mask & (mask - 1); left && is_equal; left &= left - 1)
        is_equal = address[__builtin_ctz(left)] == first;
    return is_equal ? EXECUTE_EQUAL : EXECUTE_SCATTERED;
}

static enum access_result memory_global(struct execute_warp *w, const struct execute_op *op,
                                        uint32_t mask)
{
    const struct site *s = &w->sites[op->extra];
    const struct execute_host *host = w->grid->launch.host;
    struct execute_access access = s->access;
    uint64_t own[LANES];
    struct lie lie;

    if (s->is_strong && !w->is_armed)
        return ACCESS_STRONG;
    w->is_armed = false;
    find_lie(w, s, mask, &lie);
    lie.address = access.address = addresses(w, s, own);
    access.mask = mask;
    access.shape = shape_of(&lie, access.address, mask);
    enum execute_verdict verdict = host->access(host->context, w, &access);

    if (verdict == EXECUTE_GO) {
        if (s->is_word && lie.form == LIE_UNIT)
            move_line(w, s, lie.first);
        else
            move_values(w, op, s, &lie, mask, true);
        return ACCESS_DONE;
    }
    if (verdict == EXECUTE_DONE)
        return ACCESS_DONE;
    if (verdict != EXECUTE_FAULT)
        verdict = access_remote(w, op, s, &access);
    if (verdict == EXECUTE_FAULT)
        return access_refused(w, &access);
    if (verdict != EXECUTE_WAIT)
        w->remote = 0;
    return w->remote ? ACCESS_REMOTE : ACCESS_DONE;
}

static enum access_result memory_generic(struct execute_warp *w,
                                         const struct execute_op *op, uint32_t mask)
{
    const struct site *s = &w->sites[op->extra];
    uint64_t own[LANES];
    const uint64_t *address = addresses(w, s, own);
    uint32_t shared = 0, local = 0;

    for (unsigned l = 0; l < LANES; l++) {
        uint64_t a = address[l];

        shared |= (uint32_t)(a >= EXECUTE_SHARED_WINDOW && a < EXECUTE_LOCAL_WINDOW) << l;
        local |= (uint32_t)(a >= EXECUTE_LOCAL_WINDOW && a < EXECUTE_WINDOWS_END) << l;
    }
    shared &= mask;
    local &= mask;
    uint32_t global = mask & ~shared & ~local;

    if (global && s->is_strong && !w->is_armed)
        return ACCESS_STRONG;
    const struct region thread = thread_region(w, EXECUTE_LOCAL_WINDOW);

    if ((shared && shared_slowly(w, op, EXECUTE_SHARED_WINDOW, shared) != ACCESS_DONE) ||
        (local && region_access(w, op, &thread, local) != ACCESS_DONE))
        return ACCESS_FAULT;
    return global ? memory_global(w, op, global) : ACCESS_DONE;
}

static enum access_result memory_other(struct execute_warp *w, const struct execute_op *op,
                                       uint32_t mask)
{
    const struct execute_grid *g = w->grid;
    struct region region = thread_region(w, 0);

    if (op->code == CODE_GENERIC)
        return memory_generic(w, op, mask);
    if (op->code == CODE_CONSTANT)
        region = (struct region){"constant",
                                 g->launch.variables,
                                 g->kernel->program->bytes,
                                 (unsigned char *)(uintptr_t)g->launch.variables,
                                 NULL,
                                 0,
                                 0};
    else if (op->code == CODE_PARAMETER)
        region = (struct region){"parameter",
                                 0,
                                 g->kernel->info.parameter_bytes,
                                 g->launch_file + LAUNCH_SPECIALS,
                                 NULL,
                                 0,
                                 0};
    return region_access(w, op, &region, mask);
}
