/* SPDX-License-Identifier: Apache-2.0 */
/* A treap: a binary tree that is ordered by address, and from the root to the leaves by the
   hash of the address. */
#include "device/emulator/check/check_ranges.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

static void range_free(struct check_range *r)
{
    if (!r)
        return;
    range_free(r->left);
    range_free(r->right);
    free(r);
}

void check_ranges_clear(struct check_ranges *all)
{
    range_free(all->root);
    all->root = NULL;
}

struct check_range *check_range_find(const struct check_ranges *all, uint64_t address)
{
    struct check_range *last = NULL;

    for (struct check_range *r = all->root; r; ++*all->visits)
        if (r->address <= address) {
            last = r;
            r = r->right;
        } else {
            r = r->left;
        }
    return last && address - last->address < last->bytes ? last : NULL;
}

static bool is_above(const struct check_range *a, const struct check_range *b)
{
    return hash_mix(a->address) > hash_mix(b->address);
}

/* Splits the ranges into those below the address and the others. */
static void range_split(struct check_range *r, uint64_t address, struct check_range **below,
                        struct check_range **others)
{
    while (r)
        if (r->address < address) {
            *below = r;
            below = &r->right;
            r = r->right;
        } else {
            *others = r;
            others = &r->left;
            r = r->left;
        }
    *below = *others = NULL;
}

void check_range_add(struct check_ranges *all, const struct check_range *range)
{
    struct check_range *r = must_calloc(1, sizeof *r), **place = &all->root;

    check_range_remove(all, range->address);
    *r = *range;
    for (; *place && is_above(*place, r); ++*all->visits)
        place = (*place)->address < r->address ? &(*place)->right : &(*place)->left;
    range_split(*place, r->address, &r->left, &r->right);
    *place = r;
}

void check_range_remove(struct check_ranges *all, uint64_t address)
{
    struct check_range **place = &all->root, *r;

    for (; (r = *place) && r->address != address; ++*all->visits)
        place = r->address < address ? &r->right : &r->left;
    if (!r)
        return;
    struct check_range *left = r->left, *right = r->right;

    while (left && right)
        if (is_above(left, right)) {
            *place = left;
            place = &left->right;
            left = left->right;
        } else {
            *place = right;
            place = &right->left;
            right = right->left;
        }
    *place = left ? left : right;
    free(r);
}
