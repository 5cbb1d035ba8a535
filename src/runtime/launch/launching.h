/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A launch on its way: what was asked, then what was found out about it. */

#include <proact/program.h>

#include "access/write_set.h"
#include "runtime/session/session.h"

struct derived {
    const struct write_set *set;      /* NULL: not known; else good until the next launch */
    uint64_t digest;                  /* of its content */
    const struct launch_flags *flags; /* NULL: none; as long as the set */
    uint32_t cta_first[PROACT_DEVICES_MAX + 1]; /* shares, as launch_split() has them */
};

/* CTAs of a device, by its own numbers. */
struct cta_part {
    uint32_t first, count;
};

struct launching {
    struct proact_kernel *kernel;
    struct proact_kernel
        *original;              /* launch_axis.h: it is turned, in whose place; or NULL */
    const unsigned char *block; /* parameters without a share, and */
    const struct proact_relocation *relocations; /* where in them addresses of arrays go */
    size_t relocation_count;
    uint64_t counted; /* launching_count_arrays(); 0: nobody did */
    uint32_t array_count;
    const struct launch_texture
        *textures; /* launch_textures.h; their places are the last */
    size_t texture_count;
    size_t texture_relocations;
    uint32_t grid[3], threads[3], shared_bytes;
    unsigned interchanged[2]; /* dimensions of the grid, if it is turned */
    uint32_t cluster[3];      /* that was asked for; 0, all: none was */
    unsigned over;            /* devices that run CTAs */
    bool is_cooperative;
    bool is_program;      /* addresses in its memory are those of the first device */
    struct derived found; /* what it writes, where nobody said so */
    struct kernel_binding *binding;   /* NULL: it is not split */
    struct choice *choice;            /* NULL: how it runs is not chosen */
    const struct launch_needs *needs; /* of a split one */
    bool is_ready;                    /* what it reads is where it reads it */
    bool is_staged;                   /* launch_stage.h */
    bool is_divided;                  /* some inside is not of 0 */
    bool is_short; /* kernels more would take the host as long as devices the launch */
    struct cta_part inside[PROACT_DEVICES_MAX]; /* launch_divide.h; else of 0 */
    uint64_t sequence;
    unsigned char *parameters;
};

/* The array whose address lies at that byte of the block; NULL for none. */
struct proact_array *launching_array(const struct launching *l, uint32_t offset);

/* Its arrays, each once and in the order of their first places: how many, and which one. */
uint32_t launching_arrays(const struct launching *l);
uint32_t launching_number(const struct launching *l, const struct proact_array *a);
/* So that they need not be counted each time: of launches with many places. */
void launching_count_arrays(struct launching *l);
bool launching_is_again(const struct launching *l,
                        size_t relocation); /* its array came before */

/* The slot's array. One that this launch leaves out has another's place, and nothing of it
   is written. */
struct proact_array *launching_slot_array(const struct launching *l, unsigned slot);

/* Device d gets the CTAs from cta_first[d] on: shares as access_partition() has them, of
   the first `over` of `devices`; the others get none. */
void launch_split(const uint32_t grid[3], unsigned over, unsigned devices,
                  uint32_t *cta_first);

/* Whether it can be split over the devices under the session's plan, and its binding if so.
   What was asked must be checked before. */
enum proact_status launch_bind(struct launching *l, struct proact_error *err);
/* Its binding, made at the first launch of its shape. */
enum proact_status kernel_binding_find(struct launching *l, struct proact_error *err);
enum proact_status launch_queue(struct launching *l, struct proact_error *err);

enum proact_status launch_check_grid(struct launching *l, const struct proact_grid *g,
                                     struct proact_error *err);
