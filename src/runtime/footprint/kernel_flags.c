/* SPDX-License-Identifier: Apache-2.0 */
/* Creation of the shared writes of a kernel. */
#include "runtime/footprint/kernel_flags.h"

#include <stdlib.h>

#include "access/shared_writes/fetch_atomics.h"
#include "access/shared_writes/retries.h"
#include "access/shared_writes/scatters.h"
#include "base/memory.h"
#include "instrument/instrument.h"
#include "runtime/access_sets/direct.h"
#include "runtime/footprint/derive.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session_image.h"

/* Creates a slice without shared writes, and one per kind of idempotent store. */
static struct kernel_flags *cut(const struct proact_kernel *k, struct kernel_flags *f)
{
    enum proact_status status = PROACT_EREFUSED;

    f->kinds = must_calloc(f->sites.kinds + 1u, sizeof(void *));
    f->kinds_cache = must_calloc(f->sites.kinds + 1u, sizeof *f->kinds_cache);
    if (f->sites.count || f->reductions.count)
        status = derive_cut(k, f->is_flag, &f->others, NULL);
    for (uint32_t kind = 0; kind < f->sites.kinds && !status; kind++) {
        bool *left_out = flag_bytes_others(&f->sites, k->ptx, kind);

        status = derive_cut(k, left_out, &f->kinds[kind], NULL);
        free(left_out);
    }
    if (!status)
        return f;
    flags_destroy(f);
    return NULL;
}

struct kernel_flags *flags_create(const struct proact_kernel *k)
{
    struct kernel_flags *f = must_calloc(1, sizeof *f);

    f->sites = access_flags_find(k->image->ptx, k->ptx);
    if (direct_accesses(k))
        flag_bytes_leave(&f->sites, direct_accesses(k));
    f->is_flag = flag_bytes_all(&f->sites, k->ptx);
    f->is_joint = flag_bytes_joint(&f->sites, k->ptx);
    return cut(k, f);
}

/* Takes ownership of `found`. Accesses to distributed arrays are excluded: these arrays
   have one copy. */
static struct kernel_flags *with_reductions(const struct proact_kernel *k,
                                            struct access_reductions found)
{
    struct kernel_flags *f = must_calloc(1, sizeof *f);
    const struct access_reductions *r = &f->reductions;

    if (direct_accesses(k))
        access_reductions_leave(&found, direct_accesses(k));
    f->reductions = found;
    if (r->count)
        f->sites = access_flags_find(k->image->ptx, k->ptx);
    if (direct_accesses(k))
        flag_bytes_leave(&f->sites, direct_accesses(k));
    f->is_joint = access_reductions_all(r, k->ptx);
    flag_bytes_leave(&f->sites, f->is_joint);
    f->is_flag = flag_bytes_all(&f->sites, k->ptx);
    f->is_swap = access_retries_find(k->ptx, r);
    for (uint32_t n = 0; n < r->count; n++)
        f->is_flag[r->reduction[n].instruction] = true;
    for (uint32_t n = 0; n < f->sites.count; n++)
        f->is_joint[f->sites.flag[n].instruction] |= f->sites.flag[n].joint;
    return cut(k, f);
}

struct kernel_flags *reductions_create(const struct proact_kernel *k, bool floats)
{
    return with_reductions(k, access_reductions_find(k->image->ptx, k->ptx, floats));
}

static struct kernel_flags *scattered(const struct proact_kernel *k, bool floats,
                                      const bool *unresolved)
{
    struct access_reductions r = access_reductions_find(k->image->ptx, k->ptx, floats);
    const uint32_t atomics = r.count;

    access_scatters_add(&r, k->image->ptx, k->ptx, unresolved);
    if (r.count > atomics)
        return with_reductions(k, r);
    access_reductions_clear(&r);
    return NULL;
}

struct kernel_flags *scatters_create(const struct proact_kernel *k, bool floats)
{
    struct kernel_flags *f = scattered(k, floats, NULL);

    if (f)
        return f;
    struct access_reductions r = access_reductions_find(k->image->ptx, k->ptx, true);
    bool *unresolved = access_scatters_unresolved(k->image->ptx, k->ptx, &r);

    if (unresolved)
        f = scattered(k, floats, unresolved);
    free(unresolved);
    access_reductions_clear(&r);
    return f;
}

static enum proact_status waits(const struct proact_kernel *k, const struct kernel_flags *f,
                                struct proact_error *err)
{
    const struct instrument_request request = {.kernel = k->ptx->name,
                                               .flags = f ? f->is_flag : NULL,
                                               .joint = f ? f->is_joint : NULL,
                                               .swaps = f ? f->is_swap : NULL};

    return instrument_waits(k->image->ptx, &request, err);
}

/* Not for an interchanged kernel: values read from concurrent updates may depend on the CTA
   order. */
static bool flags_find_fetch_atomics(const struct proact_kernel *k, bool floats,
                                     const bool *unresolved, struct access_reductions *r)
{
    *r = access_reductions_find(k->image->ptx, k->ptx, floats);
    if (!k->split_axis &&
        access_fetch_atomics_add(r, k->image->ptx, k->ptx, floats, unresolved))
        return true;
    access_reductions_clear(r);
    return false;
}

static struct kernel_flags *flags_try_fetch_atomics(const struct proact_kernel *k,
                                                    bool floats, const bool *unresolved)
{
    struct access_reductions r;

    return flags_find_fetch_atomics(k, floats, unresolved, &r) ? with_reductions(k, r)
                                                               : NULL;
}

static struct kernel_flags *flags_fetch_atomics(const struct proact_kernel *k, bool floats)
{
    struct kernel_flags *f = flags_try_fetch_atomics(k, floats, NULL);
    struct access_reductions r;

    if (f || !flags_find_fetch_atomics(k, floats, NULL, &r))
        return f;
    bool *unresolved = access_scatters_unresolved(k->image->ptx, k->ptx, &r);

    if (unresolved)
        f = flags_try_fetch_atomics(k, floats, unresolved);
    free(unresolved);
    access_reductions_clear(&r);
    return f;
}

enum proact_status kernel_waits(const struct proact_kernel *k, struct proact_error *err)
{
    return waits(k, NULL, err);
}

enum proact_status fetch_atomics_wait_loop(const struct proact_kernel *k,
                                           struct proact_error *err)
{
    struct kernel_flags *f = flags_fetch_atomics(k, false);
    const enum proact_status status = waits(k, f, err);

    flags_destroy(f);
    return status;
}

/* NULL if the CTAs wait for each other; a launch without value-returning atomics may still
   be possible. */
struct kernel_flags *fetch_atomics_create(const struct proact_kernel *k, bool floats)
{
    struct kernel_flags *f = flags_fetch_atomics(k, floats);

    if (f && waits(k, f, NULL)) {
        flags_destroy(f);
        return NULL;
    }
    if (f)
        f->has_fetch_atomics = true;
    return f;
}

bool reductions_have_floats(const struct kernel_flags *f)
{
    for (uint32_t n = 0; n < f->reductions.count; n++)
        if (access_reduction_is_float(f->reductions.reduction[n].kind))
            return true;
    return false;
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
    free(f->is_joint);
    free(f->is_swap);
    access_reductions_clear(&f->reductions);
    free(f->found.flag);
    flag_bytes_clear(&f->bytes);
    access_flags_clear(&f->sites);
    free(f);
}
