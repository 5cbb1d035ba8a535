/* SPDX-License-Identifier: Apache-2.0 */
/* Shared writes of a launch: their bytes, and the check that no other access touches
   them. */
#include "runtime/footprint/derive_flags.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "access/shared_writes/scatters.h"
#include "base/fail.h"
#include "base/memory.h"
#include "runtime/access_sets/needs.h"
#include "runtime/footprint/derive.h"
#include "runtime/footprint/kernel_flags.h"
#include "runtime/objects/array.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/request/launching.h"
#include "runtime/version/runtime_child.h"

bool flags_are_on(const struct kernel_flags *f)
{
    return f && f->is_on;
}

/* Phrase for messages: the shared writes of the kernel. */
static const char *words(const struct kernel_flags *f)
{
    const uint32_t count = f->reductions.count;

    if (!count)
        return "make idempotent stores";
    if (f->has_fetch_atomics)
        return "use value-returning atomics";
    /* indirect stores are the last entries */
    return f->reductions.reduction[count - 1].kind == ACCESS_SCATTERED
               ? "make indirect stores"
               : "update arrays by atomics";
}

static enum proact_status refuse(const struct launching *l, const struct kernel_flags *f,
                                 const char *why, struct proact_error *err)
{
    return fail(err, PROACT_EREFUSED, "kernel '%s': its CTAs %s, %s", l->kernel->name,
                words(f), why);
}

/* A pointer outside all arrays may refer to any device-0 address. */
static bool is_in_no_array(const struct launching *l, uint32_t parameter)
{
    uint64_t pointer;

    memcpy(&pointer, l->block + parameter, sizeof pointer);
    return !launching_array(l, parameter) && pointer;
}

static bool are_in_no_array(const struct launching *l, const struct kernel_flags *f)
{
    for (uint32_t n = 0; n < f->sites.count; n++)
        if (is_in_no_array(l, f->sites.flag[n].parameter))
            return true;
    for (uint32_t n = 0; n < f->reductions.count; n++)
        if (is_in_no_array(l, f->reductions.reduction[n].parameter))
            return true;
    return false;
}

/* Whether accesses of two kinds may share an array. In one memory atomics of equal size are
   atomic to each other; atomics of different sizes, and stores, are not. */
static bool go_together(uint32_t a, uint32_t b)
{
    return a == b || (a != ACCESS_SCATTERED && b != ACCESS_SCATTERED &&
                      access_reduction_bytes(a) == access_reduction_bytes(b) &&
                      !access_reduction_is_float(a) && !access_reduction_is_float(b));
}

/* A reduced array is shared in full. */
static const char *add_reductions(const struct launching *l, struct kernel_flags *f)
{
    const struct access_reduction *r = f->reductions.reduction;
    const char *why = NULL;

    for (uint32_t n = 0; n < f->reductions.count && !why; n++) {
        const struct proact_array *a = launching_array(l, r[n].parameter);
        bool is_new = true;

        for (uint32_t b = 0; b < n && a && !why; b++)
            if (launching_array(l, r[b].parameter) == a) {
                is_new = false;
                why = go_together(r[b].kind, r[n].kind)
                          ? NULL
                          : "and two kinds of them on one array cannot be combined";
            }
        if (a && is_new && !why)
            why = flag_bytes_add_all(&f->bytes, launching_number(l, a), a->bytes);
    }
    return why;
}

/* Bytes of the shared writes by kind, and the check that no other store goes there. */
static enum proact_status find_bytes(const struct launching *l, struct kernel_flags *f,
                                     const struct write_set *others,
                                     struct proact_error *err)
{
    struct write_set_pointer *pointers =
        must_calloc(l->relocation_count + 1, sizeof *pointers);
    enum proact_status status = PROACT_OK;
    const struct write_set *alone;
    const char *why;

    for (size_t i = 0; i < l->relocation_count; i++)
        pointers[i] = (struct write_set_pointer){
            l->relocations[i].offset, launching_number(l, l->relocations[i].array),
            l->relocations[i].addend};
    f->bytes.count = 0;
    why = are_in_no_array(l, f) ? "some of them outside every array"
                                : flag_bytes_hang(&f->sites, pointers, l->relocation_count);
    for (uint32_t kind = 0; kind < f->sites.kinds && !why && !status; kind++) {
        status = derive_run(l, f->kinds[kind], &f->kinds_cache[kind], &alone, err);
        if (!status)
            why = flag_bytes_add(&f->bytes, &f->sites, kind, alone, pointers,
                                 l->relocation_count);
    }
    if (!why && !status)
        why = add_reductions(l, f);
    if (!why && !status)
        why = flag_bytes_written(&f->bytes, others);
    free(pointers);
    return why ? refuse(l, f, why, err) : status;
}

/* A CTA that reads a shared write of another device would also have to observe all earlier
   stores of that device. */
static enum proact_status check_reads(const struct launching *l,
                                      const struct kernel_flags *f,
                                      struct proact_error *err)
{
    const struct launch_needs *needs = needs_find(l, f->is_flag);

    for (size_t n = 0; n < f->bytes.count; n++) {
        const struct flag_range *flag = &f->bytes.range[n];
        const struct transfer_need *need = needs_of(needs, flag->array, 0);
        size_t at = spans_from(&need->spans, flag->first);

        if (need->all || (at < need->spans.count && need->spans.span[at].first < flag->end))
            return refuse(l, f, "and the kernel may read the same bytes", err);
    }
    return PROACT_OK;
}

/* Value-returning atomics may tell a CTA that another CTA has stored. Stores to ordinary
   arrays reach other devices later, so the launch must not read these arrays. */
static enum proact_status check_learns(const struct launching *l,
                                       const struct kernel_flags *f,
                                       const struct write_set *others,
                                       struct proact_error *err)
{
    const struct launch_needs *needs = needs_find(l, f->is_flag);

    for (uint32_t n = 0; n < others->array_count; n++) {
        const struct transfer_need *need = needs_of(needs, n, 0);

        if (others->arrays[n].runs.count && (need->all || need->spans.count))
            return refuse(l, f, "and a CTA may read what another CTA has stored", err);
    }
    return PROACT_OK;
}

static bool is_plain(const struct proact_kernel *k, const struct access_reduction *r)
{
    const struct ptx_instruction *i = &k->ptx->instructions[r->instruction];

    return i->opcode == PTX_ST || i->opcode == PTX_LD;
}

static bool has_joint(const struct launching *l, const struct kernel_flags *f)
{
    for (uint32_t n = 0; n < f->sites.count; n++)
        if (f->sites.flag[n].joint)
            return true;
    if (f->has_fetch_atomics)
        return true;
    /* plain stores stay plain stores */
    for (uint32_t n = 0; n < f->reductions.count; n++)
        if (!is_plain(l->kernel, &f->reductions.reduction[n]))
            return true;
    return false;
}

static bool is_pinned(const struct launching *l, uint32_t parameter)
{
    const struct proact_array *a = launching_array(l, parameter);

    return a && a->is_pinned;
}

/* In pinned host memory, atomics of two devices are not atomic to each other; loads and
   stores are permitted. */
static bool are_pinned(const struct launching *l, const struct kernel_flags *f)
{
    for (uint32_t n = 0; n < f->sites.count; n++)
        if (f->sites.flag[n].joint && is_pinned(l, f->sites.flag[n].parameter))
            return true;
    for (uint32_t n = 0; n < f->reductions.count; n++)
        if (is_pinned(l, f->reductions.reduction[n].parameter) &&
            !is_plain(l->kernel, &f->reductions.reduction[n]))
            return true;
    return false;
}

static enum proact_status check_reach(const struct launching *l,
                                      const struct kernel_flags *f,
                                      struct proact_error *err)
{
    const struct proact *p = l->kernel->session;

    if (l->over > 1 && are_pinned(l, f))
        return refuse(l, f,
                      "some of them in pinned host memory, where atomics of several "
                      "devices are not atomic with each other",
                      err);
    for (unsigned d = 1; d < l->over; d++) {
        if (!p->backend->peer_access(p->set, d, 0))
            return refuse(l, f,
                          "which must run in the memory of device 0, and not all devices "
                          "reach it",
                          err);
        if (has_joint(l, f) && !p->backend->peer_atomics(p->set, d, 0))
            return refuse(l, f,
                          "which needs atomics in the memory of device 0, and not all "
                          "links support them",
                          err);
    }
    return PROACT_OK;
}

static enum proact_status turn_on(struct launching *l, struct kernel_flags *f,
                                  struct proact_error *err)
{
    if (f->is_on)
        return PROACT_OK;
    l->kernel->session->records_unlike |= l->kernel->session->recording != NULL;
    if (l->kernel->session->recording)
        return fail(
            err, PROACT_EINVAL,
            "kernel '%s': its CTAs %s for the first time: launch it once, then record",
            l->kernel->name, words(f));
    enum proact_status status = kernel_slots_change(l->kernel, err);

    if (status)
        return status;
    l->kernel->flag_stores = f->is_flag;
    l->kernel->flag_joints = f->is_joint;
    l->kernel->flag_swaps = f->is_swap;
    f->is_on = true;
    return PROACT_OK;
}

/* Kind of reduction of an array. 0: idempotent stores, several kinds, or a kind without
   partial results. */
static uint32_t kind_of(const struct launching *l, const struct kernel_flags *f,
                        const struct proact_array *a)
{
    const struct access_reduction *r = f->reductions.reduction;
    uint32_t kind = 0;

    for (uint32_t n = 0; n < f->reductions.count; n++) {
        if (launching_array(l, r[n].parameter) != a)
            continue;
        if ((kind && kind != r[n].kind) || !access_reduction_has_partials(r[n].kind))
            return 0;
        kind = r[n].kind;
    }
    return kind;
}

static void name_arrays(const struct launching *l, struct kernel_flags *f)
{
    struct launch_flags *found = &f->found;

    found->count = 0;
    for (size_t n = 0; n < f->bytes.count; n++) {
        const struct flag_range *r = &f->bytes.range[n];
        size_t i = 0;

        while (launching_number(l, l->relocations[i].array) != r->array)
            i++;
        found->flag =
            must_grow(found->flag, found->count, &found->capacity, sizeof *found->flag);
        found->flag[found->count++] =
            (struct launch_flag){l->relocations[i].array, r->first, r->end,
                                 kind_of(l, f, l->relocations[i].array)};
    }
}

enum proact_status flags_find(struct launching *l, struct kernel_flags *f,
                              const uint32_t *part_first, const struct write_set **out,
                              struct proact_error *err)
{
    enum proact_status status = derive_run(l, f->others, &f->others_cache, out, err);

    if (status || (status = derive_check_own(l, part_first, *out, err)) ||
        (status = find_bytes(l, f, *out, err)) || (status = check_reads(l, f, err)) ||
        (f->has_fetch_atomics && (status = check_learns(l, f, *out, err))) ||
        (status = check_reach(l, f, err)) || (status = turn_on(l, f, err)))
        return status;
    name_arrays(l, f);
    l->found.flags = &f->found;
    return PROACT_OK;
}
