/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/analyze_flags.h"

#include <stdlib.h>

#include "analyze/analyze_reads.h"
#include "base/fail.h"

/* The write set of the stores that `left_out` does not exclude; NULL: unknown. Frees
   `left_out`. */
static struct write_set *run_without(const struct analyze_kernel *k,
                                     const struct write_set_launch *launch, bool *left_out)
{
    const struct write_set_options options = {.left_out = left_out};
    struct write_set_slice *slice = NULL;
    struct write_set *set = NULL;

    if (!write_set_slice_create(k->module, k->f->name, &options, &slice, NULL) &&
        write_set_run(slice, launch, &set, NULL))
        set = NULL;
    write_set_slice_destroy(slice);
    free(left_out);
    return set;
}

/* Adds all bytes of the reduced arrays. Each array must have one kind of reduction. */
static bool add_reductions(struct flag_bytes *b, const struct analyze_kernel *k,
                           const struct write_set_launch *launch)
{
    const struct access_reduction *r = k->reductions.reduction;
    bool good = true;

    for (uint32_t n = 0; n < k->reductions.count && good; n++) {
        uint32_t before = 0, a = 0;

        while (r[before].parameter != r[n].parameter)
            before++;
        good = r[before].kind == r[n].kind;
        while (a < launch->pointer_count &&
               launch->pointers[a].parameter_offset != r[n].parameter)
            a++;
        if (before == n && a < launch->pointer_count)
            good = !flag_bytes_add_all(b, launch->pointers[a].array, UINT64_MAX);
    }
    return good;
}

/* The bytes of idempotent stores of all kinds, and of reductions. False if they do not
   qualify. */
static bool find_bytes(struct flag_bytes *b, const struct analyze_kernel *k,
                       const struct write_set_launch *launch,
                       const struct write_set *others)
{
    bool good = !flag_bytes_hang(&k->flags, launch->pointers, launch->pointer_count);

    for (uint32_t kind = 0; kind < k->flags.kinds && good; kind++) {
        struct write_set *alone =
            run_without(k, launch, flag_bytes_others(&k->flags, k->f, kind));

        good = alone && !flag_bytes_add(b, &k->flags, kind, alone, launch->pointers,
                                        launch->pointer_count);
        write_set_destroy(alone);
    }
    return good && add_reductions(b, k, launch) && !flag_bytes_written(b, others);
}

static bool are_read_by(const struct analyze_launch *l, const struct analyze_reading *r)
{
    for (uint32_t a = 0; a < l->block.array_count; a++) {
        if (r->is_known && l->block.pointers[a].parameter_offset != r->offset)
            continue;
        if (r->reason && flag_bytes_meet(&l->flags, a, 0, UINT64_MAX))
            return true;
        for (unsigned d = 0; d < l->over; d++)
            for (size_t n = 0; n < r->spans[d].count; n++)
                if (flag_bytes_meet(&l->flags, a, r->spans[d].span[n].first,
                                    r->spans[d].span[n].end))
                    return true;
    }
    return false;
}

/* True if the bytes are read, or if that is unknown. */
static bool are_read(const struct analyze_launch *l, const struct analyze_kernel *k,
                     const struct analyze_request *q)
{
    struct analyze_reads reads = {0};

    analyze_reads_find(&reads, l, k, q);
    bool any = reads.missing_text[0];

    for (size_t n = 0; n < reads.count && !any; n++)
        any = are_read_by(l, &reads.each[n]);
    analyze_reads_clear(&reads);
    return any;
}

void analyze_reductions_check(struct analyze_launch *l, const struct analyze_kernel *k,
                              const struct analyze_request *q,
                              const struct write_set_launch *launch)
{
    if (find_bytes(&l->flags, k, launch, l->set) && !are_read(l, k, q))
        return;
    flag_bytes_clear(&l->flags);
    l->over = 1;
    fail(&l->why, PROACT_EREFUSED, "kernel '%s' %s an array that it also reads or writes",
         k->f->name,
         analyze_scatters(k) ? "stores at loaded addresses to" : "updates by atomics");
}

void analyze_flags_try(struct analyze_launch *l, const struct analyze_kernel *k,
                       const struct analyze_request *q,
                       const struct write_set_launch *launch)
{
    const unsigned over = l->over;
    uint32_t first[PROACT_DEVICES_MAX + 1];
    struct write_set *others =
        k->flags.count ? run_without(k, launch, flag_bytes_all(&k->flags, k->f)) : NULL;
    bool good = others && !analyze_atomic(others);

    analyze_split(l, l->devices, first);
    good = good && !write_set_overlap(others, first, l->devices, NULL) &&
           find_bytes(&l->flags, k, launch, others);
    l->over = l->devices;
    if (!good || are_read(l, k, q)) {
        l->over = over;
        flag_bytes_clear(&l->flags);
        write_set_destroy(others);
        return;
    }
    write_set_destroy(l->set);
    l->set = others;
    l->why.text[0] = '\0';
}
