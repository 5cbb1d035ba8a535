/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* State of a launch in progress: the request, then the results of its analysis. */

#include <proact/program.h>

#include "device/quanta.h"
#include "transfer/transfer.h"

struct derived {
    const struct write_set *set;      /* valid until the next launch; NULL: unknown */
    uint64_t digest;                  /* of the set */
    const struct launch_flags *flags; /* valid as long as the set; NULL: none */
    uint32_t cta_first[PROACT_DEVICES_MAX + 1]; /* partition boundaries, as by
                                                   launch_split() */
};

/* Range of a device's local CTA numbers. */
struct cta_part {
    uint32_t first, count;
};

struct launching {
    struct proact_kernel *kernel;
    struct proact_kernel *original; /* launch_axis.h: the kernel that an interchanged
                                       version replaces; or NULL */
    const unsigned char *block;     /* parameters without the partition parameter */
    const struct proact_relocation *relocations; /* offsets of array addresses in it */
    size_t relocation_count;
    uint64_t counted; /* by launching_count_arrays(); 0: not counted */
    uint32_t array_count;
    const struct launch_texture
        *textures; /* launch_textures.h; their relocations are the last ones */
    size_t texture_count;
    size_t texture_relocations;
    uint32_t grid[3], threads[3], shared_bytes;
    unsigned interchanged[2]; /* interchanged grid dimensions, if `original` is set */
    uint32_t cluster[3];      /* requested cluster shape; all 0: none */
    unsigned over;            /* number of devices for the CTAs */
    bool is_cooperative;
    bool is_program;             /* addresses in its memory refer to device 0 */
    struct transfer_plan plan;   /* launch_plan.h */
    struct problem_timer *timer; /* problem_timer.h; NULL: the kernel is not timed */
    bool is_mode_open;           /* split or one device is not decided: no plan is timed */
    struct launch_problem
        *measured;     /* problem whose plan this launch measures; NULL: none */
    bool may_wait;     /* the launch may run on one device while its version is compiled */
    bool is_compiling; /* its version is being compiled in the background */
    struct derived found;           /* the derived write set, without user maps */
    struct kernel_binding *binding; /* NULL: the launch is not split */
    struct choice *choice;          /* NULL: no decision between split and single-device */
    const struct launch_needs *needs; /* read set of a split launch */
    bool is_ready;                    /* the inputs were fetched */
    bool is_staged;                   /* launch_stage.h */
    bool is_divided;                  /* some device has an interior */
    bool is_short; /* a second kernel would cost the host as much time as the launch
                      takes */
    struct cta_part inside[PROACT_DEVICES_MAX]; /* launch_divide.h; count 0: no interior */
    uint64_t sequence;
    struct device_quanta_launch quanta; /* launch_quanta.h; zero: the launch is executed */
    unsigned char *parameters;
};

/* Array of the relocation at that offset; NULL: none. */
struct proact_array *launching_array(const struct launching *l, uint32_t offset);

/* Number of distinct arrays, and the index of an array, in the order of their first
   relocations. */
uint32_t launching_arrays(const struct launching *l);
uint32_t launching_number(const struct launching *l, const struct proact_array *a);
/* Caches these numbers, for launches with many relocations. */
void launching_count_arrays(struct launching *l);
bool launching_is_again(const struct launching *l,
                        size_t relocation); /* an earlier relocation has the same array */

/* Array of a slot. A slot that this launch does not use returns another array; nothing of
   it is written. */
struct proact_array *launching_slot_array(const struct launching *l, unsigned slot);

/* Partition boundaries by access_partition() over the first `over` of `devices`: device d
   gets the CTAs from cta_first[d] on. The remaining devices get none. */
void launch_split(const uint32_t grid[3], unsigned over, unsigned devices,
                  uint32_t *cta_first);
