/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Set of one sender's messages that have been performed. Messages are numbered from 1 and
   may arrive out of order. */

#include <stddef.h>
#include <stdint.h>

struct arrivals {
    uint64_t all_up_to; /* all messages up to this number have been performed */
    uint64_t *later;    /* later ones: a ring of bits with `words` words */
    size_t words;
};

void arrivals_note(struct arrivals *a, uint64_t number);
void arrivals_clear(struct arrivals *a);
