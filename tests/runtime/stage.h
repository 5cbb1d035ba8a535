/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Fixture: a session on a fake device with two arrays, of 3000 elements of 4 bytes and 1000
   elements of 8 bytes. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime/fake_device.h"
#include "runtime/objects/session.h"
#include "runtime/program/session_open.h"

struct stage {
    struct proact *p;
    struct proact_array *a, *b;
    struct proact_error err;
};

static inline void must(struct stage *s, enum proact_status status)
{
    if (status)
        fail_msg("%s", s->err.text);
}

static inline void raise_curtain(struct stage *s, const char *method, unsigned devices)
{
    const struct proact_options o = {
        .machine = "v100x16", .device_count = devices, .plan = {.method = method}};
    const struct proact_shape a = {"a", 3000, 4}, b = {"b", 1000, 8};

    *s = (struct stage){0};
    must(s, session_open(&fake_device, &o, &s->p, &s->err));
    must(s, proact_array_create(s->p, &a, &s->a, &s->err));
    must(s, proact_array_create(s->p, &b, &s->b, &s->err));
}

/* Compares the operations queued since the previous call with `log`. */
static inline void expect(struct stage *s, const char *log)
{
    assert_string_equal(fake_state(s->p->set)->log.data, log);
    fake_forget(s->p->set);
}
