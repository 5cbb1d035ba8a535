/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Of a kernel, what goes to one place from all devices: its flags, and what is found with
   them by one of the kinds of launch_flags.h. */

#include "access/merged/flag_bytes.h"
#include "access/merged/reductions.h"
#include "access/write_set.h"
#include "runtime/partition/launch_flags.h"

/* A slice for the flags of each kind, and one for all other stores. */
struct kernel_flags {
    struct access_flags sites;
    struct access_reductions reductions;
    bool *is_flag, *is_joint; /* by instruction; reductions are both */
    bool *is_swap;            /* by which the least or the greatest is found; NULL: none */
    struct write_set_slice *others, **kinds;
    struct write_set_cache others_cache, *kinds_cache;
    struct flag_bytes bytes; /* of the launch, by its arrays' numbers; and the same, */
    struct launch_flags found;
    bool is_on, has_fetch_atomics;
};
