/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What an actor knows: for every actor, up to which moment it knows what that one did.
   Actors that are known equally far stand beside each other, so a clock is a step function
   over actor numbers. Clocks never change and are shared; NULL knows nothing. */

#include <stdbool.h>
#include <stdint.h>

struct check_clock;

struct check_step {
    uint64_t time; /* of the actors from `first` to the next step's */
    uint32_t first;
};

/* From steps of rising `first`; equal neighbours are merged. The caller drops it. */
struct check_clock *check_clock_make(const struct check_step *steps, uint32_t count);
struct check_clock *check_clock_keep(struct check_clock *k);
void check_clock_drop(struct check_clock *k);

uint64_t check_clock_time(const struct check_clock *k, uint32_t actor);
uint32_t check_clock_count(const struct check_clock *k); /* of steps */

/* What both know together: a new one, or one of the two when that covers the other. */
struct check_clock *check_clock_join(struct check_clock *a, struct check_clock *b);
/* `a`, and `actor` up to `time`. */
struct check_clock *check_clock_with(struct check_clock *a, uint32_t actor, uint64_t time);

/* *k = *k joined with `more`; the old one is dropped. */
void check_clock_add(struct check_clock **k, struct check_clock *more);
