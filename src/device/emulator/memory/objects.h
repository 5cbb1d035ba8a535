/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Texture storage of emulated devices, which is linear memory, and the texture and surface
   objects on it. Handles are never reused. */

#include "device/emulator/machine.h"

enum proact_status texels_create(struct device_set *set, unsigned device,
                                 const struct proact_texture_array_shape *shape,
                                 struct device_texels **out, struct proact_error *err);
void texels_destroy(struct device_texels *t);
enum proact_status texels_copy_box(struct device_stream *s,
                                   const struct proact_copy_3d *copy,
                                   struct device_texels *to, struct device_texels *from,
                                   struct proact_error *err);

enum proact_status objects_create_texture(struct device_set *set, unsigned device,
                                          const struct proact_texture *texture,
                                          struct device_texels *texels, uint64_t *handle,
                                          struct proact_error *err);
enum proact_status objects_create_surface(struct device_texels *texels, uint64_t *handle,
                                          struct proact_error *err);
void objects_destroy(struct device_set *set, unsigned device, uint64_t handle);
/* Object of a handle, for kernels of the device; `context` is a struct emulated. */
const struct execute_texture *objects_find(void *context, uint64_t handle,
                                           const char **why);
void objects_clear(struct device_set *set); /* destroys all that remain */
