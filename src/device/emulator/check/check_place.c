/* SPDX-License-Identifier: Apache-2.0 */
/* Locations: allocations, replicas, and lines of kernels. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/emulator/check/check_inside.h"

/* Index of the first allocation that begins after `address`. */
static size_t extent_after(const struct check *c, uint64_t address)
{
    size_t low = 0, high = c->extent_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (c->extents[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct extent *check_extent_of(const struct check *c, uint64_t address)
{
    size_t after = extent_after(c, address);
    struct extent *e = after ? &c->extents[after - 1] : NULL;

    return e && address - e->address < e->bytes ? e : NULL;
}

void check_allocated(struct check *c, uint64_t address, uint64_t bytes)
{
    size_t at = extent_after(c, address);

    c->extents =
        must_grow(c->extents, c->extent_count, &c->extent_capacity, sizeof *c->extents);
    memmove(&c->extents[at + 1], &c->extents[at],
            (c->extent_count - at) * sizeof *c->extents);
    c->extents[at] = (struct extent){.address = address, .bytes = bytes};
    c->extent_count++;
    check_shadow_clear(c->shadow, address, bytes);
}

void check_freed(struct check *c, uint64_t address, uint64_t bytes)
{
    struct extent *e = check_extent_of(c, address);

    if (e) {
        size_t at = (size_t)(e - c->extents);

        memmove(e, e + 1, (--c->extent_count - at) * sizeof *e);
    }
    check_shadow_clear(c->shadow, address, bytes);
}

static void replica_drop(struct check *c, size_t at)
{
    free(c->replicas[at].name);
    c->replicas[at] = c->replicas[--c->replica_count];
}

void check_replicas(struct check *c, const struct device_replicas *replicas)
{
    bool declares = false;

    for (unsigned d = 0; d < c->device_count; d++)
        declares |= replicas->base[d] != 0;
    for (size_t i = c->replica_count; i-- > 0;)
        if (!strcmp(c->replicas[i].name, replicas->name))
            replica_drop(c, i);
    if (!declares)
        return;
    c->replicas =
        must_grow(c->replicas, c->replica_count, &c->replica_capacity, sizeof *c->replicas);
    struct replicas *r = &c->replicas[c->replica_count++];

    *r = (struct replicas){.name = must_strdup(replicas->name), .bytes = replicas->bytes};
    for (unsigned d = 0; d < c->device_count; d++)
        r->base[d] = replicas->base[d];
}

bool check_replica_of(const struct check *c, uint64_t address, struct replica_place *out)
{
    for (size_t i = 0; i < c->replica_count; i++)
        for (unsigned d = 0; d < c->device_count; d++) {
            const struct replicas *r = &c->replicas[i];

            if (!r->base[d] || address - r->base[d] >= r->bytes)
                continue;
            *out = (struct replica_place){
                .array = r, .device = d, .offset = address - r->base[d]};
            return true;
        }
    return false;
}

static bool site_is(const struct site *s, const struct check_where *where, unsigned device)
{
    return s->kernel && s->line == where->line && s->device == device &&
           !strcmp(s->kernel, where->kernel);
}

uint32_t check_site(struct check *c, const struct check_where *where, unsigned device)
{
    if (!where || !where->kernel)
        return 0;
    uint32_t *cached = &c->site_cache[(where->line * 31 + device) % SITES_CACHED];

    if (*cached && site_is(&c->sites[*cached], where, device))
        return *cached;
    size_t i = 1;

    while (i < c->site_count && !site_is(&c->sites[i], where, device))
        i++;
    if (i >= c->site_count) {
        c->site_count = i;
        c->sites = must_grow(c->sites, i, &c->site_capacity, sizeof *c->sites);
        c->sites[0] = (struct site){0};
        c->sites[c->site_count++] = (struct site){
            .kernel = must_strdup(where->kernel), .line = where->line, .device = device};
    }
    return *cached = (uint32_t)i;
}

void check_forget_places(struct check *c)
{
    for (size_t i = 1; i < c->site_count; i++)
        free(c->sites[i].kernel);
    free(c->sites);
    while (c->replica_count)
        replica_drop(c, 0);
    free(c->replicas);
    free(c->extents);
}
