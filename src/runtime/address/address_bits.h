/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where a kernel goes by the bits of an address (`p | mask`, `p / 4096`), not by what is
   added to it, it goes elsewhere on each device: only low bits are alike on all. */

#include "runtime/address/look_up.h"
#include "runtime/launch/launching.h"

/* By byte of the parameter block: so many low bits of the address there decide where the
   kernel goes, or whether. To be freed. `look_ups`: by instruction, or NULL. */
uint8_t *address_bits_find(const struct ptx_function *kernel,
                           const struct look_up *look_ups);
/* Whether bits that decide it are not the same in all replicas of a launch's arrays. */
bool address_bits_differ(const struct launching *l, const uint8_t *bits);
