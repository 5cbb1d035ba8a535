/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Ratings of items by users. */

#include <proact/status.h>
#include <stddef.h>
#include <stdint.h>

struct rating {
    uint32_t user, item; /* from 0 */
    double value;
};

/* Starts zeroed. */
struct ratings {
    uint32_t user_count, item_count;
    size_t count;
    struct rating *entry;
    uint64_t *user_id, *item_id; /* ascending, by number; NULL: the number plus 1 */
};

struct ratings_plan {
    uint32_t users, items; /* at least 1 */
    size_t draws;          /* of pairs; a pair that is drawn again counts once */
    uint64_t seed;         /* another seed, other data; 0: the data of the golden values */
};

/* Planted ratings: 3 plus the product of factors of rank 8 plus noise of deviation 0.5. In
   the order of users, then items. */
void ratings_plant(const struct ratings_plan *plan, struct ratings *out);

/* Orders the entries by user, then item; linear in their number. */
void ratings_sort(struct ratings *r);

/* The numbers that the input gives a user and an item. */
uint64_t ratings_user_id(const struct ratings *r, uint32_t user);
uint64_t ratings_item_id(const struct ratings *r, uint32_t item);

void ratings_clear(struct ratings *r);
