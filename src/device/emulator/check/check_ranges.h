/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Ordered map of disjoint address ranges. Every call visits a number of ranges that grows
   with the logarithm of their count. */

#include <stdbool.h>
#include <stdint.h>

struct check_range {
    uint64_t address, bytes;
    void *subject; /* the caller's */
    unsigned device;
    struct check_range *left, *right; /* lower and higher addresses */
};

/* Zeroed at first, except `visits`, which counts visited ranges. */
struct check_ranges {
    struct check_range *root;
    uint64_t *visits;
};

void check_ranges_clear(struct check_ranges *all);
/* Range that contains the address, or NULL. */
struct check_range *check_range_find(const struct check_ranges *all, uint64_t address);
/* Adds a copy of the range, and removes one that begins at the same address. */
void check_range_add(struct check_ranges *all, const struct check_range *range);
void check_range_remove(struct check_ranges *all, uint64_t address); /* its first byte */
