/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Recorded scheduling quanta (emulator only). A quantum is what a CTA executes between two
   steps of the scheduler, about 4096 warp instructions. Its cost follows from a few
   numbers: issue slots, dependent cycles, load rounds and bytes by level, and stores. A
   recording has these numbers for each CTA of a launch shape. Launches that replay it
   take the numbers to the same scheduler and execute no lane of the kernel, so memory does
   not change. Ends of kernel versions and agents are executed.

   The first occurrences of a shape in a set are executed, with cold and with warm caches.
   If their numbers show different control flows, then the work depends on data that
   launches change, and each occurrence has a recording of its own. */

#include <proact/device.h>
#include <proact/status.h>
#include <stdbool.h>
#include <stdint.h>

struct device_quanta; /* recordings of all shapes */
struct device_shape;  /* the launches with equal numbers; owned by the recordings */

/* Occurrences of a shape in a set that are recorded: loops mostly swap two arrays, and each
   is cold once. */
enum { DEVICE_QUANTA_RECORDED = 4 };

/* `sample`: of a class of CTAs, one of so many is executed, from number `first` on; 0 and
   1: all. A recording outlives the sets that use it, and one set at a time may use it. */
struct device_quanta *device_quanta_create(unsigned sample, unsigned first);
void device_quanta_destroy(struct device_quanta *q); /* NULL is allowed */

/* Shape with that key; created if there is none. `kernel` is for messages. */
struct device_shape *device_quanta_find(struct device_quanta *q, const char *kernel,
                                        uint64_t key, uint32_t cta_count);

/* Classes of a sample, before the first launch of the shape: CTAs with equal `kind`. Others
   than the executed CTAs of a class take the numbers of the nearest one, and its stores at
   the same distance from `first`, the first byte that they store by slot. */
struct device_sample_cta {
    uint64_t kind, first[PROACT_SLOTS_MAX];
};
void device_shape_sample(struct device_shape *s, const struct device_sample_cta *ctas);
/* Whether that was done or is not needed. */
bool device_shape_is_sampled(const struct device_shape *s);

/* While the set is idle: evaluates the recorded occurrences. PROACT_EREFUSED: the shape
   cannot be replayed; the message gives the reason. */
enum proact_status device_shape_settle(struct device_shape *s, struct proact_error *err);
/* Whether an occurrence of all CTAs is recorded. */
bool device_shape_is_recorded(struct device_shape *s);
/* After device_shape_settle(): whether its work depends on data that launches change. */
bool device_shape_depends(const struct device_shape *s);

enum device_quanta_mode { DEVICE_QUANTA_NONE, DEVICE_QUANTA_RECORD, DEVICE_QUANTA_REPLAY };

/* Member of struct device_launch. */
struct device_quanta_launch {
    enum device_quanta_mode mode;
    /* REPLAY: the function is the end of a kernel version, which each CTA executes after
       its quanta. Otherwise nothing is executed. */
    bool has_end;
    struct device_shape *shape; /* borrowed while the set is open */
    uint32_t slot_count;        /* arrays in the partition; 0: no partition */
    uint32_t partition_offset;  /* of the struct proact_partition in the parameters */
    bool sends_stores; /* the kernel repeats its stores to the peers, as recorded */
};
