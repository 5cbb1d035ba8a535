/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Recorded quanta in a session (device/quanta.h): its launches by shape. */

#include <proact/proact.h>

#include "device/quanta.h"

struct proact_quanta {
    struct device_quanta *recordings;
};

struct session_shape {
    struct session_shape *next;
    struct device_shape *shape;
    unsigned queued;   /* launches */
    bool was_recorded; /* by an earlier session */
    bool is_settled;   /* device_shape_settle() */
};

/* The session's entry of the shape, created at its first launch. */
struct session_shape *session_shape_find(struct proact *p, struct device_shape *shape);
void session_shapes_clear(struct proact *p);

/* Evaluates the recordings of all shapes with two launches, after a wait for them. In a
   capture there was a wait at its start. Errors of the wait, and PROACT_EREFUSED: one
   cannot be replayed. */
enum proact_status session_shapes_settle(struct proact *p, struct proact_error *err);
