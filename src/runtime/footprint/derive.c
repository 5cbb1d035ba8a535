/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/footprint/derive.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "access/access.h"
#include "access/shared_writes/reductions.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/memory.h"
#include "runtime/access_sets/derive_slots.h"
#include "runtime/access_sets/direct.h"
#include "runtime/access_sets/needs.h"
#include "runtime/footprint/derive_flags.h"
#include "runtime/objects/array.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/objects/session_image.h"
#include "runtime/pointer_tables/table_contents.h"
#include "runtime/provenance/address_bits.h"
#include "runtime/provenance/provenance.h"
#include "runtime/provenance/stored_address.h"
#include "runtime/provenance/unsplittable.h"
#include "runtime/request/launch_texture.h"
#include "runtime/request/launching.h"
#include "runtime/version/runtime_child.h"

/* Kinds of shared writes, in the order in which they are tried. */
enum merged { REDUCTIONS, SCATTERS, FETCH_ATOMICS, MERGED_KINDS };

struct kernel_derivation {
    struct write_set_slice *slice; /* NULL: the write set is not computable */
    struct write_set_cache cache;
    /* NULL: none exist, or not checked yet */
    struct kernel_flags *flags, *merged[MERGED_KINDS];
    bool checked_flags, checked_merged[MERGED_KINDS];
    enum merged next_sums;           /* next kind to check for floating-point sums */
    bool may_group;                  /* some kind has such sums */
    bool is_open;                    /* a store has an unknown pointer */
    uint32_t target_count, *targets; /* offsets of the pointer parameters that are written
                                        through */
    unsigned misses_in_a_row;        /* consecutive single-device launches with a new write
                                        set */
    struct provenance *provenance;   /* NULL: not checked yet */
    struct proact_error in_program;  /* reason against a split in a CUDA program */
    struct stored_addresses stored, compared;
    uint8_t *bits;               /* by byte of the parameter buffer: see address_bits.h */
    struct proact_error uncut;   /* reason for a missing slice */
    struct proact_error refusal; /* of the kernel, otherwise of its last launch */
};

static void add_offset(uint32_t *offsets, uint32_t *count, uint32_t offset)
{
    for (uint32_t i = 0; i < *count; i++)
        if (offsets[i] == offset)
            return;
    offsets[(*count)++] = offset;
}

static void find_targets(struct kernel_derivation *d, struct proact_kernel *k)
{
    const struct access_analysis *a = needs_analysis(k);

    d->targets = must_calloc(a->record_count + 1, sizeof *d->targets);
    for (uint32_t i = 0; i < a->record_count; i++) {
        const struct access_record *r = &a->records[i];
        bool is_known = r->base == ACCESS_BASE_PARAMETER, reads = r->kind == ACCESS_READ;

        if (is_known && !reads)
            add_offset(d->targets, &d->target_count, a->symbols[r->base_symbol].offset);
        d->is_open |= !reads && r->base == ACCESS_BASE_UNKNOWN;
    }
}

static struct kernel_flags *create(const struct proact_kernel *k, enum merged m,
                                   bool floats)
{
    static struct kernel_flags *(*const of[])(const struct proact_kernel *, bool) = {
        reductions_create, scatters_create, fetch_atomics_create};

    return of[m](k, floats);
}

static bool has(const struct proact_kernel *k, struct kernel_derivation *d, enum merged m)
{
    if (!d->checked_merged[m])
        d->merged[m] = create(k, m, k->session->reassociate_floats);
    d->checked_merged[m] = true;
    return d->merged[m] != NULL;
}

/* Whether a kind before `end` has floating-point sums that reassociation would enable. */
static bool may_group(const struct proact_kernel *k, struct kernel_derivation *d,
                      enum merged end)
{
    if (!access_reductions_have_floats(k->ptx))
        return false;
    for (; !k->session->reassociate_floats && !d->may_group && d->next_sums < end;
         d->next_sums++) {
        struct kernel_flags *grouped = create(k, d->next_sums, true);

        d->may_group = grouped && reductions_have_floats(grouped);
        flags_destroy(grouped);
    }
    return d->may_group;
}

/* Appends the option that would permit a split to the reason. */
static void offer_sums(const struct proact_kernel *k, struct kernel_derivation *d,
                       enum merged end, struct proact_error *why)
{
    const size_t at = strlen(why->text);

    if (may_group(k, d, end))
        snprintf(why->text + at, sizeof why->text - at,
                 "; with PROACT_REASSOCIATE=1 (reassociate_floats) it could be split");
}

/* If addresses of atomics or stores depend on memory, a slice without them may suffice. */
static bool may_split(const struct kernel_derivation *d)
{
    return d->slice || d->merged[REDUCTIONS] || d->merged[SCATTERS] ||
           d->merged[FETCH_ATOMICS];
}

static void drop_slices(struct kernel_derivation *d)
{
    write_set_slice_destroy(d->slice);
    d->slice = NULL;
    for (enum merged m = REDUCTIONS; m < MERGED_KINDS; m++) {
        flags_destroy(d->merged[m]);
        d->merged[m] = NULL;
    }
}

/* A kernel whose CTAs wait for each other cannot be split, so no alternative is tried. */
static void derive_print_uncut(struct proact_kernel *k, struct kernel_derivation *d)
{
    if (kernel_waits(k, &d->uncut) || has(k, d, REDUCTIONS) || has(k, d, SCATTERS) ||
        has(k, d, FETCH_ATOMICS))
        return;
    if (!fetch_atomics_wait_loop(k, &d->uncut))
        offer_sums(k, d, SCATTERS, &d->uncut);
}

static struct kernel_derivation *derivation_of(struct proact_kernel *k)
{
    if (k->derivation)
        return k->derivation;
    struct kernel_derivation *d = must_calloc(1, sizeof *d);

    unsplittable_in_program(k, &d->in_program);
    d->stored = stored_addresses_find(k->image->ptx, k->ptx, k->look_ups);
    d->compared = compared_addresses_find(k->image->ptx, k->ptx, k->look_ups);
    d->bits = address_bits_find(k->ptx, k->look_ups);
    if (!unsplittable(k, &d->uncut) && derive_cut(k, NULL, &d->slice, &d->uncut))
        derive_print_uncut(k, d);
    d->refusal = d->uncut;
    find_targets(d, k);
    k->derivation = d;
    return d;
}

void derivation_drop(struct proact_kernel *k)
{
    struct kernel_derivation *d = k->derivation;

    if (!d)
        return;
    drop_slices(d);
    write_set_cache_clear(&d->cache);
    flags_destroy(d->flags);
    stored_addresses_clear(&d->stored);
    stored_addresses_clear(&d->compared);
    free(d->bits);
    k->flag_stores = k->flag_joints = k->flag_swaps = NULL;
    free(d->targets);
    provenance_destroy(d->provenance);
    free(d);
    k->derivation = NULL;
}

const char *derivation_refusal(const struct proact_kernel *k)
{
    return k->derivation && k->derivation->refusal.text[0] ? k->derivation->refusal.text
                                                           : NULL;
}

bool derivation_may_write(const struct launching *l,
                          const struct proact_relocation *relocation)
{
    const struct kernel_derivation *d;

    if (!l->kernel->may_write)
        return false;
    if (l->kernel->session->devices.count == 1) /* the analysis of large kernels is slow */
        return true;
    d = derivation_of(l->kernel);
    for (uint32_t n = 0; n < d->target_count; n++)
        if (d->targets[n] == relocation->offset)
            return true;
    return d->is_open;
}

/* Shared writes are not in the write set, but they go through parameters. */
bool derivation_writes(const struct launching *l, const struct proact_array *a)
{
    const struct kernel_derivation *d = derivation_of(l->kernel);
    const struct write_set *w = l->found.set;
    bool writes = w && w->arrays[launching_number(l, a)].runs.count;

    for (uint32_t n = 0; n < d->target_count; n++)
        writes |= launching_array(l, d->targets[n]) == a;
    for (unsigned s = 0; s < l->kernel->slot_count; s++)
        writes |= launching_array(l, l->kernel->slot[s].offset) == a;
    return writes;
}

/* A slice of all stores also decides whether they stay in their arrays. */
static enum proact_status derive_check_provenance(const struct launching *l,
                                                  struct kernel_derivation *d,
                                                  struct proact_error *err)
{
    struct proact_error why;
    const enum proact_status status = provenance_check(l, &d->provenance, false, &why);
    const struct write_set *w;

    if (!status)
        return PROACT_OK;
    if (!d->slice || derive_run(l, d->slice, &d->cache, &w, NULL) || !w->stays)
        return fail(err, status, "%s", why.text);
    return provenance_check(l, &d->provenance, true, err);
}

bool derivation_keeps_to_arguments(const struct launching *l)
{
    struct kernel_derivation *d = derivation_of(l->kernel);

    return !d->in_program.text[0] && !derive_check_provenance(l, d, NULL) &&
           tables_stay(l, d->targets, d->target_count, d->is_open);
}

static enum proact_status add_slot(struct launching *l, uint32_t offset,
                                   struct proact_error *err)
{
    struct proact_kernel *k = l->kernel;
    unsigned slot = 0;

    while (slot < k->slot_count && k->slot[slot].offset != offset)
        slot++;
    if (slot < k->slot_count)
        return PROACT_OK;
    if (slot == PROACT_SLOTS_MAX)
        return fail(err, PROACT_EREFUSED,
                    "kernel '%s' writes more than %d arrays, which is the limit", k->name,
                    PROACT_SLOTS_MAX);
    k->session->records_unlike |= k->session->recording != NULL;
    if (k->session->recording)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': it writes the array at byte %u of its parameters for "
                    "the first time: launch it once, then record",
                    k->name, offset);
    enum proact_status status = kernel_slots_change(k, err);

    if (status)
        return status;
    k->slot[k->slot_count++] = (struct kernel_slot){.offset = offset};
    return PROACT_OK;
}

static bool has_slot(const struct launching *l, const struct proact_array *a)
{
    for (unsigned s = 0; s < l->kernel->slot_count; s++)
        if (launching_array(l, l->kernel->slot[s].offset) == a)
            return true;
    return false;
}

void derive_slots(struct launching *l)
{
    struct kernel_derivation *d = derivation_of(l->kernel);

    if (l->kernel->session->recording) /* the first launch is recorded as a single-device
                                          launch */
        return;
    for (uint32_t i = 0; i < d->target_count && may_split(d); i++)
        if (!direct_is(l->kernel, d->targets[i]) &&
            add_slot(l, d->targets[i], &d->refusal) == PROACT_EREFUSED)
            drop_slices(d);
}

/* Adds slots for the written arrays if the kernel has stores with unknown pointers. */
static enum proact_status find_slots(struct launching *l, const struct write_set *w,
                                     struct proact_error *err)
{
    const struct proact_kernel *k = l->kernel;
    const struct kernel_derivation *d = k->derivation;
    enum proact_status status = PROACT_OK;

    for (size_t i = 0; i < l->relocation_count - l->texture_relocations && !status; i++) {
        const struct proact_array *a = l->relocations[i].array;

        if (!w->arrays[launching_number(l, a)].runs.count || has_slot(l, a))
            continue;
        if (d->is_open)
            status = add_slot(l, l->relocations[i].offset, err);
        else
            status = fail(err, PROACT_EREFUSED,
                          "kernel '%s' writes array '%s', but none of its pointer "
                          "arguments refers to it",
                          k->name, a->name);
    }
    return status;
}

/* Digest of the write set and of the assignment of arrays to slots. */
static uint64_t digest_of(const struct launching *l, const struct write_set *w)
{
    const struct proact_kernel *k = l->kernel;
    uint64_t digest = w->digest;

    for (unsigned s = 0; s < k->slot_count; s++) {
        const struct proact_array *a = launching_array(l, k->slot[s].offset);

        digest = hash_mix(digest + (a ? 1 + launching_number(l, a) : 0));
    }
    return digest;
}

static bool has_flags(const struct launching *l, struct kernel_derivation *d)
{
    if (!d->checked_flags)
        d->flags = flags_create(l->kernel);
    d->checked_flags = true;
    return d->flags != NULL;
}

/* Write set of the launch. If exclusive writes do not suffice, idempotent stores are tried,
   and in programs reductions, indirect stores and value-returning atomics. Programs time
   both modes, so a slow split with many small remote writes is not kept. */
static enum proact_status find_writes(struct launching *l, struct kernel_derivation *d,
                                      const struct write_set **out,
                                      struct proact_error *err)
{
    const bool in_program = l->is_program;
    uint32_t *cta_first = l->found.cta_first;
    struct proact_error why, other;
    enum proact_status status;

    launch_split(l->grid, l->over, l->kernel->session->devices.count, cta_first);
    if (flags_are_on(d->flags))
        return flags_find(l, d->flags, cta_first, out, err);
    for (int m = FETCH_ATOMICS; in_program && m >= REDUCTIONS; m--)
        if (flags_are_on(d->merged[m]))
            return flags_find(l, d->merged[m], cta_first, out, err);
    why = d->uncut;
    if (d->slice) {
        if ((status = derive_run(l, d->slice, &d->cache, out, err)) ||
            !derive_partition(l, *out, &why))
            return status;
        if (has_flags(l, d) && !flags_find(l, d->flags, cta_first, out, &why))
            return PROACT_OK;
    }
    if (in_program && has(l->kernel, d, REDUCTIONS) &&
        !flags_find(l, d->merged[REDUCTIONS], cta_first, out, &why))
        return PROACT_OK;
    for (enum merged m = SCATTERS; in_program && m < MERGED_KINDS; m++)
        if (has(l->kernel, d, m) && !flags_find(l, d->merged[m], cta_first, out, &other))
            return PROACT_OK;
    offer_sums(l->kernel, d, in_program ? MERGED_KINDS : SCATTERS, &why);
    return fail(err, PROACT_EREFUSED, "%s", why.text);
}

/* A distributed array has one address on all devices; a texture object is different on
   each. */
static bool hangs_on_address(const struct launching *l, const struct stored_addresses *s)
{
    for (size_t i = 0; i < l->relocation_count; i++)
        for (uint32_t at = 0; at < sizeof(uint64_t); at++)
            if (!l->relocations[i].array->part && s->hang[l->relocations[i].offset + at])
                return true;
    for (size_t n = 0; n < l->texture_count; n++)
        for (uint32_t at = 0; at < sizeof(uint64_t); at++)
            if (s->hang[l->textures[n].offset + at])
                return true;
    return s->variables != 0;
}

static enum proact_status derive(struct launching *l, struct kernel_derivation *d,
                                 const struct write_set **out, struct proact_error *err)
{
    enum proact_status status;

    if (l->is_program && (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] == 1)
        return fail(err, PROACT_EREFUSED, "kernel '%s': a grid of one CTA",
                    l->kernel->name);
    if (!l->relocation_count && l->kernel->slot_count)
        return fail(err, PROACT_EREFUSED, "kernel '%s': none of its arguments is an array",
                    l->kernel->name);
    if (l->is_program && d->in_program.text[0])
        return fail(err, PROACT_EREFUSED, "%s", d->in_program.text);
    if (l->is_program && hangs_on_address(l, &d->stored))
        return fail(err, PROACT_EREFUSED,
                    "kernel '%s': it stores a value derived from a pointer, which "
                    "differs between devices",
                    l->kernel->name);
    if (l->is_program && hangs_on_address(l, &d->compared))
        return fail(err, PROACT_EREFUSED,
                    "kernel '%s': it compares a pointer, which differs between devices, "
                    "with a value that it loads",
                    l->kernel->name);
    if (address_bits_differ(l, d->bits))
        return fail(err, PROACT_EREFUSED,
                    "kernel '%s': its control flow or addressing depends on the bits of "
                    "a pointer, which differ between devices",
                    l->kernel->name);
    if (l->is_program && (status = derive_check_provenance(l, d, err)))
        return status;
    if ((status = find_writes(l, d, out, err)) || (status = direct_check(l, *out, err)) ||
        (status = tables_check(l, *out, err)))
        return status;
    return find_slots(l, *out, err);
}

void derive_maps(struct launching *l)
{
    struct kernel_derivation *d = derivation_of(l->kernel);
    const struct write_set *w = NULL;

    if (!may_split(d)) {
        if (l->is_program && d->uncut.text[0] && !d->may_group)
            offer_sums(l->kernel, d, MERGED_KINDS, &d->refusal);
        return;
    }
    d->refusal = d->uncut;
    if (!d->slice && !l->is_program)
        return;
    d->refusal.text[0] = '\0';
    if (!derive(l, d, &w, &d->refusal) && w) {
        l->found.set = w;
        l->found.digest = digest_of(l, w);
    } else
        l->found.flags = NULL;
}

const struct write_set *derive_whole(struct launching *l, bool amortizes)
{
    enum { TRIES = 8 };
    struct kernel_derivation *d = derivation_of(l->kernel);
    const uint64_t before = d->cache.misses;
    const struct write_set *w;

    if (!d->slice || (!amortizes && d->misses_in_a_row == TRIES))
        return NULL;
    enum proact_status status = derive_run(l, d->slice, &d->cache, &w, NULL);

    if (d->cache.misses == before)
        d->misses_in_a_row = 0;
    else if (d->misses_in_a_row < TRIES)
        d->misses_in_a_row++;
    return status || derive_check_variables(l, w, NULL) ? NULL : w;
}

enum proact_status derive_check_maps(struct launching *l, struct proact_error *err)
{
    struct kernel_derivation *d = derivation_of(l->kernel);
    const struct write_set *w;
    struct proact_error unknown = {""};

    if (!d->slice || derive_run(l, d->slice, &d->cache, &w, &unknown) || !w->is_exact)
        return PROACT_OK;
    return derive_check_slots(l, w, err);
}
