/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Launch values on which the bounds of accesses depend. Values that only affect computed
   data are excluded. Arrays count by their size and by the offset of each pointer in its
   array. */

#include "access/depends.h"

struct launching;
struct proact_kernel;

struct launch_fields {
    struct launch_field {
        int32_t variable; /* symbol of the module; -1: a parameter */
        uint32_t offset, bytes;
        bool is_pointer; /* used only as a pointer, or compared with null */
    } * fields;          /* the owner frees them */
    uint32_t count;
    bool reads_constants;
};

/* `behind`: the dependencies without the pointers through which the accesses go. */
struct launch_fields launch_fields_find(const struct proact_kernel *k,
                                        const struct access_depends *all,
                                        const struct access_depends *behind);

/* Hash of these values for a launch with the given parameter buffer. `constants`: contents
   of constant variables; NULL: not known. */
uint64_t launch_fields_key(const struct launch_fields *f, const struct launching *l,
                           const unsigned char *block,
                           const unsigned char *const *constants);

/* Hash of the device-0 addresses of the launch's arrays. */
uint64_t launch_fields_bases(const struct launching *l);
