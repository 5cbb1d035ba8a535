/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/stray.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "access/depends.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "runtime/needs.h"

enum { KEPT = 8, NOWHERE = 1, LEAVES };

struct strays {
    uint32_t base_count, *bases; /* parameters whose pointers it follows: offsets */
    size_t capacity;
    /* What it looks at of the parameters. */
    struct field {
        uint32_t offset, bytes;
    } * fields;
    uint32_t field_count;
    bool chooses; /* some pointer is chosen while the kernel runs */
    struct verdict {
        uint64_t key;
        int what; /* 0: all is well */
        uint32_t offset, line;
    } kept[KEPT];
    unsigned next;
};

/* In one launch. */
struct hunt {
    const struct launching *launch;
    struct access_launch at;
    int64_t *trips;
    struct verdict *into;
};

static const struct proact_place *place_at(const struct launching *l, uint64_t offset)
{
    for (size_t i = 0; i < l->place_count; i++)
        if (l->places[i].offset == offset)
            return &l->places[i];
    return NULL;
}

static bool is_far(const struct proact_place *p)
{
    return p->byte > p->array->bytes + PROACT_BESIDE_BYTES &&
           -p->byte > PROACT_BESIDE_BYTES;
}

/* Whether all that an access touches lies outside of the array. */
static bool leaves(const struct proact_place *p, const struct access_span *spans,
                   uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t n = 0; n <= spans[i].times; n++) {
            uint64_t by = p->byte + n * (uint64_t)spans[i].stride;
            int64_t low = (int64_t)(by + (uint64_t)spans[i].low);
            int64_t end = (int64_t)(by + (uint64_t)spans[i].end);

            if (end > 0 && low < (int64_t)p->array->bytes)
                return false;
        }
    return true;
}

static void note(struct hunt *h, int what, uint64_t offset, uint32_t line)
{
    if (!h->into->what)
        *h->into = (struct verdict){h->into->key, what, (uint32_t)offset, line};
}

static void look_at_one(struct hunt *h, const struct access_analysis *a,
                        const struct access_record *r)
{
    struct access_span spans[ACCESS_SPANS_MAX];
    struct access_pointers p;
    uint32_t count = 0;
    uint64_t pointer;
    bool known = access_extent(a, r, &h->at, h->trips, spans, &count);

    if ((known && !count) || !access_pointers(a, r, &h->at, h->trips, &p))
        return;
    for (uint32_t i = 0; i < p.count; i++) {
        const uint64_t offset = p.first + i * (uint64_t)p.step;
        const struct proact_place *place = place_at(h->launch, offset);

        if (offset + sizeof pointer > h->at.parameter_bytes)
            return;
        memcpy(&pointer, h->at.parameters + offset, sizeof pointer);
        if (!place && pointer)
            note(h, NOWHERE, offset, r->line);
        if (place && known && leaves(place, spans, count))
            note(h, LEAVES, offset, r->line);
    }
}

static void look_at(struct hunt *h, const struct access_analysis *a,
                    const struct access_record *r)
{
    uint32_t count;
    const struct access_record *each = access_either(r, &count);

    for (uint32_t n = 0; n < count; n++)
        look_at_one(h, a, &each[n]);
}

/* Where all addresses are those of arrays no access goes astray. */
static bool is_plain(const struct strays *s, const struct launching *l)
{
    uint64_t pointer;

    for (size_t i = 0; i < l->place_count; i++)
        if (l->places[i].byte)
            return false;
    for (uint32_t n = 0; n < s->base_count; n++) {
        if (s->bases[n] + sizeof pointer > l->kernel->parameter_bytes)
            return false;
        memcpy(&pointer, l->block + s->bases[n], sizeof pointer);
        if (pointer && !place_at(l, s->bases[n]))
            return false;
    }
    return !s->chooses;
}

static void look(const struct launching *l, const unsigned char *block,
                 struct verdict *into)
{
    const struct access_analysis *a = needs_analysis(l->kernel);
    struct hunt h = {.launch = l, .into = into};

    memcpy(h.at.ntid, l->threads, sizeof h.at.ntid);
    memcpy(h.at.nctaid, l->grid, sizeof h.at.nctaid);
    h.at.parameters = block;
    h.at.parameter_bytes = l->kernel->parameter_bytes;
    h.trips = must_calloc(a->loop_count + 1u, sizeof *h.trips);
    access_trips(a, &h.at, h.trips);
    for (uint32_t n = 0; n < a->record_count; n++)
        look_at(&h, a, &a->records[n]);
    free(h.trips);
}

/* Numbers that only what is computed hangs on may differ from launch to launch. */
static uint64_t key_of(const struct strays *s, const struct launching *l,
                       const unsigned char *block)
{
    uint64_t key = hash_bytes(l->grid, sizeof l->grid, 1);

    key = hash_bytes(l->threads, sizeof l->threads, key);
    for (size_t i = 0; i < l->place_count; i++)
        key = hash_mix(key + l->places[i].array->id) + l->places[i].offset;
    for (uint32_t n = 0; n < s->field_count; n++)
        key = hash_bytes(block + s->fields[n].offset, s->fields[n].bytes, key);
    return key;
}

static const struct verdict *verdict_of(struct strays *s, const struct launching *l)
{
    unsigned char *block = needs_block(l);
    const uint64_t key = key_of(s, l, block);
    struct verdict *v = NULL;

    for (unsigned n = 0; n < KEPT && !v; n++)
        if (s->kept[n].key == key)
            v = &s->kept[n];
    if (!v) {
        v = &s->kept[s->next++ % KEPT];
        *v = (struct verdict){.key = key};
        look(l, block, v);
    }
    free(block);
    return v;
}

static bool has_base(const struct strays *s, uint32_t offset)
{
    for (uint32_t n = 0; n < s->base_count; n++)
        if (s->bases[n] == offset)
            return true;
    return false;
}

static void add_bases(struct strays *s, const struct access_analysis *a,
                      const struct access_record *r)
{
    uint32_t count;
    const struct access_record *each = access_either(r, &count);

    for (uint32_t n = 0; n < count; n++) {
        const uint32_t offset = a->symbols[each[n].base_symbol].offset;

        if (each[n].base != ACCESS_BASE_PARAMETER || has_base(s, offset))
            continue;
        s->bases = must_grow(s->bases, s->base_count, &s->capacity, sizeof *s->bases);
        s->bases[s->base_count++] = offset;
    }
}

/* Fields behind the block are of no parameter. */
static void find_fields(struct strays *s, const struct proact_kernel *k,
                        const struct access_analysis *a)
{
    struct access_depends d = access_depends_on_nothing(a);

    for (uint32_t n = 0; n < a->record_count; n++)
        access_depends_add(&d, &a->records[n]);
    s->fields = must_calloc(a->symbol_count + 1u, sizeof *s->fields);
    for (uint32_t n = 0; n < a->symbol_count; n++) {
        const struct access_symbol *y = &a->symbols[n];

        if (d.symbol[n] && (y->kind == ACCESS_PARAMETER || y->kind == ACCESS_MEMBER) &&
            y->offset + y->bytes <= k->parameter_bytes)
            s->fields[s->field_count++] = (struct field){y->offset, y->bytes};
    }
    access_depends_clear(&d);
}

static struct strays *open(struct proact_kernel *k)
{
    const struct access_analysis *a = needs_analysis(k);
    struct strays *s = must_calloc(1, sizeof *s);

    for (uint32_t n = 0; n < a->record_count; n++) {
        const struct access_record *r = &a->records[n];

        s->chooses |= r->base == ACCESS_BASE_UNKNOWN && r->member >= 0;
        add_bases(s, a, r);
    }
    find_fields(s, k, a);
    return s;
}

enum proact_status strays_check(const struct launching *l, struct strays **kept,
                                struct proact_error *err)
{
    const struct proact_kernel *k = l->kernel;

    if (!*kept)
        *kept = open(l->kernel);
    for (size_t i = 0; i < l->place_count; i++)
        if (is_far(&l->places[i]))
            return fail(err, PROACT_EREFUSED,
                        "kernel '%s': the address at byte %" PRIu32
                        " of its parameters lies beside all arrays",
                        k->name, l->places[i].offset);
    if (is_plain(*kept, l))
        return PROACT_OK;
    const struct verdict *v = verdict_of(*kept, l);

    if (v->what == NOWHERE)
        return fail(err, PROACT_EREFUSED,
                    "kernel '%s', %s:%" PRIu32 ": the address at byte %" PRIu32
                    " of its parameters lies in no array",
                    k->name, k->image->ptx->name, v->line, v->offset);
    if (v->what == LEAVES)
        return fail(err, PROACT_EREFUSED,
                    "kernel '%s', %s:%" PRIu32
                    ": it leaves array '%s', in which the address at byte %" PRIu32
                    " of its parameters lies",
                    k->name, k->image->ptx->name, v->line,
                    place_at(l, v->offset)->array->name, v->offset);
    return PROACT_OK;
}

void strays_destroy(struct strays *s)
{
    if (!s)
        return;
    free(s->bases);
    free(s->fields);
    free(s);
}
