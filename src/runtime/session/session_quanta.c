/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/session/session_quanta.h"

#include <stdlib.h>

#include "base/memory.h"
#include "runtime/objects/session.h"

struct proact_quanta *proact_quanta_create(unsigned sample, unsigned first)
{
    struct proact_quanta *q = must_calloc(1, sizeof *q);

    q->recordings = device_quanta_create(sample, first);
    return q;
}

void proact_quanta_destroy(struct proact_quanta *q)
{
    if (q)
        device_quanta_destroy(q->recordings);
    free(q);
}

struct session_shape *session_shape_find(struct proact *p, struct device_shape *shape)
{
    struct session_shape *s = p->shapes;

    while (s && s->shape != shape)
        s = s->next;
    if (s)
        return s;
    s = must_calloc(1, sizeof *s);
    s->shape = shape;
    s->was_recorded = device_shape_is_recorded(shape);
    s->next = p->shapes;
    p->shapes = s;
    return s;
}

void session_shapes_clear(struct proact *p)
{
    while (p->shapes) {
        struct session_shape *next = p->shapes->next;

        free(p->shapes);
        p->shapes = next;
    }
}

enum proact_status session_shapes_settle(struct proact *p, struct proact_error *err)
{
    enum proact_status status =
        p->recording ? PROACT_OK : p->backend->synchronize(p->set, err);

    for (struct session_shape *s = p->shapes; s && !status; s = s->next) {
        if (s->is_settled || s->queued < DEVICE_QUANTA_RECORDED)
            continue;
        status = device_shape_settle(s->shape, err);
        s->is_settled = !status;
        p->executes |= device_shape_depends(s->shape);
    }
    return status;
}
