/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/access_sets/needs.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "runtime/access_sets/loads.h"
#include "runtime/objects/array.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/objects/session_image.h"
#include "runtime/objects/session_texture.h"
#include "runtime/request/launch_fields.h"
#include "runtime/request/launch_texture.h"
#include "runtime/request/launching.h"
#include "runtime/request/need.h"
#include "runtime/variables/known_constants.h"

enum { KEPT = 64 }; /* about the number of layers of a network, each with its own shape */

struct kernel_needs {
    struct access_analysis *analysis;
    struct launch_fields fields; /* fields on which its loads depend; without constants for
                                    an annotated kernel, whose modules may hold different
                                    ones */
    uint64_t key[KEPT];
    struct kept_needs {
        bool is_mixed; /* a load may leave its array, so the array addresses are part of the
                          key */
        uint64_t bases;
        uint32_t array_count;
        struct launch_needs found;
        struct {
            struct launch_needs found;
            struct cta_part part[PROACT_DEVICES_MAX];
        } of_part[NEEDS_PARTS];
    } * kept[KEPT]; /* NULL: unused */
    unsigned next;
};

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
    if (b && b->fragmented_slots) /* the gaps between fragments */
        key = hash_mix(key + b->digest + b->fragmented_slots);
    for (unsigned s = 0;
         b && s < b->transfer.slot_count && (!l->found.set || !l->found.set->is_exact);
         s++) /* the bytes that it may leave unchanged */
        key = hash_mix(key + b->digest + b->tables[s]->number);
    return key;
}

static void needs_clear(struct launch_needs *n, uint32_t array_count)
{
    for (uint32_t i = 0; n->need && i < array_count * n->devices; i++)
        need_clear(&n->need[i]);
    for (uint32_t i = 0; n->read && i < array_count * n->devices; i++)
        need_clear(&n->read[i]);
    free(n->need);
    free(n->read);
    n->need = n->read = NULL;
}

static void forget(struct kept_needs *k)
{
    if (!k)
        return;
    needs_clear(&k->found, k->array_count);
    for (int n = 0; n < NEEDS_PARTS; n++)
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

/* Replaces the oldest entry. */
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
        if (loads_is_one(k, &a->records[n])) {
            access_depends_add(&all, &a->records[n]);
            access_depends_add_behind(&behind, &a->records[n]);
        }
    struct launch_fields f = launch_fields_find(k, &all, &behind);

    f.reads_constants &= !k->is_annotated;
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
           l->kernel->is_annotated ? l->kernel->partition_offset
                                   : l->kernel->parameter_bytes);
    for (size_t i = 0; i < l->relocation_count; i++) {
        uint64_t address = l->relocations[i].array->base[0] + l->relocations[i].addend;

        memcpy(block + l->relocations[i].offset, &address, sizeof address);
    }
    return block;
}

/* Current values on which the needs of a launch depend, besides its grid. */
struct known {
    unsigned char *block;
    const unsigned char *const *constants;
    const bool *left_out; /* by instruction; NULL: none */
};

static struct known known_now(const struct launching *l, const bool *left_out)
{
    const struct kernel_needs *k = kernel_needs(l->kernel);
    const struct known_constants *known =
        k->fields.reads_constants ? known_constants_find(l) : NULL;

    return (struct known){needs_block(l),
                          known ? (const unsigned char *const *)known->content : NULL,
                          left_out};
}

/* Returns whether the array addresses matter. */
static bool make(const struct launching *l, struct known known, const struct cta_part *part,
                 struct launch_needs *into)
{
    const struct access_analysis *a = kernel_needs(l->kernel)->analysis;
    struct loads_finder f = {.launch = l,
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
    f.many = must_calloc(f.array_count + 1u, sizeof *f.many);
    loads_find(&f, known.block);
    for (uint32_t n = 0; n < f.array_count * into->devices; n++) {
        into->need[n].digest = need_digest(&into->need[n]);
        if (into->read)
            into->read[n].digest = need_digest(&into->read[n]);
    }
    for (uint32_t n = 0; n < f.array_count; n++) {
        spans_clear(&f.rows[n]);
        free(f.many[n].rows);
    }
    free(f.rows);
    free(f.many);
    free(f.trips);
    return f.is_mixed;
}

const struct launch_needs *needs_find(const struct launching *l, const bool *left_out)
{
    struct kernel_needs *k = kernel_needs(l->kernel);
    struct known known = known_now(l, left_out);
    /* one launch may be analyzed without idempotent stores, reductions or indirect
       stores */
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
                                         const struct cta_part *part, unsigned part_index)
{
    const size_t bytes = l->kernel->session->devices.count * sizeof *part;
    struct kept_needs **of = l->kernel->needs->kept;

    while (&(*of)->found != l->needs)
        of++;
    struct launch_needs *found = &(*of)->of_part[part_index].found;

    if (!found->need || memcmp((*of)->of_part[part_index].part, part, bytes) != 0) {
        struct known known = known_now(l, NULL);

        needs_clear(found, (*of)->array_count);
        memcpy((*of)->of_part[part_index].part, part, bytes);
        if (make(l, known, part, found)) {
            (*of)->is_mixed = true;
            (*of)->bases = launch_fields_bases(l);
        }
        free(known.block);
    }
    return found;
}
