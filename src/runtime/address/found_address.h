/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* In a program for one GPU, an address that lies in memory is one of the first device. */

#include "ptx/ptx.h"

/* The line at which the kernel, or a function that it could call, may read an address from
   memory and go there; or 0. */
uint32_t found_address_line(const struct ptx_module *m, const struct ptx_function *kernel);

/* Whether what one of those loads reads, by instruction, may lead somewhere; NULL: of all
   loads from memory. */
bool found_address_leads(const struct ptx_function *f, const bool *loads);

/* By register: whether it may hold an address that was read from memory, or what is left of
   one; the caller frees it. A pointer of the kernel's and an index behind it is none. */
bool *found_words(const struct ptx_function *f);
