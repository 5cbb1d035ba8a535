/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/validity/transition_cache.h"

#include <stdlib.h>

#include "base/memory.h"
#include "runtime/objects/array.h"
#include "runtime/validity/missing.h"

enum {
    WORTH = 128,          /* map entries plus ranges */
    VALUES_MAX = 128,     /* cached maps of one array */
    PIECES_MAX = 1 << 20, /* entries of all cached maps; above the limit the cache is
                             cleared */
    STEPS_MAX = 1024,
    PAUSE = 1024 /* skipped lookups after a clear, if few transitions were found */
};

struct transition {
    struct transition *next; /* with the same source map */
    struct transition_key key;
    struct missing_ranges missing_ranges;
    const struct cached_map *to;
};

struct cached_map {
    struct interned_map is;
    struct transition *steps;
};

struct transition_cache {
    struct cached_map *value[VALUES_MAX];
    unsigned count;
    size_t pieces, steps;
    struct cached_map *from; /* source map of the transition in progress */
    uint64_t found, made;    /* since the last clear */
    unsigned pause;
};

/* `is` is the first member of cached_map, so the two addresses are equal. */
static struct cached_map *transition_map_now(const struct proact_array *a)
{
    return (struct cached_map *)(uintptr_t)a->validity_map.value;
}

static void transition_drop_all(struct cached_map *v)
{
    for (struct transition *s = v->steps, *next; s; s = next) {
        next = s->next;
        missing_clear(&s->missing_ranges);
        free(s);
    }
}

static void forget(struct proact_array *a)
{
    struct transition_cache *of = a->steps;
    struct validity_map own = {0};

    if (a->validity_map.value) {
        validity_copy(&own, &a->validity_map);
        a->validity_map = own;
    }
    for (unsigned n = 0; n < of->count; n++) {
        transition_drop_all(of->value[n]);
        free(of->value[n]->is.piece);
        free(of->value[n]);
    }
    *of = (struct transition_cache){.pause = of->found < of->made ? PAUSE : 0};
}

bool transitions_are_worthwhile(struct proact_array *a, size_t stretches)
{
    if (a->steps && a->steps->pause) {
        a->steps->pause--;
        return false;
    }
    return a->validity_map.count + stretches >= WORTH;
}

/* Cached map with the given digest; NULL: none. Another transition may have created it. */
static struct cached_map *find_value(struct proact_array *a, uint64_t digest)
{
    struct transition_cache *of = a->steps;

    if (a->validity_map.value)
        return transition_map_now(a);
    for (unsigned n = 0; n < of->count; n++)
        if (of->value[n]->is.digest == digest &&
            validity_equals_interned(&a->validity_map, &of->value[n]->is)) {
            validity_take_interned(&a->validity_map, &of->value[n]->is);
            return of->value[n];
        }
    return NULL;
}

static uint64_t digest_of(const struct proact_array *a)
{
    return a->validity_map.value ? a->validity_map.value->digest
                                 : validity_digest(&a->validity_map);
}

const struct transition *transition_find(struct proact_array *a, struct transition_key key)
{
    const struct cached_map *v = a->steps ? find_value(a, digest_of(a)) : NULL;
    const struct transition *s = v ? v->steps : NULL;

    while (s && (s->key.number != key.number || s->key.array != key.array))
        s = s->next;
    return s;
}

const struct missing_ranges *transition_missing(const struct transition *s)
{
    return &s->missing_ranges;
}

void transition_apply(struct proact_array *a, const struct transition *s)
{
    a->steps->found++;
    validity_take_interned(&a->validity_map, &s->to->is);
}

/* Cached copy of the current map, created if necessary. */
static struct cached_map *keep(struct proact_array *a)
{
    struct transition_cache *of = a->steps;
    const uint64_t digest = digest_of(a);
    struct cached_map *v = find_value(a, digest);

    if (v)
        return v;
    v = must_calloc(1, sizeof *v);
    validity_intern(&a->validity_map, digest, &v->is);
    of->value[of->count++] = v;
    of->pieces += v->is.count;
    return v;
}

/* Ensures space for two more maps: the source and the result. */
void transition_begin(struct proact_array *a)
{
    if (!a->steps)
        a->steps = must_calloc(1, sizeof *a->steps);
    if (a->steps->count + 2 > VALUES_MAX || a->steps->pieces > PIECES_MAX ||
        a->steps->steps == STEPS_MAX)
        forget(a);
    a->steps->from = keep(a);
}

void transition_end(struct proact_array *a, struct transition_key key,
                    struct missing_ranges *take_missing)
{
    struct transition_cache *of = a->steps;
    struct transition *s = must_calloc(1, sizeof *s);

    *s = (struct transition){of->from->steps, key, *take_missing, keep(a)};
    *take_missing = (struct missing_ranges){0};
    of->from->steps = s;
    of->steps++;
    of->made++;
}

void transition_cache_destroy(struct proact_array *a)
{
    if (a->steps)
        forget(a);
    free(a->steps);
    a->steps = NULL;
}
