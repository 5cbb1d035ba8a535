/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Texels and texture objects of a session, all on the first device. */

#include "runtime/session.h"

/* The line at which the kernel, or what it calls, has textures or surfaces; or 0. */
uint32_t texels_line(const struct ptx_module *m, const struct ptx_function *kernel);
/* What lies in memory that textures are of, to the first device: kernels read it beside all
   that they are given. */
enum proact_status texels_bring(struct proact *p, struct proact_error *err);
void texels_close(struct proact *p);
