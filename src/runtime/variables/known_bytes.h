/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Known array contents: bytes that the host wrote and that no device may have changed
   since. They are available without a wait. */

#include <stdint.h>

struct proact_array;

enum { KNOWN_STRETCHES_MAX = 8, KNOWN_BYTES_MAX = 16384 };

struct known_bytes {
    uint64_t changes; /* change count of the array for which the contents are valid */
    unsigned count;
    struct known_stretch {
        uint64_t first, end;
        unsigned char *content;
    } of[KNOWN_STRETCHES_MAX]; /* disjoint and not adjacent */
};

/* Change count before an operation that writes to the array. NULL: 0. */
uint64_t known_bytes_before(struct proact_array *a);
/* Records an operation that wrote these bytes; `from` NULL: with unknown contents. */
void known_bytes_follow(struct proact_array *a, uint64_t before, uint64_t byte,
                        const void *from, uint64_t bytes);

/* Records contents read from the device, without any pending write. */
void known_bytes_read(struct proact_array *a, uint64_t byte, const void *what,
                      uint64_t bytes);

/* Contents as the next queued operation finds them, borrowed until that operation. NULL:
   not known. For host-accessible memory, which CUDA programs must not touch until then,
   NULL if a device may still write to it. */
const unsigned char *known_bytes_find(struct proact_array *a, uint64_t byte,
                                      uint64_t bytes);

void known_bytes_drop(struct proact_array *a);
