/* SPDX-License-Identifier: Apache-2.0 */
/* Locations: allocations, replicas, and lines of kernels. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "device/emulator/check/check_inside.h"

const struct check_range *check_extent_of(const struct check *c, uint64_t address)
{
    return check_range_find(&c->extents, address);
}

void check_allocated(struct check *c, uint64_t address, uint64_t bytes)
{
    check_range_add(&c->extents, &(struct check_range){.address = address, .bytes = bytes});
    check_shadow_clear(c->shadow, address, bytes);
}

void check_freed(struct check *c, uint64_t address, uint64_t bytes)
{
    const struct check_range *e = check_extent_of(c, address);

    if (e)
        check_range_remove(&c->extents, e->address);
    check_shadow_clear(c->shadow, address, bytes);
}

/* Entry of a table by hash; `key` counts on where hashes of different entries are equal. */
static void *entry_find(const struct check_ranges *table, uint64_t *key,
                        bool (*is_meant)(const void *entry, const void *wanted),
                        const void *wanted)
{
    for (;; ++*key) {
        const struct check_range *r = check_range_find(table, *key);

        if (!r || is_meant(r->subject, wanted))
            return r ? r->subject : NULL;
    }
}

static void entry_add(struct check_ranges *table, uint64_t key, void *entry)
{
    check_range_add(table,
                    &(struct check_range){.address = key, .bytes = 1, .subject = entry});
}

static bool replicas_have_name(const void *replicas, const void *name)
{
    const struct replicas *r = replicas;

    return !strcmp(r->name, name);
}

static void replicas_drop(struct check *c, struct replicas *r, uint64_t key)
{
    for (unsigned d = 0; d < c->device_count; d++) {
        const struct check_range *range = check_range_find(&c->places, r->base[d]);

        if (r->base[d] && range && range->subject == r)
            check_range_remove(&c->places, range->address);
    }
    check_range_remove(&c->names, key);
    free(r->name);
    free(r);
}

void check_replicas(struct check *c, const struct device_replicas *replicas)
{
    uint64_t key = hash_text(replicas->name, 0);
    struct replicas *r = entry_find(&c->names, &key, replicas_have_name, replicas->name);
    bool declares = false;

    if (r)
        replicas_drop(c, r, key);
    for (unsigned d = 0; d < c->device_count; d++)
        declares |= replicas->base[d] != 0;
    if (!declares)
        return;
    r = must_calloc(1, sizeof *r);
    *r = (struct replicas){.name = must_strdup(replicas->name), .bytes = replicas->bytes};
    entry_add(&c->names, key, r);
    for (unsigned d = 0; d < c->device_count; d++) {
        r->base[d] = replicas->base[d];
        if (r->base[d] && !check_range_find(&c->places, r->base[d]))
            check_range_add(&c->places, &(struct check_range){.address = r->base[d],
                                                              .bytes = r->bytes,
                                                              .subject = r,
                                                              .device = d});
    }
}

bool check_replica_of(const struct check *c, uint64_t address, struct replica_place *out)
{
    const struct check_range *r = check_range_find(&c->places, address);

    if (r)
        *out = (struct replica_place){
            .array = r->subject, .device = r->device, .offset = address - r->address};
    return r != NULL;
}

uint64_t check_stores(const struct check *c, uint64_t address)
{
    struct replica_place r;

    return check_replica_of(c, address, &r) ? r.array->stores : 0;
}

/* A store's site, to find its number. */
struct site_key {
    const struct check *check;
    const struct check_where *where;
    unsigned device;
};

static bool site_is_at(const void *number, const void *key)
{
    const struct site_key *k = key;
    const struct site *s = &k->check->sites[(uintptr_t)number];

    return s->line == k->where->line && s->device == k->device &&
           !strcmp(s->kernel, k->where->kernel);
}

static uint32_t site_find(struct check *c, const struct site_key *k)
{
    uint64_t key =
        hash_text(k->where->kernel, hash_mix((uint64_t)k->where->line << 8 | k->device));
    const uintptr_t number = (uintptr_t)entry_find(&c->site_numbers, &key, site_is_at, k);

    if (number)
        return (uint32_t)number;
    c->site_count += !c->site_count; /* 0: unknown */
    c->sites = must_grow(c->sites, c->site_count, &c->site_capacity, sizeof *c->sites);
    c->sites[0] = (struct site){0};
    entry_add(&c->site_numbers, key, (void *)(uintptr_t)c->site_count);
    c->sites[c->site_count] = (struct site){.kernel = must_strdup(k->where->kernel),
                                            .line = k->where->line,
                                            .device = k->device};
    return (uint32_t)c->site_count++;
}

uint32_t check_site(struct check *c, const struct check_where *where, unsigned device)
{
    const struct site_key key = {c, where, device};

    if (!where || !where->kernel)
        return 0;
    uint32_t *cached = &c->site_cache[(where->line * 31 + device) % SITES_CACHED];

    if (!*cached || !site_is_at((void *)(uintptr_t)*cached, &key))
        *cached = site_find(c, &key);
    return *cached;
}

void check_forget_places(struct check *c)
{
    for (size_t i = 1; i < c->site_count; i++)
        free(c->sites[i].kernel);
    free(c->sites);
    for (struct check_range *r; (r = c->names.root);)
        replicas_drop(c, r->subject, r->address);
    check_ranges_clear(&c->extents);
    check_ranges_clear(&c->site_numbers);
}
