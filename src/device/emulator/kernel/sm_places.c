/* SPDX-License-Identifier: Apache-2.0 */
#include "device/emulator/kernel/sm_places.h"

enum { WARP = 32 };

uint64_t sm_places(const struct topology_device *t, uint64_t threads, uint64_t shared_bytes)
{
    uint64_t ctas = t->threads_per_sm / ((threads + WARP - 1) / WARP * WARP);

    ctas = ctas < t->ctas_per_sm ? ctas : t->ctas_per_sm;
    if (shared_bytes && t->shared_bytes_per_sm / shared_bytes < ctas)
        ctas = t->shared_bytes_per_sm / shared_bytes;
    return ctas * t->sm_count;
}

bool run_waits(const struct kernel_run *run)
{
    return run->has_begun && run->next_cta < run->total;
}

bool sm_fits(const struct emulated *d, const struct kernel_run *run, uint32_t sm)
{
    const struct topology_device *t = &d->set->topology->device;
    const struct sm *at = &d->sms[sm];

    return run_waits(run) && t->threads_per_sm - at->threads >= run->threads &&
           at->ctas < t->ctas_per_sm &&
           at->shared_bytes + run->shared_bytes <= t->shared_bytes_per_sm;
}

void sm_take(struct emulated *d, const struct kernel_run *run, uint32_t sm)
{
    d->sms[sm].threads += run->threads;
    d->sms[sm].ctas++;
    d->sms[sm].shared_bytes += run->shared_bytes;
}

void sm_give(struct emulated *d, const struct kernel_run *run, uint32_t sm)
{
    d->sms[sm].threads -= run->threads;
    d->sms[sm].ctas--;
    d->sms[sm].shared_bytes -= run->shared_bytes;
}

/* Finds the SM for the next CTA of the launch: the one with the most free threads. */
static bool find(const struct emulated *d, const struct kernel_run *run, uint32_t *out)
{
    uint32_t best = UINT32_MAX;

    for (uint32_t i = 0; i < d->set->topology->device.sm_count; i++)
        if (d->sms[i].threads < best && sm_fits(d, run, i)) {
            best = d->sms[i].threads;
            *out = i;
        }
    return best != UINT32_MAX;
}

bool sm_take_next(struct emulated *d, const struct kernel_run *run,
                  uint32_t sm[EXECUTE_CLUSTER_MAX])
{
    for (uint32_t i = 0; i < run->cluster_size; i++) {
        if (!find(d, run, &sm[i])) {
            while (i)
                sm_give(d, run, sm[--i]);
            return false;
        }
        sm_take(d, run, sm[i]);
    }
    return true;
}
