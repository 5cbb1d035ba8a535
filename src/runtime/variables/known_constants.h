/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the .const variables of an image hold: sizes, strides and directions that the host
   put there, and that decide where kernels write and read. */

#include "access/write_set.h"
#include "runtime/launch/launching.h"

struct known_constants {
    bool are_read;
    uint64_t since; /* the session's count of constants that changed, of which this is so */
    uint32_t count;
    struct write_set_constant *items;
    device_addr *address;    /* of each item on the first device */
    unsigned char **content; /* the same by symbol of the module; NULL: none of those */
};

/* As a launch now would find them on the first device, and good until the next call. Where
   others than the host may have written to any, waits for all that was queued, and reads
   them. NULL where they are not known before the launch: a recording is replayed with
   others, but for a program's, which is made anew then. */
const struct known_constants *known_constants_find(const struct launching *l);

/* The host has queued that these bytes are written at the address of a variable. */
void known_constants_write(struct proact *p, device_addr to, const void *from,
                           size_t bytes);

void known_constants_destroy(struct known_constants *c); /* NULL is fine */
