/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/kernel/problem_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "runtime/kernel/launch_problem.h"
#include "runtime/kernel/problem_probe.h"
#include "runtime/kernel/runtime_binding.h"
#include "runtime/objects/array.h"
#include "runtime/objects/kernel.h"
#include "runtime/objects/session.h"
#include "runtime/request/launching.h"

enum { PROBLEMS_MAX = 64 }; /* of a kernel; the one not used for the longest time goes */

static bool problem_fits(const struct launch_problem *q, const struct launching *l)
{
    const struct proact_kernel *k = l->kernel;

    if (memcmp(q->grid, l->grid, sizeof q->grid) != 0 ||
        memcmp(q->threads, l->threads, sizeof q->threads) != 0 || q->over != l->over ||
        q->digest != l->found.digest ||
        !plans_are_same(&q->constraint, &k->session->constraint) ||
        q->constraint.is_open != k->session->constraint.is_open)
        return false;
    for (unsigned s = 0; s < k->slot_count; s++)
        if (q->bytes[s] != launching_slot_array(l, s)->bytes)
            return false;
    return true;
}

bool problem_has_arrays(const struct launching *l)
{
    bool has = true;

    for (unsigned s = 0; s < l->kernel->slot_count; s++)
        has &= launching_slot_array(l, s) != NULL;
    return has;
}

struct launch_problem *problem_look_up(const struct launching *l)
{
    const struct kernel_problems *all = l->kernel->problems;
    struct launch_problem *q = all ? all->first : NULL;

    while (q && !problem_fits(q, l))
        q = q->next;
    return q;
}

bool problem_is_known(const struct launching *l)
{
    return problem_has_arrays(l) && problem_look_up(l);
}

static void problem_destroy(const struct proact *p, struct launch_problem *q)
{
    problem_timer_clear(p, &q->timer);
    plan_record_clear(&q->record);
    problem_probe_clear(q);
    free(q);
}

static struct launch_problem *problem_create(const struct launching *l)
{
    const struct proact_kernel *k = l->kernel;
    struct launch_problem *q = must_calloc(1, sizeof *q);

    memcpy(q->grid, l->grid, sizeof q->grid);
    memcpy(q->threads, l->threads, sizeof q->threads);
    q->over = l->over;
    q->digest = l->found.digest;
    q->constraint = k->session->constraint;
    for (unsigned s = 0; s < k->slot_count; s++)
        q->bytes[s] = launching_slot_array(l, s)->bytes;
    q->plan = q->recorded = q->constraint;
    snprintf(q->why, sizeof q->why,
             "the default, as its readers or the kernel's time are not known yet");
    return q;
}

static void problems_trim(struct proact_kernel *k)
{
    struct launch_problem **last = &k->problems->first;

    if (k->problems->count <= PROBLEMS_MAX)
        return;
    while ((*last)->next)
        last = &(*last)->next;
    problem_destroy(k->session, *last);
    *last = NULL;
    k->problems->count--;
}

struct launch_problem *problem_find(const struct launching *l)
{
    struct proact_kernel *k = l->kernel;
    struct launch_problem *q = problem_look_up(l), **link;

    if (!k->problems)
        k->problems = must_calloc(1, sizeof *k->problems);
    if (q) {
        for (link = &k->problems->first; *link != q;)
            link = &(*link)->next;
        *link = q->next;
    } else {
        q = problem_create(l);
        k->problems->count++;
    }
    q->next = k->problems->first;
    k->problems->first = q;
    problems_trim(k);
    return q;
}

uint64_t problems_changes(const struct proact_kernel *k)
{
    return k->problems ? k->problems->changes : 0;
}

void problems_drop(struct proact_kernel *k)
{
    while (k->problems && k->problems->first) {
        struct launch_problem *q = k->problems->first;

        k->problems->first = q->next;
        problem_destroy(k->session, q);
    }
    free(k->problems);
    k->problems = NULL;
}
