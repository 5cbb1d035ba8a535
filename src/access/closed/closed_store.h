/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Store of a kernel in one launch: its address and the conditions of its execution. */

#include "access/closed/closed_form.h"

/* form <= most */
struct closed_fact {
    struct closed_form form;
    int64_t most;
    int32_t after; /* outer variable: the fact applies only if it exceeds 0; -1: always */
};

enum { CLOSED_FACTS_MAX = 48 };

struct closed_store {
    struct closed_form at; /* byte offset from its pointer; in closed_map.c: in the array */
    uint32_t bytes, array, line;
    bool is_atomic;
    struct closed_loops loops;
    int64_t trips[CLOSED_LOOPS_MAX]; /* upper bounds */
    bool is_never;                   /* a surrounding loop is not entered */
    bool is_exact;                   /* executes exactly if all facts hold */
    uint32_t fact_count;
    struct closed_fact facts[CLOSED_FACTS_MAX]; /* each is necessary */
};

/* Finds the closed form of a store. Returns NULL, or a phrase with the reason why none
   exists. */
const char *closed_store_find(struct closed_view *v, const struct access_record *r,
                              struct closed_store *out);
