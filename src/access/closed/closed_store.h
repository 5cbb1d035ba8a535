/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A store of a kernel in one launch: where it goes and what must hold for it to happen. */

#include "access/closed/closed_form.h"

/* Holds where form <= most. */
struct closed_fact {
    struct closed_form form;
    int64_t most;
    int32_t after; /* an outer variable: asked only where it is above 0. -1: always */
};

enum { CLOSED_FACTS_MAX = 48 };

struct closed_store {
    struct closed_form at; /* byte offset from its pointer; of closed_map.c: in the array */
    uint32_t bytes, array, line;
    bool is_atomic;
    struct closed_loops loops;
    int64_t trips[CLOSED_LOOPS_MAX]; /* at most */
    bool is_never;                   /* a loop around it is not entered */
    bool is_exact;                   /* happens just where the facts hold */
    uint32_t fact_count;
    struct closed_fact facts[CLOSED_FACTS_MAX]; /* all are necessary */
};

/* NULL, or why there is no such form: a phrase. */
const char *closed_store_find(struct closed_view *v, const struct access_record *r,
                              struct closed_store *out);
