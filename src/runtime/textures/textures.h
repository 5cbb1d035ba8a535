/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Texture objects of a session. A program knows the first device's; others are given theirs
   in place of it, when they have to do with it. */

#include "runtime/textures/texels.h"

struct session_texture {
    struct session_texture *next;
    struct proact_texture is;
    uint64_t handle;
    uint64_t bytes;              /* of memory; 0: it is of texels */
    bool is_void;                /* its texels are gone */
    struct proact_error refused; /* why some device could not have its own; "": none */
    struct texture_elsewhere {
        uint64_t handle, address; /* address 0: it is of texels */
        bool is_made;
    } on[PROACT_DEVICES_MAX]; /* not the first */
};

struct session_texture *texture_find(const struct proact *p, uint64_t handle);
/* The array that its memory lies in, and from where; NULL: in none any more. */
struct proact_array *texture_array(const struct session_texture *t, struct proact *p,
                                   uint64_t *first);
/* An object for another device, of what that one has of the array, or of its copy of the
   texels. Waits where it is made anew. */
enum proact_status texture_make(struct session_texture *t, struct proact *p,
                                unsigned device, struct proact_error *err);
/* All of them. Nothing may be in flight. */
void texture_unmake(struct proact *p, struct session_texture *t);
/* Before the texels go: its objects are void. Nothing may be in flight. */
void textures_leave(struct proact_texture_array *texels);

/* What lies in memory that textures are of, to the first device: kernels read it beside all
   that they are given. */
enum proact_status textures_fetch(struct proact *p, struct proact_error *err);
void textures_close(struct proact *p);
