/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/launch/launch_measure.h"

#include "runtime/coherence/fetch.h"
#include "runtime/kernel/launch_problem.h"
#include "runtime/launch/launch.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/request/launching.h"
#include "runtime/session/runtime_wait.h"
#include "runtime/session/stopwatch.h"

/* The fetch before the launch does not depend on its plan. */
enum proact_status launch_measure(struct launching *l, struct proact_error *err)
{
    struct proact *p = l->kernel->session;
    struct stopwatch_time took = {0, 0};
    enum proact_status status;

    if (!l->binding || p->has_interop || !session_try_quiesce(p))
        return launch_queue(l, err);
    if ((status = proact_wait(p, err)))
        return status;
    const uint64_t from = proact_now_ns(p);

    if ((status = launch_fetch(l, err)) || (status = proact_wait(p, err)))
        return status;
    if (!(status = stopwatch_start(p, err)))
        status = launch_queue(l, err);
    if ((status = stopwatch_stop(p, status, &took, err)))
        return status;
    plan_budget_charge(&p->budget, from, took.devices_ns);
    problem_measured(l, (double)took.devices_ns);
    return PROACT_OK;
}
