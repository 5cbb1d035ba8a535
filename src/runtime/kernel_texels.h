/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a kernel has of textures and surfaces. */

#include "ptx/ptx.h"

/* The line at which the kernel, or what it calls, has textures or surfaces; or 0. */
uint32_t texels_line(const struct ptx_module *m, const struct ptx_function *kernel);
