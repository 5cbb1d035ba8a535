/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/launch_plan.h"

#include <stdio.h>

#include "base/hash.h"
#include "runtime/access_sets/interleaved_writers.h"
#include "runtime/kernel/launch_problem.h"
#include "runtime/kernel/runtime_binding.h"
#include "runtime/kernel/stored_plan.h"
#include "runtime/objects/binding.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/request/launching.h"
#include "runtime/version/runtime_clone.h"

static bool plan_methods_set(const struct proact *p, const char *text,
                             struct transfer_plan *plan)
{
    struct transfer_plan wanted = *plan;

    wanted.tail = NULL;
    wanted.tail_bytes = 0;
    if (transfer_methods_read(text, &wanted, NULL) ||
        transfer_method_check(wanted.method, &p->devices, NULL) ||
        (wanted.tail && transfer_method_check(wanted.tail, &p->devices, NULL)))
        return false;
    *plan = wanted;
    return true;
}

/* Another plan for each launch, for tests: a method or a mix of two, with chunks of 4 to 64
   KiB, or scheduled ones. */
static void plan_vary(struct proact *p, struct transfer_plan *plan)
{
    const char *const *names = transfer_method_names();
    const uint64_t h = p->vary_plans = hash_mix(p->vary_plans);
    size_t count = 0;
    char text[64];

    while (names[count])
        count++;
    for (size_t i = 0; i < count; i++) {
        const char *body = names[(h + i) % count], *tail = names[(h >> 8) % count];

        snprintf(text, sizeof text, "%s+%s", body, tail);
        if ((h >> 16 & 3) == 0 && plan_methods_set(p, text, plan))
            break;
        if (plan_methods_set(p, body, plan))
            break;
    }
    plan->is_open = false; /* interleaved writers count, too */
    plan->chunk_bytes = (uint64_t)4096 << (h >> 20) % 5;
    if (plan->method->schedules && !plan->tail && h >> 24 & 1)
        plan->chunk_bytes = 0;
    plan->threads = 32u << (h >> 28) % 6;
}

/* Copies after the kernel: any kernel can be followed by them. */
static struct transfer_plan plan_with_copies(const struct transfer_plan *plan)
{
    enum { CHUNK_BYTES = 64 << 10 };

    return (struct transfer_plan){.method = transfer_method_whole(),
                                  .chunk_bytes =
                                      plan->chunk_bytes ? plan->chunk_bytes : CHUNK_BYTES,
                                  .threads = plan->threads,
                                  .elide = plan->elide};
}

static bool plan_suits(const struct launching *l)
{
    return !l->plan.is_open || !l->plan.chunk_bytes ||
           !(transfer_plan_mode(&l->plan) & PROACT_MODE_COUNT) ||
           !launch_writes_interleaved(l, l->plan.chunk_bytes);
}

static enum proact_status plan_fall_back(struct launching *l, struct proact_error *err)
{
    bool is_supported = false;
    const enum proact_status status = launch_supports_plan(l, &is_supported, err);

    if (status)
        return status;
    /* Without slots there is nothing to count. */
    if (!is_supported || !l->kernel->slot_count)
        l->kernel->plan_reason = LAUNCH_PLAN_UNSUPPORTED;
    else if (!plan_suits(l))
        l->kernel->plan_reason = LAUNCH_PLAN_INTERLEAVED;
    else
        return PROACT_OK;
    l->plan = plan_with_copies(&l->plan);
    return PROACT_OK;
}

/* Plan of a launch without a given method: of its problem or of a profile. */
static void launch_plan_search(struct launching *l, bool is_open)
{
    const bool is_recording = l->kernel->session->recording != NULL;

    if (is_open && is_recording && problem_plan_recorded(l))
        return;
    if (stored_plan_select(l))
        l->kernel->plan_reason = LAUNCH_PLAN_STORED;
    else if (is_open && !is_recording)
        problem_plan(l);
}

enum proact_status launch_plan_select(struct launching *l, struct proact_error *err)
{
    struct proact_kernel *k = l->kernel;
    struct proact *p = k->session;
    const bool is_open = p->constraint.is_open && !p->constraint.elide && !l->is_program &&
                         p->devices.count > 1;
    const struct kernel_binding *last =
        p->recording && p->vary_plans ? kernel_binding_latest(l) : NULL;
    enum proact_status status = PROACT_OK;

    k->plan_reason = p->constraint.is_open ? LAUNCH_PLAN_OPEN : LAUNCH_PLAN_SET;
    if (last)
        l->plan = last->transfer.plan;
    else if (p->vary_plans)
        plan_vary(p, &l->plan);
    else
        launch_plan_search(l, is_open);
    if (!k->is_annotated && !k->has_maps)
        status = plan_fall_back(l, err);
    k->plan = l->plan;
    return status;
}
