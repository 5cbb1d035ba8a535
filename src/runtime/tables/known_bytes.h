/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the host itself has put into an array, as far as nobody may have written there
   since: known without a wait for the device. */

#include "runtime/session/session.h"

enum { KNOWN_STRETCHES_MAX = 8, KNOWN_BYTES_MAX = 16384 };

struct known_bytes {
    uint64_t changes; /* of the array, as it was after so many */
    unsigned count;
    struct known_stretch {
        uint64_t first, end;
        unsigned char *content;
    } of[KNOWN_STRETCHES_MAX]; /* none touches another */
};

/* Changes of the array ahead of one thing that writes to it. NULL: there is none. */
uint64_t known_bytes_before(struct proact_array *a);
/* Behind it: it has queued these bytes, or, `from` NULL, some that nobody knows. */
void known_bytes_follow(struct proact_array *a, uint64_t before, uint64_t byte,
                        const void *from, uint64_t bytes);

/* They were read from the device now, to which nothing is under way. */
void known_bytes_read(struct proact_array *a, uint64_t byte, const void *what,
                      uint64_t bytes);

/* As what is queued now will find them. Borrowed until the next operation; NULL: not known.
   Of memory that the host shares, what it has put there, which CUDA asks it not to touch
   until then: not known where a device may yet write to it. */
const unsigned char *known_bytes_find(struct proact_array *a, uint64_t byte,
                                      uint64_t bytes);

void known_bytes_drop(struct proact_array *a);
