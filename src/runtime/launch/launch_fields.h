/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What of a launch's numbers the bounds of accesses hang on. Numbers that only what is
   computed hangs on may differ from launch to launch, and so may arrays: what counts is how
   large they are, and where in them pointers lead. */

#include "access/depends.h"
#include "runtime/launch/launching.h"

struct launch_fields {
    struct launch_field {
        int32_t variable; /* symbol of the module; -1: a parameter's */
        uint32_t offset, bytes;
        bool is_pointer; /* and nothing else, or it is asked whether it is null */
    } * fields;          /* free() them */
    uint32_t count;
    bool reads_constants;
};

/* `behind`: the same without the pointers that accesses go through. */
struct launch_fields launch_fields_find(const struct proact_kernel *k,
                                        const struct access_depends *all,
                                        const struct access_depends *behind);

/* Of the launch, its block, and what constants hold, NULL where that is not known. */
uint64_t launch_fields_key(const struct launch_fields *f, const struct launching *l,
                           const unsigned char *block,
                           const unsigned char *const *constants);

/* Of where the launch's arrays lie. */
uint64_t launch_fields_bases(const struct launching *l);
