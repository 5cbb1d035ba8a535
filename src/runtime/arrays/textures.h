/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Texture objects of a session. A program has the handles of device 0. Other devices get
   their own objects on first use. */

#include <proact/texture.h>

struct session_texture *texture_find(const struct proact *p, uint64_t handle);
/* Array and offset of its memory; NULL: in no array any more. */
struct proact_array *texture_array(const struct session_texture *t, struct proact *p,
                                   uint64_t *first);
/* Creates the object of another device, for its replica or its copy of the texture array.
   Waits if it replaces an object. */
enum proact_status texture_make(struct session_texture *t, struct proact *p,
                                unsigned device, struct proact_error *err);
/* Destroys all objects on other devices. Nothing may be in flight. */
void texture_unmake(struct proact *p, struct session_texture *t);
/* Invalidates the textures of a texture array before its destruction. Nothing may be in
   flight. */
void textures_leave(struct proact_texture_array *texels);

/* Fetches the memory of all textures to device 0, since a kernel may use any of them. */
enum proact_status textures_fetch(struct proact *p, struct proact_error *err);
void textures_close(struct proact *p);
