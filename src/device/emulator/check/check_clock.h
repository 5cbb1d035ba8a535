/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Vector clock: for each actor, the time up to which its accesses are known. Neighbouring
   actors mostly have equal times, so a clock is a step function over actor numbers. Clocks
   are immutable and reference-counted; NULL is the empty clock. */

#include <stdbool.h>
#include <stdint.h>

struct check_clock;

struct check_step {
    uint64_t time; /* of the actors from `first` up to the next step */
    uint32_t first;
};

/* Creates a clock from steps with increasing `first`; equal neighbours are joined. The
   caller drops it. */
struct check_clock *check_clock_make(const struct check_step *steps, uint32_t count);
struct check_clock *check_clock_keep(struct check_clock *k);
void check_clock_drop(struct check_clock *k);
void check_clock_clear(struct check_clock **k); /* drops *k and makes it empty */

uint64_t check_clock_time(const struct check_clock *k, uint32_t actor);
uint32_t check_clock_count(const struct check_clock *k); /* number of steps */

/* Join of both clocks: a new one, or the one that covers the other. */
struct check_clock *check_clock_join(struct check_clock *a, struct check_clock *b);
/* Clock `a` with `actor` raised to `time`. */
struct check_clock *check_clock_with(struct check_clock *a, uint32_t actor, uint64_t time);

/* Replaces *k by its join with `more` and drops the old clock. */
void check_clock_add(struct check_clock **k, struct check_clock *more);
