/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Texture objects among the parameters of a launch. The memory of a texture is an array of
   the launch, as if its address were a parameter. In a split launch each device gets its
   own object. */

#include <proact/status.h>
#include <stdbool.h>
#include <stddef.h>

struct launch_texture;
struct launching;
struct proact_kernel;
struct proact_relocation;

/* Maximum number of textures of the kernel's launches. */
size_t launch_textures_most(const struct proact_kernel *k);
/* Fills `textures`, which the launch borrows, and appends relocations of their memory. Both
   have space for launch_textures_most() more entries. */
void launch_textures_take(struct launching *l, struct launch_texture *textures,
                          struct proact_relocation *relocations);

/* Fails with PROACT_EINVAL in a recording: texture objects cannot be recorded. */
enum proact_status launch_textures_check_recorded(const struct launching *l,
                                                  struct proact_error *err);
/* Whether the textures permit a split. Creates the objects of the devices; otherwise the
   kernel's `with_textures` has the reason. */
bool launch_textures_ready(const struct launching *l);
/* Replaces the program's handles by the device's. */
void launch_textures_fill(const struct launching *l, unsigned device, unsigned char *block);
/* Fetches the textures' data, after streams_join(). */
enum proact_status launch_textures_fetch(const struct launching *l,
                                         struct proact_error *err);
enum proact_status launch_textures_await(const struct launching *l, unsigned device,
                                         struct proact_error *err);
/* Called after the launch was queued. */
void launch_textures_used(const struct launching *l);
