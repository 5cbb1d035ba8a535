/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/session/runtime_repeat.h"

#include <stdlib.h>

#include "base/fail.h"
#include "base/memory.h"
#include "runtime/objects/session.h"
#include "runtime/session/lazy_devices.h"

struct proact_loop {
    struct proact *session;
    struct proact_loop *next;
    struct device_repeat *repeat; /* NULL: the backend has no loop capture */
};

enum proact_status proact_loop_create(struct proact *p, struct proact_loop **out,
                                      struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_loop_create(p, out)", (const void *[]){p, out}, err);

    if (status)
        return status;
    struct device_repeat *repeat = NULL;
    status = PROACT_OK;

    if (p->backend->repeat_create)
        status = p->backend->repeat_create(p->set, &repeat, err);
    if (status)
        return status;
    *out = must_calloc(1, sizeof **out);
    **out = (struct proact_loop){p, p->repeats, repeat};
    p->repeats = *out;
    return PROACT_OK;
}

enum proact_status proact_loop_begin(struct proact_loop *r, struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_loop_begin(l)", (const void *[]){r}, err);

    if (status)
        return status;
    struct proact *p = r->session;

    if (p->recording || p->repeating)
        return fail(err, PROACT_EINVAL, "a loop cannot begin within a %s",
                    p->recording ? "recording" : "loop");
    status = lazy_devices_poll(p, err);

    if (status)
        return status;
    p->repeating = r;
    if (r->repeat)
        p->backend->repeat_begin(r->repeat);
    return PROACT_OK;
}

enum proact_status proact_loop_end(struct proact_loop *r, struct proact_error *err)
{
    enum proact_status status =
        fail_if_null("proact_loop_end(l)", (const void *[]){r}, err);

    if (status)
        return status;
    struct proact *p = r->session;

    if (p->repeating != r)
        return fail(err, PROACT_EINVAL, "this loop was not begun");
    p->repeating = NULL;
    return r->repeat ? p->backend->repeat_end(r->repeat, err) : PROACT_OK;
}

void proact_loop_destroy(struct proact_loop *r)
{
    if (!r)
        return;
    struct proact *p = r->session;
    struct proact_loop **link = &p->repeats;

    if (p->repeating == r)
        proact_loop_end(r, NULL);
    while (*link != r)
        link = &(*link)->next;
    *link = r->next;
    if (r->repeat)
        p->backend->repeat_destroy(r->repeat);
    free(r);
}

void repeats_destroy(struct proact *p)
{
    while (p->repeats)
        proact_loop_destroy(p->repeats);
}
