/* SPDX-License-Identifier: Apache-2.0 */
/* Sentence about a kernel's plan, with the reason. */
#include <proact/program.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "plan/plan.h"
#include "runtime/autotune/choice.h"
#include "runtime/kernel/launch_plan.h"
#include "runtime/kernel/launch_problem.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"

static void plan_text_method(const struct transfer_plan *plan, struct text *out)
{
    text_print(out, "method=%s", plan->method->name);
    if (plan->tail)
        text_print(out, "+%s", plan->tail->name);
    if (plan->method->takes_chunks && plan->chunk_bytes)
        text_print(out, " chunk=%llu", (unsigned long long)plan->chunk_bytes);
    if (plan->method->takes_threads)
        text_print(out, " threads=%u", plan->threads);
}

static void plan_text_interleaved(const struct proact_kernel *k, struct text *out)
{
    const double counted_ns = k->interleaved.counted_ns,
                 copied_ns = k->interleaved.copied_ns;

    text_print(out, ": each CTA writes into %.1f chunks", k->interleaved.per_cta);
    if (copied_ns > 0)
        text_print(out,
                   ", which takes %.1f us after the kernel if they are counted, copies "
                   "take %.1f us (modelled)",
                   counted_ns / 1e3, copied_ns / 1e3);
}

static void plan_text_reason(const struct proact_kernel *k, struct text *out)
{
    const char *why = problem_text(k);

    if (k->plan_reason == LAUNCH_PLAN_UNSUPPORTED)
        text_print(out, ": no version of the kernel supports the plan's method");
    else if (k->plan_reason == LAUNCH_PLAN_INTERLEAVED)
        plan_text_interleaved(k, out);
    else if (k->plan_reason == LAUNCH_PLAN_SET)
        text_print(out, ": set by the caller");
    else if (k->plan_reason == LAUNCH_PLAN_STORED)
        text_print(out, ": of a profile");
    else if (why)
        text_print(out, ": %s", why);
    else
        text_print(out, ": the default");
}

/* Staging with the compared times, if it was possible. */
static void plan_text_staging(const struct proact_kernel *k, struct text *out)
{
    const double staged = k->staging.staged_ns, plain = k->staging.plain_ns;

    if (k->plan_reason && staged > 0)
        text_print(out, "; stores %s: modelled %.1f us staged, %.1f us as they are",
                   staged < plain ? "staged" : "not staged", staged / 1e3, plain / 1e3);
}

const char *proact_kernel_plan(struct proact_kernel *k)
{
    const struct proact_kernel *used = k->used ? k->used : k;
    struct text out = {0};

    free(k->plan_text);
    k->plan_text = NULL;
    if (!used->plan_reason && !choice_was_made(used))
        return NULL;
    choice_describe(used, &out);
    if (used->plan_reason) {
        text_print(&out, "%s", out.data ? "; " : "");
        plan_text_method(&used->plan, &out);
        plan_text_reason(used, &out);
        plan_text_staging(used, &out);
    }
    k->plan_text = out.data;
    return k->plan_text;
}

struct proact_budget proact_measurement_budget(const struct proact *p)
{
    const struct plan_budget *b = &p->budget;
    const bool is_lifted = b->is_lifted && b->is_lifted(b->context);

    return (struct proact_budget){b->spent_ns,
                                  is_lifted ? UINT64_MAX : plan_budget_allowed_ns(b)};
}
