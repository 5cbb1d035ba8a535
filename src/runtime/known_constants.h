/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the .const variables of an image hold: sizes, strides and directions that the host
   put there, and that decide where kernels write and read. */

#include "access/write_set.h"
#include "runtime/session.h"

struct known_constants {
    bool are_read;
    uint64_t since; /* the session's count of constants that changed, when they were read */
    uint32_t count;
    struct write_set_constant *items;
    unsigned char **content; /* the same by symbol of the module; NULL: none of those */
};

/* As the first device's module holds them now, so as a launch now would find them, and good
   until the next call. Waits for all that was queued where any may have changed. NULL where
   they are not known before the launch: a recording is replayed with others. */
const struct known_constants *known_constants_find(const struct proact_kernel *k);

void known_constants_destroy(struct known_constants *c); /* NULL is fine */
