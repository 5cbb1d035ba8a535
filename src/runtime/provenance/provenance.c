/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/provenance/provenance.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "runtime/access_sets/needs.h"
#include "runtime/objects/array.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/objects/session_image.h"
#include "runtime/provenance/provenance_query.h"
#include "runtime/request/argument_text.h"
#include "runtime/request/launch_fields.h"
#include "runtime/request/launching.h"
#include "runtime/variables/known_constants.h"

/* about the number of layers of a network, each with its own shape */
enum { KEPT = 64 };
/* Limit of thread queries for launches that never recurred. Recurring launches repay the
   work. */
enum { DEBT_MAX = 2000000, USES = 16 };
enum { NOWHERE = 1, LEAVES };

struct provenance {
    struct launch_fields fields; /* fields on which the result depends */
    uint64_t key[KEPT];
    struct verdict {
        uint64_t bases; /* array addresses at the query; part of the key if `found` is
                           mixed */
        int what;       /* 0: no violation */
        uint32_t offset, line;
        struct provenance_result found; /* ranges outside the array; a violation only if
                                           another array is there */
        bool is_full;                   /* otherwise a range may be one that no thread
                                           reaches */
        uint64_t work;                  /* thread queries */
    } * kept[KEPT];                     /* NULL: unused */
    unsigned next;
    uint64_t debt; /* work that was not repaid */
};

/* State of the analysis of one launch. */
struct hunt {
    const struct launching *launch;
    struct access_launch at;
    int64_t *trips;
    bool loads_alone;
    struct verdict *into;
    uint32_t fruitless; /* for provenance_query */
};

static const struct proact_relocation *provenance_relocation(const struct launching *l,
                                                             uint64_t offset)
{
    for (size_t i = 0; i < l->relocation_count; i++)
        if (l->relocations[i].offset == offset)
            return &l->relocations[i];
    return NULL;
}

static bool is_far(const struct proact_relocation *p)
{
    return p->addend > p->array->bytes + PROACT_POINTER_TOLERANCE_BYTES &&
           -p->addend > PROACT_POINTER_TOLERANCE_BYTES;
}

/* Whether the entire access is outside the array. */
static bool leaves(const struct proact_relocation *p, const struct access_span *spans,
                   uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t n = 0; n <= spans[i].times; n++) {
            uint64_t by = p->addend + n * (uint64_t)spans[i].stride;
            int64_t low = (int64_t)(by + (uint64_t)spans[i].low);
            int64_t end = (int64_t)(by + (uint64_t)spans[i].end);

            if (end > 0 && low < (int64_t)p->array->bytes)
                return false;
        }
    return true;
}

static void note(struct hunt *h, int what, uint64_t offset, uint32_t line)
{
    struct verdict *v = h->into;

    if (v->what)
        return;
    v->what = what;
    v->offset = (uint32_t)offset;
    v->line = line;
}

/* Result of the thread queries for one pointer. */
struct answer {
    const struct proact_relocation *relocation;
    struct provenance_result found;
};

/* Arrays of equal size give equal results for pointers with equal offsets. */
static const struct answer *answer_of(const struct answer *answers, uint32_t count,
                                      const struct proact_relocation *relocation)
{
    for (uint32_t n = 0; n < count; n++)
        if (answers[n].relocation->addend == relocation->addend &&
            answers[n].relocation->array->bytes == relocation->array->bytes)
            return &answers[n];
    return NULL;
}

static void add_answer(struct hunt *h, const struct answer *of,
                       const struct proact_relocation *relocation)
{
    const uint64_t base = relocation->array->base[0];

    h->into->found.is_mixed |= of->found.is_mixed;
    for (uint32_t n = 0; n < of->found.count; n++) {
        struct provenance_range b = of->found.outside[n];

        b.first += base - b.array;
        b.end += base - b.array;
        b.array = base;
        b.offset = relocation->offset;
        provenance_result_add(&h->into->found, &b);
    }
}

static void look_at_one(struct hunt *h, const struct access_analysis *a,
                        const struct access_record *r)
{
    struct access_span spans[ACCESS_SPANS_MAX];
    struct access_pointers p;
    uint32_t count = 0, answered = 0;
    uint64_t pointer;
    bool known = access_extent(a, r, &h->at, h->trips, spans, &count);

    if ((known && !count) || !access_pointers(a, r, &h->at, h->trips, &p))
        return;
    struct answer *answers = must_calloc(p.count + 1u, sizeof *answers);

    for (uint32_t i = 0; i < p.count; i++) {
        const uint64_t offset = p.first + i * (uint64_t)p.step;
        const struct proact_relocation *relocation =
            provenance_relocation(h->launch, offset);

        if (offset + sizeof pointer > h->at.parameter_bytes)
            break;
        memcpy(&pointer, h->at.parameters + offset, sizeof pointer);
        if (!relocation && pointer)
            note(h, NOWHERE, offset, r->line);
        if (relocation && known && leaves(relocation, spans, count))
            note(h, LEAVES, offset, r->line);
        if (!relocation || (known && !provenance_leaves_array(relocation, spans, count)))
            continue;
        const struct answer *answer = answer_of(answers, answered, relocation);

        if (!answer) {
            const struct provenance_query q = {.analysis = a,
                                               .record = r,
                                               .relocation = relocation,
                                               .at = &h->at,
                                               .trips = h->trips,
                                               .in_full = h->into->is_full,
                                               .fruitless = &h->fruitless,
                                               .work = &h->into->work};

            answers[answered].relocation = relocation;
            provenance_query_threads(&q, &answers[answered].found);
            answer = &answers[answered++];
        }
        add_answer(h, answer, relocation);
    }
    for (uint32_t n = 0; n < answered; n++)
        provenance_result_clear(&answers[n].found);
    free(answers);
}

static void look_at(struct hunt *h, const struct access_analysis *a,
                    const struct access_record *r)
{
    uint32_t count;
    const struct access_record *each = access_either(r, &count);
    const bool stores =
        r->kind == ACCESS_WRITE || r->kind == ACCESS_ATOMIC || r->kind == ACCESS_REDUCE;

    for (uint32_t n = 0; n < count && !(stores && h->loads_alone); n++)
        look_at_one(h, a, &each[n]);
}

static void look(const struct launching *l, bool loads_alone, const unsigned char *block,
                 const unsigned char *const *constants, struct verdict *into)
{
    const struct access_analysis *a = needs_analysis(l->kernel);
    struct hunt h = {.launch = l, .loads_alone = loads_alone, .into = into};

    memcpy(h.at.ntid, l->threads, sizeof h.at.ntid);
    memcpy(h.at.nctaid, l->grid, sizeof h.at.nctaid);
    h.at.parameters = block;
    h.at.parameter_bytes = l->kernel->parameter_bytes;
    h.at.constants = constants;
    h.trips = must_calloc(a->loop_count + 1u, sizeof *h.trips);
    access_trips(a, &h.at, h.trips);
    for (uint32_t n = 0; n < a->record_count; n++)
        look_at(&h, a, &a->records[n]);
    free(h.trips);
}

/* Compares with the current addresses, because arrays may have moved. */
static const struct provenance_range *leads_away(const struct launching *l,
                                                 const struct verdict *v)
{
    for (uint32_t n = 0; n < v->found.count; n++) {
        const struct provenance_range *b = &v->found.outside[n];
        const struct proact_array *own = provenance_relocation(l, b->offset)->array;
        const uint64_t first = b->first - b->array + own->base[0],
                       end = b->end - b->array + own->base[0];

        for (const struct proact_array *a = l->kernel->session->arrays; a; a = a->next)
            if (first < a->base[0] + a->bytes && end > a->base[0] && own != a)
                return b;
    }
    return NULL;
}

static struct verdict *kept(struct provenance *s, uint64_t key, uint64_t bases)
{
    for (unsigned n = 0; n < KEPT && s->kept[n]; n++)
        if (s->key[n] == key && (!s->kept[n]->found.is_mixed || s->kept[n]->bases == bases))
            return s->kept[n];
    return NULL;
}

/* Replaces the oldest entry. */
static struct verdict *keep(struct provenance *s, uint64_t key, uint64_t bases)
{
    const unsigned at = s->next++ % KEPT;

    if (!s->kept[at])
        s->kept[at] = must_calloc(1, sizeof *s->kept[at]);
    provenance_result_clear(&s->kept[at]->found);
    s->key[at] = key;
    *s->kept[at] = (struct verdict){.bases = bases};
    return s->kept[at];
}

static void provenance_repay(struct provenance *s, const struct verdict *v)
{
    const uint64_t repaid = v->work / USES;

    s->debt -= repaid < s->debt ? repaid : s->debt;
}

/* Selections are evaluated per thread only if they may matter: about 0.5 ms per access is
   too much if values change at each launch. NULL: the analysis takes too long. */
static const struct verdict *verdict_of(struct provenance *s, const struct launching *l,
                                        bool loads_alone,
                                        const struct provenance_range **outside)
{
    const struct known_constants *known =
        s->fields.reads_constants ? known_constants_find(l) : NULL;
    const unsigned char *const *constants =
        known ? (const unsigned char *const *)known->content : NULL;
    unsigned char *block = needs_block(l);
    const uint64_t key = launch_fields_key(&s->fields, l, block, constants) + loads_alone,
                   bases = launch_fields_bases(l);
    struct verdict *v = kept(s, key, bases);

    if (v) {
        provenance_repay(s, v);
    } else if (s->debt <= DEBT_MAX) {
        v = keep(s, key, bases);
        look(l, loads_alone, block, constants, v);
        s->debt += v->work;
    }
    *outside = v ? leads_away(l, v) : NULL;
    if (*outside && !v->is_full) {
        const uint64_t before = v->work;

        provenance_result_clear(&v->found);
        *v = (struct verdict){.bases = bases, .is_full = true, .work = before};
        look(l, loads_alone, block, constants, v);
        s->debt += v->work - before;
        *outside = leads_away(l, v);
    }
    free(block);
    return v;
}

static struct provenance *open(struct proact_kernel *k)
{
    const struct access_analysis *a = needs_analysis(k);
    struct provenance *s = must_calloc(1, sizeof *s);
    struct access_depends all = access_depends_on_nothing(a),
                          behind = access_depends_on_nothing(a);

    for (uint32_t n = 0; n < a->record_count; n++) {
        access_depends_add(&all, &a->records[n]);
        access_depends_add_behind(&behind, &a->records[n]);
    }
    s->fields = launch_fields_find(k, &all, &behind);
    access_depends_clear(&behind);
    access_depends_clear(&all);
    return s;
}

enum proact_status provenance_check(const struct launching *l, struct provenance **kept,
                                    bool loads_alone, struct proact_error *err)
{
    const struct proact_kernel *k = l->kernel;

    if (!*kept)
        *kept = open(l->kernel);
    if (k->session->devices.count == 1)
        return PROACT_OK;
    for (size_t i = 0; i < l->relocation_count; i++)
        if (is_far(&l->relocations[i]))
            return fail(err, PROACT_EREFUSED,
                        "kernel '%s': %s points outside every allocation", k->name,
                        argument_text(k, l->relocations[i].offset).text);
    const struct provenance_range *outside;
    const struct verdict *v = verdict_of(*kept, l, loads_alone, &outside);

    if (!v)
        return fail(err, PROACT_EREFUSED,
                    "kernel '%s': which arrays it accesses depends on values that change "
                    "at each launch, and takes the host too long to find",
                    k->name);
    const uint32_t offset = outside ? outside->offset : v->offset,
                   line = outside ? outside->line : v->line;

    if (!v->what && !outside)
        return PROACT_OK;
    if (v->what == NOWHERE)
        return fail(err, PROACT_EREFUSED,
                    "kernel '%s', %s:%" PRIu32 ": %s points to no array", k->name,
                    k->image->ptx->name, v->line, argument_text(k, v->offset).text);
    const bool is_certain = !outside || outside->is_certain;

    return fail(err, PROACT_EREFUSED,
                "kernel '%s', %s:%" PRIu32 ": it %s array '%s', to which %s points%s",
                k->name, k->image->ptx->name, line, is_certain ? "leaves" : "may leave",
                provenance_relocation(l, offset)->array->name,
                argument_text(k, offset).text,
                is_certain ? "" : ", possibly for another array");
}

void provenance_destroy(struct provenance *s)
{
    if (!s)
        return;
    for (unsigned n = 0; n < KEPT && s->kept[n]; n++) {
        provenance_result_clear(&s->kept[n]->found);
        free(s->kept[n]);
    }
    free(s->fields.fields);
    free(s);
}
