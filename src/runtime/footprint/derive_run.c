/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "runtime/access_sets/direct.h"
#include "runtime/footprint/derive.h"
#include "runtime/objects/array.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/objects/session_image.h"
#include "runtime/partition/boundaries.h"
#include "runtime/provenance/unsplittable.h"
#include "runtime/request/launching.h"
#include "runtime/variables/known_constants.h"
#include "runtime/version/runtime_child.h"

/* Thread instructions per host core, about one second. This is the limit of a launch whose
   slice has no closed form. A slice that depends on changing constants runs repeatedly; the
   limit then applies to all launches of the kernel together. */
enum { WORK_A_CORE = 1 << 30 };

/* Union of left_out and of the accesses to distributed arrays; the caller frees it. NULL:
   empty. */
static bool *with_direct(const struct proact_kernel *k, const bool *left_out)
{
    const bool *direct = direct_accesses(k);
    bool *all;

    if (!left_out && !direct)
        return NULL;
    all = must_calloc(k->ptx->instruction_count + 1u, sizeof *all);
    for (uint32_t n = 0; n < k->ptx->instruction_count; n++)
        all[n] = (left_out && left_out[n]) || (direct && direct[n]);
    return all;
}

static enum proact_status cut(const struct proact_kernel *k, const bool *left_out,
                              struct write_set_slice **out, struct proact_error *err)
{
    const struct write_set_options plain = {.left_out = left_out},
                                   known = {.left_out = left_out, .constants_known = true};
    const struct ptx_module *m = k->image->ptx;
    struct proact_error addresses, why = {""};
    enum proact_status status = write_set_slice_create(m, k->name, &plain, out, &why);

    /* Constants may hold addresses, which refer to device 0. */
    if (status == PROACT_EREFUSED && !unsplittable_in_program(k, &addresses) &&
        !write_set_slice_create(m, k->name, &known, out, NULL))
        return PROACT_OK;
    return status ? fail(err, status, "%s", why.text) : PROACT_OK;
}

enum proact_status derive_cut(const struct proact_kernel *k, const bool *left_out,
                              struct write_set_slice **out, struct proact_error *err)
{
    bool *all = with_direct(k, left_out);
    enum proact_status status = cut(k, all, out, err);

    free(all);
    return status;
}

static uint64_t most_work(const struct proact *p)
{
    return (uint64_t)p->cores * WORK_A_CORE;
}

/* Remaining work; never 0, which means no limit. */
static uint64_t affordable(const struct proact_kernel *k)
{
    const uint64_t most = most_work(k->session);

    return most > k->looked_through ? most - k->looked_through : 1;
}

/* Adds the constants that the slice reads, and the work limit. */
static enum proact_status add_constants(const struct launching *l,
                                        const struct write_set_slice *s,
                                        struct write_set_launch *launch,
                                        struct proact_error *err)
{
    const struct known_constants *c;

    launch->work_most = most_work(l->kernel->session);
    if (!write_set_slice_info(s).reads_constants)
        return PROACT_OK;
    if (!(c = known_constants_find(l)))
        return fail(err, PROACT_EREFUSED,
                    "kernel '%s': where it writes depends on constant memory, whose "
                    "changes a recording does not follow",
                    l->kernel->name);
    launch->constants = c->items;
    launch->constant_count = c->count;
    launch->work_most = affordable(l->kernel);
    return PROACT_OK;
}

/* A refused slice has used all permitted work. */
static void count_work(const struct launching *l, const struct write_set_launch *launch,
                       enum proact_status status, const struct write_set *w)
{
    if (launch->constants && (!status || status == PROACT_EREFUSED))
        l->kernel->looked_through += status ? launch->work_most : w->work;
}

/* Estimated host time of a write set: by its rows, its CTAs, and the instructions of its
   slice at about one per ns and core. Emulated machines count one core, so that results do
   not depend on the host. */
static uint64_t host_ns(const struct proact *p, const struct write_set *w)
{
    enum { ROW_NS = 100, CTA_NS = 10 };
    uint64_t rows = 0;

    for (uint32_t n = 0; n < w->array_count; n++)
        rows += w->arrays[n].runs.row_count;
    return ROW_NS * rows + (uint64_t)CTA_NS * w->cta_count +
           w->lanes / (p->backend->is_virtual ? 1 : p->cores);
}

/* Accounts the host time of an analysis. It is charged to the budget once the next launch
   has another result. Each reuse repays a part. `w` NULL: the slice was refused, either
   early or after all permitted work. */
static void note_found(struct proact_kernel *k, const struct write_set *w, bool is_new,
                       uint64_t refused_work)
{
    enum { REFUSED_NS = 100000, USES = 16 };
    const uint64_t took = w              ? host_ns(k->session, w)
                          : refused_work ? refused_work / k->session->cores
                                         : REFUSED_NS;
    const uint64_t repaid = took / USES < k->charged_ns ? took / USES : k->charged_ns;

    if (is_new) {
        plan_budget_spend(&k->session->budget, k->unused_ns);
        k->charged_ns += k->unused_ns;
        k->unused_ns = took;
        k->found_ns += took;
    } else {
        plan_budget_repay(&k->session->budget, repaid);
        k->charged_ns -= repaid;
        k->unused_ns = 0;
    }
}

/* Distinct arrays of the launch, in the order of their first relocations. */
static uint32_t find_arrays(const struct launching *l, struct write_set_array *arrays,
                            struct write_set_pointer *pointers)
{
    uint32_t count = 0;

    for (size_t i = 0; i < l->relocation_count; i++) {
        const struct proact_array *a = l->relocations[i].array;
        uint32_t n = 0;

        while (n < count && arrays[n].address != a->base[0])
            n++;
        if (n == count)
            arrays[count++] = (struct write_set_array){
                .name = a->name, .address = a->base[0], .bytes = a->bytes};
        pointers[i] = (struct write_set_pointer){l->relocations[i].offset, n,
                                                 l->relocations[i].addend};
    }
    return count;
}

/* The slice runs with the device-0 parameters of the kernel. */
enum proact_status derive_run(const struct launching *l, const struct write_set_slice *s,
                              struct write_set_cache *cache, const struct write_set **out,
                              struct proact_error *err)
{
    const struct proact_kernel *k = l->kernel;
    struct write_set_array *arrays = must_calloc(l->relocation_count + 1, sizeof *arrays);
    struct write_set_pointer *pointers =
        must_calloc(l->relocation_count + 1, sizeof *pointers);
    unsigned char *block = must_calloc(k->parameter_bytes + 1, 1);
    struct write_set_launch launch = {.dynamic_shared_bytes = l->shared_bytes,
                                      .threads = k->session->threads,
                                      .parameters = block,
                                      .parameter_bytes = k->parameter_bytes,
                                      .arrays = arrays,
                                      .pointers = pointers,
                                      .pointer_count = (uint32_t)l->relocation_count};

    memcpy(block, l->block, k->parameter_bytes);
    memcpy(launch.grid, l->grid, sizeof launch.grid);
    memcpy(launch.block, l->threads, sizeof launch.block);
    launch.array_count = find_arrays(l, arrays, pointers);
    uint64_t before = cache->misses;
    enum proact_status status = add_constants(l, s, &launch, err);

    if (!status)
        status = write_set_cached(cache, s, &launch, out, err);
    const bool is_new = cache->misses > before;

    if (is_new)
        count_work(l, &launch, status, status ? NULL : *out);
    note_found(l->kernel, status ? NULL : *out, is_new,
               is_new && status == PROACT_EREFUSED ? launch.work_most : 0);
    free(block);
    free(pointers);
    free(arrays);
    return status;
}

static const struct write_set_ranges *find_atomic(const struct write_set *w)
{
    for (uint32_t n = 0; n < w->array_count; n++)
        if (w->arrays[n].runs.count && w->arrays[n].is_atomic)
            return &w->arrays[n];
    return NULL;
}

enum proact_status derive_check_variables(const struct launching *l,
                                          const struct write_set *w,
                                          struct proact_error *err)
{
    for (uint32_t n = 0; n < w->array_count; n++)
        if (w->arrays[n].runs.count && w->arrays[n].is_variable)
            return fail(
                err, PROACT_EREFUSED,
                "kernel '%s', %s:%u: it writes to variable '%s', and each device has its "
                "own copy",
                l->kernel->name, l->kernel->image->ptx->name, w->arrays[n].line,
                w->arrays[n].name);
    return PROACT_OK;
}

/* Versions keep such atomics in the device's own replica. */
static enum proact_status own_atomics(const struct launching *l, struct proact_error *err)
{
    struct proact_kernel *k = l->kernel;

    if (k->owns_atomics)
        return PROACT_OK;
    k->session->records_unlike |= k->session->recording != NULL;
    if (k->session->recording)
        return fail(
            err, PROACT_EINVAL,
            "kernel '%s': its CTAs update their own elements by atomics for the first "
            "time: launch it once, then record",
            k->name);
    enum proact_status status = kernel_slots_change(k, err);

    k->owns_atomics |= !status;
    return status;
}

enum proact_status derive_check_own(const struct launching *l, const uint32_t *cta_first,
                                    const struct write_set *w, struct proact_error *why)
{
    const struct write_set_ranges *atomic = find_atomic(w);
    struct proact_error both;
    enum proact_status status = derive_check_variables(l, w, why);

    if (status)
        return status;
    if (!write_set_overlap(w, cta_first, l->over, &both))
        return atomic ? own_atomics(l, why) : PROACT_OK;
    if (atomic)
        return fail(why, PROACT_EREFUSED,
                    "kernel '%s', %s:%u: it updates array '%s' by atomics: each device "
                    "would update its own replica only",
                    l->kernel->name, l->kernel->image->ptx->name, atomic->line,
                    atomic->name);
    return fail(why, PROACT_EREFUSED, "kernel '%s': %s", l->kernel->name, both.text);
}

enum proact_status derive_partition(struct launching *l, const struct write_set *w,
                                    struct proact_error *why)
{
    uint32_t *cta_first = l->found.cta_first;
    enum proact_status status;

    partition_at_boundaries(l, w, cta_first);
    status = derive_check_own(l, cta_first, w, why);
    return status && partition_evenly(l, w, cta_first)
               ? derive_check_own(l, cta_first, w, why)
               : status;
}
