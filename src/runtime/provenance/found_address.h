/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Addresses that a kernel loads from memory. In a CUDA program they refer to device 0. */

#include "ptx/ptx.h"

/* Line at which the kernel or a callee may load an address and access memory through it; 0:
   none. */
uint32_t found_address_line(const struct ptx_module *m, const struct ptx_function *kernel);

/* Whether any of these loads (by instruction; NULL: all) may yield an address that is
   used. */
bool found_address_leads(const struct ptx_function *f, const bool *loads);

/* By register: whether it may hold a loaded address or a part of one. A pointer parameter
   plus an index does not count. The caller frees it. */
bool *found_words(const struct ptx_function *f);
