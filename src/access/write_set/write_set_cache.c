/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "access/write_set/write_set_slice.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"

enum { CAPACITY_DEFAULT = 16 };

/* Two hashes, so that no two launches are ever taken for one. */
struct key {
    uint64_t hash[2];
};

struct write_set_cache_entry {
    struct key key;
    uint64_t used; /* when, by the cache's clock */
    struct write_set *set;
    struct proact_error refusal; /* where there is none */
};

static void add(struct key *k, const void *data, size_t bytes)
{
    for (unsigned n = 0; n < 2; n++)
        k->hash[n] = hash_bytes(data, bytes, hash_mix(k->hash[n] + n + 1));
}

static void add_text(struct key *k, const char *text)
{
    add(k, text ? text : "", text ? strlen(text) + 1 : 0);
}

/* Only what the slice reads of them; the block's size is known by the slice. */
static void add_parameters(struct key *k, const struct write_set_slice *s,
                           const struct write_set_launch *l)
{
    size_t most = execute_kernel_info(s->executable).parameter_bytes, from = 0;
    const unsigned char *block = l->parameters;

    if (l->parameter_bytes != most)
        return; /* write_set_run() refuses it */
    while (from < most) {
        size_t end = from;

        while (end < most && s->parameters[end])
            end++;
        add(k, block + from, end - from);
        from = end + 1;
    }
}

/* Only of those that the slice names. */
static void add_constant(struct key *k, const struct write_set_slice *s,
                         const struct write_set_constant *c)
{
    size_t offset, bytes;

    if (!execute_variable(s->program, c->name, &offset, &bytes))
        return;
    add_text(k, c->name);
    add(k, c->content, c->bytes < bytes ? c->bytes : bytes);
}

static struct key key_of(const struct write_set_slice *s, const struct write_set_launch *l)
{
    struct key k = {{s->hash[0], s->hash[1]}};
    uint64_t sizes[] = {l->parameter_bytes, l->array_count,          l->pointer_count,
                        l->limit,           l->dynamic_shared_bytes, l->is_sliced};

    add_text(&k, s->kernel);
    add(&k, l->grid, sizeof l->grid);
    add(&k, l->block, sizeof l->block);
    add(&k, sizes, sizeof sizes);
    add_parameters(&k, s, l);
    for (uint32_t n = 0; n < l->array_count; n++) {
        uint64_t place[] = {l->arrays[n].address, l->arrays[n].bytes};

        add(&k, place, sizeof place);
        add_text(&k, l->arrays[n].name);
    }
    for (uint32_t n = 0; n < l->pointer_count; n++) {
        uint32_t pointer[] = {l->pointers[n].parameter_offset, l->pointers[n].array};

        add(&k, pointer, sizeof pointer);
    }
    for (uint32_t n = 0; n < l->constant_count; n++)
        add_constant(&k, s, &l->constants[n]);
    return k;
}

static struct write_set_cache_entry *oldest(struct write_set_cache *c)
{
    struct write_set_cache_entry *best = &c->entries[0];

    for (uint32_t n = 1; n < c->count; n++)
        if (c->entries[n].used < best->used)
            best = &c->entries[n];
    return best;
}

static struct write_set_cache_entry *keep(struct write_set_cache *c, struct key k,
                                          struct write_set *set,
                                          const struct proact_error *refusal)
{
    uint32_t capacity = c->capacity ? c->capacity : CAPACITY_DEFAULT;
    struct write_set_cache_entry *e;

    if (!c->entries)
        c->entries = must_calloc(capacity, sizeof *c->entries);
    e = c->count < capacity ? &c->entries[c->count++] : oldest(c);
    write_set_destroy(e->set);
    *e = (struct write_set_cache_entry){.key = k, .used = ++c->clock, .set = set};
    e->refusal = *refusal;
    return e;
}

static enum proact_status take(const struct write_set_cache_entry *e,
                               const struct write_set **out, struct proact_error *err)
{
    if (!e->set)
        return fail(err, PROACT_EREFUSED, "%s", e->refusal.text);
    *out = e->set;
    return PROACT_OK;
}

enum proact_status write_set_cached(struct write_set_cache *cache,
                                    const struct write_set_slice *s,
                                    const struct write_set_launch *launch,
                                    const struct write_set **out, struct proact_error *err)
{
    struct key k = key_of(s, launch);
    struct write_set *set = NULL;
    struct proact_error refusal = {""};

    for (uint32_t n = 0; n < cache->count; n++)
        if (!memcmp(&cache->entries[n].key, &k, sizeof k)) {
            cache->entries[n].used = ++cache->clock;
            cache->hits++;
            return take(&cache->entries[n], out, err);
        }
    enum proact_status status = write_set_run(s, launch, &set, &refusal);

    if (status && status != PROACT_EREFUSED)
        return fail(err, status, "%s", refusal.text);
    cache->misses++;
    return take(keep(cache, k, set, &refusal), out, err);
}

void write_set_cache_clear(struct write_set_cache *cache)
{
    for (uint32_t n = 0; n < cache->count; n++)
        write_set_destroy(cache->entries[n].set);
    free(cache->entries);
    *cache = (struct write_set_cache){.capacity = cache->capacity};
}
