/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Texture object among the parameters of a launch. */

#include <stdint.h>

struct launch_texture {
    uint32_t offset;                 /* in the parameter buffer */
    uint64_t handle;                 /* the program's handle */
    struct session_texture *texture; /* NULL: unknown handle */
    struct proact_array *array;      /* array with its memory; NULL: none, or a texture
                                        array */
    uint64_t first;                  /* offset in the array */
};
