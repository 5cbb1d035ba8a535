/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/derive/needs.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <proact/device.h>

#include "base/hash.h"
#include "base/memory.h"
#include "runtime/launch/launch_fields.h"
#include "runtime/textures/launch_textures.h"
#include "runtime/variables/known_constants.h"

/* As many shapes of launches as networks have layers. Columns are spans for each row; rows
   with little between them are told apart only where they are few. */
enum { KEPT = 64, SPANS_FEW = 256, SPANS_MAX = 1 << 16, GAP_MAX = 4096 };

struct kernel_needs {
    struct access_analysis *analysis;
    struct launch_fields fields; /* on which its loads hang; a marked kernel's modules may
                                    hold other constants on each device */
    uint64_t key[KEPT];
    struct kept_needs {
        bool is_mixed; /* some load may leave its array: it counts where they lie */
        uint64_t bases;
        uint32_t array_count;
        struct launch_needs found;
        struct {
            struct launch_needs found;
            struct cta_part part[PROACT_DEVICES_MAX];
        } of_part[NEEDS_PLACES];
    } * kept[KEPT]; /* NULL: none yet */
    unsigned next;
};

/* What is looked for: in one launch, on one device. */
struct finder {
    const struct launching *launch;
    const struct access_analysis *analysis;
    struct access_launch at;
    const bool *left_out; /* by instruction, or NULL */
    unsigned device;
    uint32_t array_count;
    struct launch_needs *into;
    struct spans *rows;          /* by array: of one load, on their way there */
    const struct cta_part *part; /* by device; NULL: all of its CTAs */
    int64_t *trips;
    bool stays; /* what begins in an array stays there, for all that strays.h knows */
    bool is_mixed;
};

static struct transfer_need *need_at(const struct finder *f, uint32_t array)
{
    return &f->into->need[array * f->into->devices + f->device];
}

static void want_all(const struct finder *f)
{
    for (uint32_t n = 0; n < f->array_count; n++)
        need_at(f, n)->all = true;
}

/* Half of the most is left, or each one more would be looked at so. */
static void keep_few(struct spans *s)
{
    if (s->count > SPANS_FEW)
        spans_close(s, GAP_MAX, false);
    if (s->count > SPANS_MAX)
        spans_coarsen(s, SPANS_MAX / 2);
}

/* Addresses are those of the first device. */
static void want_bytes(const struct finder *f, uint64_t first, uint64_t end)
{
    const struct launching *l = f->launch;

    for (size_t i = 0; i < l->place_count; i++) {
        const struct proact_array *a = l->places[i].array;
        const uint32_t number = launching_number(l, a);
        uint64_t base = a->base[0], low = first > base ? first - base : 0;
        uint64_t high = end > base ? end - base : 0;

        if (!need_at(f, number)->all)
            spans_add(&f->rows[number], low, high < a->bytes ? high : a->bytes);
        if (f->rows[number].count > SPANS_MAX)
            keep_few(&f->rows[number]);
    }
}

/* Rows that lie between those of another load are put there at once. */
static void take_rows(const struct finder *f)
{
    for (uint32_t n = 0; n < f->array_count; n++) {
        struct spans *all = &need_at(f, n)->spans;

        spans_join(all, &f->rows[n]);
        keep_few(all);
        f->rows[n].count = 0;
    }
}

static const struct proact_array *array_at(const struct launching *l, uint64_t pointer)
{
    for (size_t i = 0; i < l->place_count; i++)
        if (pointer - l->places[i].array->base[0] < l->places[i].array->bytes)
            return l->places[i].array;
    return NULL;
}

/* The address, or the array's end that is nearest to it. */
static uint64_t within(const struct proact_array *a, uint64_t address)
{
    const int64_t at = (int64_t)(address - a->base[0]);

    return at < 0 ? a->base[0] : at > (int64_t)a->bytes ? a->base[0] + a->bytes : address;
}

static void want_span(struct finder *f, uint64_t pointer, const struct access_span *s)
{
    const struct proact_array *a = array_at(f->launch, pointer);

    for (uint32_t n = 0; n <= s->times; n++) {
        const uint32_t row = s->stride < 0 ? s->times - n : n; /* in their order */
        const uint64_t by = pointer + row * (uint64_t)s->stride,
                       first = by + (uint64_t)s->low, end = by + (uint64_t)s->end;

        f->is_mixed |= !a || within(a, first) != first || within(a, end) != end;
        if (a && f->stays)
            want_bytes(f, within(a, first), within(a, end));
        else
            want_bytes(f, first, end);
    }
    take_rows(f);
}

/* It may read anything behind the pointer; false where that leads to none of the arrays. */
static bool want_array(const struct finder *f, uint64_t pointer)
{
    const struct proact_array *a = array_at(f->launch, pointer);

    if (a)
        need_at(f, launching_number(f->launch, a))->all = true;
    return a != NULL;
}

static bool is_load(const struct proact_kernel *k, const struct access_record *r)
{
    if (k->is_marked && r->origin >= k->share_offset && r->origin < UINT32_MAX)
        return false; /* the protocol's: its own tables, and what this device wrote */
    return r->kind != ACCESS_WRITE && r->base != ACCESS_BASE_VARIABLE &&
           r->base != ACCESS_BASE_SHARED && r->base != ACCESS_BASE_LOCAL;
}

static void want_one(struct finder *f, const struct access_record *r)
{
    struct access_span spans[ACCESS_SPANS_MAX];
    struct access_pointers p;
    uint32_t count;
    uint64_t pointer;
    bool known = access_extent(f->analysis, r, &f->at, f->trips, spans, &count);

    if (known && !count) /* nobody comes there */
        return;
    if (!access_pointers(f->analysis, r, &f->at, f->trips, &p) ||
        (p.count && p.first + (p.count - 1) * (uint64_t)p.step + sizeof pointer >
                        f->at.parameter_bytes)) {
        want_all(f);
        return;
    }
    for (uint32_t i = 0; i < p.count; i++) {
        memcpy(&pointer, f->at.parameters + p.first + i * p.step, sizeof pointer);
        for (uint32_t n = 0; known && n < count; n++)
            want_span(f, pointer, &spans[n]);
        if (!known && !want_array(f, pointer))
            want_all(f);
    }
}

static void want_record(struct finder *f, const struct access_record *r)
{
    uint32_t count;
    const struct access_record *each = access_either(r, &count);

    if (!is_load(f->launch->kernel, r) || (f->left_out && f->left_out[r->instruction]))
        return;
    for (uint32_t n = 0; n < count; n++)
        want_one(f, &each[n]);
}

/* Where the map may say more than is written, what is not must be current, too: it is sent
   with the rest, or has to be there already where stores alone are sent. */
static void want_written(const struct finder *f)
{
    const struct launching *l = f->launch;
    const struct kernel_binding *b = l->binding;
    /* A method that sends to all may do so store by store. */
    const bool of_all = transfer_sends_to_all(&b->transfer.plan);

    if (l->found.set && l->found.set->is_exact)
        return;
    for (unsigned s = 0; s < b->transfer.slot_count; s++) {
        struct transfer_need *need = need_at(f, launching_number(l, b->array[s]));

        for (unsigned d = 0; d < f->into->devices && !need->all; d++)
            if (d == f->device || of_all)
                spans_join(&need->spans, &b->tables[s]->tables->table[d].owned);
        keep_few(&need->spans);
    }
}

/* The CTAs of the device; a marked kernel's are a line that begins at 0, and its share says
   which ones they are. */
static void set_ctas(struct finder *f, unsigned char *block)
{
    const struct launching *l = f->launch;
    if (!l->binding)
        return; /* the whole grid */
    const uint32_t *first = &l->binding->cta_first[f->device];
    const struct cta_part all = {0, first[1] - first[0]},
                          *part = f->part ? &f->part[f->device] : &all;
    uint32_t words[4] = {first[0] + part->first, l->grid[0], l->grid[1], l->grid[2]};

    if (!l->kernel->is_marked) {
        access_share(&f->at, words[0], words[0] + part->count);
        return;
    }
    f->at.nctaid[0] = f->at.ctaid_end[0] = part->count;
    for (unsigned i = 1; i < 3; i++)
        f->at.nctaid[i] = f->at.ctaid_end[i] = 1;
    memcpy(block + l->kernel->share_offset + offsetof(struct proact_share, cta_first),
           words, sizeof words);
    f->at.parameter_bytes = l->kernel->share_offset + offsetof(struct proact_share, mode);
}

/* Where textures are read hangs on coordinates: all of their memory. */
static void want_textures(const struct finder *f)
{
    const struct launching *l = f->launch;

    for (size_t n = 0; n < l->texture_count; n++) {
        const struct launch_texture *t = &l->textures[n];
        struct transfer_need *need =
            t->array ? need_at(f, launching_number(l, t->array)) : NULL;

        if (need && !need->all)
            spans_add(&need->spans, t->first, t->first + t->texture->bytes);
    }
}

/* What its own CTAs read. */
static void want_read(struct finder *f, unsigned char *block)
{
    set_ctas(f, block);
    want_textures(f);
    access_trips(f->analysis, &f->at, f->trips);
    for (uint32_t n = 0; n < f->analysis->record_count; n++)
        want_record(f, &f->analysis->records[n]);
}

static void find(struct finder *f, unsigned char *block)
{
    if (!f->launch->binding) {
        want_read(f, block);
        return;
    }
    const uint32_t *first = f->launch->binding->cta_first;
    for (f->device = 0; f->device < f->into->devices; f->device++) {
        if (f->part ? f->part[f->device].count != 0
                    : first[f->device] != first[f->device + 1])
            want_read(f, block);
        if (!f->part)
            want_written(f);
    }
}

static uint64_t key_of(const struct launching *l, const struct launch_fields *f,
                       const unsigned char *block, const unsigned char *const *constants)
{
    const struct kernel_binding *b = l->binding;
    uint64_t key = launch_fields_key(f, l, block, constants);

    if (b)
        key = hash_bytes(b->cta_first,
                         (b->transfer.devices->count + 1) * sizeof *b->cta_first, key);
    for (size_t n = 0; n < l->texture_count; n++) {
        const struct launch_texture *t = &l->textures[n];

        key = hash_mix(key + (t->texture ? t->texture->bytes : 0));
        key = hash_mix(key + (t->array ? launching_number(l, t->array) + 1 : 0)) + t->first;
    }
    if (b && (!l->found.set || !l->found.set->is_exact))
        key = hash_mix(key + b->digest +
                       (b->transfer.slot_count ? (uint64_t)(uintptr_t)b->tables[0] : 0)) +
              transfer_sends_to_all(&b->transfer.plan);
    return key;
}

static void needs_clear(struct launch_needs *n, uint32_t array_count)
{
    for (uint32_t i = 0; n->need && i < array_count * n->devices; i++)
        need_clear(&n->need[i]);
    free(n->need);
    n->need = NULL;
}

static void forget(struct kept_needs *k)
{
    if (!k)
        return;
    needs_clear(&k->found, k->array_count);
    for (int n = 0; n < NEEDS_PLACES; n++)
        needs_clear(&k->of_part[n].found, k->array_count);
    free(k);
}

static struct kept_needs *kept_of(const struct kernel_needs *k, uint64_t key,
                                  uint64_t bases)
{
    for (unsigned n = 0; n < KEPT && k->kept[n]; n++)
        if (k->key[n] == key && (!k->kept[n]->is_mixed || k->kept[n]->bases == bases))
            return k->kept[n];
    return NULL;
}

/* In the place of the one that was made first. */
static struct kept_needs *keep(struct kernel_needs *k, uint64_t key)
{
    const unsigned at = k->next++ % KEPT;

    forget(k->kept[at]);
    k->kept[at] = must_calloc(1, sizeof *k->kept[at]);
    k->key[at] = key;
    return k->kept[at];
}

static struct launch_fields find_fields(const struct proact_kernel *k,
                                        const struct access_analysis *a)
{
    struct access_depends all = access_depends_on_nothing(a),
                          behind = access_depends_on_nothing(a);

    for (uint32_t n = 0; n < a->record_count; n++)
        if (is_load(k, &a->records[n])) {
            access_depends_add(&all, &a->records[n]);
            access_depends_add_behind(&behind, &a->records[n]);
        }
    struct launch_fields f = launch_fields_find(k, &all, &behind);

    f.asks_constants &= !k->is_marked;
    access_depends_clear(&all);
    access_depends_clear(&behind);
    return f;
}

static struct kernel_needs *kernel_needs(struct proact_kernel *k)
{
    if (!k->needs) {
        struct access_analysis *a = access_analyze(k->image->ptx, k->ptx);

        k->needs = must_calloc(1, sizeof *k->needs);
        k->needs->analysis = a;
        k->needs->fields = find_fields(k, a);
    }
    return k->needs;
}

const struct access_analysis *needs_analysis(struct proact_kernel *k)
{
    return kernel_needs(k)->analysis;
}

void needs_drop(struct proact_kernel *k)
{
    for (unsigned n = 0; k->needs && n < KEPT; n++)
        forget(k->needs->kept[n]);
    if (k->needs) {
        free(k->needs->fields.fields);
        access_destroy(k->needs->analysis);
    }
    free(k->needs);
    k->needs = NULL;
}

unsigned char *needs_block(const struct launching *l)
{
    unsigned char *block = must_calloc(l->kernel->parameter_bytes + 1, 1);

    memcpy(block, l->block,
           l->kernel->is_marked ? l->kernel->share_offset : l->kernel->parameter_bytes);
    for (size_t i = 0; i < l->place_count; i++) {
        uint64_t address = l->places[i].array->base[0] + l->places[i].byte;

        memcpy(block + l->places[i].offset, &address, sizeof address);
    }
    return block;
}

/* What a launch's needs hang on beside its grid, as they are now. */
struct known {
    unsigned char *block;
    const unsigned char *const *constants;
    const bool *left_out; /* by instruction; NULL for none */
};

static struct known known_now(const struct launching *l, const bool *left_out)
{
    const struct kernel_needs *k = kernel_needs(l->kernel);
    const struct known_constants *known =
        k->fields.asks_constants ? known_constants_find(l) : NULL;

    return (struct known){needs_block(l),
                          known ? (const unsigned char *const *)known->content : NULL,
                          left_out};
}

/* Whether it counts where arrays lie. */
static bool make(const struct launching *l, struct known known, const struct cta_part *part,
                 struct launch_needs *into)
{
    const struct access_analysis *a = kernel_needs(l->kernel)->analysis;
    struct finder f = {.launch = l,
                       .analysis = a,
                       .left_out = known.left_out,
                       .array_count = launching_arrays(l),
                       .into = into,
                       .part = part,
                       .stays = known.left_out && l->is_program && !l->binding};

    into->number = ++l->kernel->session->last_number;
    into->devices = l->binding ? l->kernel->session->devices.count : 1;
    into->need = must_calloc(f.array_count * into->devices + 1u, sizeof *into->need);
    memcpy(f.at.ntid, l->threads, sizeof f.at.ntid);
    memcpy(f.at.nctaid, l->grid, sizeof f.at.nctaid);
    f.at.parameters = known.block;
    f.at.constants = known.constants;
    f.at.parameter_bytes = l->kernel->parameter_bytes;
    f.trips = must_calloc(a->loop_count + 1u, sizeof *f.trips);
    f.rows = must_calloc(f.array_count + 1u, sizeof *f.rows);
    find(&f, known.block);
    for (uint32_t n = 0; n < f.array_count * into->devices; n++)
        into->need[n].digest = need_digest(&into->need[n]);
    for (uint32_t n = 0; n < f.array_count; n++)
        spans_clear(&f.rows[n]);
    free(f.rows);
    free(f.trips);
    return f.is_mixed;
}

const struct launch_needs *needs_find(const struct launching *l, const bool *left_out)
{
    struct kernel_needs *k = kernel_needs(l->kernel);
    struct known known = known_now(l, left_out);
    /* a launch may be tried with its flags, its reductions, its scattered stores left out
     */
    const uint64_t key = hash_mix(key_of(l, &k->fields, known.block, known.constants) +
                                  (uint64_t)(uintptr_t)left_out);
    const uint64_t bases = launch_fields_bases(l);
    struct kept_needs *found = kept_of(k, key, bases);

    if (!found) {
        found = keep(k, key);
        found->array_count = launching_arrays(l);
        found->bases = bases;
        found->is_mixed = make(l, known, NULL, &found->found);
    }
    free(known.block);
    return &found->found;
}

const struct launch_needs *needs_of_launch(const struct launching *l)
{
    return needs_find(l, l->binding && l->found.flags ? l->kernel->flag_stores : NULL);
}

const struct launch_needs *needs_of_part(const struct launching *l,
                                         const struct cta_part *part, unsigned place)
{
    const size_t bytes = l->kernel->session->devices.count * sizeof *part;
    struct kept_needs **of = l->kernel->needs->kept;

    while (&(*of)->found != l->needs)
        of++;
    struct launch_needs *found = &(*of)->of_part[place].found;

    if (!found->need || memcmp((*of)->of_part[place].part, part, bytes) != 0) {
        struct known known = known_now(l, NULL);

        needs_clear(found, (*of)->array_count);
        memcpy((*of)->of_part[place].part, part, bytes);
        if (make(l, known, part, found)) {
            (*of)->is_mixed = true;
            (*of)->bases = launch_fields_bases(l);
        }
        free(known.block);
    }
    return found;
}
