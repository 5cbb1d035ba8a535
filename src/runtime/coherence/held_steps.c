/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/coherence/held_steps.h"

#include <stdlib.h>

#include "base/memory.h"

enum {
    WORTH = 128,          /* pieces and stretches */
    VALUES_MAX = 128,     /* of an array, */
    PIECES_MAX = 1 << 20, /* and in all of them; then all is forgotten, */
    STEPS_MAX = 1024,
    PAUSE = 1024 /* and where few came again, not looked for so many times */
};

struct held_step {
    struct held_step *next; /* from the same value */
    struct step_key key;
    struct missing_ranges missing_ranges;
    const struct held_value *to;
};

struct held_value {
    struct interned_map is;
    struct held_step *steps;
};

struct held_steps {
    struct held_value *value[VALUES_MAX];
    unsigned count;
    size_t pieces, steps;
    struct held_value *from; /* of the one that has begun */
    uint64_t found, made;    /* since all was forgotten */
    unsigned pause;
};

/* What is kept begins with what holdings know of it. */
static struct held_value *value_now(const struct proact_array *a)
{
    return (struct held_value *)(uintptr_t)a->validity_map.value;
}

static void drop_steps(struct held_value *v)
{
    for (struct held_step *s = v->steps, *next; s; s = next) {
        next = s->next;
        missing_clear(&s->missing_ranges);
        free(s);
    }
}

static void forget(struct proact_array *a)
{
    struct held_steps *of = a->steps;
    struct validity_map own = {0};

    if (a->validity_map.value) {
        validity_copy(&own, &a->validity_map);
        a->validity_map = own;
    }
    for (unsigned n = 0; n < of->count; n++) {
        drop_steps(of->value[n]);
        free(of->value[n]->is.piece);
        free(of->value[n]);
    }
    *of = (struct held_steps){.pause = of->found < of->made ? PAUSE : 0};
}

bool held_steps_are_worth(struct proact_array *a, size_t stretches)
{
    if (a->steps && a->steps->pause) {
        a->steps->pause--;
        return false;
    }
    return a->validity_map.count + stretches >= WORTH;
}

/* A value that is kept may have come about otherwise. */
static struct held_value *find_value(struct proact_array *a, uint64_t digest)
{
    struct held_steps *of = a->steps;

    if (a->validity_map.value)
        return value_now(a);
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

const struct held_step *held_step_find(struct proact_array *a, struct step_key key)
{
    const struct held_value *v = a->steps ? find_value(a, digest_of(a)) : NULL;
    const struct held_step *s = v ? v->steps : NULL;

    while (s && (s->key.number != key.number || s->key.array != key.array))
        s = s->next;
    return s;
}

const struct missing_ranges *held_step_lacking(const struct held_step *s)
{
    return &s->missing_ranges;
}

void held_step_take(struct proact_array *a, const struct held_step *s)
{
    a->steps->found++;
    validity_take_interned(&a->validity_map, &s->to->is);
}

/* The value that the holdings are. */
static struct held_value *keep(struct proact_array *a)
{
    struct held_steps *of = a->steps;
    const uint64_t digest = digest_of(a);
    struct held_value *v = find_value(a, digest);

    if (v)
        return v;
    v = must_calloc(1, sizeof *v);
    validity_intern(&a->validity_map, digest, &v->is);
    of->value[of->count++] = v;
    of->pieces += v->is.count;
    return v;
}

/* There is room for two values more. */
void held_step_begin(struct proact_array *a)
{
    if (!a->steps)
        a->steps = must_calloc(1, sizeof *a->steps);
    if (a->steps->count + 2 > VALUES_MAX || a->steps->pieces > PIECES_MAX ||
        a->steps->steps == STEPS_MAX)
        forget(a);
    a->steps->from = keep(a);
}

void held_step_end(struct proact_array *a, struct step_key key,
                   struct missing_ranges *take_missing)
{
    struct held_steps *of = a->steps;
    struct held_step *s = must_calloc(1, sizeof *s);

    *s = (struct held_step){of->from->steps, key, *take_missing, keep(a)};
    *take_missing = (struct missing_ranges){0};
    of->from->steps = s;
    of->steps++;
    of->made++;
}

void held_steps_close(struct proact_array *a)
{
    if (a->steps)
        forget(a);
    free(a->steps);
    a->steps = NULL;
}
