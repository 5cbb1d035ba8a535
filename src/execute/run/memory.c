/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses: where the lanes' addresses lead, whether they may, and who does it. */
#include "execute/run/memory.h"

#include <string.h>

#include "execute/run/convert.h"

/* Thread, shared, parameter and constant memory: addresses from `start` on. */
struct region {
    const char *name;
    uint64_t start, bytes;
    unsigned char *memory, *written; /* written: NULL where that is not checked */
    uint64_t lane_bytes;             /* each lane has its own, so far apart */
};

/* How the lanes of a full warp lie, where that helps: found here, or with the register. */
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
        (spread->stride != 0 && spread->stride != (int64_t)s->access.bytes))
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

/* All 32 addresses; those of a register that needs no change are the register's own. */
static const uint64_t *addresses(struct execute_warp *w, const struct site *s, uint64_t *own)
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

/* Whether the whole of a lie is inside and aligned; then it becomes pointers. */
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

static const char *const deeds[] = {"load", "store", "atomic", "reduction"};

static bool lane_allowed(struct execute_warp *w, const struct region *region,
                         const struct site *s, unsigned lane, uint64_t offset)
{
    unsigned bytes = s->access.bytes;

    if (region->bytes < bytes || offset > region->bytes - bytes) {
        warp_fault(w, s->access.line, lane,
                   "%s of %u bytes at offset %lld of %s memory, which has %llu",
                   deeds[s->access.kind], bytes, (long long)offset, region->name,
                   (unsigned long long)region->bytes);
        return false;
    }
    if (offset & (s->access.align - 1)) {
        warp_fault(w, s->access.line, lane,
                   "%s of %u bytes at offset %llu of %s memory, which is no multiple of %u",
                   deeds[s->access.kind], bytes, (unsigned long long)offset, region->name,
                   s->access.align);
        return false;
    }
    if (!region->written)
        return true;
    unsigned char *written = region->written + lane * region->lane_bytes + offset;

    if (s->access.kind != EXECUTE_STORE && memchr(written, 0, bytes)) {
        warp_fault(w, s->access.line, lane,
                   "%s of %u bytes at offset %llu of %s memory, where nothing was stored",
                   deeds[s->access.kind], bytes, (unsigned long long)offset, region->name);
        return false;
    }
    if (s->access.kind != EXECUTE_LOAD)
        memset(written, 1, bytes);
    return true;
}

static enum access_result region_access(struct execute_warp *w, const struct execute_op *op,
                                        const struct region *region, uint32_t mask)
{
    const struct site *s = &w->grid->kernel->sites[op->extra];
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

static struct region shared_region(const struct execute_warp *w, uint64_t start)
{
    return (struct region){"shared", start, w->grid->shared_bytes, w->cta->shared,
                           w->cta->shared_written, 0};
}

enum access_result memory_shared(struct execute_warp *w, const struct execute_op *op,
                                 uint32_t mask)
{
    const struct region region = shared_region(w, 0);

    return region_access(w, op, &region, mask);
}

static struct region thread_region(const struct execute_warp *w, uint64_t start)
{
    return (struct region){"local",           start,
                           w->grid->thread_bytes, w->thread_memory,
                           w->thread_written, w->grid->thread_bytes};
}

static enum execute_shape shape_of(const struct lie *lie, const uint64_t *address, uint32_t mask)
{
    uint64_t first;
    bool is_equal = true;

    if (lie->form != LIE_ANY)
        return lie->form == LIE_UNIT    ? EXECUTE_UNIT
               : lie->form == LIE_EQUAL ? EXECUTE_EQUAL
                                        : EXECUTE_SCATTERED;
    first = address[__builtin_ctz(mask)];
    for (uint32_t left = mask & (mask - 1); left && is_equal; left &= left - 1)
        is_equal = address[__builtin_ctz(left)] == first;
    return is_equal ? EXECUTE_EQUAL : EXECUTE_SCATTERED;
}

/* The host takes over: what is stored goes with it. */
static enum execute_verdict ask_remote(struct execute_warp *w, const struct execute_op *op,
                                       const struct site *s, const struct execute_access *a)
{
    const struct execute_host *host = w->grid->launch.host;
    unsigned char operands[2 * LANES * 32];

    pack_operands(w, s, a->mask, operands);
    w->remote = a->mask;
    w->remote_op = op;
    return host->remote(host->context, w, a, op, a->kind == EXECUTE_LOAD ? NULL : operands);
}

static enum access_result refused(struct execute_warp *w, const struct execute_access *a)
{
    warp_fault(w, a->line, (unsigned)__builtin_ctz(a->mask),
               "%s of %u bytes at address 0x%llx was refused", deeds[a->kind], a->bytes,
               (unsigned long long)a->address[__builtin_ctz(a->mask)]);
    return ACCESS_FAULT;
}

enum access_result memory_global(struct execute_warp *w, const struct execute_op *op,
                                 uint32_t mask)
{
    const struct site *s = &w->grid->kernel->sites[op->extra];
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
        move_values(w, op, s, &lie, mask, true);
        return ACCESS_DONE;
    }
    if (verdict != EXECUTE_FAULT)
        verdict = ask_remote(w, op, s, &access);
    if (verdict == EXECUTE_FAULT)
        return refused(w, &access);
    if (verdict != EXECUTE_WAIT)
        w->remote = 0;
    return w->remote ? ACCESS_REMOTE : ACCESS_DONE;
}

static enum access_result memory_generic(struct execute_warp *w, const struct execute_op *op,
                                         uint32_t mask)
{
    const struct site *s = &w->grid->kernel->sites[op->extra];
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
    const struct region cta = shared_region(w, EXECUTE_SHARED_WINDOW);
    const struct region thread = thread_region(w, EXECUTE_LOCAL_WINDOW);

    if ((shared && region_access(w, op, &cta, shared) != ACCESS_DONE) ||
        (local && region_access(w, op, &thread, local) != ACCESS_DONE))
        return ACCESS_FAULT;
    return global ? memory_global(w, op, global) : ACCESS_DONE;
}

enum access_result memory_other(struct execute_warp *w, const struct execute_op *op,
                                uint32_t mask)
{
    const struct execute_grid *g = w->grid;
    struct region region = thread_region(w, 0);

    if (op->code == CODE_GENERIC)
        return memory_generic(w, op, mask);
    if (op->code == CODE_CONSTANT)
        region = (struct region){"constant", g->launch.variables,
                                 g->kernel->program->bytes,
                                 (unsigned char *)(uintptr_t)g->launch.variables, NULL, 0};
    else if (op->code == CODE_PARAMETER)
        region = (struct region){"parameter", 0, g->kernel->info.parameter_bytes,
                                 g->launch_file + LAUNCH_SPECIALS, NULL, 0};
    return region_access(w, op, &region, mask);
}

void memory_copy(struct execute_warp *w, const struct execute_op *op, uint32_t mask)
{
    for (; mask; mask &= mask - 1) {
        size_t lane = (size_t)__builtin_ctz(mask) * w->grid->thread_bytes;

        memcpy(w->thread_memory + lane + op->to, w->thread_memory + lane + op->from[0],
               op->extra);
        if (w->thread_written)
            memcpy(w->thread_written + lane + op->to, w->thread_written + lane + op->from[0],
                   op->extra);
    }
}

static bool read_global(struct execute_warp *w, uint32_t line, unsigned lane, uint64_t address,
                        unsigned bytes, void *out)
{
    const struct execute_launch *launch = &w->grid->launch;
    uint64_t all[LANES] = {0};
    struct execute_access a = {.kind = EXECUTE_LOAD,
                               .scope = EXECUTE_GPU,
                               .shape = EXECUTE_EQUAL,
                               .mask = 1u << lane,
                               .bytes = bytes,
                               .align = 1,
                               .line = line,
                               .address = all};

    all[lane] = address;
    if (address - launch->variables < w->grid->kernel->program->bytes ||
        launch->host->access(launch->host->context, w, &a) == EXECUTE_GO) {
        memcpy(out, (const void *)(uintptr_t)address, bytes);
        return true;
    }
    refused(w, &a);
    return false;
}

bool memory_read(struct execute_warp *w, uint32_t line, unsigned lane, uint64_t address,
                 unsigned bytes, void *out)
{
    bool is_local = address >= EXECUTE_LOCAL_WINDOW;
    struct region region = is_local ? thread_region(w, EXECUTE_LOCAL_WINDOW)
                                    : shared_region(w, EXECUTE_SHARED_WINDOW);
    const struct site s = {.access = {.line = line, .bytes = bytes, .align = 1}};

    if (address >= EXECUTE_WINDOWS_END || address < EXECUTE_SHARED_WINDOW)
        return read_global(w, line, lane, address, bytes, out);
    region.written = NULL;
    if (!lane_allowed(w, &region, &s, lane, address - region.start))
        return false;
    memcpy(out, region.memory + lane * region.lane_bytes + (address - region.start), bytes);
    return true;
}
