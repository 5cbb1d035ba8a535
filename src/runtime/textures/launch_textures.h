/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Texture objects among the parameters of a launch. Memory that one is of is an array of
   the launch, as if its address were given there; of a split one each device is given an
   object of its own. */

#include "runtime/launch/launching.h"
#include "runtime/textures/textures.h"

struct launch_texture {
    uint32_t offset;                 /* in the block */
    uint64_t handle;                 /* that the program gave */
    struct session_texture *texture; /* NULL: there is none of that handle */
    struct proact_array *array;      /* of memory: where it lies, or NULL */
    uint64_t first;                  /* byte of the array */
};

/* How many the kernel's launches have, at most. */
size_t launch_textures_most(const struct proact_kernel *k);
/* Fills `textures`, which the launch then has, and adds places of memory to its own,
   `relocations`, where there is room for as many. */
void launch_textures_take(struct launching *l, struct launch_texture *textures,
                          struct proact_relocation *relocations);

/* No recording can hold what has any. */
enum proact_status launch_textures_check_recorded(const struct launching *l,
                                                  struct proact_error *err);
/* Whether it can be split for its textures, with all that the devices need for that. Else
   the kernel's `with_textures` says why. */
bool launch_textures_ready(const struct launching *l);
/* In place of the program's, those of the device. */
void launch_textures_fill(const struct launching *l, unsigned device, unsigned char *block);
/* Behind streams_join(): what it reads by them is brought to where that is. */
enum proact_status launch_textures_fetch(const struct launching *l,
                                         struct proact_error *err);
enum proact_status launch_textures_await(const struct launching *l, unsigned device,
                                         struct proact_error *err);
/* It is queued. */
void launch_textures_used(const struct launching *l);
