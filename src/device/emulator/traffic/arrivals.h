/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which of a sender's messages have been performed. They carry numbers from 1 on, and may
   overtake one another. */

#include <stddef.h>
#include <stdint.h>

struct arrivals {
    uint64_t all_up_to; /* every one so far has been performed */
    uint64_t *later;    /* of those behind: a ring of bits, `words` long */
    size_t words;
};

void arrivals_note(struct arrivals *a, uint64_t number);
void arrivals_clear(struct arrivals *a);
