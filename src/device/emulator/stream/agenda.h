/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Event queue of one device. At equal times the lower tie comes first, then the event that
   was pushed first, so that a run does not depend on the heap's layout. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct emulated;

struct happening {
    uint64_t time_ps;
    uint64_t tie, number; /* number: assigned by agenda_push() */
    void (*happen)(struct emulated *d, void *subject, uint64_t detail);
    void *subject;
    uint64_t detail;
};

struct agenda {
    struct happening *heap;
    size_t count, capacity;
    uint64_t pushed;
};

void agenda_push(struct agenda *a, struct happening h);
struct happening agenda_pop(struct agenda *a); /* the agenda must not be empty */
void agenda_clear(struct agenda *a);
