/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Shared writes of a kernel: its idempotent stores, and the writes of one other kind of
   launch_flags.h. */

#include "access/shared_writes/flag_bytes.h"
#include "access/shared_writes/reductions.h"
#include "access/write_set.h"
#include "runtime/footprint/derive_flags.h"

/* One slice per kind of idempotent store, and one for all exclusive stores. */
struct kernel_flags {
    struct access_flags sites;
    struct access_reductions reductions;
    bool *is_flag, *is_joint; /* by instruction; reductions are in both */
    bool *is_swap;            /* compare-and-swap loops that wait for no one; NULL:
                                 none */
    struct write_set_slice *others, **kinds;
    struct write_set_cache others_cache, *kinds_cache;
    struct flag_bytes bytes; /* of the last launch: by array index, and by array */
    struct launch_flags found;
    bool is_on, has_fetch_atomics;
};
