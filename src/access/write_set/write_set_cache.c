/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "access/slice/write_set_slice.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"

/* The capacity covers the launch shapes of a network with many layers, unless their results
   are large. */
enum { CAPACITY_DEFAULT = 64, NEWEST = 16, ROWS_MOST = 1 << 20 };

/* Two independent hashes exclude collisions in practice. */
struct key {
    uint64_t hash[2];
};

struct write_set_cache_entry {
    struct key key;
    uint64_t used; /* last use, by the cache's clock */
    struct write_set *set;
    struct proact_error refusal; /* if there is no set */
    uint64_t rows;
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

/* Adds the parameter bytes that the slice reads; the slice fixes the size of the buffer. */
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

/* Adds a constant if the slice names it. */
static void add_constant(struct key *k, const struct write_set_slice *s,
                         const struct write_set_constant *c)
{
    size_t offset, bytes;

    if (!execute_variable(s->program, c->name, &offset, &bytes))
        return;
    add_text(k, c->name);
    add(k, c->content, c->bytes < bytes ? c->bytes : bytes);
}

/* The hash of the slice has the kernel's name, which has thousands of letters in a template
   instance. */
static struct key key_of(const struct write_set_slice *s, const struct write_set_launch *l)
{
    struct key k = {{s->hash[0], s->hash[1]}};
    uint64_t sizes[] = {l->parameter_bytes, l->array_count,          l->pointer_count,
                        l->limit,           l->dynamic_shared_bytes, l->is_sliced};

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
        uint64_t pointer[] = {l->pointers[n].parameter_offset, l->pointers[n].array,
                              l->pointers[n].byte};

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

static void drop(struct write_set_cache *c, struct write_set_cache_entry *e)
{
    write_set_destroy(e->set);
    *e = c->entries[--c->count];
}

static uint64_t rows_of(const struct write_set *w)
{
    uint64_t rows = 0;

    for (uint32_t n = 0; w && n < w->array_count; n++)
        rows += w->arrays[n].runs.row_count;
    return rows;
}

static struct write_set_cache_entry *keep(struct write_set_cache *c, struct key k,
                                          struct write_set *set,
                                          const struct proact_error *refusal)
{
    const uint32_t capacity = c->capacity ? c->capacity : CAPACITY_DEFAULT;
    struct write_set_cache_entry *e;
    uint64_t rows = rows_of(set);

    if (!c->entries)
        c->entries = must_calloc(capacity, sizeof *c->entries);
    for (uint32_t n = 0; n < c->count; n++)
        rows += c->entries[n].rows;
    while (c->count == capacity || (c->count >= NEWEST && rows > ROWS_MOST)) {
        e = oldest(c);
        rows -= e->rows;
        drop(c, e);
    }
    e = &c->entries[c->count++];
    *e = (struct write_set_cache_entry){.key = k, .used = ++c->clock, .set = set};
    e->refusal = *refusal;
    e->rows = rows_of(set);
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

static struct write_set_cache_entry *find(struct write_set_cache *cache,
                                          const struct key *k)
{
    for (uint32_t n = 0; n < cache->count; n++)
        if (!memcmp(&cache->entries[n].key, k, sizeof *k)) {
            cache->entries[n].used = ++cache->clock;
            return &cache->entries[n];
        }
    return NULL;
}

static enum proact_status cached(struct write_set_cache *cache,
                                 const struct write_set_slice *s,
                                 const struct write_set_launch *launch,
                                 const struct write_set **out, struct proact_error *err)
{
    const struct key k = key_of(s, launch);
    const struct write_set_cache_entry *e = find(cache, &k);
    struct write_set *set = NULL;
    struct proact_error refusal = {""};

    if (e) {
        cache->hits++;
        return take(e, out, err);
    }
    enum proact_status status = write_set_run(s, launch, &set, &refusal);

    if (status && status != PROACT_EREFUSED)
        return fail(err, status, "%s", refusal.text);
    cache->misses++;
    return take(keep(cache, k, set, &refusal), out, err);
}

/* The launch with arrays at unspecified addresses and without names; addresses in the
   parameters are cleared. */
struct moved {
    struct write_set_launch launch;
    struct write_set_array *arrays;
    unsigned char *parameters;
};

static bool move(struct moved *m, const struct write_set_slice *s,
                 const struct write_set_launch *l)
{
    uint32_t *offsets = must_calloc(l->pointer_count + 1u, sizeof *offsets);
    bool moves = l->pointer_count != 0;

    for (uint32_t n = 0; n < l->pointer_count; n++) {
        offsets[n] = l->pointers[n].parameter_offset;
        moves &= offsets[n] + sizeof(uint64_t) <= l->parameter_bytes;
    }
    for (uint32_t n = 0; n < l->array_count; n++)
        moves &= l->arrays[n].address != 0;
    moves = moves && write_set_moves_all(&s->moves, offsets, l->pointer_count);
    free(offsets);
    if (!moves)
        return false;
    m->launch = *l;
    m->arrays = must_calloc(l->array_count + 1u, sizeof *m->arrays);
    m->parameters = must_calloc(l->parameter_bytes + 1u, 1);
    memcpy(m->parameters, l->parameters, l->parameter_bytes);
    for (uint32_t n = 0; n < l->array_count; n++)
        m->arrays[n].bytes = l->arrays[n].bytes;
    for (uint32_t n = 0; n < l->pointer_count; n++)
        memset(m->parameters + l->pointers[n].parameter_offset, 0, sizeof(uint64_t));
    m->launch.arrays = m->arrays;
    m->launch.parameters = m->parameters;
    return true;
}

/* Sets the array names of the result to those of the launch. */
static void rename_arrays(struct write_set *w, const struct write_set_launch *l)
{
    bool differ = false;

    for (uint32_t n = 0; n < l->array_count; n++) {
        const char *name = l->arrays[n].name ? l->arrays[n].name : "";

        if (!strcmp(w->arrays[n].name, name))
            continue;
        free((char *)w->arrays[n].name);
        w->arrays[n].name = must_strdup(name);
        differ = true;
    }
    if (differ && w->parted->status) /* its message has old names */
        w->parted->count = 0;
}

/* Looks up the launch with moved arrays. False if stores leave their array: the content of
   memory there matters, and the arrays must not move. The cache stores this fact too. */
static bool find_moved(struct write_set_cache *cache, const struct write_set_slice *s,
                       const struct write_set_launch *launch,
                       struct write_set_cache_entry **out)
{
    const struct key k = key_of(s, launch);
    struct proact_error refusal = {""};
    struct write_set *set = NULL;

    *out = find(cache, &k);
    if (*out) {
        cache->hits += (*out)->set || (*out)->refusal.text[0];
        return (*out)->set || (*out)->refusal.text[0];
    }
    const enum proact_status status = write_set_run(s, launch, &set, &refusal);

    if (status != PROACT_EREFUSED)
        refusal.text[0] = '\0';
    if (set && set->is_cut_short) {
        write_set_destroy(set);
        set = NULL;
    }
    cache->misses += set || refusal.text[0];
    *out = keep(cache, k, set, &refusal);
    return set || refusal.text[0];
}

enum proact_status write_set_cached(struct write_set_cache *cache,
                                    const struct write_set_slice *s,
                                    const struct write_set_launch *launch,
                                    const struct write_set **out, struct proact_error *err)
{
    struct write_set_cache_entry *e = NULL;
    struct moved m;

    if (!move(&m, s, launch))
        return cached(cache, s, launch, out, err);
    const bool moves = find_moved(cache, s, &m.launch, &e);

    free(m.arrays);
    free(m.parameters);
    if (!moves)
        return cached(cache, s, launch, out, err);
    if (e->set)
        rename_arrays(e->set, launch);
    return take(e, out, err);
}

void write_set_cache_clear(struct write_set_cache *cache)
{
    for (uint32_t n = 0; n < cache->count; n++)
        write_set_destroy(cache->entries[n].set);
    free(cache->entries);
    *cache = (struct write_set_cache){.capacity = cache->capacity};
}
