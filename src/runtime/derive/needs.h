/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a split launch reads of its arrays on each device, before it runs: from the closed
   forms of the kernel's loads (access.h), or everything where there are none. */

#include "runtime/launch/launching.h"

/* Of the launch's arrays, each once, in the order of their first places (see
   launching_number()); by array and device. Good until the kernel's next launch. */
struct launch_needs {
    unsigned devices;
    uint64_t number; /* their own in the session (transition_cache.h) */
    struct transfer_need *need;
};
static inline const struct transfer_need *needs_of(const struct launch_needs *n,
                                                   uint32_t array, unsigned device)
{
    return &n->need[array * n->devices + device];
}

/* The launch has its binding. Or has none: what all of the grid reads, as if that were the
   first device's share. Without atomics whose instruction is `left_out` (NULL: of all): in
   a program, where strays were looked for, bounds then end where an array does. */
const struct launch_needs *needs_find(const struct launching *l, const bool *left_out);
/* What its CTAs read where they run: a split launch's flags are the first device's. */
const struct launch_needs *needs_of_launch(const struct launching *l);
/* The same, of some of each device's CTAs alone; `l->needs` was found. Good as long, if
   another `part_index` is taken for other parts of the same launch. */
enum { NEEDS_PARTS = 2 };
const struct launch_needs *needs_of_part(const struct launching *l,
                                         const struct cta_part *part, unsigned part_index);
void needs_drop(struct proact_kernel *k);

/* The kernel's accesses; until needs_drop(). */
const struct access_analysis *needs_analysis(struct proact_kernel *k);
/* The parameters as the first device gets them; the caller frees them. */
unsigned char *needs_block(const struct launching *l);

/* Of its bytes, never 0. */
uint64_t need_digest(const struct transfer_need *n);
/* Of one array; false where they are alike. */
bool need_differs(const struct transfer_need *a, const struct transfer_need *b);
void need_join(struct transfer_need *into, const struct transfer_need *of);
void need_clear(struct transfer_need *n);
