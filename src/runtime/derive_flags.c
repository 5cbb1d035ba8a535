/* SPDX-License-Identifier: Apache-2.0 */
/* Which bytes are flags in a launch, and that nothing else in it has to do with them. */
#include "runtime/launch_flags.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "access/flags.h"
#include "base/fail.h"
#include "base/memory.h"
#include "runtime/derive.h"
#include "runtime/needs.h"

enum { FLAGS_MAX = 64 }; /* in a launch */

/* A slice for the flags of each kind, and one for all other stores. */
struct kernel_flags {
    struct access_flags sites;
    bool *is_flag; /* by instruction */
    struct write_set_slice *others, **kinds;
    struct write_set_cache others_cache, *kinds_cache;
    struct launch_flags found;
    bool is_on;
};

/* All stores but the flags of that kind. */
static bool *all_but(const struct proact_kernel *k, const struct kernel_flags *f,
                     uint32_t kind)
{
    bool *left_out = must_calloc(k->ptx->instruction_count + 1u, sizeof *left_out);

    for (uint32_t n = 0; n < k->ptx->instruction_count; n++)
        left_out[n] = true;
    for (uint32_t n = 0; n < f->sites.count; n++)
        if (f->sites.flag[n].kind == kind)
            left_out[f->sites.flag[n].instruction] = false;
    return left_out;
}

struct kernel_flags *flags_create(const struct proact_kernel *k)
{
    struct kernel_flags *f = must_calloc(1, sizeof *f);
    enum proact_status status;

    f->sites = access_flags_find(k->image->ptx, k->ptx);
    f->is_flag = must_calloc(k->ptx->instruction_count + 1u, sizeof *f->is_flag);
    f->kinds = must_calloc(f->sites.kinds + 1u, sizeof(void *));
    f->kinds_cache = must_calloc(f->sites.kinds + 1u, sizeof *f->kinds_cache);
    for (uint32_t n = 0; n < f->sites.count; n++)
        f->is_flag[f->sites.flag[n].instruction] = true;
    status = f->sites.count ? derive_cut(k, f->is_flag, &f->others, NULL) : PROACT_EREFUSED;
    for (uint32_t kind = 0; kind < f->sites.kinds && !status; kind++) {
        bool *left_out = all_but(k, f, kind);

        status = derive_cut(k, left_out, &f->kinds[kind], NULL);
        free(left_out);
    }
    if (!status)
        return f;
    flags_destroy(f);
    return NULL;
}

void flags_destroy(struct kernel_flags *f)
{
    if (!f)
        return;
    write_set_slice_destroy(f->others);
    write_set_cache_clear(&f->others_cache);
    for (uint32_t kind = 0; kind < f->sites.kinds; kind++) {
        write_set_slice_destroy(f->kinds[kind]);
        write_set_cache_clear(&f->kinds_cache[kind]);
    }
    free(f->kinds);
    free(f->kinds_cache);
    free(f->is_flag);
    free(f->found.flag);
    access_flags_clear(&f->sites);
    free(f);
}

bool flags_are_on(const struct kernel_flags *f)
{
    return f && f->is_on;
}

static enum proact_status refuse(const struct launching *l, const char *why,
                                 struct proact_error *err)
{
    return fail(err, PROACT_EREFUSED, "kernel '%s': its CTAs set flags, %s",
                l->kernel->name, why);
}

/* Each store's own array is known: of all others it may not be said where on the first
   device they lie. What is stored must not be an address, which each device has its own. */
static enum proact_status check_parameters(const struct launching *l,
                                           const struct kernel_flags *f,
                                           struct proact_error *err)
{
    uint64_t pointer;

    for (uint32_t n = 0; n < f->sites.count; n++) {
        memcpy(&pointer, l->block + f->sites.flag[n].parameter, sizeof pointer);
        if (!launching_array(l, f->sites.flag[n].parameter) && pointer)
            return refuse(l, "some of them in no array", err);
    }
    for (size_t i = 0; i < l->place_count; i++)
        for (uint32_t at = 0; at < sizeof pointer; at++)
            if (f->sites.decide[l->places[i].offset + at])
                return refuse(l, "to what hangs on an address", err);
    return PROACT_OK;
}

/* The array through one of whose pointers flags of that kind are set. */
static bool is_pointed_at(const struct launching *l, const struct kernel_flags *f,
                          uint32_t kind, const struct proact_array *a)
{
    for (uint32_t n = 0; n < f->sites.count; n++)
        if (f->sites.flag[n].kind == kind &&
            launching_array(l, f->sites.flag[n].parameter) == a)
            return true;
    return false;
}

static bool meets(const struct launch_flags *f, const struct proact_array *a,
                  uint64_t first, uint64_t end)
{
    for (size_t n = 0; n < f->count; n++)
        if (f->flag[n].array == a && f->flag[n].first < end && first < f->flag[n].end)
            return true;
    return false;
}

/* Bytes of one kind, each once. */
static enum proact_status add_spans(const struct launching *l, struct kernel_flags *f,
                                    struct proact_array *a, const struct spans *spans,
                                    struct proact_error *err)
{
    struct launch_flags *found = &f->found;

    for (size_t n = 0; n < spans->count; n++) {
        const struct span *s = &spans->span[n];

        if (meets(found, a, s->first, s->end))
            return refuse(l, "and the same one to two values, in two sizes or in two ways",
                          err);
        if (found->count == FLAGS_MAX)
            return refuse(l, "too many of them", err);
        found->flag =
            must_grow(found->flag, found->count, &found->capacity, sizeof *found->flag);
        found->flag[found->count++] = (struct launch_flag){a, s->first, s->end};
    }
    return PROACT_OK;
}

static enum proact_status add_array(const struct launching *l, struct kernel_flags *f,
                                    uint32_t kind, const struct write_set *w, size_t place,
                                    struct proact_error *err)
{
    struct proact_array *a = l->places[place].array;
    const struct write_set_ranges *r = &w->arrays[launching_number(l, a)];
    struct spans spans = {0};

    if (!r->first || launching_is_again(l, place))
        return PROACT_OK;
    if (!is_pointed_at(l, f, kind, a))
        return refuse(l, "some of them through another array's pointer", err);
    for (uint32_t n = 0; n < r->first[w->cta_count]; n++)
        spans_add(&spans, r->ranges[n].first_byte,
                  r->ranges[n].first_byte + r->ranges[n].bytes);
    enum proact_status status = add_spans(l, f, a, &spans, err);

    spans_clear(&spans);
    return status;
}

/* Variables of the module are behind the arrays, of which a store through a parameter's
   pointer is to none. */
static enum proact_status find_kind(const struct launching *l, struct kernel_flags *f,
                                    uint32_t kind, struct proact_error *err)
{
    const struct write_set *w;
    enum proact_status status =
        derive_run(l, f->kinds[kind], &f->kinds_cache[kind], &w, err);

    for (uint32_t n = launching_arrays(l); !status && n < w->array_count; n++)
        if (w->arrays[n].first)
            status = refuse(l, "some of them in a variable", err);
    for (size_t i = 0; i < l->place_count && !status; i++)
        status = add_array(l, f, kind, w, i, err);
    return status;
}

static enum proact_status check_writes(const struct launching *l,
                                       const struct launch_flags *f,
                                       const struct write_set *w, struct proact_error *err)
{
    for (size_t i = 0; i < l->place_count; i++) {
        const struct proact_array *a = l->places[i].array;
        const struct write_set_ranges *r = &w->arrays[launching_number(l, a)];
        bool is_set = meets(f, a, 0, a->bytes) && r->first && !launching_is_again(l, i);

        for (uint32_t n = 0; is_set && n < r->first[w->cta_count]; n++)
            if (meets(f, a, r->ranges[n].first_byte,
                      r->ranges[n].first_byte + r->ranges[n].bytes))
                return refuse(l, "and one of them to another value, too", err);
    }
    return PROACT_OK;
}

/* Who saw a flag of another device would have to see all that was stored before it. */
static enum proact_status check_reads(const struct launching *l,
                                      const struct kernel_flags *f,
                                      struct proact_error *err)
{
    const struct launch_needs *needs = needs_find(l, f->is_flag);

    for (size_t n = 0; n < f->found.count; n++) {
        const struct launch_flag *flag = &f->found.flag[n];
        const struct transfer_need *need =
            needs_of(needs, launching_number(l, flag->array), 0);
        size_t at = spans_from(&need->spans, flag->first);

        if (need->all || (at < need->spans.count && need->spans.span[at].first < flag->end))
            return refuse(l, "and it may read one of them", err);
    }
    return PROACT_OK;
}

static enum proact_status check_reach(const struct launching *l, struct proact_error *err)
{
    const struct proact *p = l->kernel->session;

    for (unsigned d = 1; d < l->over; d++)
        if (!p->backend->peer_access(p->set, d, 0))
            return refuse(l,
                          "which its devices would set in the first one's memory, and "
                          "not all of them reach that",
                          err);
    return PROACT_OK;
}

static enum proact_status turn_on(struct launching *l, struct kernel_flags *f,
                                  struct proact_error *err)
{
    if (f->is_on)
        return PROACT_OK;
    if (l->kernel->session->recording)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': that its CTAs set flags is new: launch it once, then "
                    "record",
                    l->kernel->name);
    kernel_slots_change(l->kernel);
    l->kernel->flag_stores = f->is_flag;
    f->is_on = true;
    return PROACT_OK;
}

enum proact_status flags_find(struct launching *l, struct kernel_flags *f,
                              const uint32_t *part_first, const struct write_set **out,
                              struct proact_error *err)
{
    struct proact_error both;
    enum proact_status status = derive_run(l, f->others, &f->others_cache, out, err);

    f->found.count = 0;
    if (status || (status = derive_check_kinds(l, *out, err)) ||
        (status = check_parameters(l, f, err)))
        return status;
    if (write_set_overlap(*out, part_first, l->over, &both))
        return fail(err, PROACT_EREFUSED, "kernel '%s': %s", l->kernel->name, both.text);
    for (uint32_t kind = 0; kind < f->sites.kinds && !status; kind++)
        status = find_kind(l, f, kind, err);
    if (status || (status = check_writes(l, &f->found, *out, err)) ||
        (status = check_reads(l, f, err)) || (status = check_reach(l, err)) ||
        (status = turn_on(l, f, err)))
        return status;
    l->found.flags = &f->found;
    return PROACT_OK;
}
