/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* CUDA arrays of a session. A program accesses the one of device 0. Copies on other devices
   are created on first use and updated before each read. */

#include <proact/texture.h>

size_t texels_bytes_each(const struct proact_texel_format *t);
enum proact_status texels_check_texel(const struct proact_texel_format *t,
                                      struct proact_error *err);
/* Whether the session supports texture arrays now, and `t`, if any, belongs to it. */
enum proact_status texels_check_session(const struct proact *p,
                                        const struct proact_texture_array *t,
                                        struct proact_error *err);

enum proact_status texels_copy_make(struct proact_texture_array *t, unsigned device,
                                    struct proact_error *err);
/* texels_copy_renew() queues an update on the kernel stream of device 0 if the copy is
   stale; no program stream may be current. texels_copy_await() orders the kernel stream of
   the other device after it. */
enum proact_status texels_copy_renew(struct proact_texture_array *t, unsigned device,
                                     struct proact_error *err);
enum proact_status texels_copy_await(const struct proact_texture_array *t, unsigned device,
                                     struct proact_error *err);
/* Records that a kernel on device 0 may have written through surfaces. */
void texels_written(struct proact *p);
void texels_close(struct proact *p);
