/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Vector clock: for each actor, the time up to which its accesses are known. A clock is a
   tree of immutable nodes that clocks share, with one slot for a range of actors that have
   equal times. A join visits only nodes in which the clocks differ, so its cost does not
   grow with the number of actors. NULL is the empty clock. */

#include <stdbool.h>
#include <stdint.h>

struct check_clock;

/* Numbers below a multiple of this share a node with no other block. */
enum { CHECK_CLOCK_BITS = 4, CHECK_CLOCK_SLOTS = 1 << CHECK_CLOCK_BITS };

/* Unused nodes of the clocks of one checker. `visits` counts visited nodes. */
struct check_clocks {
    struct check_clock *spare;
    uint64_t *visits;
};
void check_clocks_clear(struct check_clocks *all);

struct check_clock *check_clock_keep(struct check_clock *k);
void check_clock_drop(struct check_clocks *all, struct check_clock *k);
/* Drops *k and makes it empty. */
void check_clock_clear(struct check_clocks *all, struct check_clock **k);

uint64_t check_clock_time(const struct check_clock *k, uint32_t actor);

/* Replaces *k by its join with `more`. A join that equals one of both shares its nodes. */
void check_clock_add(struct check_clocks *all, struct check_clock **k,
                     struct check_clock *more);
/* Replaces *k by the same clock with `actor` raised to `time`. */
void check_clock_raise(struct check_clocks *all, struct check_clock **k, uint32_t actor,
                       uint64_t time);
/* Whether `k` is at least `other` for all actors. */
bool check_clock_covers(struct check_clocks *all, const struct check_clock *k,
                        const struct check_clock *other);
