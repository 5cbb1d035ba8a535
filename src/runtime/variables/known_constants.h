/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Contents of an image's .const variables, such as sizes and strides, on which write and
   read sets depend. */

#include "access/write_set.h"
#include "device/device.h"

struct launching;

struct known_constants {
    bool are_read;
    uint64_t since; /* the session's count of changed constants at the last read */
    uint32_t count;
    struct write_set_constant *items;
    device_addr *address;    /* device-0 address of each item */
    unsigned char **content; /* contents by symbol of the module; NULL: not a constant */
};

/* Contents that a launch would read now, valid until the next call. If a device may have
   written constants, waits for all queued work and reads them. NULL: not known before the
   launch. A recording, other than a program's, is replayed with changed constants. */
const struct known_constants *known_constants_find(const struct launching *l);

/* Records a queued host write to a variable's address. */
void known_constants_write(struct proact *p, device_addr to, const void *from,
                           size_t bytes);

void known_constants_destroy(struct known_constants *c); /* NULL is allowed */
