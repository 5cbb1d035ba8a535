/* SPDX-License-Identifier: Apache-2.0 */
#include "execute/run/run_region.h"

#include <string.h>

static const char *const deeds[] = {"load", "store", "atomic", "reduction"};

/* True if a byte that the load uses was never stored. */
static bool is_unwritten(const unsigned char *written, const struct execute_access *a)
{
    if (!a->ignored)
        return memchr(written, 0, a->bytes);
    for (unsigned i = 0; i < a->bytes; i++)
        if (!written[i] && !(a->ignored >> i & 1))
            return true;
    return false;
}

bool lane_allowed(struct execute_warp *w, const struct region *region, const struct site *s,
                  unsigned lane, uint64_t offset)
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

    if (s->access.kind != EXECUTE_STORE && is_unwritten(written, &s->access)) {
        warp_fault(w, s->access.line, lane,
                   "%s of %u bytes at offset %llu of %s memory, where nothing was stored",
                   deeds[s->access.kind], bytes, (unsigned long long)offset, region->name);
        return false;
    }
    if (s->access.kind != EXECUTE_LOAD)
        memset(written, region->mark, bytes);
    return true;
}

enum access_result access_refused(struct execute_warp *w, const struct execute_access *a)
{
    warp_fault(w, a->line, (unsigned)__builtin_ctz(a->mask),
               "%s of %u bytes at address 0x%llx was refused", deeds[a->kind], a->bytes,
               (unsigned long long)a->address[__builtin_ctz(a->mask)]);
    return ACCESS_FAULT;
}

void memory_copy(struct execute_warp *w, const struct execute_op *op, uint32_t mask)
{
    for (; mask; mask &= mask - 1) {
        size_t lane = (size_t)__builtin_ctz(mask) * w->grid->thread_bytes;

        memcpy(w->thread_memory + lane + op->to, w->thread_memory + lane + op->from[0],
               op->extra);
        if (w->thread_written)
            memcpy(w->thread_written + lane + op->to,
                   w->thread_written + lane + op->from[0], op->extra);
    }
}

static bool read_global(struct execute_warp *w, uint32_t line, unsigned lane,
                        uint64_t address, unsigned bytes, void *out)
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
    access_refused(w, &a);
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
