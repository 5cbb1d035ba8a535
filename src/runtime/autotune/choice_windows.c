/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/autotune/choice_windows.h"

#include "runtime/autotune/choice.h"
#include "runtime/autotune/choice_edges.h"
#include "runtime/objects/session.h"
#include "runtime/session/runtime_wait.h"

enum proact_status windows_step(struct proact *p, struct proact_error *err)
{
    enum proact_status status = PROACT_OK;

    if (!validation_is_due(&p->validation, p->chosen))
        return PROACT_OK;
    struct choice_table t = choice_table_of(p);

    if (validation_may_advance(&p->validation, &t.joint, &p->budget) &&
        session_try_quiesce(p) && !(status = proact_wait(p, err)))
        validation_advance(&p->validation, &t.joint, p->chosen, p->now_ns, &p->budget);
    choice_table_free(&t);
    return status;
}

void windows_choose(struct choice *c)
{
    const struct joint_node n = choice_node(c);

    if (!c->is_stored)
        c->now =
            (enum choice_label)validation_label(&c->session->validation, &n, c->edge_count);
}

void windows_launched(struct choice *c)
{
    validation_launched(&c->session->validation, (double)choice_least_ns(c));
    windows_choose(c);
}

void windows_passed(struct proact *p)
{
    validation_launched(&p->validation, 0);
}

bool windows_split_new(const struct proact *p)
{
    switch (p->validation.now) {
    case VALIDATION_SPLIT:
        return true;
    case VALIDATION_SINGLE:
        return false;
    default:
        return p->look.goes_split;
    }
}

void windows_disturb(struct proact *p)
{
    if (!p->validation.is_under_way) {
        validation_disturb(&p->validation, NULL);
        return;
    }
    struct choice_table t = choice_table_of(p);

    validation_disturb(&p->validation, &t.joint);
    choice_table_free(&t);
}

void windows_timed(struct proact *p)
{
    struct choice_table t = choice_table_of(p);

    validation_timed(&p->validation, &t.joint);
    choice_table_free(&t);
}
