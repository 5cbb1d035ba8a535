/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Texture objects of a session, all on the first device. */

#include "runtime/texels.h"

/* Of memory: what a texture reads of an array. */
struct session_texture {
    struct session_texture *next;
    uint64_t handle, address, bytes;
};

/* What lies in memory that textures are of, to the first device: kernels read it beside all
   that they are given. */
enum proact_status textures_bring(struct proact *p, struct proact_error *err);
void textures_close(struct proact *p);
