/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/analyze_kernel.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "access/shared_writes/flag_bytes.h"
#include "access/shared_writes/retries.h"
#include "analyze/analyze_constants.h"
#include "base/fail.h"

/* The pointers of the written arrays, including those of records without an expression. */
static uint32_t find_slots(struct analyze_kernel *k)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < k->analysis->record_count; i++) {
        const struct access_record *r = &k->analysis->records[i];

        if (r->base != ACCESS_BASE_PARAMETER || r->kind == ACCESS_READ)
            continue;
        uint32_t offset = k->analysis->symbols[r->base_symbol].offset, s = 0;

        while (s < count && s < PROACT_SLOTS_MAX && k->request.slot_offset[s] != offset)
            s++;
        if (s == count && count < PROACT_SLOTS_MAX)
            k->request.slot_offset[count] = offset;
        count += s == count;
    }
    return count;
}

/* A written variable and the line; a variable that is only read is equal on all devices. */
static const char *variable_of(const struct analyze_kernel *k, uint32_t *line)
{
    for (uint32_t i = 0; i < k->analysis->record_count; i++) {
        const struct access_record *r = &k->analysis->records[i];

        if (r->base != ACCESS_BASE_VARIABLE || r->kind == ACCESS_READ)
            continue;
        const struct ptx_symbol *s =
            ptx_symbol(k->module, k->f, k->analysis->symbols[r->base_symbol].variable);

        *line = r->line;
        if (s->space == PTX_SPACE_GLOBAL)
            return s->name;
    }
    return NULL;
}

static bool writes(const struct analyze_kernel *k)
{
    for (uint32_t i = 0; i < k->analysis->record_count; i++) {
        const struct access_record *r = &k->analysis->records[i];

        if (r->kind != ACCESS_READ && r->base != ACCESS_BASE_SHARED &&
            r->base != ACCESS_BASE_LOCAL)
            return true;
    }
    return false;
}

static bool is_atomic(const struct access_record *r)
{
    return r->kind == ACCESS_ATOMIC || r->kind == ACCESS_REDUCE;
}

/* The line of the first atomic on an array that `without` does not exclude; 0: none.
   Atomics with one address per CTA depend on the launch and do not count. */
static uint32_t find_atomic(const struct analyze_kernel *k, const bool *without)
{
    uint32_t line = 0;

    for (uint32_t i = 0; i < k->analysis->record_count && !line; i++) {
        const struct access_record *r = &k->analysis->records[i];

        if (is_atomic(r) && !without[r->instruction] && r->base != ACCESS_BASE_SHARED &&
            r->base != ACCESS_BASE_LOCAL && !access_is_own(k->analysis, r))
            line = r->line;
    }
    return line;
}

/* The line of an atomic that is neither idempotent nor a reduction; 0: none. */
static uint32_t atomic_line(const struct analyze_kernel *k)
{
    bool *is_flag = flag_bytes_all(&k->flags, k->f);
    uint32_t line = k->reductions.count ? 0 : find_atomic(k, is_flag);

    free(is_flag);
    return line;
}

/* The same request as the runtime's: kernel versions perform the idempotent atomics. */
static void request_flags(struct analyze_kernel *k)
{
    bool *is_flag = flag_bytes_all(&k->flags, k->f), any = false;

    for (uint32_t i = 0; i < k->analysis->record_count; i++)
        any |= is_atomic(&k->analysis->records[i]) &&
               is_flag[k->analysis->records[i].instruction];
    if (any)
        k->request.flags = k->is_flag = is_flag;
    else
        free(is_flag);
}

static bool has_clone(const struct analyze_kernel *k)
{
    for (int c = 0; c < INSTRUMENT_CLONES; c++)
        if (!k->clones.refusal[c].text[0])
            return true;
    return false;
}

/* The first reason against a split. Reasons that no map removes come first. */
static void judge(struct analyze_kernel *k, uint32_t slots)
{
    const char *name = k->f->name, *file = k->module->name;
    uint32_t line = 0;
    const char *variable = variable_of(k, &line);

    if (k->is_annotated)
        return;
    if (!writes(k))
        fail(&k->why, PROACT_EREFUSED, "kernel '%s' writes to no array", name);
    else if (variable)
        fail(&k->why, PROACT_EREFUSED,
             "kernel '%s', %s:%" PRIu32
             ": it writes to variable '%s', and each device has its own copy",
             name, file, line, variable);
    else if (slots > PROACT_SLOTS_MAX)
        fail(&k->why, PROACT_EREFUSED, "kernel '%s' writes %" PRIu32 " arrays, limit %d",
             name, slots, PROACT_SLOTS_MAX);
    else if (!has_clone(k))
        k->why = k->clones.refusal[INSTRUMENT_GRID];
    else if (!k->slice)
        k->why = k->uncut;
    else if ((line = atomic_line(k)))
        fail(&k->why, PROACT_EREFUSED,
             "kernel '%s', %s:%" PRIu32 ": it updates an array by atomics: each device "
             "would update its own replica only",
             name, file, line);
}

/* A slice as the runtime makes it. If no other slice exists, it may load constants, unless
   they have 64 bits and may be addresses. */
static void cut(struct analyze_kernel *k, const bool *left_out)
{
    const struct write_set_options plain = {.left_out = left_out},
                                   known = {.left_out = left_out, .constants_known = true};
    struct analyze_constant constants[ANALYZE_CONSTANTS_MAX];
    uint32_t count = 0;

    write_set_slice_destroy(k->slice);
    k->slice = NULL;
    if (!write_set_slice_create(k->module, k->f->name, &plain, &k->slice, &k->uncut) ||
        write_set_slice_create(k->module, k->f->name, &known, &k->slice, NULL))
        return;
    count = analyze_constants_read(k, constants);
    for (uint32_t n = 0; n < count && k->slice; n++)
        if (constants[n].bytes == 8) {
            write_set_slice_destroy(k->slice);
            k->slice = NULL;
        }
}

/* Instructions that a slice with reductions leaves out. */
struct reduced {
    struct access_reductions reductions;
    struct access_flags flags;
    bool *all, *joint; /* by instruction */
};

static void clear_reduced(struct reduced *r)
{
    access_reductions_clear(&r->reductions);
    access_flags_clear(&r->flags);
    free(r->joint);
    free(r->all);
}

/* True if the arrays with indirect stores are not otherwise read, as far as a kernel
   without a launch shows. */
static bool scatters_well(const struct analyze_kernel *k, const struct reduced *r)
{
    const struct access_reductions *all = &r->reductions;
    bool any = false;

    for (uint32_t n = 0; n < all->count; n++)
        for (uint32_t i = 0; i < k->analysis->record_count; i++) {
            const struct access_record *at = &k->analysis->records[i];

            any |= all->reduction[n].kind == ACCESS_SCATTERED;
            if (all->reduction[n].kind == ACCESS_SCATTERED &&
                at->base == ACCESS_BASE_PARAMETER && at->kind != ACCESS_WRITE &&
                !r->all[at->instruction] &&
                k->analysis->symbols[at->base_symbol].offset == all->reduction[n].parameter)
                return false;
        }
    return any;
}

enum how { REDUCING, SCATTERING, FETCHING }; /* each includes the previous ones */

/* The reductions that the runtime finds; false if atomics remain that are not
   reductions. */
static bool find_reduced(const struct analyze_kernel *k, bool floats, enum how how,
                         const bool *unresolved, struct reduced *r)
{
    r->reductions = access_reductions_find(k->module, k->f, floats);
    if (how == SCATTERING)
        access_scatters_add(&r->reductions, k->module, k->f, unresolved);
    if (how == FETCHING &&
        !access_fetch_atomics_add(&r->reductions, k->module, k->f, floats, unresolved)) {
        access_reductions_clear(&r->reductions);
        return false;
    }
    r->joint = access_reductions_all(&r->reductions, k->f);
    r->flags = access_flags_find(k->module, k->f);
    flag_bytes_leave(&r->flags, r->joint);
    r->all = flag_bytes_all(&r->flags, k->f);
    for (uint32_t n = 0; n < r->reductions.count; n++)
        r->all[r->reductions.reduction[n].instruction] = true;
    if (r->reductions.count && !find_atomic(k, r->all) &&
        (how == REDUCING || scatters_well(k, r)))
        return true;
    clear_reduced(r);
    return false;
}

static bool may_cut(const struct analyze_kernel *k, const bool *left_out)
{
    const struct write_set_options without = {.left_out = left_out};
    struct write_set_slice *slice = NULL;
    const bool may = !write_set_slice_create(k->module, k->f->name, &without, &slice, NULL);

    write_set_slice_destroy(slice);
    return may;
}

static void clear_tried(struct analyze_kernel *k)
{
    access_flags_clear(&k->flags);
    access_reductions_clear(&k->reductions);
    free(k->is_flag);
    free(k->is_joint);
    free(k->is_swap);
}

/* A slice with reductions, for a kernel without another one; false: it cannot be split
   either. */
static bool try_with(struct analyze_kernel *k, bool floats, enum how how,
                     const bool *unresolved)
{
    struct reduced r;

    if (!find_reduced(k, floats, how, unresolved, &r))
        return false;
    if (how != REDUCING && !may_cut(k, r.all)) {
        clear_reduced(&r);
        return false;
    }
    clear_tried(k);
    k->flags = r.flags;
    k->reductions = r.reductions;
    k->request.flags = k->is_flag = r.all;
    k->request.joint = k->is_joint = r.joint;
    k->request.swaps = k->is_swap = access_retries_find(k->f, &r.reductions);
    cut(k, r.all);
    return true;
}

static bool *find_unresolved(const struct analyze_kernel *k, bool floats, enum how how)
{
    struct access_reductions r =
        access_reductions_find(k->module, k->f, floats || how == SCATTERING);
    bool *unresolved = NULL;

    if (how == SCATTERING || access_fetch_atomics_add(&r, k->module, k->f, floats, NULL))
        unresolved = access_scatters_unresolved(k->module, k->f, &r);
    access_reductions_clear(&r);
    return unresolved;
}

/* A second attempt includes stores whose number depends on loaded values. */
static void try_both(struct analyze_kernel *k, bool floats, enum how how)
{
    bool *unresolved =
        try_with(k, floats, how, NULL) ? NULL : find_unresolved(k, floats, how);

    if (unresolved)
        try_with(k, floats, how, unresolved);
    free(unresolved);
}

static void offer_sums(struct analyze_kernel *k)
{
    const size_t at = strlen(k->why.text);
    struct reduced r;

    if (!at || !find_reduced(k, true, REDUCING, NULL, &r))
        return;
    if (may_cut(k, r.all))
        snprintf(k->why.text + at, sizeof k->why.text - at,
                 "; with PROACT_REASSOCIATE=1 (reassociate_floats) it could be split");
    clear_reduced(&r);
}

bool analyze_is_annotated(const struct ptx_function *f)
{
    return f->is_entry && f->parameter_count &&
           f->symbols[f->parameter_count - 1].bytes == sizeof(struct proact_partition);
}

void analyze_kernel_open(struct analyze_kernel *k, const struct ptx_module *m,
                         const struct ptx_function *f, bool reassociate_floats)
{
    size_t bytes;
    struct proact_error err = {""};

    *k = (struct analyze_kernel){.module = m, .f = f};
    k->is_annotated = analyze_is_annotated(f);
    k->analysis = access_analyze(m, f);
    k->patterns = access_patterns(k->analysis, NULL, 0, NULL);
    k->flags = access_flags_find(m, f);
    cut(k, NULL);
    k->request.kernel = f->name;
    if (!k->slice || atomic_line(k))
        try_with(k, reassociate_floats, REDUCING, NULL);
    if (!k->slice)
        try_both(k, reassociate_floats, SCATTERING);
    if (!k->slice || atomic_line(k))
        try_both(k, reassociate_floats, FETCHING);
    if (!k->reductions.count)
        request_flags(k);
    uint32_t slots = find_slots(k);

    k->request.slot_count = slots < PROACT_SLOTS_MAX ? slots : PROACT_SLOTS_MAX;
    k->request.owns_atomics = !atomic_line(k);
    if (instrument_module(m, &k->request, 1, &k->clones, &k->text, &bytes, &err))
        for (int c = 0; c < INSTRUMENT_CLONES; c++)
            k->clones.refusal[c] = err;
    judge(k, slots);
    if (!k->reductions.count)
        offer_sums(k);
}

void analyze_kernel_close(struct analyze_kernel *k)
{
    free(k->text);
    clear_tried(k);
    write_set_slice_destroy(k->slice);
    access_patterns_destroy(k->patterns);
    access_destroy(k->analysis);
}

bool analyze_scatters(const struct analyze_kernel *k)
{
    for (uint32_t n = 0; n < k->reductions.count; n++)
        if (k->reductions.reduction[n].kind == ACCESS_SCATTERED)
            return true;
    return false;
}

bool analyze_flags_only(const struct analyze_kernel *k, uint32_t offset)
{
    for (uint32_t i = 0; i < k->analysis->record_count; i++) {
        const struct access_record *r = &k->analysis->records[i];
        bool is_flag = r->kind == ACCESS_READ || r->base != ACCESS_BASE_PARAMETER ||
                       k->analysis->symbols[r->base_symbol].offset != offset;

        for (uint32_t n = 0; n < k->flags.count && !is_flag; n++)
            is_flag = k->flags.flag[n].instruction == r->instruction;
        if (!is_flag)
            return false;
    }
    return true;
}
