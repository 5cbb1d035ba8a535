/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Flags: bytes that CTAs of several devices set alike (access/merged/flags.h), so that
   nobody owns them. Under every method the clones store them in one place, the first
   device's replica, as it happens; when the launch is done that one alone holds them, and
   who reads them gets them from there. No chunk and no piece has a byte of them.

   That is right because in such a launch nobody reads them and nothing else is stored
   there, which is asked here before each: the order of equal stores shows in nothing.

   Reductions (access/merged/reductions.h) go there, too, as atomics among all devices;
   where there is room for it, each other device makes its own beside its replica, and they
   are combined there (partials.h). Where memory decides which bytes they change, all of the
   array are theirs. So it is with scattered stores (access/merged/scatters.h), which go
   there as they are.
 */

#include "runtime/launch/launching.h"

struct launch_flag {
    struct proact_array *array;
    uint64_t first, end; /* bytes */
    uint32_t kind;       /* of reductions, all alike; 0: of several, or it is a flag */
};

/* Of a launch; good until the kernel's next one. */
struct launch_flags {
    struct launch_flag *flag;
    size_t count, capacity;
};

/* NULL where the kernel has none. */
struct kernel_flags *flags_create(const struct proact_kernel *k);
/* With its reductions; NULL where it has none of these. floats: and sums of floating-point
   numbers, which are grouped. */
struct kernel_flags *reductions_create(const struct proact_kernel *k, bool floats);
/* And with its scattered stores; NULL where it has none of these. */
struct kernel_flags *scatters_create(const struct proact_kernel *k, bool floats);
/* The same of tickets (access/merged/fetch_atomics.h). */
struct kernel_flags *fetch_atomics_create(const struct proact_kernel *k, bool floats);
/* PROACT_EREFUSED where its CTAs wait for each other; or would, with tickets. */
enum proact_status kernel_waits(const struct proact_kernel *k, struct proact_error *err);
enum proact_status fetch_atomics_wait_loop(const struct proact_kernel *k,
                                           struct proact_error *err);
bool reductions_have_floats(const struct kernel_flags *f);
void flags_destroy(struct kernel_flags *f); /* NULL is fine */

/* Once a launch could not be split without: they stay flags, so that clones stay, and are
   the kernel's flag_stores, and reductions. */
bool flags_are_on(const struct kernel_flags *f);

/* Turns them on where the launch can be split so. Writes what else is written by which CTA,
   and the launch's flags; else says why not. Parts of the grid: as of write_set_overlap().
 */
enum proact_status flags_find(struct launching *l, struct kernel_flags *f,
                              const uint32_t *part_first, const struct write_set **out,
                              struct proact_error *err);

/* Around a launch: ahead of it, what it leaves as it was is on the first device, ... */
enum proact_status idempotent_fetch(const struct launching *l, struct proact_error *err);
/* ... and a device's kernel comes after all that is done with the first one's replica; ...
 */
enum proact_status flags_await(const struct launching *l, unsigned device,
                               struct proact_error *err);
/* ... or knows its partial results, and what combines these comes behind both; ... */
void flags_partition(const struct launching *l, unsigned device,
                     struct proact_partition *partition);
enum proact_status flags_combine(const struct launching *l, unsigned device,
                                 struct proact_error *err);
/* ... behind it, who uses that replica waits for the others, and it alone is current. */
void flags_sent(const struct launching *l);
void flags_written(const struct launching *l);
