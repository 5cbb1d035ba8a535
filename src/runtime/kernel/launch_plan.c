/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/launch_plan.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/hash.h"
#include "runtime/autotune/session_profile.h"
#include "runtime/kernel/interleaved_writers.h"
#include "runtime/kernel/launch_problem.h"
#include "runtime/kernel/runtime_binding.h"
#include "runtime/kernel/stored_plan.h"
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
                                  .everywhere = plan->everywhere,
                                  .elide = plan->elide};
}

/* Whether counting gains anything. The model knows that of a plan that it selected. */
static bool plan_suits(const struct launching *l, bool is_selected)
{
    const bool is_modelled = l->kernel->session->topology.fabric.egress_gbps > 0;

    return (is_selected && is_modelled) || !l->plan.is_open || !l->plan.chunk_bytes ||
           !(transfer_plan_mode(&l->plan) & PROACT_MODE_COUNT) ||
           !launch_writes_interleaved(l);
}

/* Whether a version of the kernel supports the plan, and an automatic plan suits it. */
static enum proact_status plan_check(const struct launching *l, bool is_selected,
                                     enum launch_plan_reason *against,
                                     struct proact_error *err)
{
    bool is_supported = false;
    const enum proact_status status = launch_supports_plan(l, &is_supported, err);

    *against = LAUNCH_PLAN_NONE;
    /* Without slots there is nothing to count. */
    if (!status && (!is_supported || !l->kernel->slot_count))
        *against = LAUNCH_PLAN_UNSUPPORTED;
    else if (!status && !plan_suits(l, is_selected))
        *against = LAUNCH_PLAN_INTERLEAVED;
    return status;
}

/* The default replaces a selected plan, and copies replace the default. */
static enum proact_status plan_fall_back(struct launching *l, bool is_selected,
                                         struct proact_error *err)
{
    enum launch_plan_reason against;
    enum proact_status status = plan_check(l, is_selected, &against, err);

    if (!status && against && is_selected) {
        problem_refuse(l);
        status = plan_check(l, false, &against, err);
    }
    if (status || !against)
        return status;
    l->kernel->plan_reason = against;
    l->plan = plan_with_copies(&l->plan);
    return PROACT_OK;
}

/* Another version of a kernel takes the host time to load, which is charged to the budget.
   Without budget, and while it is compiled, the usual plan stays. */
static enum proact_status plan_load_version(struct launching *l,
                                            const struct transfer_plan *usual,
                                            struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    const uint64_t from = clock_host_ns() - p->preparations.waited_ns;
    bool is_loaded;

    if (p->backend->is_virtual || launch_version_is_loaded(l))
        return PROACT_OK;
    if (!plan_budget_permits(&p->budget)) {
        l->plan = *usual;
        l->measured = NULL;
        return PROACT_OK;
    }
    const enum proact_status status = launch_is_cloned(l, &is_loaded, err);

    plan_budget_spend(&p->budget, clock_host_ns() - p->preparations.waited_ns - from);
    if (!status && !is_loaded && l->is_compiling) {
        l->plan = *usual;
        l->measured = NULL;
    }
    return status;
}

/* Whether the planner has the problem of the launch: its method is open, or a profile
   receives the prediction of the plan that the user set. */
static bool plan_has_problem(const struct launching *l)
{
    const struct proact *p = l->kernel->session;
    const struct transfer_plan *given = &p->constraint;

    return p->devices.count > 1 && !given->elide && !p->vary_plans &&
           (given->is_open || (p->profile->path && !given->tail));
}

/* Plan of the problem. *usual replaces it if it cannot be executed. */
static enum proact_status plan_of_problem(struct launching *l, struct transfer_plan *usual,
                                          struct proact_error *err)
{
    struct proact *p = l->kernel->session;

    if (!p->recording) {
        problem_plan(l);
        return PROACT_OK;
    }
    if (!problem_is_known(l))
        return PROACT_OK;
    p->records_early |= l->is_program && problem_is_unsettled(l);
    if (p->records_early)
        return fail(err, PROACT_EINVAL,
                    "kernel '%s': its plan is not settled yet: launch it a few times, "
                    "then record",
                    l->kernel->name);
    *usual = problem_plan_recorded(l);
    return PROACT_OK;
}

enum proact_status launch_plan_select(struct launching *l, struct proact_error *err)
{
    struct proact_kernel *k = l->kernel;
    struct proact *p = k->session;
    struct transfer_plan usual = p->constraint;
    enum proact_status status = PROACT_OK;

    k->plan_reason = p->constraint.is_open ? LAUNCH_PLAN_OPEN : LAUNCH_PLAN_SET;
    bool is_selected = false;

    if (p->vary_plans) {
        plan_vary(p, &l->plan);
    } else if (stored_plan_select(l)) {
        k->plan_reason = LAUNCH_PLAN_STORED;
    } else if (plan_has_problem(l)) {
        status = plan_of_problem(l, &usual, err);
        is_selected = !plans_are_same(&l->plan, &p->constraint);
    }

    if (!status && !k->is_annotated && !k->has_maps)
        status = plan_fall_back(l, is_selected, err);
    if (!status && !k->is_annotated && is_selected)
        status = plan_load_version(l, &usual, err);
    k->plan = l->plan;
    return status;
}
